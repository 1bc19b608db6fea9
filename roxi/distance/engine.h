/* SPDX-License-Identifier: Apache-2.0 */
/* The fast engine behind roxi_compare: computes a group's part of the matrix with integer
 * kernels, in blocks, on all processors.
 *
 * Its results equal the reference implementation's to the last bit. Multiplied by the strategy's
 * scale, every cost is an integer. So distances are exact in cells wide enough for
 * roxi_block_bound, and sums of counts times distances are exact in double below 2^53. Both
 * conditions are checked before anything is computed. If one fails (a fractional match reward,
 * sums beyond 2^53), the caller uses the reference.
 */
#ifndef ROXI_ENGINE_H
#define ROXI_ENGINE_H

#include "roxi/base/progress.h"
#include "roxi/campaign/profile.h"
#include "roxi/distance/compare_options.h"
#include "roxi/distance/group.h"
#include "roxi/distance/kernel.h"
#include "roxi/distance/matrix.h"

struct roxi_engine {
    const struct roxi_symbols *symbols;
    const struct roxi_kernels *kernels;
    struct roxi_costs costs;
    unsigned cell_bits, threads; /* as in the options */
    bool diagonal, no_pruning;
};

/* 1: ready; 0: use the reference instead; -1: out of memory, or this processor lacks the
 * instructions that the options require. Nothing to release. */
int roxi_engine_init(struct roxi_engine *engine, const struct roxi_profiles *p,
                     const struct roxi_compare_options *options, struct ix_error *err);

/* A group prepared for comparing; the group and the engine must outlive it. Memory: what the
 * kernels need, and ROXI_NEAREST_BYTES or one block's nearest neighbours. NULL: out of memory. */
struct roxi_work;
struct roxi_work *roxi_engine_open(const struct roxi_engine *engine, const struct roxi_group *g);
void roxi_engine_close(struct roxi_work *w); /* w may be NULL */

/* Adds the part of Compare(a, b) that comes from the group's call stacks `from` to `to` - 1 to
 * cell (a, b), for all a and b that have the group. The engine numbers the stacks in an order
 * that depends on the group alone; ranges come in ascending order. -1: out of memory. */
int roxi_engine_add(struct roxi_work *w, size_t from, size_t to, struct roxi_matrix *out);

/* The same for a complete group, but only for cells (a, b) where a or b is new (`fresh`, by run
 * number); other cells of the matrix are unchanged. Memory: 8 more bytes for each new member and
 * stack. */
int roxi_engine_add_fresh(const struct roxi_engine *engine, const struct roxi_group *g,
                          const bool *fresh, struct roxi_progress *progress, double work_a_stack,
                          struct roxi_matrix *out);

/* The most memory for nearest neighbours held at a time. */
#define ROXI_NEAREST_BYTES ((size_t)64 << 20)

#endif
