/* The dictionary of an export: what the frames and call stacks of all logs are made of, each once,
 * so that memory is bounded by what is distinct and not by how much was recorded. Unlike symbols.h
 * it knows source files, keeps names as they are, and can tell stacks that were cut off.
 *
 * Numbers are given in order of first use; EXPORT_NONE instead of one: memory ran out.
 */
#ifndef ROXI_EXPORT_DICTIONARY_H
#define ROXI_EXPORT_DICTIONARY_H

#include "schema/tracelog_intern.h"
#include "schema/tracelog_reader.h"

#define EXPORT_NONE UINT32_MAX

/* What tells things apart. Without EXPORT_LINES all frames of a method are one, and so on. */
enum export_keeps { EXPORT_SOURCES = 1, EXPORT_DESCRIPTORS = 2, EXPORT_LINES = 4 };

struct export_class {
    uint32_t name, source; /* strings */
};
struct export_method {
    uint32_t class_number, name, descriptor; /* the latter two are strings */
};
struct export_frame {
    uint32_t method;
    int32_t line; /* as in a trace log; IX_LINE_UNKNOWN if lines are not kept */
};
struct export_stack {
    uint32_t parent, frame;
};

/* All zero, but for `keeps`: empty. String 0 is "" as soon as there is any. */
struct export_dictionary {
    unsigned keeps;
    struct ix_intern strings, classes, methods, frames;
    struct ix_intern stacks; /* the first one has number IX_STACK_CUT + 1 */
};

void export_dictionary_free(struct export_dictionary *d);

uint32_t export_string(struct export_dictionary *d, const char *text);

/* What a number stands for; pointers to text live until the next string is added. */
const char *export_text(const struct export_dictionary *d, uint32_t string);
struct export_class export_class_at(const struct export_dictionary *d, uint32_t class_number);
struct export_method export_method_at(const struct export_dictionary *d, uint32_t method);
struct export_frame export_frame_at(const struct export_dictionary *d, uint32_t frame);
/* stack is 2 or more; IX_STACK_EMPTY and IX_STACK_CUT end a walk to the parents. */
struct export_stack export_stack_at(const struct export_dictionary *d, uint32_t stack);
/* How many numbers of stacks there are, the two that are never defined among them. */
uint32_t export_stack_count(const struct export_dictionary *d);

/* The names of a frame's class and method, and the file: "" if unknown. */
struct export_place {
    const char *class_name, *method, *source;
};
struct export_place export_place_of(const struct export_dictionary *d, uint32_t frame);

/* A log's numbers in terms of the dictionary: what a snapshot uses is looked up once. */
struct export_log {
    const struct ix_log_reader *log; /* borrowed */
    struct export_dictionary *dictionary;
    uint32_t part;            /* of the log, that the numbers are from */
    uint32_t *frames;         /* owned, by the log's number; EXPORT_NONE: not looked up yet */
    uint32_t *stacks, *path;  /* owned */
    size_t frame_cap, stack_cap, path_cap;
};

void export_log_init(struct export_log *l, const struct ix_log_reader *log,
                     struct export_dictionary *d);
void export_log_release(struct export_log *l);
/* The dictionary's number for a stack of the snapshot read last, or a class of it. */
uint32_t export_log_stack(struct export_log *l, uint32_t stack);
uint32_t export_log_class(struct export_log *l, uint32_t class_number);
uint32_t export_log_frame(struct export_log *l, uint32_t frame);

#endif
