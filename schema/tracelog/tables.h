/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of a trace log have defined so far (tracelog.md); internal to the reader.
 *
 * Arrays are indexed by the log's numbers, including those below the first one, whose elements are
 * all zero: string 0 is empty, class 0 has no name. */
#ifndef IX_SCHEMA_TRACELOG_TABLES_H
#define IX_SCHEMA_TRACELOG_TABLES_H

#include "schema/base/bytes.h"
#include "schema/base/error.h"
#include "schema/tracelog/intern.h"
#include "schema/tracelog/tracelog.h"

struct ix_class_def {
    uint32_t name, source;
};
struct ix_method_def {
    uint32_t class_number, name, descriptor;
};
struct ix_stack_def {
    uint32_t parent, frame;
};
struct ix_thread_def {
    uint64_t start, id;
    uint32_t name, group, parent;
    int32_t priority;
    uint32_t flags;
};
struct ix_meta_pair {
    const char *key, *value;
};

/* Terminated copies of the log's strings, which never move. */
struct ix_arena {
    struct ix_arena_block *blocks;
    char *at;
    size_t left;
    size_t size; /* of all blocks */
};

struct ix_tables {
    struct ix_arena text, meta_text;
    const char **strings;
    struct ix_class_def *classes;
    struct ix_method_def *methods;
    struct ix_frame *frames;
    struct ix_stack_def *stacks;
    struct ix_thread_def *threads;
    uint32_t *redefined; /* threads, since the reader set the count to 0 */
    size_t redefined_count, redefined_cap;
    struct ix_meta_pair *meta; /* from 0 */
    struct ix_intern meta_keys;
    /* One above the highest number. */
    uint32_t string_count, class_count, method_count, frame_count, stack_count, thread_count;
    size_t string_cap, class_cap, method_cap, frame_cap, stack_cap, thread_cap, meta_cap;
};

/* 0, or -1 if memory ran out; free it in both cases. */
int ix_tables_init(struct ix_tables *t);
void ix_tables_free(struct ix_tables *t);
/* Discards all but META, at the start of another part. */
void ix_tables_clear(struct ix_tables *t);

/* Bytes of memory in use. */
uint64_t ix_tables_memory(const struct ix_tables *t);

/* Adds the definitions of a record of type META to THREAD. -1 if they break a rule. */
int ix_tables_define(struct ix_tables *t, uint8_t type, struct ix_in payload, struct ix_error *err);

#endif
