/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads of each name (template) a run has at a packet, on average, and the normal runs.
 */
#ifndef ROXI_HEAD_COUNTS_H
#define ROXI_HEAD_COUNTS_H

#include "roxi/page/sheet.h"

/* Threads at a packet that JVMs of the role answered, on average. */
struct roxi_head_count {
    uint32_t group;   /* profile.h */
    double here;      /* in the run */
    double elsewhere; /* in the other normal runs together */
    double most;      /* in that of them that has most */
};

/* All normal runs added up. */
struct roxi_head_counts {
    struct roxi_tally threads;  /* group: snapshots of threads */
    struct roxi_tally answered; /* role: packets */
    struct roxi_crowd {         /* by group: */
        double most, second;    /* of runs: the greatest average, and the next one */
        size_t most_run;
    } * crowds; /* owned */
};

/* -1: memory ran out; free it all the same. O(items of the runs). */
int roxi_head_counts_make(struct roxi_head_counts *c, const struct roxi_sheet *s);
void roxi_head_counts_free(struct roxi_head_counts *c);

/* The groups of a run and of the normal runs' JVMs of its roles, those that differ most first. The
 * caller frees the list; NULL: memory ran out. O(items of the run + n log n). */
struct roxi_head_count *roxi_head_counts_of(const struct roxi_head_counts *c,
                                            const struct roxi_sheet *s, size_t run, size_t *count);

#endif
