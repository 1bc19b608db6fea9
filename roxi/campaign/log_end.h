/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the end of a trace log is missing. A reader detects a log that was cut within a record. A
 * log that was cut between two records looks whole, but ends before the last packet that its JVM
 * has reported to the server. An agent reports a snapshot after its log has it, so that a JVM that
 * was killed leaves no such log behind. */
#ifndef ROXI_LOG_END_H
#define ROXI_LOG_END_H

#include "schema/catalogue/catalogue.h"
#include "schema/tracelog/reader.h"

/* The packet with which, or after which, the log of this JVM must end; 0: any. It is 0 if the JVM
 * has reported none, and while it runs, because its log, or the copy of it that is here, may lag
 * behind. Read this before the log. 0, or -1 with a message. O(log n). */
int roxi_log_reported(struct ix_catalogue *c, const struct ix_vm *vm, uint64_t *reported,
                      struct ix_error *err);

/* What is wrong with the end of a log, after it has been read to there without a failure: NULL, or
 * one sentence, which the caller frees, in *problem. path: of the log; last: its last packet, 0: it
 * has none; reported: as above. 0, or -1: out of memory. */
int roxi_log_end(const struct ix_log_reader *log, const char *path, uint64_t last,
                 uint64_t reported, char **problem);

#endif
