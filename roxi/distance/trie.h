/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct call stacks of a group in the depth-first order of a trie: for each stack, how
 * many frames it has in common with the previous one, so that the rows of dynamic programming
 * for these can be kept. The trie grows from the costs' anchor (strategy.h).
 *
 * Most stacks of a thread also begin alike, in Thread.run and the code of a thread pool. When
 * two such stacks are compared the strategy may allow these frames to be left out (strategy.h,
 * `common`), whichever end the trie grows from. So these stacks come first, and the trie has the
 * number of common frames. Other stacks follow, such as the empty stack of a thread that has not
 * begun.
 */
#ifndef ROXI_TRIE_H
#define ROXI_TRIE_H

#include "roxi/distance/group.h"
#include "roxi/distance/strategy.h"

/* Arrays are owned. */
struct roxi_trie {
    size_t stacks;
    uint32_t *stack;  /* by place in the walk: the group's local stack number */
    size_t *first;    /* by place, + 1: its range in `frames` */
    uint32_t *frames; /* numbered as below; the one at the anchor first */
    uint32_t *shared; /* by place: leading frames shared with the previous one; first: 0 */
    size_t deepest, most_shared;
    size_t alike;     /* the stacks at places below this have common frames that may be left out: */
    size_t skip, cut; /* this many at the anchor, or at the other end; one of them is 0 */
    size_t names;     /* distinct frames */
    struct roxi_frame *frame; /* by number */
};

/* With ROXI_FROM_BOTH stacks are sorted by depth, and only stacks of equal depth share rows,
 * because costs depend on the depth. Time O(f log f) for f frames. -1: out of memory, nothing to
 * free. */
int roxi_trie_build(struct roxi_trie *t, const struct roxi_group *g,
                    const struct roxi_symbols *symbols, const struct roxi_strategy *strategy);
void roxi_trie_free(struct roxi_trie *t);

static inline size_t roxi_trie_depth(const struct roxi_trie *t, size_t place)
{
    return t->first[place + 1] - t->first[place];
}

#endif
