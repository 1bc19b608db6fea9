/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a text, one after the other, from a file or from memory. Lines end in LF; a last
 * line without LF does not count. Memory: one buffer of fixed size. */
#ifndef ROXI_TEXT_LINES_H
#define ROXI_TEXT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/base/bytes.h"
#include "schema/base/error.h"

/* A line contains at most two names of IX_LOG_STRING_MAX bytes, in which every byte may have
 * become three (U+FFFD), and two identifiers; this is well above that. */
#define TEXT_LINE_MAX 524288u

struct text_lines;

/* Opens a regular file (anything else is refused, because a pipe could block forever). NULL on
 * failure. */
struct text_lines *text_lines_open(const char *path, struct ix_error *err);
/* The same for bytes in memory, which must outlive the result; `name` is for messages. */
struct text_lines *text_lines_open_memory(const void *data, size_t size, const char *name,
                                          struct ix_error *err);
void text_lines_close(struct text_lines *lines); /* may be NULL */

/* 1 and the next line without its LF, valid until the next call; 0 at the end of the input; -1
 * if reading fails or the line is longer than TEXT_LINE_MAX. */
int text_lines_next(struct text_lines *lines, struct ix_span *line, struct ix_error *err);

/* Looks ahead: true, and the next `count` lines with their LFs in *ahead, valid until the next
 * call, if they all exist, none is too long and the buffer can hold them. Does not consume them. */
bool text_lines_ahead(struct text_lines *lines, uint64_t count, struct ix_span *ahead);
/* Consumes the lines found by text_lines_ahead. */
void text_lines_skip(struct text_lines *lines, struct ix_span ahead, uint64_t count);

/* The number, from 1, of the line that text_lines_next returned last; at the end of the input,
 * of the line that would come next. */
uint64_t text_lines_number(const struct text_lines *lines);
/* After the end of the input: true if the last line is incomplete. */
bool text_lines_cut(const struct text_lines *lines);
const char *text_lines_name(const struct text_lines *lines);

#endif
