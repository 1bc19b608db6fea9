/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of the fast engine: the distances from a block of call stacks, one in each
 * SIMD lane, to all stacks of a group, and from these the distance to the nearest stack of each
 * set.
 *
 * There is a kernel for each cell width and each instruction set, all from the same C source
 * (kernel_template.h). Cells are integers; every kernel gives the same numbers as long as
 * roxi_block_bound fits its cells.
 *
 * Cells are saved, without loss of exactness, in two ways: rows of frames that a target shares
 * with the previous one are kept (trie.h), and frames that nearly all stacks of the group have
 * in common are left out when two such stacks are compared. Targets that are too far away to be
 * nearest are not abandoned early: even if the nearest distances are known beforehand, a block
 * needs 86 % of the rows (bench/bounds.c, 4,000 stacks, levenshtein; a single query 71 %). That
 * leaves 14 % to save, less the cost of finding those distances.
 */
#ifndef ROXI_KERNEL_H
#define ROXI_KERNEL_H

#include "roxi/distance/costs.h"
#include "roxi/distance/sets.h"
#include "roxi/distance/trie.h"

enum { ROXI_LANES = 32 }; /* 16-bit cells that fill one AVX-512 register */

/* Memory for rows of dynamic programming kept for later stacks, per thread. */
#define ROXI_KEPT_BYTES ((size_t)32 << 20)

struct roxi_block {
    const struct roxi_trie *trie;
    const struct roxi_costs *costs;
    const struct roxi_sets *sets;
    const uint32_t *query; /* places in the trie */
    size_t queries;        /* 1 to ROXI_LANES */
    bool whole; /* compute every cell of every pair: do not reuse or leave out what stacks share */
    double *nearest; /* out: of query q and set s at [q * sets->count + s] */
    double *cells;   /* NULL, or out: the number of cells computed, in all lanes, is added to it */
};

/* Number of frames of the deepest query. */
size_t roxi_block_depth(const struct roxi_block *block);
/* A bound on the absolute value of all numbers in the block's cells. Time O(depths). */
double roxi_block_bound(const struct roxi_block *block);

/* Work: depth of the deepest query times frames of the trie that are not shared, for all lanes
 * at once. -1: out of memory. */
typedef int roxi_kernel(const struct roxi_block *block);

/* sum[i] += factor * value[i]. */
typedef void roxi_accumulate(double *sum, const double *value, double factor, size_t n);

enum roxi_isa { ROXI_PORTABLE, ROXI_AVX2, ROXI_AVX512, ROXI_ISAS };

struct roxi_kernels {
    roxi_kernel *cells_16, *cells_32, *cells_64;
    roxi_accumulate *accumulate;
};

/* The kernels for an instruction set; NULL if this processor or this build lacks it. */
const struct roxi_kernels *roxi_kernels_for(enum roxi_isa isa);
/* Those of the widest instruction set that this processor has. */
const struct roxi_kernels *roxi_kernels_best(void);
/* The narrowest kernel whose cells hold `bound` and, for comparing frames, `names`, and have at
 * least `bits`. */
roxi_kernel *roxi_kernel_choose(const struct roxi_kernels *k, double bound, size_t names,
                                unsigned bits);

extern const struct roxi_kernels roxi_kernels_portable, roxi_kernels_avx2, roxi_kernels_avx512;

#endif
