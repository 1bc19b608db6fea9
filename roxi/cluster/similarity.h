/* SPDX-License-Identifier: Apache-2.0 */
/* How similar the rows of a matrix are: cosine, as CLUTO's vcluster computes it (docs/thesis.md,
 * section 3.7). */
#ifndef ROXI_SIMILARITY_H
#define ROXI_SIMILARITY_H

#include <stdbool.h>

#include "roxi/cluster/condensed.h"
#include "roxi/distance/matrix.h"
#include "schema/base/error.h"

struct roxi_similarity_options {
    bool sqrt_rows;   /* CLUTO's -rowmodel=sqrt: replace v by sign(v) sqrt|v| */
    bool idf_columns; /* -colmodel=idf: a column's weight is -log2(rows with a nonzero / rows) */
    unsigned threads; /* 0: as many as there are processors */
};

/* The rows of one matrix, full or sparse; the other pointer is NULL. */
struct roxi_rows {
    const struct roxi_matrix *whole;
    const struct roxi_sparse *sparse;
};

/* 1 - cosine of every pair of rows, never below 0; 1 where a row is all zero. The same to the
 * last bit for every number of threads and every processor. rows^2 x columns / 2 products
 * (sparse: rows x cells / 2); memory: a copy of the rows, and the result. -1: out of memory. */
int roxi_similarity(const struct roxi_rows *rows, const struct roxi_similarity_options *options,
                    struct roxi_condensed *out, struct ix_error *err);

#endif
