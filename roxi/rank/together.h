/* SPDX-License-Identifier: Apache-2.0 */
/* What peers (role_swap.h) do together: the same durations of all of them, added up. Where who does
 * what is chance (align.h), work may also move from one peer to another in the middle of a run, as
 * after an election; then the run looks like no other, peer by peer, but as usual together. */
#ifndef ROXI_TOGETHER_H
#define ROXI_TOGETHER_H

#include "roxi/rank/durations.h"

/* All zero: peers are not looked at together. */
struct roxi_together {
    const struct roxi_durations *durations;
    uint32_t *of;    /* by item: the number of its set, or ROXI_NONE; owned, as is the rest */
    uint32_t *items; /* set after set */
    size_t *first;   /* by set, and one more: where its items begin */
    size_t count;    /* of sets */
};

/* The sets of items that peers have in common. -1: memory ran out; nothing is left to free.
 * O(items + members^2). */
int roxi_together_make(struct roxi_together *t, const struct roxi_durations *d);
void roxi_together_free(struct roxi_together *t);

#endif
