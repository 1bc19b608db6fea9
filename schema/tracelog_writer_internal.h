/* The trace log writer's inside, for its own source files:
 *
 *   tracelog_writer.c        definitions, snapshots, opening and closing
 *   tracelog_writer_facts.c  facts about the next snapshot
 *   tracelog_writer_parts.c  parts, their limit, what is kept in memory
 */
#ifndef IX_SCHEMA_TRACELOG_WRITER_INTERNAL_H
#define IX_SCHEMA_TRACELOG_WRITER_INTERNAL_H

#include "schema/bytes.h"
#include "schema/tracelog_facts.h"
#include "schema/tracelog_intern.h"
#include "schema/tracelog_output.h"
#include "schema/tracelog_writer.h"

/* What a thread's latest definition said; names as string numbers. */
struct ix_writer_thread {
    uint64_t start, id;
    uint32_t name, group, parent;
    int32_t priority;
    uint32_t flags;
};

/* The parts that have ended. */
struct ix_writer_parts {
    uint32_t first, next; /* they are from first to below next, which is the one being written */
    uint64_t *sizes;      /* owned; in bytes, of the part first + i */
    size_t cap;
    uint64_t bytes; /* of all of them */
    uint64_t limit; /* together with the one being written; 0: none */
};

struct ix_log_writer {
    struct ix_output output;
    struct ix_writer_parts parts;

    struct ix_out meta; /* all pairs so far, for the next part */
    struct ix_intern strings, classes, methods, frames, stacks;
    struct ix_writer_thread *threads; /* of thread number i + 1 */
    size_t thread_count, thread_cap;

    struct ix_out pending[IX_LOG_THREAD + 1]; /* each kind's next record */
    /* The STACK definition that still grows: run_length frames on run_parent. Its length comes
     * before its frames, so it joins its record when it is complete. */
    struct ix_out run;
    uint32_t run_parent, run_length;

    struct ix_facts_out facts; /* about the next snapshot */
    struct ix_out snapshot;    /* scratch for payloads */
    struct ix_snapshot before; /* the last one written in this part; its entries are owned */
    struct ix_entry *entries;
    size_t entries_cap;
    bool any_before; /* in any part */
    uint64_t last_packet;

    bool failed, refused;
    struct ix_error why;
};

/* The log is over: memory or the file failed. -1. */
int ix_writer_fail(struct ix_log_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
int ix_writer_fail_memory(struct ix_log_writer *w);
/* The caller's arguments make no sense; the log goes on without them. -1. */
int ix_writer_refuse(struct ix_log_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Turns all pending definitions into records. 0 or -1. */
int ix_writer_stage(struct ix_log_writer *w);
/* Frames all facts that wait as records, behind what is staged. 0 or -1. */
int ix_writer_stage_facts(struct ix_log_writer *w);
/* Writes what is staged, with room made for it if there is a limit. 0 or -1. */
int ix_writer_flush(struct ix_log_writer *w);
/* A pair of META for the present part alone. 0 or -1. */
int ix_writer_meta(struct ix_log_writer *w, const char *key, size_t key_len, const char *value,
                   size_t value_len);
/* Forgets the definitions and the snapshot before, and gives their memory back. */
void ix_writer_forget(struct ix_log_writer *w);
/* Removes the oldest parts that `more` further bytes leave no room for. */
void ix_writer_make_room(struct ix_log_writer *w, uint64_t more);

#endif
