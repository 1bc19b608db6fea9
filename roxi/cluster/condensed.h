/* How far apart the objects of a clustering are, each pair once. */
#ifndef ROXI_CONDENSED_H
#define ROXI_CONDENSED_H

#include <stddef.h>

#include "roxi/matrix.h"

enum roxi_measure {
    ROXI_ON_COSINE,   /* cells are 1 - cosine: half the squared distance of rows of length one */
    ROXI_ON_DISTANCE, /* cells are distances */
};

struct roxi_condensed {
    size_t n;
    enum roxi_measure measure;
    double *cells; /* owned; pairs (0,1), (0,2), ..., (1,2), ...: SciPy's order, and R's `dist` */
};

/* Which cell is the pair of i and j, i < j < n. */
static inline size_t roxi_pair_at(size_t n, size_t i, size_t j)
{
    return i * (2 * n - i - 1) / 2 + (j - i - 1);
}

/* Cell of two different objects in any order. */
static inline double roxi_apart(const struct roxi_condensed *c, size_t i, size_t j)
{
    return c->cells[i < j ? roxi_pair_at(c->n, i, j) : roxi_pair_at(c->n, j, i)];
}

/* Room for n objects, all cells 0. -1: memory ran out. */
int roxi_condensed_new(struct roxi_condensed *c, size_t n, enum roxi_measure measure);
/* The upper half of a symmetric matrix, as ROXI_ON_DISTANCE. -1: memory ran out. */
int roxi_condensed_of(struct roxi_condensed *c, const struct roxi_matrix *distances);
void roxi_condensed_free(struct roxi_condensed *c);

static inline size_t roxi_condensed_cells(const struct roxi_condensed *c)
{
    return c->n ? c->n * (c->n - 1) / 2 : 0;
}

#endif
