/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the trace log's tests: logs in memory, hand-made records, the log of the worked
 * example. */
#ifndef IX_TESTS_TRACELOG_FIXTURE_H
#define IX_TESTS_TRACELOG_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/base/bytes.h"
#include "schema/tracelog/reader.h"
#include "schema/tracelog/writer.h"

/* A writer to an in-memory file; *fd reads it, also after the writer is closed. */
struct ix_log_writer *memory_writer(int *fd);

/* The file's bytes so far. */
struct ix_out file_bytes(int fd);

/* Closes the writer and returns what it wrote. */
struct ix_out finish(struct ix_log_writer *w, int fd);

/* A reader of these bytes, which must be a log. */
struct ix_log_reader *read_bytes(const struct ix_out *bytes);

/* The next snapshot; fails if there is none. */
struct ix_snapshot next_snapshot(struct ix_log_reader *r);

/* Checks that the log ends here, not truncated. Closes the reader. */
void expect_end(struct ix_log_reader *r);

/* A hand-made log header, and a hand-made record with its checksum. */
void put_header(struct ix_out *out);
void put_record(struct ix_out *out, uint8_t type, const void *payload, size_t len);

/* The offsets at which records end, the header's end first; returns how many. */
size_t record_ends(const struct ix_out *log, size_t *ends, size_t max);

/* The worked example: one record of every kind, then four snapshots, of packets 7, 9, 10, 11. */
struct ix_out example_log(void);

#endif
