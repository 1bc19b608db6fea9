/* Dendrograms as files that other programs read. Heights are as struct roxi_merge has them. Nothing
 * is owned; errors of the stream are the caller's to find. Functions that return int return -1 when
 * memory ran out. */
#ifndef ROXI_FORMAT_TREE_H
#define ROXI_FORMAT_TREE_H

#include <stdio.h>

#include "roxi/cluster.h"

/* Newick: one tree on one line; names in quotes unless they are letters, digits, '.' and '-'; the
 * length of a branch is the difference of the heights of its ends, executions being at 0. */
int roxi_write_newick(FILE *out, const struct roxi_dendrogram *d, const char *const *names,
                      struct ix_error *err);

/* SciPy's linkage matrix as NumPy's .npy: (n - 1) x 4 doubles: both clusters, the smaller number
 * first, height, size. */
void roxi_write_linkage(FILE *out, const struct roxi_dendrogram *d);

/* R's hclust as members of a JSON object, without its braces: merge, height, order, labels, method,
 * dist.method. */
int roxi_write_rhclust(FILE *out, const struct roxi_dendrogram *d, const char *const *names,
                       const char *method, const char *dist_method, struct ix_error *err);

/* CLUTO 2.1.1's tree file: a line for each of the 2 n - 1 clusters: its parent (-1: none), and the
 * similarity at which it was made, twice: of its two parts, and what the criterion (the sum of
 * those) gains by it. For `on` cosine the similarity is 1 - height, else -height; executions have
 * 0. */
int roxi_write_cluto_tree(FILE *out, const struct roxi_dendrogram *d, enum roxi_measure on,
                          struct ix_error *err);

#endif
