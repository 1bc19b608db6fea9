/* SPDX-License-Identifier: Apache-2.0 */
/* How wide text may be that people read. */
#ifndef IX_SCHEMA_TERMINAL_H
#define IX_SCHEMA_TERMINAL_H

#include <stddef.h>

/* The columns of lines that are broken into words. */
enum { IX_SCREEN_COLUMNS = 80, IX_SCREEN_NARROWEST = 40 };

/* In how many columns to write to this file descriptor: IX_SCREEN_COLUMNS, or as many as the
 * terminal has, but at least IX_SCREEN_NARROWEST, if it is one that is narrower. The variable
 * COLUMNS, if it is a number, replaces a terminal's width. */
size_t ix_screen_columns(int fd);

/* The columns of a line that is rewritten on this terminal, which it must not reach the end of: a
 * wrapped line cannot be. At most IX_SCREEN_COLUMNS - 1, and at least 1. COLUMNS does not count. */
size_t ix_line_columns(int fd);

#endif
