/* How alike the rows of a matrix are: cosine, as CLUTO's vcluster takes it [3.7]. */
#ifndef ROXI_SIMILARITY_H
#define ROXI_SIMILARITY_H

#include <stdbool.h>

#include "roxi/condensed.h"
#include "roxi/matrix.h"
#include "schema/error.h"

struct roxi_similarity_options {
    bool sqrt_rows;   /* CLUTO's -rowmodel=sqrt: sign(v) sqrt|v| in place of v */
    bool idf_columns; /* -colmodel=idf: a column's weight is -log2(rows with a nonzero / rows) */
    unsigned threads; /* 0: as many as there are */
};

/* The rows of one of the two; the other is NULL. */
struct roxi_rows {
    const struct roxi_matrix *whole;
    const struct roxi_sparse *sparse;
};

/* 1 - cosine of each two rows, never below 0; 1 where a row is all zero. The same to the last bit
 * for every number of threads and processor. rows^2 x columns / 2 products (sparse: rows x cells /
 * 2), memory: a copy of the rows, and the result. -1: memory ran out. */
int roxi_similarity(const struct roxi_rows *rows, const struct roxi_similarity_options *options,
                    struct roxi_condensed *out, struct ix_error *err);

#endif
