/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as class files have them, in and out of the buffers of schema/base/bytes.h; u2 and u4 are
 * the class file format's names. */
#ifndef IX_AGENT_BIG_ENDIAN_H
#define IX_AGENT_BIG_ENDIAN_H

#include <stdint.h>

#include "schema/base/bytes.h"

static inline uint16_t ixa_u2_at(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t ixa_u4_at(const uint8_t *at)
{
    return (uint32_t)ixa_u2_at(at) << 16 | ixa_u2_at(at + 2);
}

/* 0 on failure, as in bytes.h */
static inline uint16_t ixa_get_u2(struct ix_in *in)
{
    const uint8_t *at = ix_get_bytes(in, 2);
    return at ? ixa_u2_at(at) : 0;
}

static inline uint32_t ixa_get_u4(struct ix_in *in)
{
    const uint8_t *at = ix_get_bytes(in, 4);
    return at ? ixa_u4_at(at) : 0;
}

static inline void ixa_u2_to(uint8_t *at, uint32_t v)
{
    at[0] = (uint8_t)(v >> 8);
    at[1] = (uint8_t)v;
}

static inline void ixa_u4_to(uint8_t *at, uint32_t v)
{
    ixa_u2_to(at, v >> 16);
    ixa_u2_to(at + 2, v);
}

static inline void ixa_put_u2(struct ix_out *out, uint32_t v)
{
    uint8_t bytes[2];
    ixa_u2_to(bytes, v);
    ix_put_bytes(out, bytes, sizeof bytes);
}

static inline void ixa_put_u4(struct ix_out *out, uint32_t v)
{
    uint8_t bytes[4];
    ixa_u4_to(bytes, v);
    ix_put_bytes(out, bytes, sizeof bytes);
}

/* `length` bytes as a range of their own, which `in` skips. */
static inline struct ix_in ixa_get_range(struct ix_in *in, size_t length)
{
    const uint8_t *at = ix_get_bytes(in, length);
    struct ix_in range = ix_in_of(at ? at : in->end, at ? length : 0);
    range.failed = in->failed;
    return range;
}

#endif
