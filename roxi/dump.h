/* A trace log for human eyes: snapshots as thread dumps in the manner of jstack, and a summary.
 * Names are shown so that they cannot drive a terminal (text_print).
 */
#ifndef ROXI_DUMP_H
#define ROXI_DUMP_H

#include <stdio.h>

#include "schema/tracelog_reader.h"

/* What META says so far, and whether the log's first parts have been removed: call it when the
 * first snapshot has been read. */
void dump_header(FILE *out, const struct ix_log_reader *log);

/* The snapshot read last: its number, times, threads with their call stacks and locks, and what
 * else is known beside it. 0, or -1 if memory ran out. */
int dump_snapshot(FILE *out, const struct ix_log_reader *log, const struct ix_snapshot *snapshot,
                  struct ix_error *err);

/* Reads the log to its end and prints one screen about it. 0 or -1. */
int dump_summary(FILE *out, struct ix_log_reader *log, struct ix_error *err);

/* Wall clock as 2026-01-02T03:04:05.678Z, cut to milliseconds. */
enum { DUMP_TIME_SIZE = 64 };
const char *dump_time(char text[DUMP_TIME_SIZE], int64_t real_ns);

#endif
