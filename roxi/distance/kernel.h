/* The inner loops of the fast engine: the distances from a block of call stacks, one a SIMD lane, to
 * all of a group, and from those to the nearest of each set.
 *
 * There is a kernel for each width of the cells and each instruction set, all from the same C source
 * (kernel_template.h). Cells are integers; every kernel gives the same numbers as long as
 * roxi_block_bound fits its cells.
 *
 * Cells are saved, exactly, in two ways: rows of frames that a target shares with the one before it
 * are kept (trie.h), and frames that nearly all stacks of the group have in common are left out of
 * the pairs of these. Targets that are too far to be anybody's nearest are not abandoned: a block
 * needs 86 % of the rows even if the nearest distances are known beforehand (bench/bounds.c, 4,000
 * stacks, levenshtein; one query alone 71 %): 14 % to save, before finding them out is paid.
 */
#ifndef ROXI_KERNEL_H
#define ROXI_KERNEL_H

#include "roxi/costs.h"
#include "roxi/sets.h"
#include "roxi/trie.h"

enum { ROXI_LANES = 32 }; /* 16-bit cells that fill one AVX-512 register */

/* Memory for rows of dynamic programming that are kept for stacks to come, a thread. */
#define ROXI_KEPT_BYTES ((size_t)32 << 20)

struct roxi_block {
    const struct roxi_trie *trie;
    const struct roxi_costs *costs;
    const struct roxi_sets *sets;
    const uint32_t *query; /* places in the trie */
    size_t queries;        /* 1 to ROXI_LANES */
    bool whole;            /* every cell of every pair is computed, for comparison: what stacks
                              share is neither kept nor left out */
    double *nearest;       /* out: of query q and set s at [q * sets->count + s] */
    double *cells;         /* NULL, or out: to it is added how many were computed, in all lanes */
};

/* Frames of the deepest query. */
size_t roxi_block_depth(const struct roxi_block *block);
/* No number that comes up in the block's cells is further from 0. Time O(depths). */
double roxi_block_bound(const struct roxi_block *block);

/* Work: depth of the deepest query times frames of the trie that are not shared, for all lanes at
 * once.
 * -1: memory ran out. */
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
/* The widest that this processor has. */
const struct roxi_kernels *roxi_kernels_best(void);
/* The narrowest whose cells hold `bound` and, for comparing frames, `names`, and have at least
 * `bits`. */
roxi_kernel *roxi_kernel_choose(const struct roxi_kernels *k, double bound, size_t names,
                                unsigned bits);

extern const struct roxi_kernels roxi_kernels_portable, roxi_kernels_avx2, roxi_kernels_avx512;

#endif
