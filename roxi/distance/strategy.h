/* SPDX-License-Identifier: Apache-2.0 */
/* The eleven strategies by which runs are compared (docs/thesis.md). A new one needs only an
 * entry in the table in strategy.c, and its costs.
 *
 * In the costs, x is a call stack of m frames and y one of n; positions count from 0 at the
 * entry frame. All costs are multiples of 1/4, so that sums in double are exact, and independent
 * of order, as long as they stay below 2^51.
 */
#ifndef ROXI_STRATEGY_H
#define ROXI_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>

enum roxi_kind {
    ROXI_EDIT,        /* edit distance, Algorithm 3.3, with the costs below */
    ROXI_AFFINE,      /* edit distance; a gap costs open + widen for each further frame (Gotoh) */
    ROXI_FRAME_COUNT, /* no distance: how often each frame occurs (section 3.6) */
    ROXI_STACK_COUNT, /* no distance: how often each call stack occurs */
};

/* Where a frame's position is counted from in the costs. Two stacks that share frames at that
 * end share the beginning of their computation. */
enum roxi_anchor {
    ROXI_FROM_ENTRY, /* costs depend only on the distance from the entry frame */
    ROXI_FROM_TOP,   /* only on the distance from the executing frame */
    ROXI_FROM_BOTH,  /* on both */
};

/* The end of two call stacks at which common frames can be left out of both without changing
 * their distance. Where costs grow towards one end it is that end: there, matching what is
 * common is always an optimal choice. At the cheap end it may not be, nor where matches have a
 * cost. */
enum roxi_end {
    ROXI_NO_END,
    ROXI_ENTRY_END, /* the entry frame's end */
    ROXI_TOP_END,   /* the executing frame's end */
};

struct roxi_strategy {
    const char *name;
    const char *about; /* one line */
    enum roxi_kind kind;
    /* ROXI_EDIT: cost of inserting or deleting the frame at j in a stack of n. */
    double (*insert)(size_t j, size_t n);
    /* ROXI_EDIT: cost of replacing x's frame at i by y's at j, when they differ. */
    double (*replace)(size_t i, size_t m, size_t j, size_t n);
    /* ROXI_EDIT: multiply `replace` by how much the two frames differ (1 the line, 10 the
     * descriptor, 100 the method, 1000 the class), or by minus the match reward if they do not. */
    bool graded;
    /* ROXI_AFFINE: replacing a frame by a different one costs 1. */
    double open, widen;
    /* What costs.h and the fast engine rely on; the tests check it against the costs above. All
     * costs times `scale` are integers, and so are the two summands of a graded `replace`: one
     * depends on (i, m), the other on (j, n). A `replace` that is not graded depends only on the
     * sum of the two positions from the anchor. No cost falls as the depth or the position
     * grows, except for the halves of ROXI_FROM_BOTH. */
    enum roxi_anchor anchor;
    unsigned scale;
    enum roxi_end common; /* levenshtein, gap: the end at which a thread's stacks are alike */
};

/* NULL if there is none with that name. */
const struct roxi_strategy *roxi_strategy_find(const char *name);
/* The i-th in the thesis's order, NULL after the last. */
const struct roxi_strategy *roxi_strategy_at(size_t i);
/* True if it measures distances between call stacks, false if it counts. */
bool roxi_strategy_is_distance(const struct roxi_strategy *s);

#endif
