/* Reads a trace log (tracelog.md) from front to back, snapshot by snapshot.
 *
 * Memory: one buffer for the largest record met, the definitions (8 bytes a stack, 8 a frame, 12 a
 * method, the strings once), and one thread list; never the whole file. A file that is still being
 * written is fine: what is there is read.
 *
 * Trusts nothing: every number is checked against what has been defined, every length against the
 * bytes that are there. Only that strings are UTF-8 is not checked.
 */
#ifndef IX_SCHEMA_TRACELOG_READER_H
#define IX_SCHEMA_TRACELOG_READER_H

#include <stdbool.h>

#include "schema/error.h"
#include "schema/tracelog.h"

struct ix_log_reader;

struct ix_frame {
    uint32_t method;
    int32_t line;
};

struct ix_method {
    uint32_t class_number;
    const char *name, *descriptor;
};

struct ix_class {
    const char *name, *source; /* source: "" if unknown */
};

/* Opens a log and checks its header. Where it was written in parts, they are read first, in order,
 * as one log, also if `path` itself is not there; those that are removed meanwhile are left out.
 * NULL if it cannot be opened or is not a trace log that this version reads. A file that is empty,
 * or cut within its header, is a torn log without snapshots. */
struct ix_log_reader *ix_log_open(const char *path, struct ix_error *err);
/* The same on bytes in memory, which must outlive the reader; `name` is for messages. */
struct ix_log_reader *ix_log_open_memory(const void *data, size_t size, const char *name,
                                         struct ix_error *err);
void ix_log_reader_close(struct ix_log_reader *r); /* r may be NULL */

/* The next snapshot: 1 and *snapshot, whose entries live until the next call; 0 at the end, whole
 * or torn; -1 if a record breaks the format's rules (a message with the file and byte offset). */
int ix_log_next(struct ix_log_reader *r, struct ix_snapshot *snapshot, struct ix_error *err);

/* After ix_log_next gave 0: true if the last file has grown since; then ix_log_next goes on where it
 * stopped, and what ix_log_torn said is void. Not for a part that began after the log was opened (it
 * has to be opened anew), nor for a log that ended within its header. */
bool ix_log_grown(struct ix_log_reader *r);

/* How the snapshot that ix_log_next gave last differs from the one that it gave before, or from no
 * threads if that was in another part (ix_log_part); lives as long as its entries. */
struct ix_changes ix_log_changes(const struct ix_log_reader *r);

/* Instead of ix_log_next from the log's beginning: only which packets there are. Everything but the
 * snapshots' packet numbers is passed over once its checksum has been tested, so a log that breaks a
 * rule elsewhere is not recognised. 1 and *packet, 0 at the end, -1 if reading fails. */
int ix_log_next_packet(struct ix_log_reader *r, uint64_t *packet, struct ix_error *err);

/* What is known beside the snapshot that ix_log_next gave last; its lists live as long as those. */
struct ix_facts ix_log_facts(const struct ix_log_reader *r);

/* Which part of the log (tracelog.md, Parts) that snapshot is from, counted from 0 in this reader.
 * When it changes, all numbers and pointers of the part before are void: a reader that keeps arrays
 * beside the log clears them. */
uint32_t ix_log_part(const struct ix_log_reader *r);

/* After the end: NULL if the log, and each of its parts, ended with a whole record, else one
 * sentence that says where and how the first one that did not is torn; lives as long as the
 * reader. */
const char *ix_log_torn(const struct ix_log_reader *r);

/* Bytes consumed so far, for progress. */
uint64_t ix_log_reader_offset(const struct ix_log_reader *r);

/* Who wrote the log, as far as it has been read; of several values the latest. These pointers live
 * as long as the reader. */
const char *ix_log_meta_value(const struct ix_log_reader *r, const char *key); /* NULL: not there */
/* The i-th pair, 0-based, in order of first appearance; false when there is none. */
bool ix_log_meta_at(const struct ix_log_reader *r, size_t i, const char **key, const char **value);

/* What this part has defined so far. Numbers as in the log; a number from the last snapshot of this
 * reader or its facts is always good, any other one must be below the count (or, for threads,
 * defined). Pointers to strings live as long as the part is read. */
struct ix_class ix_log_class_at(const struct ix_log_reader *r, uint32_t class_number);
struct ix_method ix_log_method_at(const struct ix_log_reader *r, uint32_t method);
struct ix_frame ix_log_frame_at(const struct ix_log_reader *r, uint32_t frame);
/* The frame on top of a stack and the stack below it; stack is 2 or more. */
uint32_t ix_log_stack_frame(const struct ix_log_reader *r, uint32_t stack);
uint32_t ix_log_stack_parent(const struct ix_log_reader *r, uint32_t stack);
struct ix_thread ix_log_thread_at(const struct ix_log_reader *r, uint32_t thread);

/* One above the highest number of each kind so far: a reader of the log can keep arrays beside
 * it. */
uint32_t ix_log_class_count(const struct ix_log_reader *r);
uint32_t ix_log_method_count(const struct ix_log_reader *r);
uint32_t ix_log_frame_count(const struct ix_log_reader *r);
uint32_t ix_log_stack_count(const struct ix_log_reader *r); /* 2 or more */
uint32_t ix_log_thread_count(const struct ix_log_reader *r);

#endif
