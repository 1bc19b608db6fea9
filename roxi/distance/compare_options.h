/* SPDX-License-Identifier: Apache-2.0 */
/* How runs are compared: the options shared by the engines and compare.h. */
#ifndef ROXI_COMPARE_OPTIONS_H
#define ROXI_COMPARE_OPTIONS_H

#include "roxi/distance/checkpoint.h"
#include "roxi/distance/strategy.h"

enum roxi_engine_choice {
    ROXI_ENGINE_FAST,      /* engine.h with the best kernels that this processor can run, */
    ROXI_ENGINE_REFERENCE, /* or distance.h alone, */
    ROXI_ENGINE_PORTABLE,  /* or engine.h with the kernels of one instruction set */
    ROXI_ENGINE_AVX2,
    ROXI_ENGINE_AVX512,
};

struct roxi_compare_options {
    const struct roxi_strategy *strategy; /* one that measures distances */
    double match_reward;
    enum roxi_engine_choice engine;
    unsigned cell_bits;  /* fast engine: at least this many; 0: as few as suffice */
    unsigned threads;    /* of the fast engine; 0: as many as there are processors, if the work is
                            worth it */
    bool no_pruning;     /* the fast engine computes every cell of every pair of stacks */
    bool unmatched_cost; /* a stack in a group that the other run lacks costs its distance to the
                            empty stack, instead of nothing */
    bool diagonal_computed; /* by the formula, instead of set to 0 */
    const bool *fresh; /* by run; cells of two runs that are not fresh are meaningless. NULL: all
                          are fresh */
    struct roxi_checkpoint
        *checkpoint; /* for roxi_compare: where to resume from and save to; NULL: none */
};

#endif
