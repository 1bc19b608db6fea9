/* SPDX-License-Identifier: Apache-2.0 */
/* Writes matrices in formats that other programs read. */
#ifndef ROXI_FORMAT_H
#define ROXI_FORMAT_H

#include <stdio.h>

#include "roxi/distance/matrix.h"
#include "schema/base/error.h"

/* CSV (RFC 4180, but lines end in LF): "execution" and the columns' names, then one line for
 * each row. Numbers read back exactly. A sparse table's zeros are written. -1: out of memory;
 * the caller checks the stream for errors. */
int roxi_write_csv(FILE *out, const struct roxi_table *table, struct ix_error *err);

/* A CSV field, quoted if necessary. Text that begins with = + - @ ' TAB or CR gets a leading ',
 * because spreadsheets would run it as a formula. */
void roxi_write_csv_field(FILE *out, const char *text);

/* CLUTO 2.1.1's matrix file: dense for a full matrix, else sparse with columns counted from 1. */
void roxi_write_cluto(FILE *out, const struct roxi_table *table);
/* CLUTO's label files: one name on each line; line ends in names are written \n and \r. */
void roxi_write_cluto_labels(FILE *out, const char *const *names, size_t count);

/* NumPy's .npy, version 1.0: float64, rows x cols, C order; a sparse table's zeros are written. */
void roxi_write_npy(FILE *out, const struct roxi_table *table);
/* Its parts, for other arrays of doubles: the header, and a number. */
void roxi_write_npy_header(FILE *out, size_t rows, size_t cols);
void roxi_write_npy_number(FILE *out, double value);

/* PHYLIP, square, relaxed names: characters that its readers cannot handle become '_'. Only for
 * a full matrix. */
void roxi_write_phylip(FILE *out, const struct roxi_table *table);

#endif
