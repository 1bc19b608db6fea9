/* SPDX-License-Identifier: Apache-2.0 */
/* Text in lines of at most 80 columns, or fewer on a narrow terminal, broken at blanks. */
#ifndef ROXI_TEXT_WRAP_H
#define ROXI_TEXT_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "schema/base/text_memory.h"

enum {
    ROXI_SCREEN_TEXT = 4700, /* bytes of a first screen, at most: what is read in a few minutes */
};

/* From now on lines have so many columns, from IX_SCREEN_NARROWEST (schema/base/terminal.h). For
 * the whole program, because it writes one result. */
void roxi_wrap_at(size_t columns);
/* How many they have; IX_SCREEN_COLUMNS, unless that was changed. */
size_t roxi_wrap_columns(void);

struct roxi_wrap {
    size_t indent; /* blanks at the beginning of all lines but the first; at most 32 */
    size_t used;   /* columns of the first line that are taken already */
    size_t lines;  /* after so many, the rest is "..."; 0: no limit */
    bool whole;    /* a word that is longer than a line is not cut, but alone on a line that is too
                      long, so that it can be copied and searched for */
};

/* A character of three or more bytes counts as two columns; UTF-8 is not cut. Several blanks are
 * printed as one; a line does not end between a number and its %. O(length). */
void roxi_print_wrapped(FILE *out, const char *text, struct roxi_wrap w);

/* Prints each line of a text so, with words kept whole; what does not fit begins 4 columns further
 * in than the line, or than half of one. Cuts the text. */
void roxi_print_lines(FILE *out, char *text);

/* As roxi_print_wrapped, of text that was written to memory, which it closes; and ends the line.
 * -1: memory ran out, and nothing is printed. */
int roxi_close_wrapped(FILE *out, struct ix_text *t, struct roxi_wrap w);

#endif
