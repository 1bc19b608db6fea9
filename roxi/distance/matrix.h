/* Matrices: whole ones, and ones that are mostly zero. */
#ifndef ROXI_MATRIX_H
#define ROXI_MATRIX_H

#include <stddef.h>
#include <stdint.h>

/* n x n, row after row. */
struct roxi_matrix {
    size_t n;
    double *cells; /* owned */
};

/* Row i's cells that are not 0 are start[i] to start[i + 1] - 1, ascending by column. */
struct roxi_sparse {
    size_t rows, cols;
    size_t *start;    /* owned, rows + 1 */
    uint32_t *column; /* owned */
    double *value;    /* owned */
};

/* All zero. -1: memory ran out. */
int roxi_matrix_new(struct roxi_matrix *m, size_t n);
void roxi_matrix_free(struct roxi_matrix *m);

/* Room for `cells` cells; start is all zero. -1: memory ran out. */
int roxi_sparse_new(struct roxi_sparse *s, size_t rows, size_t cols, size_t cells);
/* The cells of a matrix that are not zero. -1: memory ran out. */
int roxi_sparse_of(struct roxi_sparse *s, const struct roxi_matrix *m);
void roxi_sparse_free(struct roxi_sparse *s);

static inline double *roxi_cell(const struct roxi_matrix *m, size_t row, size_t col)
{
    return &m->cells[row * m->n + col];
}

#endif
