/* The distances between executions: Lambert 2002, Algorithms 3.1 and 3.2, as THESIS.md reads them.
 *
 * Compare(v, m) is the sum, over the call stacks of every group (role and thread) that both have,
 * of count times the distance to the nearest call stack of m in that group; the difference of a and
 * b is Compare(a, b) + Compare(b, a). Time: in each group, the squared number of its distinct
 * stacks, times a distance; the fast engine divides it by lanes and processors. Memory: the matrix,
 * and little beside it. Sums of doubles that are exact (strategy.h), so the result does not depend
 * on any order, nor on the engine.
 */
#ifndef ROXI_COMPARE_H
#define ROXI_COMPARE_H

#include "roxi/checkpoint.h"
#include "roxi/matrix.h"
#include "roxi/profile.h"
#include "roxi/strategy.h"

enum roxi_engine_choice {
    ROXI_ENGINE_FAST,      /* engine.h with the best kernels that this processor can run, */
    ROXI_ENGINE_REFERENCE, /* or nothing but distance.h, */
    ROXI_ENGINE_PORTABLE,  /* or engine.h with those of one instruction set */
    ROXI_ENGINE_AVX2,
    ROXI_ENGINE_AVX512,
};

struct roxi_compare_options {
    const struct roxi_strategy *strategy; /* one that measures distances */
    double match_reward;
    enum roxi_engine_choice engine;
    unsigned cell_bits;     /* the fast engine takes cells of at least so many; 0: as few as do */
    unsigned threads;       /* of the fast engine; 0: as many as there are and pay */
    bool no_pruning;        /* the fast engine computes every cell of every pair of stacks */
    bool unmatched_cost;    /* a stack in a group that the other lacks costs its distance to the
                               empty stack, instead of nothing */
    bool diagonal_computed; /* as the formula says, instead of 0 */
    const bool *fresh;      /* by execution; cells of two that are not fresh are of no meaning. NULL:
                               all are */
    struct roxi_checkpoint *checkpoint; /* of roxi_compare: where it goes on, and is saved; NULL: none */
};

/* Executions x executions, in order; symmetric. -1: memory ran out, this processor cannot run the
 * engine that was chosen, or it was interrupted (checkpoint.h). */
int roxi_compare(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                 struct roxi_matrix *out, struct ix_error *err);

/* The same, group by group: calls `each` with the group's number and cell (a, b) = Compare(a, b) of
 * that group alone, in order of the groups' numbers. The matrix is the callee's only during the
 * call. A callback that returns nonzero has run out of memory. */
typedef int roxi_each_group(void *user, uint32_t group, const struct roxi_matrix *directed);
int roxi_compare_groups(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                        roxi_each_group *each, void *user, struct ix_error *err);

#endif
