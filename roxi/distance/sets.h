/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct sets of call stacks that a group's members show: the nearest in a set is computed
 * once for all members that have this set. */
#ifndef ROXI_SETS_H
#define ROXI_SETS_H

#include "roxi/distance/trie.h"

/* Arrays are owned. */
struct roxi_sets {
    size_t count;
    size_t *start;     /* by set, + 1: its range in `place`; never empty */
    uint32_t *place;   /* in the trie */
    size_t *has_start; /* by set, + 1: its range in `has` */
    uint32_t *has;     /* members, ascending */
};

/* Sets are numbered in order of the first members that have them. -1: out of memory, nothing to
 * free. */
int roxi_sets_find(struct roxi_sets *s, const struct roxi_group *g, const struct roxi_trie *t);
void roxi_sets_free(struct roxi_sets *s);

#endif
