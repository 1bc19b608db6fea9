/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/units.h"

#include <string.h>

bool ix_parse_number(const char *text, size_t len, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < len; i++)
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(text[i] - '0'), number))
            return false;
    return len > 0;
}

bool ix_parse_size(const char *text, size_t len, uint64_t *bytes)
{
    static const char units[] = "kmgt";
    const char *unit = len ? memchr(units, text[len - 1], sizeof units - 1) : NULL;
    if (!ix_parse_number(text, unit ? len - 1 : len, bytes))
        return false;
    return !unit || !__builtin_mul_overflow(*bytes, UINT64_C(1) << 10 * (unit - units + 1), bytes);
}
