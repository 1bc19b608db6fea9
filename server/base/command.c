/* SPDX-License-Identifier: Apache-2.0 */
/* Output that all commands share. */
#include "server/base/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/units.h"

/* Roles, hosts, reasons: much of the text comes from outside. */
void ixor_notice(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    if (text)
        ixor_safe_text(text, text, strlen(text) + 1);
    fprintf(stderr, "ixor: %s\n", text ? text : "out of memory");
    free(text);
}
