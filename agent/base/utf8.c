#include "agent/utf8.h"

#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* The bits of continuation byte i, or -1. */
static int32_t tail(const uint8_t *at, size_t left, size_t i)
{
    return i < left && (at[i] & 0xc0) == 0x80 ? at[i] & 0x3f : -1;
}

/* The three-byte unit at `at`, any value from 0x800 up, surrogates too; -1 if there is none. */
static int32_t unit3(const uint8_t *at, size_t left)
{
    if (left < 3 || (at[0] & 0xf0) != 0xe0)
        return -1;
    int32_t b = tail(at, left, 1), c = tail(at, left, 2);
    if (b < 0 || c < 0)
        return -1;
    int32_t v = (at[0] & 0x0f) << 12 | b << 6 | c;
    return v >= 0x800 ? v : -1;
}

static void put_supplementary(struct ix_out *out, int32_t v)
{
    const uint8_t bytes[4] = {(uint8_t)(0xf0 | v >> 18), (uint8_t)(0x80 | (v >> 12 & 0x3f)),
                              (uint8_t)(0x80 | (v >> 6 & 0x3f)), (uint8_t)(0x80 | (v & 0x3f))};
    ix_put_bytes(out, bytes, sizeof bytes);
}

/* Bytes of a well-formed two- or four-byte character at `at` that can be copied as they are; 0 if
 * there is none. */
static size_t plain_length(const uint8_t *at, size_t left)
{
    if (at[0] >= 0xc2 && at[0] <= 0xdf && tail(at, left, 1) >= 0)
        return 2;
    if (at[0] < 0xf0 || at[0] > 0xf4)
        return 0;
    int32_t b = tail(at, left, 1), c = tail(at, left, 2), d = tail(at, left, 3);
    if (b < 0 || c < 0 || d < 0)
        return 0;
    int32_t v = (at[0] & 7) << 18 | b << 12 | c << 6 | d;
    return v >= 0x10000 && v <= 0x10ffff ? 4 : 0;
}

/* Converts one character that is not ASCII; returns the bytes of input it took. */
static size_t put_one(struct ix_out *out, const uint8_t *at, size_t left)
{
    size_t plain = plain_length(at, left);
    if (plain) {
        ix_put_bytes(out, at, plain);
        return plain;
    }
    if (at[0] == 0xc0 && left >= 2 && at[1] == 0x80) {
        ix_put_bytes(out, replacement, 3);
        return 2;
    }
    int32_t high = unit3(at, left);
    if (high >= 0 && (high < 0xd800 || high > 0xdfff)) {
        ix_put_bytes(out, at, 3);
        return 3;
    }
    if (high >= 0xd800 && high <= 0xdbff) {
        int32_t low = unit3(at + 3, left - 3);
        if (low >= 0xdc00 && low <= 0xdfff) {
            put_supplementary(out, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            return 6;
        }
    }
    ix_put_bytes(out, replacement, 3);
    return high >= 0 ? 3 : 1;
}

void ixa_put_utf8(struct ix_out *out, const char *text, size_t len)
{
    const uint8_t *at = (const uint8_t *)text;
    for (size_t i = 0; i < len;) {
        size_t run = i;
        while (run < len && at[run] && at[run] < 0x80)
            run++;
        ix_put_bytes(out, at + i, run - i);
        i = run;
        if (i < len)
            i += put_one(out, at + i, len - i);
    }
}

const char *ixa_utf8(struct ix_out *out, const char *text, size_t len)
{
    ix_out_clear(out);
    ixa_put_utf8(out, text, len);
    ix_put_u8(out, 0);
    return out->failed ? NULL : (const char *)out->data;
}
