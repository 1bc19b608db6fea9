/* How alike the rows of a matrix are: cosine, as CLUTO's vcluster takes it [3.7]. */
#ifndef ROXI_SIMILARITY_H
#define ROXI_SIMILARITY_H

#include <stdbool.h>

#include "roxi/matrix.h"
#include "schema/error.h"

struct roxi_similarity_options {
    bool sqrt_rows;   /* CLUTO's -rowmodel=sqrt: sign(v) sqrt|v| in place of v */
    bool idf_columns; /* -colmodel=idf: a column's weight is -log2(rows with a nonzero / rows) */
};

/* rows x rows; 0 for a row that is all zero, with itself too. O(rows x cells) time. -1: memory ran
 * out. */
int roxi_similarity(const struct roxi_sparse *rows, const struct roxi_similarity_options *options,
                    struct roxi_matrix *out, struct ix_error *err);

#endif
