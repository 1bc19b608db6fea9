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

/* Told between two steps that all before the query `stack` is done; nonzero: end with that. */
struct roxi_between {
    int (*step)(void *user, size_t stack);
    void *user;
};

/* Adds Compare(a, b) of a group to cell (a, b), for all a and b that have it, beginning at query
 * `stack` (0: all). Memory: what the kernels need, and ROXI_NEAREST_BYTES or one block's nearest
 * neighbours. -1: memory ran out; or what between->step said. */
int roxi_engine_add(const struct roxi_engine *engine, const struct roxi_group *g, size_t stack,
                    const struct roxi_between *between, struct roxi_progress *progress,
                    double work_a_stack, struct roxi_matrix *out);

/* The same only for cells (a, b) of which a or b is new (`fresh`, by number of execution); other cells
 * of the matrix are left as they are. Memory: also 8 bytes for each new member and stack. */
int roxi_engine_add_fresh(const struct roxi_engine *engine, const struct roxi_group *g,
                          const bool *fresh, struct roxi_progress *progress, double work_a_stack,
                          struct roxi_matrix *out);

/* Nearest neighbours of so many stacks at a time are held at most. */
#define ROXI_NEAREST_BYTES ((size_t)64 << 20)

#endif
