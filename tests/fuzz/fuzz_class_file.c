/* SPDX-License-Identifier: Apache-2.0 */
/* A class file gets probes: whatever it is, what comes out is a class file with as many more
 * fields, which gets no more, and all that was noted belongs to it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/coverage/class_file.h"
#include "agent/coverage/probes.h"

enum { BLOCKS_MAX = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

/* Its parts, of which the numbers are looked at. */
static struct ixa_class_file parts(const uint8_t *bytes, size_t length)
{
    struct ixa_class_file c;
    require(ixa_class_file_read(bytes, length, &c) == IXA_CLASS_READ);
    const struct ixa_class_file copy = c;
    ixa_class_file_free(&c);
    return copy;
}

static void check(const uint8_t *data, size_t size, const struct ixa_probed *p)
{
    struct ixa_probed again;
    const struct ixa_class_file before = parts(data, size), after = parts(p->bytes, p->length);
    require(after.field_count == before.field_count + p->block_count);
    require(after.method_count == before.method_count);
    require(p->block_count > 0 && p->block_count <= BLOCKS_MAX);
    require(p->method_count > 0 && p->method_count <= p->block_count);
    for (uint32_t i = 0; i < p->block_count; i++)
        require(p->blocks[i].method < p->method_count);
    for (uint32_t i = 0; i < p->method_count; i++)
        require(strlen(p->methods[i].name) + strlen(p->methods[i].descriptor) <= size);
    require(ixa_probes_insert(p->bytes, p->length, BLOCKS_MAX, &again) == IXA_LEFT_ALONE);
    require(ixa_probes_only_fields(data, size, p->block_count, &again) == IXA_PROBED);
    require(parts(again.bytes, again.length).field_count == after.field_count);
    ixa_probed_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ixa_probed p;
    if (ixa_probes_insert(data, size, BLOCKS_MAX, &p) != IXA_PROBED)
        return 0;
    check(data, size, &p);
    ixa_probed_free(&p);
    return 0;
}
