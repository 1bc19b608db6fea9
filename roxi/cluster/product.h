/* SPDX-License-Identifier: Apache-2.0 */
/* Products of all rows of a matrix with each other, the costly part of cosine similarity.
 *
 * Not BLAS: here each sum runs over the columns in ascending order, one fused multiply-add after
 * the other (rounded once, IEEE 754), whatever the instruction set, the number of threads and
 * the block size. So a clustering is the same everywhere to the last bit. OpenBLAS guarantees
 * this neither across processors, for which it has different kernels, nor across numbers of
 * threads. On processors without the fused instruction this is slow.
 */
#ifndef ROXI_PRODUCT_H
#define ROXI_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

/* A panel is ROXI_PANEL rows side by side: cell (row, column) is panel[column * ROXI_PANEL + row].
 */
enum { ROXI_PANEL = 24 };

struct roxi_products {
    /* Adds to sums[i * stride + j] the product of row i of panel a and row j of panel b over
     * `columns` columns. */
    void (*panels)(const double *a, const double *b, size_t columns, double *sums, size_t stride);
    /* The product of a dense row (`spread`) and a sparse one: n values with ascending columns. */
    double (*sparse)(const double *spread, const double *value, const uint32_t *column, size_t n);
};

extern const struct roxi_products roxi_products_portable;
#if defined __x86_64__
extern const struct roxi_products roxi_products_avx2, roxi_products_avx512;
#endif

/* The fastest implementation that this processor can run. */
const struct roxi_products *roxi_products_best(void);

#endif
