/* The distinct call stacks of a group in the order in which a trie of them is walked depth-first:
 * each knows how many frames it has in common with the one before it, so that rows of dynamic
 * programming for those can be kept. The trie grows from the costs' anchor (strategy.h).
 *
 * Most stacks of a thread also begin alike, in Thread.run and what a pool of threads runs. Between
 * two of these the strategy may let such frames be left out (strategy.h, `common`), wherever the
 * trie grows from; so they come first, and the trie says how many frames that is. The empty stack
 * of a thread that has not begun, and others of their own kind, come behind. */
#ifndef ROXI_TRIE_H
#define ROXI_TRIE_H

#include "roxi/group.h"
#include "roxi/strategy.h"

/* Arrays are owned. */
struct roxi_trie {
    size_t stacks;
    uint32_t *stack;  /* by place in the walk: the group's local number */
    size_t *first;    /* by place, + 1: its range in `frames` */
    uint32_t *frames; /* numbers below; the one at the anchor first */
    uint32_t *shared; /* by place: leading frames in common with the one before; 0 for the first */
    size_t deepest, most_shared;
    size_t alike;             /* the stacks at places before it have in common, and may leave out: */
    size_t skip, cut;         /* so many frames at the anchor, or at the other end; one of them is 0 */
    size_t names;             /* distinct frames */
    struct roxi_frame *frame; /* by number */
};

/* With ROXI_FROM_BOTH stacks come in order of their depths, and only those of equal depth share:
 * their costs would differ. Time O(f log f) for f frames. -1: memory ran out, nothing to free. */
int roxi_trie_build(struct roxi_trie *t, const struct roxi_group *g,
                    const struct roxi_symbols *symbols, const struct roxi_strategy *strategy);
void roxi_trie_free(struct roxi_trie *t);

static inline size_t roxi_trie_depth(const struct roxi_trie *t, size_t place)
{
    return t->first[place + 1] - t->first[place];
}

#endif
