/* The eleven strategies by which executions are told apart (THESIS.md; numbers in brackets are the
 * thesis' sections). A new one is one more entry of the table in strategy.c, and its costs.
 *
 * In the costs x is a call stack of m frames and y one of n; positions are 0-based from the
 * thread's entry. All of them are multiples of 1/4, so that sums in double are exact, and the same
 * in any order, as long as they stay below 2^51.
 */
#ifndef ROXI_STRATEGY_H
#define ROXI_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>

enum roxi_kind {
    ROXI_EDIT,   /* edit distance, Algorithm 3.3, with the costs below */
    ROXI_AFFINE, /* edit distance where a gap costs open + widen for each further frame (Gotoh) */
    ROXI_FRAME_COUNT, /* no distance: how often each frame occurs [3.6] */
    ROXI_STACK_COUNT, /* no distance: how often each call stack occurs */
};

/* Where a frame's position is counted from, as far as its costs are concerned. Two stacks that share
 * frames there share the beginning of their computation. */
enum roxi_anchor {
    ROXI_FROM_ENTRY, /* costs depend on the distance from the thread's entry alone */
    ROXI_FROM_TOP,   /* on the distance from the executing frame alone */
    ROXI_FROM_BOTH,  /* on both */
};

/* The end of two call stacks at which frames that they have in common can be left out of both, and
 * their distance stays the same. Where costs grow towards one end, that one: to keep there what is
 * common is never the worse choice. At the cheap end it can be, and where matches cost something,
 * too. */
enum roxi_end {
    ROXI_NO_END,
    ROXI_ENTRY_END, /* where the thread began */
    ROXI_TOP_END,   /* where it is */
};

struct roxi_strategy {
    const char *name;
    const char *about; /* one line */
    enum roxi_kind kind;
    /* ROXI_EDIT: of the frame at j in a stack of n, to insert it or to delete it. */
    double (*insert)(size_t j, size_t n);
    /* ROXI_EDIT: to put y's frame at j in place of x's at i, when they differ. */
    double (*replace)(size_t i, size_t m, size_t j, size_t n);
    /* ROXI_EDIT: `replace` is a factor of how much the two frames differ (1 the line, 10 the
     * descriptor, 100 the method, 1000 the class), and of minus the match reward if they do not. */
    bool graded;
    /* ROXI_AFFINE: a frame in place of a different one costs 1. */
    double open, widen;
    /* What costs.h and the fast engine build on; the tests check it against the costs above. All
     * costs times `scale` are integers, and so are the summands of a graded `replace`, which is a
     * sum of one that depends on (i, m) and one that depends on (j, n). A `replace` that is not
     * graded depends on the sum of the two positions from the anchor, and on nothing else. No cost
     * falls as the depth or the position grows, but for the halves of ROXI_FROM_BOTH. */
    enum roxi_anchor anchor;
    unsigned scale;
    enum roxi_end common; /* levenshtein, gap: of both the one where a thread's stacks are alike */
};

/* NULL if there is none of that name. */
const struct roxi_strategy *roxi_strategy_find(const char *name);
/* The i-th in the thesis' order, NULL after the last. */
const struct roxi_strategy *roxi_strategy_at(size_t i);
/* Does it measure distances between call stacks (or else counts)? */
bool roxi_strategy_is_distance(const struct roxi_strategy *s);

#endif
