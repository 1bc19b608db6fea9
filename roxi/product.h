/* Products of all rows of a dense matrix with each other, the costly part of cosine similarity.
 *
 * Not BLAS: each sum here is taken over the columns in ascending order, one rounded product and one
 * rounded sum at a time, whatever the instruction set, the number of threads and the size of blocks
 * are, so that a clustering is the same everywhere to the last bit. OpenBLAS promises that
 * neither between processors (each has kernels of its own) nor between numbers of threads.
 */
#ifndef ROXI_PRODUCT_H
#define ROXI_PRODUCT_H

#include <stddef.h>

/* A panel is so many rows side by side: cell (row, column) is panel[column * ROXI_PANEL + row]. */
enum { ROXI_PANEL = 24 };

/* Adds to sums[i * stride + j] the product of row i of panel a and row j of panel b over `columns`
 * columns. */
typedef void roxi_product(const double *a, const double *b, size_t columns, double *sums,
                          size_t stride);

roxi_product roxi_product_portable;
#if defined __x86_64__
roxi_product roxi_product_avx2, roxi_product_avx512;
#endif

/* The fastest that this processor can run. */
roxi_product *roxi_product_best(void);

#endif
