/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/bytes.h"

#include <stdlib.h>
#include <string.h>

void ix_out_free(struct ix_out *out)
{
    free(out->data);
    *out = (struct ix_out){0};
}

void ix_out_clear(struct ix_out *out)
{
    out->len = 0;
    out->failed = false;
}

static uint8_t *room(struct ix_out *out, size_t len)
{
    if (out->failed)
        return NULL;
    if (!out->data || len > out->cap - out->len) {
        size_t cap = out->cap ? out->cap : 256;
        while (len > cap - out->len) {
            if (cap > SIZE_MAX / 2) {
                out->failed = true;
                return NULL;
            }
            cap *= 2;
        }
        uint8_t *data = realloc(out->data, cap);
        if (!data) {
            out->failed = true;
            return NULL;
        }
        out->data = data;
        out->cap = cap;
    }
    uint8_t *at = out->data + out->len;
    out->len += len;
    return at;
}

void ix_put_bytes(struct ix_out *out, const void *data, size_t len)
{
    if (!len)
        return; /* an empty buffer's NULL has no zeroth byte, and `data` may be NULL too */
    uint8_t *at = room(out, len);
    if (at)
        memcpy(at, data, len);
}

static void put_le(struct ix_out *out, uint64_t v, size_t size)
{
    uint8_t *at = room(out, size);
    for (size_t i = 0; at && i < size; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

void ix_put_u8(struct ix_out *out, uint8_t v)
{
    put_le(out, v, 1);
}

void ix_put_u16(struct ix_out *out, uint16_t v)
{
    put_le(out, v, 2);
}

void ix_put_u32(struct ix_out *out, uint32_t v)
{
    put_le(out, v, 4);
}

void ix_put_u64(struct ix_out *out, uint64_t v)
{
    put_le(out, v, 8);
}

void ix_put_varint(struct ix_out *out, uint64_t v)
{
    uint8_t bytes[10];
    size_t n = 0;
    do {
        bytes[n] = (uint8_t)(v & 0x7f);
        v >>= 7;
        if (v)
            bytes[n] |= 0x80;
        n++;
    } while (v);
    ix_put_bytes(out, bytes, n);
}

void ix_put_zigzag(struct ix_out *out, int64_t v)
{
    ix_put_varint(out, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

void ix_put_string(struct ix_out *out, const char *text, size_t len)
{
    ix_put_varint(out, len);
    ix_put_bytes(out, text, len);
}

const uint8_t *ix_get_bytes(struct ix_in *in, size_t len)
{
    if (in->failed || len > ix_in_left(in)) {
        in->failed = true;
        return NULL;
    }
    const uint8_t *at = in->at;
    in->at += len;
    return at;
}

static uint64_t get_le(struct ix_in *in, size_t size)
{
    const uint8_t *at = ix_get_bytes(in, size);
    uint64_t v = 0;
    for (size_t i = 0; at && i < size; i++)
        v |= (uint64_t)at[i] << (8 * i);
    return v;
}

uint8_t ix_get_u8(struct ix_in *in)
{
    return (uint8_t)get_le(in, 1);
}

uint16_t ix_get_u16(struct ix_in *in)
{
    return (uint16_t)get_le(in, 2);
}

uint32_t ix_get_u32(struct ix_in *in)
{
    return (uint32_t)get_le(in, 4);
}

uint64_t ix_get_u64(struct ix_in *in)
{
    return get_le(in, 8);
}

uint64_t ix_get_long_varint(struct ix_in *in)
{
    const uint8_t *at = in->at;
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && !in->failed && at < in->end; shift += 7) {
        const uint8_t byte = *at++;
        if (shift == 63 && byte > 1)
            break; /* would not fit 64 bits */
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        in->at = at;
        return v;
    }
    in->failed = true;
    return 0;
}

int64_t ix_get_zigzag(struct ix_in *in)
{
    uint64_t v = ix_get_varint(in);
    return (int64_t)((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

struct ix_span ix_get_string(struct ix_in *in, size_t max)
{
    size_t len = ix_get_varint_max(in, max);
    const uint8_t *at = ix_get_bytes(in, len);
    if (!at)
        return (struct ix_span){"", 0};
    return (struct ix_span){(const char *)at, len};
}
