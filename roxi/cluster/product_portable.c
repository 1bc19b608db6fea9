/* SPDX-License-Identifier: Apache-2.0 */
/* Products for the baseline of the architecture, and the choice among all implementations. */
#define TARGET
#define PRODUCTS roxi_products_portable
#define VECTOR double
#define WIDTH 1
#define ROWS 4
#define VECTORS 4
#define LOAD(from) (*(from))
#define STORE(to, what) (*(to) = (what))
#define ALL(number) (number)
#define FUSED(x, y, z) fma(x, y, z)
#include "roxi/cluster/product_template.h"

const struct roxi_products *roxi_products_best(void)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"))
        return &roxi_products_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &roxi_products_avx2;
#endif
    return &roxi_products_portable;
}
