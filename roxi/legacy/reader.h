/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a trace log in the original's layout (Lambert's thesis, Figure 2-11), block by block.
 *
 * A block is one snapshot. The methods and classes that it needs come at its end, so the
 * complete block is kept in memory, except threads and call stacks seen before (text_known.h).
 * Memory: the largest block and what is known; it grows with the lines that actually exist,
 * never with a number that the file claims. Time: linear in the bytes read; repeated lines are
 * only split and hashed.
 *
 * The reader checks what a single line shows: numbers, escapes, UTF-8, ascending packet numbers,
 * and that the JVM stays the same. text_convert.h checks the meaning of identifiers.
 */
#ifndef ROXI_TEXT_READER_H
#define ROXI_TEXT_READER_H

#include "roxi/legacy/known.h"
#include "roxi/legacy/lines.h"

struct text_thread {
    uint32_t who, stack; /* text_known.h's numbers; stack 0: no frames */
    uint32_t status;
    uint64_t first_frame_line; /* line number in the file */
};

struct text_method {
    uint64_t class_id, id;
    size_t name, descriptor;
    uint64_t line_number;
};

struct text_class {
    uint64_t id;
    size_t name, source;
    uint64_t line_number;
};

struct text_block {
    uint64_t packet;
    int64_t counter;      /* ns */
    uint64_t line_number; /* number of the block's first line */
    const struct text_known *known;
    struct text_thread *threads;
    struct text_method *methods;
    struct text_class *classes;
    size_t thread_count, method_count, class_count;
    size_t frame_count; /* of all its threads */
    struct ix_out text; /* the methods' and classes' strings, each with a zero byte */
};

/* Who wrote the log, as far as its first block was read; strings are NULL until then. */
struct text_identity {
    bool has_pid;
    uint64_t pid;
    const char *role, *rmi_log, *jvm;
};

struct text_reader;

/* Takes ownership of `lines`. NULL if out of memory (then `lines` is closed). */
struct text_reader *text_reader_new(struct text_lines *lines, struct ix_error *err);
void text_reader_free(struct text_reader *r); /* may be NULL */

/* 1 and the next block, valid until the next call; 0 at the end of the log, complete or cut off;
 * -1 if the log does not follow the layout: "FILE:LINE: found ..., expected ...". */
int text_reader_next(struct text_reader *r, const struct text_block **block, struct ix_error *err);

/* After the end: NULL if the log ended with a complete block, else one sentence about where it
 * was cut off; valid as long as the reader. */
const char *text_reader_torn(const struct text_reader *r);

/* Valid as long as the reader. */
struct text_identity text_reader_identity(const struct text_reader *r);
const char *text_reader_name(const struct text_reader *r);

static inline const char *text_at(const struct text_block *block, size_t place)
{
    return (const char *)block->text.data + place;
}

#endif
