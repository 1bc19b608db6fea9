/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the writer's source files only. Entries are queued by the loop's thread
 * (catalogue_writer_queue.c), handed over (catalogue_writer_thread.c) and written by the writer's
 * thread (catalogue_writer_entries.c).
 */
#ifndef IXOR_CATALOGUE_WRITER_INTERNAL_H
#define IXOR_CATALOGUE_WRITER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/store/catalogue_writer.h"

struct ixor_writer_vm {
    struct ixor_writer_vm *next, *previous; /* list of all that have not ended */
    int64_t more_requests, stale, superseded, foreign_count;
    bool here;     /* its log can be read where it is */
    bool counted;  /* one of the four has changed since they were last queued */
    bool left_out; /* its entry was dropped for lack of room, so its other entries cannot be written
                      either */

    _Atomic int64_t id; /* set when the row has been committed; 0 before */

    /* Used by the writer's thread: */
    int64_t row_id;   /* in the current transaction */
    struct ix_vm row; /* its strings are owned, and released when committed */
    char *strings;
};

enum ixor_entry_kind {
    IXOR_ADD_EXECUTION,
    IXOR_END_EXECUTION,
    IXOR_ADD_VM,
    IXOR_SNAPSHOT,
    IXOR_COUNTS,
    IXOR_MARK_VM,
    IXOR_END_VM,
    IXOR_PACKET,
    IXOR_OUTCOME,
    IXOR_CLOCK,
    IXOR_LATE,
    IXOR_MARK,
    IXOR_LOG,
    IXOR_KINDS
};

struct ixor_entry {
    enum ixor_entry_kind kind;
    struct ixor_writer_vm *vm; /* IXOR_END_VM: owned */
    union {
        struct {
            int64_t number, begin_ns; /* number: below 0 */
            char *name, *command;     /* owned; command NULL */
        } execution;
        struct ixor_execution_end execution_end;
        struct ix_snapshot_row snapshot;
        struct ix_packet_row packet;
        struct ix_packet_outcome outcome;
        struct ix_clock_row clock;
        int64_t late;
        struct ix_mark mark; /* its text is owned */
        struct {
            int64_t vm;
            const char *state;
            char *copy; /* owned; NULL */
            int whole;
        } log;
        struct {
            int64_t more_requests, stale, superseded, foreign_count;
        } counts;
        struct {
            const char *ended;
            int64_t ended_ns;
            char *text; /* owned; NULL */
        } end;
    } u;
};

/* How many entries of each kind. */
struct ixor_tally {
    uint64_t of[IXOR_KINDS];
};

struct ixor_entries {
    struct ixor_entry *at;
    size_t count, room;
    size_t bytes; /* what they take, with what they own */
    struct ixor_tally tally;
};

/* The catalogue's ids of runs that the writer adds: that of number -1 first. */
struct ixor_execution_ids {
    int64_t *of;
    size_t count;
};

struct ixor_writer {
    struct ix_catalogue *catalogue; /* the caller's */
    struct event *timer;
    void (*say)(void *user, const char *text);
    void *user;
    unsigned last_ms;
    struct ixor_writer_vm *vms, *next_counted;
    size_t reserved; /* bytes, for the end entries of these JVMs */
    struct ixor_entries gathered;
    struct ixor_tally dropped;     /* for lack of room or memory */
    struct ixor_tally handed_over; /* to the writer's thread, which may have finished them */
    size_t handed_bytes;
    size_t executions; /* added so far */
    bool told, full;   /* trouble was reported; dropping was reported */
    uint64_t told_ns;
    struct ixor_tally told_left_out;

    /* Shared with the writer's thread, which owns `writing` and `ids` while it is busy: */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool busy, ending, hurry;
    bool trouble;        /* the last try failed */
    struct ix_error why; /* why it failed, or why the first entry of left_out was rejected */
    struct ixor_tally left_out;
    struct ixor_entries writing;
    struct ixor_execution_ids ids;

    /* Used by the writer's thread: */
    struct ix_catalogue *own;
    pthread_t thread;
    bool started;
};

uint64_t ixor_tally_sum(const struct ixor_tally *t);
void ixor_tally_add(struct ixor_tally *to, const struct ixor_tally *more);
/* "54 snapshots, 3 packets, 1 JVM and 12 other entries". */
void ixor_tally_text(const struct ixor_tally *t, char *text, size_t size);

void ixor_writer_free_vm(struct ixor_writer_vm *vm);
/* Releases what the entries own; the struct can be reused. */
void ixor_entries_clear(struct ixor_entries *e);

/* Writes all entries in one transaction, or none and then can be called again. An entry that the
 * catalogue can never accept is left out; *left_out counts those of this call, and *err says why
 * the first one was. 0, or -1 with a message. */
int ixor_entries_write(struct ix_catalogue *c, struct ixor_entries *e,
                       const struct ixor_execution_ids *ids, struct ixor_tally *left_out,
                       struct ix_error *err);

/* catalogue_writer_queue.c: queues the changed counts of at most `most` JVMs. */
void ixor_writer_put_counts(struct ixor_writer *w, size_t most);

#endif
