/* SPDX-License-Identifier: Apache-2.0 */
/* A trace log in readable form: snapshots as thread dumps in the style of jstack, and a summary.
 * Names are printed so that they cannot control a terminal (text_print). */
#ifndef ROXI_DUMP_H
#define ROXI_DUMP_H

#include <stdio.h>

#include "schema/tracelog/reader.h"

/* Prints the META data read so far, and whether the log's first parts have been removed: call it
 * after reading the first snapshot. */
void dump_header(FILE *out, const struct ix_log_reader *log);

/* Prints the latest snapshot: its number, times, threads with their call stacks and locks, and
 * its facts. 0, or -1 if out of memory. */
int dump_snapshot(FILE *out, const struct ix_log_reader *log, const struct ix_snapshot *snapshot,
                  struct ix_error *err);

/* After the end: prints the exceptions, calls and code executed since the last snapshot, if there
 * are any. */
void dump_rest(FILE *out, const struct ix_log_reader *log);

/* Reads the log to its end and prints a summary that fits on one screen. 0 or -1. */
int dump_summary(FILE *out, struct ix_log_reader *log, struct ix_error *err);

/* CLASS.METHOD(SOURCE, without the line and what stands behind it; SOURCE is "Native Method" or
 * "Unknown Source" where there is none. */
void dump_place(FILE *out, const struct ix_log_reader *log, struct ix_frame frame);

/* Wall clock as 2026-01-02T03:04:05.678Z, truncated to milliseconds. */
enum { DUMP_TIME_SIZE = 64 };
const char *dump_time(char text[DUMP_TIME_SIZE], int64_t real_ns);

#endif
