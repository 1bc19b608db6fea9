/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/base/utf8.h"

#include <string.h>

#include "schema/base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* The surrogate in three bytes at `at`; -1 if there is none. */
static int32_t surrogate(const uint8_t *at, size_t left)
{
    if (left < 3 || at[0] != 0xed || at[1] < 0xa0 || at[1] > 0xbf || (at[2] & 0xc0) != 0x80)
        return -1;
    return 0xd000 | (at[1] & 0x3f) << 6 | (at[2] & 0x3f);
}

static void put_supplementary(struct ix_out *out, int32_t v)
{
    const uint8_t bytes[4] = {(uint8_t)(0xf0 | v >> 18), (uint8_t)(0x80 | (v >> 12 & 0x3f)),
                              (uint8_t)(0x80 | (v >> 6 & 0x3f)), (uint8_t)(0x80 | (v & 0x3f))};
    ix_put_bytes(out, bytes, sizeof bytes);
}

/* Converts one non-ASCII character; returns the number of input bytes consumed. */
static size_t put_one(struct ix_out *out, const uint8_t *at, size_t left)
{
    size_t plain = at[0] ? ix_utf8_length((const char *)at, left) : 0;
    if (plain) {
        ix_put_bytes(out, at, plain);
        return plain;
    }
    if (at[0] == 0xc0 && left >= 2 && at[1] == 0x80) {
        ix_put_bytes(out, replacement, 3);
        return 2;
    }
    int32_t high = surrogate(at, left);
    if (high >= 0 && high <= 0xdbff) {
        int32_t low = surrogate(at + 3, left - 3);
        if (low >= 0xdc00) {
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

void ixa_clean_utf8(char *text, size_t size)
{
    struct ix_out out = {0};
    const char *clean = ixa_utf8(&out, text, strlen(text));
    if (clean) {
        const size_t len = ix_utf8_bounded(clean, size - 1);
        memcpy(text, clean, len);
        text[len] = 0;
    }
    ix_out_free(&out);
}
