/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as text: in numbered items, and as many as fit on a first screen. */
#ifndef ROXI_EXPLAIN_SCREEN_H
#define ROXI_EXPLAIN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "schema/base/text_memory.h"

/* Prints text that was written to memory, which it closes, behind `begin`, the item's number
 * or mark, in lines of 80 columns that begin at column 4. `begin` is empty if it is there already.
 * -1: memory ran out. */
int roxi_close_item(FILE *out, const char *begin, struct ix_text *t);

/* Writes so many findings, with so many frames of each call stack. -1: memory ran out. */
typedef int roxi_write_findings(FILE *out, const void *what, size_t findings, uint32_t frames);

/* Prints as many of `count` findings as are shown; unless that is all, one at least in at most
 * ROXI_SCREEN_TEXT bytes: first with fewer frames, then fewer findings. -1: memory ran out, and
 * nothing is printed. */
int roxi_print_findings(FILE *out, roxi_write_findings *write, const void *what, size_t count,
                        bool all);

/* Prints as many as are shown as Markdown, in which ROXI_TICK stands for a backtick of its own.
 * Other backticks are those of names, which must not end a code span; they become apostrophes. -1
 * as above. */
#define ROXI_TICK "\001"
int roxi_print_markdown(FILE *out, roxi_write_findings *write, const void *what, size_t count,
                        bool all);

#endif
