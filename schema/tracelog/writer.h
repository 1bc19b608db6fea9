/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a trace log (tracelog.md). Independent of the JVM.
 *
 * Everything is interned here: defining the same name, method, frame or stack again returns its
 * number in O(1) and writes nothing. New definitions are collected in memory and written, before
 * the snapshot that needs them, by ix_log_snapshot, with a single write(2).
 *
 * Failure is sticky: after memory ran out or a write failed, definitions return 0, the others -1,
 * nothing more is written, and ix_log_writer_error says why. The file then ends with the last
 * complete snapshot if it can be truncated, else with a torn record, which readers recognise.
 *
 * Arguments that break the format (a number never defined, entries that do not ascend, a packet not
 * above the last one) are refused: that call returns 0 or -1 and leaves nothing in the log,
 * ix_log_writer_error names the first such call, and the log continues.
 *
 * Not thread-safe: one thread per writer. */
#ifndef IX_SCHEMA_TRACELOG_WRITER_H
#define IX_SCHEMA_TRACELOG_WRITER_H

#include "schema/base/error.h"
#include "schema/tracelog/tracelog.h"

struct ix_log_writer;

/* Creates the file, mode 0644, with missing parent directories (mode 0755). An existing file is
 * never touched; it is an error. NULL on failure. */
struct ix_log_writer *ix_log_create(const char *path, struct ix_error *err);

/* The same on a descriptor of an empty file, which the writer then owns, even if this fails; for
 * tests. */
struct ix_log_writer *ix_log_create_fd(int fd, struct ix_error *err);

/* Who wrote this log; see META in tracelog.md. 0 or -1. */
int ix_log_meta(struct ix_log_writer *w, const char *key, const char *value);

/* Definitions: the number, or 0 on failure. Names are UTF-8, never NULL ("" is unknown); longer
 * ones are truncated between characters at IX_LOG_STRING_MAX bytes. */
uint32_t ix_log_class(struct ix_log_writer *w, const char *name, const char *source);
uint32_t ix_log_method(struct ix_log_writer *w, uint32_t class_number, const char *name,
                       const char *descriptor);
uint32_t ix_log_frame(struct ix_log_writer *w, uint32_t method, int32_t line);
/* The stack with `frame` on top of `parent` (which may be IX_STACK_EMPTY or IX_STACK_CUT). Build a
 * call stack from the thread's entry to the executing frame. */
uint32_t ix_log_stack(struct ix_log_writer *w, uint32_t parent, uint32_t frame);
/* Defines or redefines thread->number, which is at most one above the highest so far. Writes
 * nothing if the thread has not changed. 0 or -1. */
int ix_log_thread(struct ix_log_writer *w, const struct ix_thread *thread);

/* Appends the snapshot and what it needs; the data has reached the kernel when this returns, so it
 * survives if the process is killed. Entries must be ascending. O(entries). 0 or -1. */
int ix_log_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot);

/* Facts about the next snapshot (tracelog.h), written with it; discarded if it is refused. Class,
 * method, frame, stack and thread numbers must be defined in this part. 0 or -1. */
int ix_log_virtual(struct ix_log_writer *w, uint64_t hidden);
int ix_log_process(struct ix_log_writer *w, const struct ix_process *process);
int ix_log_lock(struct ix_log_writer *w, const struct ix_lock *lock);
/* The next snapshot has the same synchronizers as the last one of this part that had any, instead
 * of a list of its own. Refused if none had. */
int ix_log_synchronizers_again(struct ix_log_writer *w);
int ix_log_exception(struct ix_log_writer *w, const struct ix_exception *exception);
int ix_log_exceptions_dropped(struct ix_log_writer *w, uint64_t dropped);
int ix_log_first(struct ix_log_writer *w, const struct ix_first *first);
int ix_log_firsts_dropped(struct ix_log_writer *w, uint64_t dropped);
int ix_log_starter(struct ix_log_writer *w, const struct ix_starter *starter);
int ix_log_turns(struct ix_log_writer *w, const struct ix_turns *turns);
int ix_log_traffic(struct ix_log_writer *w, const struct ix_traffic *traffic);
int ix_log_invocations(struct ix_log_writer *w, const struct ix_invocations *invocations);
int ix_log_covered(struct ix_log_writer *w, const struct ix_covered *covered);
int ix_log_pause(struct ix_log_writer *w, const struct ix_pause *pause);
int ix_log_wait(struct ix_log_writer *w, const struct ix_wait *wait);
int ix_log_connection(struct ix_log_writer *w, const struct ix_connection *connection);
int ix_log_join(struct ix_log_writer *w, const struct ix_join *join);
/* Adds to the flags of the snapshot's connections. */
int ix_log_connection_flags(struct ix_log_writer *w, unsigned flags);
/* After the last snapshot: writes the exceptions, first exceptions, invocations and coverage that
 * no snapshot will follow. Without any, writes nothing. 0 or -1. */
int ix_log_rest(struct ix_log_writer *w);

/* Parts. Ends this file and starts the next: the file that was PATH becomes PATH.1, the one after
 * it PATH.2 and so on, and PATH is a new log with the same META (and `part`). All numbers become
 * void and their memory is freed. Packet numbers must still ascend. Only for a log made with
 * ix_log_create. 0, or -1 as after a failed write. */
int ix_log_next_part(struct ix_log_writer *w);
/* From now on all parts together take at most about `bytes` (0: no limit): the oldest are removed,
 * but never the one being written. */
void ix_log_limit(struct ix_log_writer *w, uint64_t bytes);
/* Approximate bytes of memory that the definitions of this part take. O(1). */
size_t ix_log_writer_memory(const struct ix_log_writer *w);

/* Bytes written so far to this part. */
uint64_t ix_log_writer_bytes(const struct ix_log_writer *w);

/* NULL while there is no error, else one sentence; lives as long as the writer. */
const char *ix_log_writer_error(const struct ix_log_writer *w);

/* Writes pending data and releases everything; w may be NULL. 0, or -1 if anything given to the
 * writer is missing from the log. */
int ix_log_writer_close(struct ix_log_writer *w);

#endif
