/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a trace log (tracelog.md) from front to back, snapshot by snapshot.
 *
 * Memory: one buffer for the largest record met, the definitions (8 bytes a stack, 8 a frame, 12 a
 * method, the strings once), and one thread list; never the whole file. A file that is still being
 * written is fine: what exists so far is read.
 *
 * Trusts nothing: every number is checked against what has been defined, every length against the
 * bytes that exist. The one exception: strings are not checked to be UTF-8.
 */
#ifndef IX_SCHEMA_TRACELOG_READER_H
#define IX_SCHEMA_TRACELOG_READER_H

#include <stdbool.h>

#include "schema/base/error.h"
#include "schema/tracelog/tracelog.h"

struct ix_log_reader;

/* Opens a log and checks its header. If it was written in parts, they are read first, in order, as
 * one log, even if `path` itself does not exist; parts removed meanwhile are left out. NULL if it
 * cannot be opened or is not a trace log that this version reads. A file that is empty, or
 * truncated within its header, is a torn log without snapshots. */
struct ix_log_reader *ix_log_open(const char *path, struct ix_error *err);
/* The same on bytes in memory, which must outlive the reader; `name` is for messages. */
struct ix_log_reader *ix_log_open_memory(const void *data, size_t size, const char *name,
                                         struct ix_error *err);
void ix_log_reader_close(struct ix_log_reader *r); /* r may be NULL */

/* The next snapshot: 1 and *snapshot, whose entries live until the next call; 0 at the end,
 * complete or torn; -1 if a record breaks the format's rules (a message with the file and byte
 * offset). */
int ix_log_next(struct ix_log_reader *r, struct ix_snapshot *snapshot, struct ix_error *err);

/* For callers with other work to do in between: from now on ix_log_next and ix_log_next_packet
 * return IX_LOG_MORE when they have read about `bytes` of records (the last record,
 * IX_LOG_PAYLOAD_MAX at most, may exceed that) without reaching a snapshot; the next call
 * continues. Data about the last snapshot stays valid. 0: no bound, the default.
 */
#define IX_LOG_MORE 2
void ix_log_slice(struct ix_log_reader *r, uint64_t bytes);

/* Bytes of memory that the reader holds. Definitions of a hostile log take up to 16 times its
 * bytes. */
uint64_t ix_log_reader_memory(const struct ix_log_reader *r);

/* After ix_log_next gave 0: true if the last file has grown since; then ix_log_next continues where
 * it stopped, and the result of ix_log_torn is void. Does not detect a part that began after the
 * log was opened (reopen the log), nor growth of a log that ended within its header. */
bool ix_log_grown(struct ix_log_reader *r);

/* True if there may be another snapshot: not all bytes of the last file, or not all parts, have
 * been read. Leaves the last snapshot as it is, so that a reader of several logs can tell whether
 * all go on. Like ix_log_grown it does not detect a part that began after the log was opened. */
bool ix_log_unread(const struct ix_log_reader *r);

/* How the snapshot that ix_log_next returned last differs from the one before, or from no threads
 * if that was in another part (ix_log_part); lives as long as its entries. */
struct ix_changes ix_log_changes(const struct ix_log_reader *r);

/* Use instead of ix_log_next, from the log's beginning, to learn only which packets there are. Only
 * checksums and the snapshots' packet numbers are checked, so other violations of the format are
 * not detected. 1 and *packet, 0 at the end, -1 if reading fails. */
int ix_log_next_packet(struct ix_log_reader *r, uint64_t *packet, struct ix_error *err);
/* The same, and takes the definitions of threads, too: ix_log_thread_count, ix_log_thread_at and,
 * of ix_log_changes, the redefined threads are as after ix_log_next. -1 also if these definitions
 * break the format's rules. */
int ix_log_next_names(struct ix_log_reader *r, uint64_t *packet, struct ix_error *err);

/* The facts about the snapshot that ix_log_next returned last; the lists live as long as its
 * entries. After the end: the exceptions that no snapshot follows, without any other facts. */
struct ix_facts ix_log_facts(const struct ix_log_reader *r);

/* Which part of the log (tracelog.md, Parts) that snapshot is from, counted from 0 in this reader.
 * When it changes, all numbers and pointers of the part before are void; callers must clear arrays
 * indexed by them. */
uint32_t ix_log_part(const struct ix_log_reader *r);

/* After the end: NULL if the log, and each of its parts, ended with a complete record, else one
 * sentence on where and how the first one that did not is torn; lives as long as the reader. A log
 * that was cut exactly between two records is not torn: only the catalogue, which lists the packets
 * that the JVM reported, shows that its end is missing. */
const char *ix_log_torn(const struct ix_log_reader *r);

/* Bytes consumed so far, for progress. */
uint64_t ix_log_reader_offset(const struct ix_log_reader *r);

/* Who wrote the log, as far as it has been read; the latest of several values. The pointers live as
 * long as the reader. */
const char *ix_log_meta_value(const struct ix_log_reader *r, const char *key); /* NULL: not found */
/* The i-th pair, 0-based, in order of first appearance; false when there is none. */
bool ix_log_meta_at(const struct ix_log_reader *r, size_t i, const char **key, const char **value);

/* What this part has defined so far. Numbers as in the log; a number from the reader's last
 * snapshot or its facts is always valid, any other must be below the count (or, for threads,
 * defined). Pointers to strings live as long as the part is read. */
struct ix_class ix_log_class_at(const struct ix_log_reader *r, uint32_t class_number);
struct ix_method ix_log_method_at(const struct ix_log_reader *r, uint32_t method);
struct ix_frame ix_log_frame_at(const struct ix_log_reader *r, uint32_t frame);
/* The frame on top of a stack and the stack below it; stack is 2 or more. */
uint32_t ix_log_stack_frame(const struct ix_log_reader *r, uint32_t stack);
uint32_t ix_log_stack_parent(const struct ix_log_reader *r, uint32_t stack);
struct ix_thread ix_log_thread_at(const struct ix_log_reader *r, uint32_t thread);

/* One above the highest number of each kind so far; callers can keep arrays indexed by these
 * numbers. */
uint32_t ix_log_class_count(const struct ix_log_reader *r);
uint32_t ix_log_method_count(const struct ix_log_reader *r);
uint32_t ix_log_frame_count(const struct ix_log_reader *r);
uint32_t ix_log_stack_count(const struct ix_log_reader *r); /* 2 or more */
uint32_t ix_log_thread_count(const struct ix_log_reader *r);

#endif
