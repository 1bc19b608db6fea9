/* The lines of a text file, one after the other, from a file or from memory. Lines end in LF; one
 * that the end of the input cuts off is not a line. Memory: one buffer of fixed size.
 */
#ifndef ROXI_TEXT_LINES_H
#define ROXI_TEXT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/bytes.h"
#include "schema/error.h"

/* A line holds at most two names of IX_LOG_STRING_MAX bytes, in which every byte may have become
 * three (U+FFFD), and two identifiers; this is well above. */
#define TEXT_LINE_MAX 524288u

struct text_lines;

/* Opens a regular file (anything else is refused: a pipe could block for ever). NULL on failure. */
struct text_lines *text_lines_open(const char *path, struct ix_error *err);
/* The same on bytes that outlive the result; `name` is for messages. */
struct text_lines *text_lines_open_memory(const void *data, size_t size, const char *name,
                                          struct ix_error *err);
void text_lines_close(struct text_lines *lines); /* may be NULL */

/* 1 and the next line without its LF, which lives until the next call; 0 at the end of the input;
 * -1 if reading fails or the line is longer than TEXT_LINE_MAX. */
int text_lines_next(struct text_lines *lines, struct ix_span *line, struct ix_error *err);

/* The next `count` lines, with their LFs, if they are all there, none is too long and the buffer can
 * hold them: true, and *ahead, which lives until the next call. None is given out by that. */
bool text_lines_ahead(struct text_lines *lines, uint64_t count, struct ix_span *ahead);
/* Gives them out, as one piece. */
void text_lines_skip(struct text_lines *lines, struct ix_span ahead, uint64_t count);

/* The number, from 1, of the line that text_lines_next gave last; at the end of the input, of the
 * line that is missing there. */
uint64_t text_lines_number(const struct text_lines *lines);
/* After the end of the input: whether it ended within a line. */
bool text_lines_cut(const struct text_lines *lines);
const char *text_lines_name(const struct text_lines *lines);

#endif
