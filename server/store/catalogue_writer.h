/* SPDX-License-Identifier: Apache-2.0 */
/* Queues what the server writes to the catalogue, in order; a separate thread writes it in one
 * transaction every IXOR_WRITER_FLUSH_MS. A snapshot costs one copy here, and the loop that sends
 * packets never waits for the disk.
 *
 * What cannot be written (another program locks the catalogue, the disk is full) stays in memory,
 * up to IXOR_WRITER_ROOM, and is retried after growing pauses. Beyond that limit entries are
 * dropped and counted, as are entries that the catalogue can never accept. `say` gets one line when
 * such trouble begins and one when it ends; ixor_writer_flush reports what is missing at the end.
 *
 * The thread has its own handle of the catalogue; the one given stays the caller's. All functions
 * must be called from the loop's thread.
 */
#ifndef IXOR_CATALOGUE_WRITER_H
#define IXOR_CATALOGUE_WRITER_H

#include <event2/event.h>

#include "schema/catalogue/catalogue.h"

#define IXOR_WRITER_FLUSH_MS 250
#define IXOR_WRITER_COUNTS 500
/* Bytes of entries that may wait. The last quarter is reserved for rows of JVMs: without a JVM's
 * row none of its snapshots can be written. */
#define IXOR_WRITER_ROOM (128u << 20)
/* How long ixor_writer_flush tries again after one has failed, and how long one try waits for
 * another program's lock. */
#define IXOR_WRITER_LAST_MS 5000
#define IXOR_WRITER_LOCK_MS 1000
/* How long the loop's own queries wait for a lock; even reading can be locked out. */
#define IXOR_LOOP_LOCK_MS 100

struct ixor_writer;

/* A JVM whose row may not have been written yet. Owned by the writer; valid until
 * ixor_writer_end_vm. */
struct ixor_writer_vm;

/* Writes to the catalogue that `c` is a handle of; c must outlive the writer. `say` (or NULL) is
 * called from the event loop or from inside ixor_writer_flush; the text lives until it returns.
 * NULL on failure. */
struct ixor_writer *ixor_writer_new(struct event_base *base, struct ix_catalogue *c,
                                    void (*say)(void *user, const char *text), void *user,
                                    struct ix_error *err);
/* Discards what has not been flushed, except what is being written. w may be NULL. */
void ixor_writer_free(struct ixor_writer *w);
struct ix_catalogue *ixor_writer_catalogue(struct ixor_writer *w);

/* Adds a run, unless there is one of this name (valid by ix_catalogue_check_name). Returns a number
 * below 0 that all functions here accept as its id; 0: out of memory. command may be NULL. */
int64_t ixor_writer_add_execution(struct ixor_writer *w, const char *name, const char *command,
                                  int64_t begin_ns);
/* The catalogue's id of a run, by the number above; valid after a successful flush. */
int64_t ixor_writer_execution_id(struct ixor_writer *w, int64_t execution);
/* Fields as for ix_catalogue_end_execution; verdict_by: a constant of catalogue.sql, or NULL. */
struct ixor_execution_end {
    int64_t execution, end_ns;
    int exit_status, exit_signal;
    enum ix_verdict verdict;
    const char *verdict_by;
};
void ixor_writer_end_execution(struct ixor_writer *w, const struct ixor_execution_end *end);

/* Copies `vm` (fields as for ix_catalogue_add_vm). NULL: out of memory. */
struct ixor_writer_vm *ixor_writer_add_vm(struct ixor_writer *w, const struct ix_vm *vm);
/* Counts a request that was sent. Counts are written when the JVM ends and now and then before:
 * those of IXOR_WRITER_COUNTS JVMs with each transaction. */
void ixor_writer_count_request(struct ixor_writer_vm *vm);
/* Requests that the JVM reports as dropped since the start of its session. */
void ixor_writer_dropped(struct ixor_writer_vm *vm, int64_t stale, int64_t superseded,
                         int64_t foreign_count);
/* The JVM's id in the catalogue; 0 before it has been written. */
int64_t ixor_writer_vm_id(const struct ixor_writer_vm *vm);
/* Notes that programs on this host can read its log where it is; written when the JVM ends. */
void ixor_writer_log_here(struct ixor_writer_vm *vm);
/* Records where a JVM's log is, by the JVM's id. `state`: a constant of catalogue.sql; `copy` is
 * copied, NULL: unchanged; `whole`: 0, 1, or -1: unchanged. */
void ixor_writer_log(struct ixor_writer *w, int64_t vm, const char *state, const char *copy,
                     int whole);
/* Changes the state of a JVM whose session continues: 'silent' and why, or 'running' again.
 * `ended`: a constant; text may be NULL. */
void ixor_writer_mark_vm(struct ixor_writer *w, struct ixor_writer_vm *vm, const char *ended,
                         const char *text);
/* row->vm is ignored. */
void ixor_writer_snapshot(struct ixor_writer *w, struct ixor_writer_vm *vm,
                          const struct ix_snapshot_row *row);
/* `vm` must not be used afterwards. `ended`: a constant of catalogue.sql; text may be NULL. */
void ixor_writer_end_vm(struct ixor_writer *w, struct ixor_writer_vm *vm, const char *ended,
                        int64_t ended_ns, const char *text);
void ixor_writer_packet(struct ixor_writer *w, const struct ix_packet_row *row);
void ixor_writer_outcome(struct ixor_writer *w, const struct ix_packet_outcome *outcome);
/* row->vm is ignored. */
void ixor_writer_clock(struct ixor_writer *w, struct ixor_writer_vm *vm,
                       const struct ix_clock_row *row);
/* Counts further late stops of this JVM. */
void ixor_writer_late(struct ixor_writer *w, struct ixor_writer_vm *vm, int64_t more);
/* Copies the text. */
void ixor_writer_mark(struct ixor_writer *w, const struct ix_mark *mark);

/* Writes everything queued so far and waits for it: as long as the disk takes, but once a try has
 * failed IXOR_WRITER_LAST_MS at most (the thread keeps trying afterwards). 0 if everything ever
 * queued is in the catalogue; -1 with a message that says what is missing and why. */
int ixor_writer_flush(struct ixor_writer *w, struct ix_error *err);
/* Changes the time limit from IXOR_WRITER_LAST_MS; exposed for tests. */
void ixor_writer_flush_for(struct ixor_writer *w, unsigned ms);
/* For callers that need the entries written but must not hold up the loop: waits a quarter of a
 * second at most, and not at all while writing fails, or unless `wait`. 0, or -1 if something is
 * not in the catalogue yet. */
int ixor_writer_flush_briefly(struct ixor_writer *w, bool wait, struct ix_error *err);

#endif
