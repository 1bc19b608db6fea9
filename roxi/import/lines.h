/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a thread dump, or of a log with dumps in it, with their positions, for any text:
 * lines end in LF or CR LF, the last one may lack its end, and of a line that is longer than
 * DUMP_LINE_MAX only the beginning is kept. */
#ifndef ROXI_IMPORT_LINES_H
#define ROXI_IMPORT_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "schema/base/bytes.h"
#include "schema/base/error.h"

/* Well above what a JVM prints for a thread with a name of 64 KiB. */
#define DUMP_LINE_MAX 262144u

struct dump_lines {
    FILE *in; /* borrowed */
    const char *name;
    char *text;      /* owned */
    uint64_t number; /* of the line that was read last, from 1 */
    uint64_t offset; /* where it begins */
    uint64_t next;   /* where the next one begins */
    bool whole;      /* it has its end */
};

/* Starts at the byte `offset`, which is the beginning of line `number`. 0 or -1. */
int dump_lines_open(struct dump_lines *l, FILE *in, const char *name, uint64_t offset,
                    uint64_t number, struct ix_error *err);
void dump_lines_close(struct dump_lines *l); /* leaves `in` open */

/* 1 and the next line, terminated, without its end, and without the time that CI systems put in
 * front of each line ("2026-11-22T12:00:00.1234567Z ") and a byte order mark; valid until the next
 * call. Zero bytes are blanks. 0: there is none; -1: reading failed. */
int dump_lines_next(struct dump_lines *l, struct ix_span *line, struct ix_error *err);

#endif
