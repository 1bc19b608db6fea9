/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/kernel.h"

const struct roxi_kernels *roxi_kernels_for(enum roxi_isa isa)
{
    switch (isa) {
    case ROXI_PORTABLE:
        return &roxi_kernels_portable;
#if defined __x86_64__
    case ROXI_AVX2:
        return __builtin_cpu_supports("avx2") ? &roxi_kernels_avx2 : NULL;
    case ROXI_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                   ? &roxi_kernels_avx512
                   : NULL;
#endif
    default:
        return NULL;
    }
}

const struct roxi_kernels *roxi_kernels_best(void)
{
    for (int isa = ROXI_ISAS - 1; isa > ROXI_PORTABLE; isa--) {
        const struct roxi_kernels *k = roxi_kernels_for((enum roxi_isa)isa);
        if (k)
            return k;
    }
    return roxi_kernels_for(ROXI_PORTABLE);
}

size_t roxi_block_depth(const struct roxi_block *b)
{
    size_t deepest = 0;
    for (size_t q = 0; q < b->queries; q++) {
        const size_t depth = roxi_trie_depth(b->trie, b->query[q]);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

double roxi_block_bound(const struct roxi_block *b)
{
    const struct roxi_trie *t = b->trie;
    const bool all_alike = !b->whole && t->alike == t->stacks;
    const size_t without = all_alike ? t->skip + t->cut : 0;
    return roxi_costs_bound(b->costs, roxi_block_depth(b) - without, t->deepest - without);
}

roxi_kernel *roxi_kernel_choose(const struct roxi_kernels *k, double bound, size_t names,
                                unsigned bits)
{
    if (bits <= 16 && bound <= INT16_MAX && names <= INT16_MAX)
        return k->cells_16;
    if (bits <= 32 && bound <= INT32_MAX && names <= INT32_MAX)
        return k->cells_32;
    return k->cells_64;
}
