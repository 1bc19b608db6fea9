/* SPDX-License-Identifier: Apache-2.0 */
/* What `ixor run` shows while it works: one line that is redrawn if stderr is a terminal, else one
 * line per run. Notes are printed above the redrawn line. */
#ifndef IXOR_PROGRESS_H
#define IXOR_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ixor_progress {
    bool terminal;
    unsigned run, runs; /* the current run, from 1; the number of runs, 0: open */
    unsigned passed, failed;
    uint64_t began_ns; /* monotonic clock: start of the first run */
    size_t drawn;      /* columns of the line on the screen */

    /* Of the current run: */
    uint64_t vms, snapshots;
    /* Of the runs that are over: */
    uint64_t requests, lost;
    uint64_t over_ns; /* monotonic clock: end of the last of them */
};

void ixor_progress_init(struct ixor_progress *p, unsigned runs);

/* Which run it is: "3/20"; "3" if the number of runs is open. */
#define IXOR_RUN_NUMBER 24
void ixor_progress_number(const struct ixor_progress *p, char text[IXOR_RUN_NUMBER]);

/* The line's text; exposed for tests. now_ns: monotonic clock. */
void ixor_progress_text(const struct ixor_progress *p, uint64_t now_ns, char *text, size_t size);

/* Nothing happens unless stderr is a terminal. */
void ixor_progress_draw(struct ixor_progress *p);
void ixor_progress_erase(struct ixor_progress *p);

/* A line to stderr: "ixor: ...". */
void ixor_progress_note(struct ixor_progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
