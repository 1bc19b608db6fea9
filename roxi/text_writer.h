/* Writes a trace log in the original's layout (Lambert's thesis, Figure 2-11).
 *
 * Threads stand in the order of their start; identifiers of methods and classes count from 1 in
 * order of first use, so the text depends on what the log says and not on how it numbers it.
 *
 * The layout has no place for: the wall clock, the stop's length, missed threads, priority and
 * daemon flag, and that the depth limit cut a stack's callers off (its frames are written as if
 * they were all). Text that is not UTF-8 is mended with U+FFFD.
 */
#ifndef ROXI_TEXT_WRITER_H
#define ROXI_TEXT_WRITER_H

#include <stdint.h>
#include <stdio.h>

#include "schema/tracelog_reader.h"

/* What every block repeats, beside the log's own META rmi-log. */
struct text_vm {
    int64_t pid;
    const char *role, *jvm;
};

struct text_written {
    uint64_t blocks;
    uint64_t cut_stacks; /* call stacks that were truncated in the log, each time they occur */
};

/* Reads the log to its end and writes a block for every snapshot. A log without snapshots becomes
 * the first three lines of a block, which text_reader.h reads as a log that was cut off at once
 * and still says whose it is. 0, or -1 if reading or writing fails. */
int text_write_log(struct ix_log_reader *log, const struct text_vm *vm, FILE *out,
                   struct text_written *written, struct ix_error *err);

#endif
