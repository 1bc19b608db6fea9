/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/text_number.h"

#include <string.h>

enum { SURE_TO_FIT = 19 }; /* any number of this many digits is below 2^64 */

bool text_decimal(struct ix_span text, uint64_t max, uint64_t *value)
{
    uint64_t v = 0;
    if (text.len <= SURE_TO_FIT) {
        for (size_t i = 0; i < text.len; i++) {
            unsigned digit = (unsigned char)text.text[i] - (unsigned)'0';
            if (digit > 9)
                return false;
            v = v * 10 + digit;
        }
        *value = v;
        return text.len > 0 && v <= max;
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned char)text.text[i] - (unsigned)'0';
        if (digit > 9 || v > max / 10 || digit > max - v * 10)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return text.len > 0;
}

bool text_signed(struct ix_span text, int64_t min, int64_t *value)
{
    uint64_t v;
    if (text.len == 0 || text.text[0] != '-') {
        if (!text_decimal(text, INT64_MAX, &v) || (int64_t)v < min)
            return false;
        *value = (int64_t)v;
        return true;
    }
    if (min >= 0)
        return false;
    struct ix_span digits = {text.text + 1, text.len - 1};
    if (!text_decimal(digits, (uint64_t)0 - (uint64_t)min, &v))
        return false;
    *value = (int64_t)((uint64_t)0 - v);
    return true;
}

static unsigned hex_digit(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - (unsigned)'0';
    if (c >= 'A' && c <= 'F')
        return c - (unsigned)'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - (unsigned)'a' + 10;
    return 16;
}

bool text_hex(struct ix_span text, uint64_t *value)
{
    uint64_t v = 0;
    if (text.len == 0 || text.len > 16)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = hex_digit((unsigned char)text.text[i]);
        if (digit > 15)
            return false;
        v = v << 4 | digit;
    }
    *value = v;
    return true;
}

bool text_fields(struct ix_span line, struct ix_span *fields, size_t count)
{
    const char *at = line.text, *end = line.text + line.len;
    for (size_t i = 0; i < count; i++) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        const char *stop = space ? space : end;
        if (stop == at || (i + 1 < count) != (space != NULL))
            return false;
        fields[i] = (struct ix_span){at, (size_t)(stop - at)};
        at = stop + 1;
    }
    return true;
}
