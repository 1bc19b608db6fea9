/* SPDX-License-Identifier: Apache-2.0 */
/* The call trees of a run beside those of the normal runs: for each role, how many of its threads
 * were in each method at a packet, on average, by the path that led there. Threads outside of the
 * application's code are left out. */
#ifndef ROXI_TREES_H
#define ROXI_TREES_H

#include "roxi/page/numbering.h"
#include "roxi/page/sheet.h"

/* The normal runs, added up, and what all trees need to know of frames. */
struct roxi_pool {
    struct roxi_tally stacks;   /* roxi_pair(role, stack): snapshots of threads */
    struct roxi_tally answered; /* role: packets */
    struct roxi_tally methods;  /* roxi_pair(class, method) */
    uint32_t *method;           /* by frame: a number of `methods`; owned */
    bool *application;          /* by frame: not of the platform; owned */
};
/* -1: memory ran out; free it all the same. O(items of the runs, and frames). */
int roxi_pool_make(struct roxi_pool *pool, const struct roxi_sheet *s);
void roxi_pool_free(struct roxi_pool *pool);

/* Writes the list "trees" of page_data.h. -1: memory ran out. O(roles x call stacks). */
int roxi_trees_write(FILE *out, const struct roxi_sheet *s, const struct roxi_pool *pool,
                     size_t run, struct roxi_numbering *n);

#endif
