/* The fast engine behind roxi_compare: a group's part of the matrix from integer kernels, in blocks,
 * on all processors.
 *
 * Its results equal the reference implementation's to the last bit. Every cost is an integer after
 * multiplication by the strategy's scale, so distances are exact in cells that roxi_block_bound
 * fits, and sums of counts times distances are exact in double below 2^53: whether both hold is
 * proven before anything is computed. Where it does not (a match reward with a fraction, sums beyond
 * 2^53), the caller takes the reference.
 */
#ifndef ROXI_ENGINE_H
#define ROXI_ENGINE_H

#include "roxi/compare.h"
#include "roxi/group.h"
#include "roxi/kernel.h"
#include "roxi/progress.h"

struct roxi_engine {
    const struct roxi_symbols *symbols;
    const struct roxi_kernels *kernels;
    struct roxi_costs costs;
    unsigned cell_bits, threads; /* as in the options */
    bool diagonal, no_pruning;
};

/* 1: ready; 0: take the reference instead; -1: memory ran out, or this processor lacks the
 * instructions that the options ask for. Nothing to release. */
int roxi_engine_init(struct roxi_engine *engine, const struct roxi_profiles *p,
                     const struct roxi_compare_options *options, struct ix_error *err);

/* A group that is ready to be compared; it and the engine must outlive it. Memory: what the kernels
 * need, and ROXI_NEAREST_BYTES or one block's nearest neighbours. NULL: memory ran out. */
struct roxi_work;
struct roxi_work *roxi_engine_open(const struct roxi_engine *engine, const struct roxi_group *g);
void roxi_engine_close(struct roxi_work *w); /* w may be NULL */

/* Adds the part of Compare(a, b) that comes from the group's call stacks `from` to `to` - 1 to cell
 * (a, b), for all a and b that have the group. The stacks are numbered in an order of the engine's,
 * which depends on the group alone; ranges come in ascending order. -1: memory ran out. */
int roxi_engine_add(struct roxi_work *w, size_t from, size_t to, struct roxi_matrix *out);

/* The same for all of a group, only for cells (a, b) of which a or b is new (`fresh`, by number of
 * execution); other cells of the matrix are left as they are. Memory: also 8 bytes for each new
 * member and stack. */
int roxi_engine_add_fresh(const struct roxi_engine *engine, const struct roxi_group *g,
                          const bool *fresh, struct roxi_progress *progress, double work_a_stack,
                          struct roxi_matrix *out);

/* Nearest neighbours of so many stacks at a time are held at most. */
#define ROXI_NEAREST_BYTES ((size_t)64 << 20)

#endif
