/* Matrices as files that other programs read. */
#ifndef ROXI_FORMAT_H
#define ROXI_FORMAT_H

#include <stdio.h>

#include "roxi/matrix.h"
#include "schema/error.h"

/* Either a whole matrix or a sparse one; the names may hold anything. Nothing is owned. */
struct roxi_table {
    size_t rows, cols;
    const struct roxi_matrix *whole; /* NULL: sparse */
    const struct roxi_sparse *sparse;
    const char *const *row_names;
    const char *const *col_names;
};

/* CSV (RFC 4180, but lines end in LF): "execution" and the columns' names, then a line a row.
 * Numbers read back exactly. A sparse table's zeros are written. -1: memory ran out; the stream's
 * own errors are the caller's. */
int roxi_write_csv(FILE *out, const struct roxi_table *table, struct ix_error *err);

/* A field of such a line, quoted if need be. */
void roxi_write_csv_field(FILE *out, const char *text);

/* CLUTO 2.1.1's matrix file: dense for a whole matrix, else sparse with columns from 1. */
void roxi_write_cluto(FILE *out, const struct roxi_table *table);
/* CLUTO's label files: a name a line; line ends in names are written \n and \r. */
void roxi_write_cluto_labels(FILE *out, const char *const *names, size_t count);

/* NumPy's .npy, version 1.0: float64, rows x cols, C order; a sparse table's zeros are written. */
void roxi_write_npy(FILE *out, const struct roxi_table *table);
/* Its parts, for other arrays of doubles: what comes first, and a number. */
void roxi_write_npy_header(FILE *out, size_t rows, size_t cols);
void roxi_write_npy_number(FILE *out, double value);

/* PHYLIP, square, relaxed names: signs that its readers stumble on become '_'. Only for a whole
 * matrix. */
void roxi_write_phylip(FILE *out, const struct roxi_table *table);

#endif
