/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/utf8.h"

#include <string.h>

size_t ix_utf8_decode(const char *text, size_t len, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *b = (const uint8_t *)text;
    if (len == 0)
        return 0;
    *code = b[0];
    if (b[0] < 0x80)
        return 1;
    const size_t size = b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;
    if (size == 0 || size > len)
        return 0;
    *code = b[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (b[i] & 0x3f);
    }
    const int surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[size] || *code > 0x10ffff || surrogate ? 0 : size;
}

size_t ix_utf8_length(const char *text, size_t len)
{
    uint32_t code;
    return ix_utf8_decode(text, len, &code);
}

size_t ix_utf8_bounded(const char *text, size_t max)
{
    size_t len = strnlen(text, max + 1);
    if (len <= max)
        return len;
    len = max;
    for (int i = 0; i < 3 && len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80; i++)
        len--;
    return len;
}
