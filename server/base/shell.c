/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/shell.h"

#include <stdio.h>
#include <string.h>

void ixor_print_quoted(const char *word)
{
    if (!strpbrk(word, " \t\n'\"\\$`&;|<>(){}[]*?!#~")) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (const char *at = word; *at; at++) {
        if (*at == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*at);
    }
    putchar('\'');
}
