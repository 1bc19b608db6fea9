/* SPDX-License-Identifier: Apache-2.0 */
/* Writes dendrograms in formats that other programs read. Heights are those of struct
 * roxi_merge. Nothing is owned; the caller checks the stream for errors. Functions that return
 * int return -1 if out of memory. */
#ifndef ROXI_FORMAT_TREE_H
#define ROXI_FORMAT_TREE_H

#include <stdio.h>

#include "roxi/cluster/cluster.h"

/* Newick: one tree on one line; names are quoted unless they consist of letters, digits, '.' and
 * '-'; the length of a branch is the difference of the heights at its ends, with runs at 0. */
int roxi_write_newick(FILE *out, const struct roxi_dendrogram *d, const char *const *names,
                      struct ix_error *err);

/* SciPy's linkage matrix as NumPy's .npy: (n - 1) x 4 doubles: both clusters, the smaller number
 * first, height, size. */
void roxi_write_linkage(FILE *out, const struct roxi_dendrogram *d);

/* R's hclust as members of a JSON object, without its braces: merge, height, order, labels, method,
 * dist.method. */
int roxi_write_rhclust(FILE *out, const struct roxi_dendrogram *d, const char *const *names,
                       const char *method, const char *dist_method, struct ix_error *err);

/* CLUTO 2.1.1's tree file: for each of the 2 n - 1 clusters, a line with its parent (-1: none)
 * and, twice, the similarity at which it was made: once as the similarity of its two parts, once
 * as the gain in the criterion (the sum of those). For `on` cosine the similarity is 1 - height,
 * else -height; runs have 0. */
int roxi_write_cluto_tree(FILE *out, const struct roxi_dendrogram *d, enum roxi_measure on,
                          struct ix_error *err);

#endif
