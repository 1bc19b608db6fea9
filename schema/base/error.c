/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int ix_fail(struct ix_error *err, const char *format, ...)
{
    if (!err)
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return -1;
}

int ix_fail_in(struct ix_error *err, const char *format, ...)
{
    if (!err)
        return -1;
    struct ix_error inner = *err;
    va_list args;
    va_start(args, format);
    int used = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (used < 0 || (size_t)used >= sizeof err->text)
        return -1;
    /* The precision is what fits, which tells the compiler that truncation is intended. */
    size_t room = sizeof err->text - (size_t)used;
    snprintf(err->text + used, room, ": %.*s", room > 3 ? (int)(room - 3) : 0, inner.text);
    return -1;
}
