/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/checked_file.h"

#include <stdint.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/base/output.h"

struct roxi_checked_file {
    struct roxi_output out;
    XXH3_state_t *sum; /* owned */
};

static void free_file(struct roxi_checked_file *f)
{
    XXH3_freeState(f->sum);
    free(f);
}

struct roxi_checked_file *roxi_checked_file_open(const char *path, struct ix_error *err)
{
    struct roxi_checked_file *f = calloc(1, sizeof *f);
    if (f)
        f->sum = XXH3_createState();
    if (!f || !f->sum) {
        free(f);
        ix_fail(err, "out of memory");
        return NULL;
    }
    XXH3_64bits_reset(f->sum);
    if (roxi_output_open(&f->out, path, err) != 0) {
        free_file(f);
        return NULL;
    }
    return f;
}

void roxi_checked_file_put(struct roxi_checked_file *f, const void *bytes, size_t len)
{
    fwrite(bytes, 1, len, f->out.stream);
    XXH3_64bits_update(f->sum, bytes, len);
}

int roxi_checked_file_commit(struct roxi_checked_file *f, struct ix_error *err)
{
    const uint64_t digest = XXH3_64bits_digest(f->sum);
    fwrite(&digest, 1, sizeof digest, f->out.stream);
    const int result = roxi_output_commit(&f->out, err);
    roxi_output_abandon(&f->out);
    free_file(f);
    return result;
}
