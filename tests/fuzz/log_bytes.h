/* SPDX-License-Identifier: Apache-2.0 */
/* Trace logs from the bytes of a fuzzer. The first byte chooses what the rest is:
 *
 *   even   the bytes of a file, as they are; finds what header, framing and checksum let through
 *   odd    records without framing: type (1 byte), payload length (2 bytes, little-endian, as much
 *          as there is), payload; header, lengths and checksums are put around them here, so that
 *          the fuzzer reaches the decoders
 */
#ifndef TESTS_FUZZ_LOG_BYTES_H
#define TESTS_FUZZ_LOG_BYTES_H

#include <stdlib.h>
#include <string.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "schema/base/bytes.h"
#include "schema/tracelog/tracelog.h"

static inline void log_bytes_record(struct ix_out *out, uint8_t type, const uint8_t *payload,
                                    size_t len)
{
    size_t begin = out->len;
    ix_put_u8(out, type);
    ix_put_varint(out, len);
    ix_put_bytes(out, payload, len);
    ix_put_u32(out, (uint32_t)XXH3_64bits(out->data + begin, out->len - begin));
}

/* The file, without room behind it, so that reading there is seen; free() it. NULL: there is none.
 */
static inline uint8_t *log_bytes(const uint8_t *data, size_t size, size_t *len)
{
    struct ix_out out = {0};
    if (size == 0)
        return NULL;
    struct ix_in in = ix_in_of(data + 1, size - 1);
    if (data[0] % 2 == 0) {
        ix_put_bytes(&out, data + 1, size - 1);
    } else {
        ix_put_bytes(&out, IX_LOG_MAGIC, IX_LOG_MAGIC_SIZE);
        ix_put_u16(&out, IX_LOG_MAJOR);
        ix_put_u16(&out, IX_LOG_MINOR);
    }
    while (data[0] % 2 == 1 && ix_in_left(&in) >= 3) {
        uint8_t type = ix_get_u8(&in);
        size_t payload = ix_get_u16(&in);
        if (payload > ix_in_left(&in))
            payload = ix_in_left(&in);
        log_bytes_record(&out, type, ix_get_bytes(&in, payload), payload);
    }
    uint8_t *exact = malloc(out.len ? out.len : 1);
    if (exact && out.len)
        memcpy(exact, out.data, out.len);
    *len = out.len;
    ix_out_free(&out);
    return exact;
}

#endif
