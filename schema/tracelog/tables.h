/* What the records of a trace log have defined so far (tracelog.md); the reader's inside.
 *
 * Arrays are indexed by the log's numbers. What lies below the first number is there too, all zero:
 * string 0 is empty, class 0 has no name. */
#ifndef IX_SCHEMA_TRACELOG_TABLES_H
#define IX_SCHEMA_TRACELOG_TABLES_H

#include "schema/bytes.h"
#include "schema/error.h"
#include "schema/tracelog.h"
#include "schema/tracelog_intern.h"
#include "schema/tracelog_reader.h"

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

/* Terminated copies of the log's strings, which stay where they are. */
struct ix_arena {
    struct ix_arena_block *blocks;
    char *at;
    size_t left;
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

/* 0, or -1 if memory ran out; to be freed in both cases. */
int ix_tables_init(struct ix_tables *t);
void ix_tables_free(struct ix_tables *t);
/* Forgets all but META: another part begins. */
void ix_tables_clear(struct ix_tables *t);

/* Takes over the definitions of a record of type META to THREAD. -1 if they break a rule. */
int ix_tables_define(struct ix_tables *t, uint8_t type, struct ix_in payload,
                     struct ix_error *err);

#endif
