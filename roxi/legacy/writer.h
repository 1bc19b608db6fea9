/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a trace log in the original's layout (Lambert's thesis, Figure 2-11).
 *
 * Threads are in the order of their start; identifiers of methods and classes count from 1 in
 * order of first use, so the text depends on the content of the log and not on its numbering.
 *
 * The layout cannot express the wall clock, the stop's length, missed threads, priority and
 * daemon flag, or that the depth limit cut off a stack's callers (the stack is written as if it
 * were complete). Bytes that are not UTF-8 become U+FFFD.
 */
#ifndef ROXI_TEXT_WRITER_H
#define ROXI_TEXT_WRITER_H

#include <stdint.h>
#include <stdio.h>

#include "schema/tracelog/reader.h"

/* What every block repeats, in addition to the log's own META rmi-log. */
struct text_vm {
    int64_t pid;
    const char *role, *jvm;
};

struct text_written {
    uint64_t blocks;
    uint64_t cut_stacks; /* truncated call stacks in the log, counted each time they occur */
};

/* Reads the log to its end and writes a block for every snapshot. A log without snapshots
 * becomes the first three lines of a block; text_reader.h reads that as a log that was cut off
 * at once, but still learns which JVM it belongs to. 0, or -1 if reading or writing fails. */
int text_write_log(struct ix_log_reader *log, const struct text_vm *vm, FILE *out,
                   struct text_written *written, struct ix_error *err);

#endif
