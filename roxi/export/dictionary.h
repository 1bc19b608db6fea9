/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary of an export: the frames and call stacks of all logs, each once, so that memory
 * depends on what is distinct and not on how much was recorded. Unlike symbols.h it stores
 * source files, leaves names unchanged, and can represent stacks that were cut off.
 *
 * Numbers are assigned in order of first use; EXPORT_NONE instead of a number: out of memory.
 */
#ifndef ROXI_EXPORT_DICTIONARY_H
#define ROXI_EXPORT_DICTIONARY_H

#include "schema/tracelog/intern.h"
#include "schema/tracelog/reader.h"

#define EXPORT_NONE UINT32_MAX

/* What the dictionary distinguishes. Without EXPORT_LINES all frames of a method are one, and so
 * on. */
enum export_keeps { EXPORT_SOURCES = 1, EXPORT_DESCRIPTORS = 2, EXPORT_LINES = 4 };

struct export_class {
    uint32_t name, source; /* strings */
};
struct export_method {
    uint32_t class_number, name, descriptor; /* the latter two are strings */
};
struct export_frame {
    uint32_t method;
    int32_t line; /* as in a trace log; IX_LINE_UNKNOWN if lines are not distinguished */
};
struct export_stack {
    uint32_t parent, frame;
};

/* All zero except `keeps`: empty. String 0 is "" as soon as there are strings. */
struct export_dictionary {
    unsigned keeps;
    struct ix_intern strings, classes, methods, frames;
    struct ix_intern stacks; /* the first one has number IX_STACK_CUT + 1 */
};

void export_dictionary_free(struct export_dictionary *d);

uint32_t export_string(struct export_dictionary *d, const char *text);

/* The meaning of a number; pointers to text are valid until the next string is added. */
const char *export_text(const struct export_dictionary *d, uint32_t string);
struct export_class export_class_at(const struct export_dictionary *d, uint32_t class_number);
struct export_method export_method_at(const struct export_dictionary *d, uint32_t method);
struct export_frame export_frame_at(const struct export_dictionary *d, uint32_t frame);
/* stack is 2 or more; walking up the parents ends at IX_STACK_EMPTY or IX_STACK_CUT. */
struct export_stack export_stack_at(const struct export_dictionary *d, uint32_t stack);
/* The number of stacks, including the two that are never defined. */
uint32_t export_stack_count(const struct export_dictionary *d);

/* The names of a frame's class, method and file: "" if unknown. */
struct export_place {
    const char *class_name, *method, *source;
};
struct export_place export_place_of(const struct export_dictionary *d, uint32_t frame);

/* Maps a log's numbers to the dictionary: each number that a snapshot uses is looked up once. */
struct export_log {
    const struct ix_log_reader *log; /* borrowed */
    struct export_dictionary *dictionary;
    uint32_t part;           /* the log's part to which the numbers belong */
    uint32_t *frames;        /* owned, by the log's number; EXPORT_NONE: not looked up yet */
    uint32_t *stacks, *path; /* owned */
    size_t frame_cap, stack_cap, path_cap;
};

void export_log_init(struct export_log *l, const struct ix_log_reader *log,
                     struct export_dictionary *d);
void export_log_release(struct export_log *l);
/* The dictionary's number for a stack of the latest snapshot, or for one of its classes or
 * methods. */
uint32_t export_log_stack(struct export_log *l, uint32_t stack);
uint32_t export_log_class(struct export_log *l, uint32_t class_number);
uint32_t export_log_method(struct export_log *l, uint32_t method);
uint32_t export_log_frame(struct export_log *l, uint32_t frame);

#endif
