/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/warn.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "roxi/base/text_escape.h"
#include "schema/base/error.h"

bool roxi_ran_short(int why)
{
    return why == ENOMEM || why == EMFILE || why == ENFILE;
}

void roxi_warn(const char *format, ...)
{
    struct ix_error shown;
    va_list args;
    va_start(args, format);
    vsnprintf(shown.text, sizeof shown.text, format, args);
    va_end(args);
    fputs("roxi: ", stderr);
    text_print(stderr, shown.text);
    fputc('\n', stderr);
}
