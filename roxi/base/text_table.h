/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in text files: a line a row, fields separated by tabs, the columns' names in the first
 * line. */
#ifndef ROXI_TEXT_TABLE_H
#define ROXI_TEXT_TABLE_H

#include <stddef.h>

#include "schema/base/error.h"

struct roxi_text_table {
    const char *path; /* as given, for messages; not owned */
    size_t columns, rows;
    char **fields; /* the columns' names, then row after row; owned, as is the text */
    char *text;
};

/* Reads a file of at most 64 MB into memory. -1 with a message, which names the line, and nothing
 * to free: there is no such file, it is empty, a row has more or fewer fields than there are
 * columns. */
int roxi_text_table_read(struct roxi_text_table *t, const char *path, struct ix_error *err);
/* The same of a text of `len` bytes and a zero byte behind them, which it takes over, even if it
 * fails; `path` is for messages. */
int roxi_text_table_parse(struct roxi_text_table *t, const char *path, char *text, size_t len,
                          struct ix_error *err);
void roxi_text_table_free(struct roxi_text_table *t);

/* The number of a column. -1: there is none. */
long roxi_text_table_column(const struct roxi_text_table *t, const char *name);
/* The same, as an unsigned number; -1 with a message that names those that there are. */
int roxi_text_table_need(const struct roxi_text_table *t, const char *name, size_t *column,
                         struct ix_error *err);

/* Terminated; the caller may change it in place, but not make it longer. */
static inline char *roxi_text_table_at(const struct roxi_text_table *t, size_t row, size_t column)
{
    return t->fields[(row + 1) * t->columns + column];
}
/* The line in the file, from 1. */
static inline size_t roxi_text_table_line(size_t row)
{
    return row + 2;
}

#endif
