/* SPDX-License-Identifier: Apache-2.0 */
/* The distances between the objects of a clustering, each pair once. */
#ifndef ROXI_CONDENSED_H
#define ROXI_CONDENSED_H

#include <stddef.h>

#include "roxi/distance/matrix.h"

enum roxi_measure {
    ROXI_ON_COSINE,   /* cells are 1 - cosine: half the squared distance of unit-length rows */
    ROXI_ON_DISTANCE, /* cells are distances */
};

struct roxi_condensed {
    size_t n;
    enum roxi_measure measure;
    double *cells; /* owned; pairs (0,1), (0,2), ..., (1,2), ...: SciPy's order, and R's `dist` */
};

/* The index of the cell for i and j, i < j < n. */
static inline size_t roxi_pair_at(size_t n, size_t i, size_t j)
{
    return i * (2 * n - i - 1) / 2 + (j - i - 1);
}

/* The cell of two different objects, in either order. */
static inline double roxi_apart(const struct roxi_condensed *c, size_t i, size_t j)
{
    return c->cells[i < j ? roxi_pair_at(c->n, i, j) : roxi_pair_at(c->n, j, i)];
}

/* Allocates cells for n objects, all 0. -1: out of memory. */
int roxi_condensed_new(struct roxi_condensed *c, size_t n, enum roxi_measure measure);
/* The upper half of a symmetric matrix, as ROXI_ON_DISTANCE. -1: out of memory. */
int roxi_condensed_of(struct roxi_condensed *c, const struct roxi_matrix *distances);
void roxi_condensed_free(struct roxi_condensed *c);

static inline size_t roxi_condensed_cells(const struct roxi_condensed *c)
{
    return c->n ? c->n * (c->n - 1) / 2 : 0;
}

/* The name of the measure; a constant. */
const char *roxi_measure_name(enum roxi_measure measure);

#endif
