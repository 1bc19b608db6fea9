/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian bytes in and out, for the protocol and the trace log.
 *
 * Writing appends to a growing buffer; reading takes from a fixed range and never past its end.
 * Both are sticky: after the first failure every further call does nothing (reads give 0 or an
 * empty string), so that a decoder can read a whole message and test `failed` once.
 *
 * A varint is LEB128: seven bits a byte, low bits first, at most 10 bytes. A zigzag is a varint of
 * (v << 1) ^ (v >> 63), short for small values of either sign.
 */
#ifndef IX_SCHEMA_BYTES_H
#define IX_SCHEMA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ix_out {
    uint8_t *data; /* owned; ix_out_free releases it */
    size_t len, cap;
    bool failed; /* memory ran out */
};

struct ix_in {
    const uint8_t *at, *end; /* borrowed */
    bool failed;             /* a read went past the end, or a value was malformed */
};

/* A range of bytes in a buffer owned elsewhere; not terminated. */
struct ix_span {
    const char *text;
    size_t len;
};

void ix_out_free(struct ix_out *out);
void ix_out_clear(struct ix_out *out); /* keeps the memory; clears the content and the failure */
void ix_put_bytes(struct ix_out *out, const void *data, size_t len);
void ix_put_u8(struct ix_out *out, uint8_t v);
void ix_put_u16(struct ix_out *out, uint16_t v);
void ix_put_u32(struct ix_out *out, uint32_t v);
void ix_put_u64(struct ix_out *out, uint64_t v);
void ix_put_varint(struct ix_out *out, uint64_t v);
void ix_put_zigzag(struct ix_out *out, int64_t v);
void ix_put_string(struct ix_out *out, const char *text, size_t len); /* varint length, bytes */

static inline struct ix_in ix_in_of(const void *data, size_t len)
{
    const uint8_t *at = data;
    return (struct ix_in){.at = at, .end = len ? at + len : at};
}
static inline size_t ix_in_left(const struct ix_in *in)
{
    return (size_t)(in->end - in->at);
}
uint8_t ix_get_u8(struct ix_in *in);
uint16_t ix_get_u16(struct ix_in *in);
uint32_t ix_get_u32(struct ix_in *in);
uint64_t ix_get_u64(struct ix_in *in);
uint64_t ix_get_long_varint(struct ix_in *in); /* any varint; call ix_get_varint instead */
/* Most varints in a trace log are one or two bytes long; these are read inline. */
static inline uint64_t ix_get_varint(struct ix_in *in)
{
    const uint8_t *at = in->at;
    if (!in->failed && in->end - at >= 2) {
        const uint64_t low = at[0];
        if (low < 0x80) {
            in->at = at + 1;
            return low;
        }
        if (at[1] < 0x80) {
            in->at = at + 2;
            return (low & 0x7f) | (uint64_t)at[1] << 7;
        }
    }
    return ix_get_long_varint(in);
}
/* A varint of at most `max`; a larger one is a failure. */
static inline uint64_t ix_get_varint_max(struct ix_in *in, uint64_t max)
{
    const uint64_t v = ix_get_varint(in);
    if (v <= max)
        return v;
    in->failed = true;
    return 0;
}
int64_t ix_get_zigzag(struct ix_in *in);
/* A string of at most `max` bytes; points into the input. */
struct ix_span ix_get_string(struct ix_in *in, size_t max);
const uint8_t *ix_get_bytes(struct ix_in *in, size_t len); /* NULL on failure */

#endif
