/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices: full or sparse, and either of them with names. */
#ifndef ROXI_MATRIX_H
#define ROXI_MATRIX_H

#include <stddef.h>
#include <stdint.h>

/* n x n, in row order. */
struct roxi_matrix {
    size_t n;
    double *cells; /* owned */
};

/* Row i's nonzero cells are start[i] to start[i + 1] - 1, ascending by column. */
struct roxi_sparse {
    size_t rows, cols;
    size_t *start;    /* owned, rows + 1 */
    uint32_t *column; /* owned */
    double *value;    /* owned */
};

/* Either a full matrix or a sparse one; names may contain any bytes. Nothing is owned. */
struct roxi_table {
    size_t rows, cols;
    const struct roxi_matrix *whole; /* NULL: sparse */
    const struct roxi_sparse *sparse;
    const char *const *row_names;
    const char *const *col_names;
};

/* Allocates, all zero. -1: out of memory. */
int roxi_matrix_new(struct roxi_matrix *m, size_t n);
void roxi_matrix_free(struct roxi_matrix *m);

/* Allocates `cells` cells; start is all zero. -1: out of memory. */
int roxi_sparse_new(struct roxi_sparse *s, size_t rows, size_t cols, size_t cells);
/* The nonzero cells of a matrix. -1: out of memory. */
int roxi_sparse_of(struct roxi_sparse *s, const struct roxi_matrix *m);
void roxi_sparse_free(struct roxi_sparse *s);

static inline double *roxi_cell(const struct roxi_matrix *m, size_t row, size_t col)
{
    return &m->cells[row * m->n + col];
}

#endif
