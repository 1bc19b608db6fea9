/* Products of all rows of a matrix with each other, the costly part of cosine similarity.
 *
 * Not BLAS: each sum here is taken over the columns in ascending order, by one fused multiplication
 * and addition after another (rounded once, IEEE 754), whatever the instruction set, the number of
 * threads and the size of blocks are, so that a clustering is the same everywhere to the last bit.
 * OpenBLAS promises that neither between processors, each of which has kernels of its own, nor
 * between numbers of threads. Processors without the instruction compute it slowly.
 */
#ifndef ROXI_PRODUCT_H
#define ROXI_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

/* A panel is so many rows side by side: cell (row, column) is panel[column * ROXI_PANEL + row]. */
enum { ROXI_PANEL = 24 };

struct roxi_products {
    /* Adds to sums[i * stride + j] the product of row i of panel a and row j of panel b over
     * `columns` columns. */
    void (*panels)(const double *a, const double *b, size_t columns, double *sums, size_t stride);
    /* The product of a row that is spread out over all columns, and one that is mostly zero: n
     * values, their columns ascending. */
    double (*sparse)(const double *spread, const double *value, const uint32_t *column, size_t n);
};

extern const struct roxi_products roxi_products_portable;
#if defined __x86_64__
extern const struct roxi_products roxi_products_avx2, roxi_products_avx512;
#endif

/* The fastest that this processor can run. */
const struct roxi_products *roxi_products_best(void);

#endif
