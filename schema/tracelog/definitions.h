/* SPDX-License-Identifier: Apache-2.0 */
/* What one part of a trace log defines: strings, classes, methods, frames, stacks, threads
 * (tracelog.md, Record). Numbers each by its content, and collects the new ones as records.
 *
 * Defining something again returns its number in O(1) and records nothing. Numbers given as
 * arguments must be defined; the writer checks them. When memory runs out, `failed` is set, and
 * from then on every function returns 0 or -1. */
#ifndef IX_SCHEMA_TRACELOG_DEFINITIONS_H
#define IX_SCHEMA_TRACELOG_DEFINITIONS_H

#include "schema/tracelog/intern.h"
#include "schema/tracelog/output.h"
#include "schema/tracelog/tracelog.h"

/* The first stack that is not one of those that are never defined. */
#define IX_STACK_FIRST (IX_STACK_CUT + 1)

struct ix_definitions {
    struct ix_output *output; /* borrowed; complete records go there */
    bool failed;
    struct ix_intern strings, classes, methods, frames, stacks;
    struct ix_thread_definition *threads; /* owned; of thread number i + 1 */
    size_t thread_count, thread_cap;
    struct ix_out pending[IX_LOG_THREAD + 1]; /* each kind's next record */
    /* The STACK definition that still grows: run_length frames on run_parent. Its length comes
     * before its frames, so it joins its record when it is complete. */
    struct ix_out run;
    uint32_t run_parent, run_length;
};

void ix_definitions_init(struct ix_definitions *d, struct ix_output *output);
/* Frees all of them: the numbers are void, and a new part may begin. */
void ix_definitions_clear(struct ix_definitions *d);

/* A pair of META. 0 or -1. */
int ix_define_meta(struct ix_definitions *d, struct ix_span key, struct ix_span value);
/* The number; 0 for "" too, so look at `failed`. */
uint32_t ix_define_string(struct ix_definitions *d, const char *text);
/* The number; 0 if memory ran out. */
uint32_t ix_define_class(struct ix_definitions *d, const char *name, const char *source);
uint32_t ix_define_method(struct ix_definitions *d, uint32_t class_number, const char *name,
                          const char *descriptor);
uint32_t ix_define_frame(struct ix_definitions *d, uint32_t method, int32_t line);
uint32_t ix_define_stack(struct ix_definitions *d, uint32_t parent, uint32_t frame);
/* Records the thread unless its definition is the same as before. Its number is at most
 * thread_count + 1. 0 or -1. */
int ix_define_thread(struct ix_definitions *d, const struct ix_thread *thread);

/* Turns all that is collected into records of the output. 0 or -1. */
int ix_definitions_stage(struct ix_definitions *d);

size_t ix_definitions_memory(const struct ix_definitions *d); /* bytes, approximately; O(1) */

#endif
