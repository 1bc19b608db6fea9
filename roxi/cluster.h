/* Agglomerative clustering [3.7]: at first every object is a cluster; the two most similar ones are
 * merged until one is left. The plain O(n^3) reference, with a fixed rule for ties. */
#ifndef ROXI_CLUSTER_H
#define ROXI_CLUSTER_H

#include "roxi/matrix.h"
#include "schema/error.h"

/* What the similarity of two clusters is: that of their most similar pair, of their least similar
 * pair, or the mean over all pairs (UPGMA). */
enum roxi_linkage { ROXI_SINGLE, ROXI_COMPLETE, ROXI_AVERAGE };

/* Merge i, from 0, makes cluster n + i; clusters 0 to n - 1 are the objects. */
struct roxi_merge {
    size_t a, b;       /* the one that holds the smaller first object is a */
    double similarity; /* of the two */
    size_t size;       /* objects in the result */
};

/* All n - 1 merges of n = similarity->n objects, n at least 1, into `merges`. Of equally similar
 * pairs (within 1e-12, the noise of summing) the one whose clusters come first is taken, clusters
 * being ordered by their first object. -1: memory ran out. */
int roxi_cluster(const struct roxi_matrix *similarity, enum roxi_linkage linkage,
                 struct roxi_merge *merges, struct ix_error *err);

/* The clusters when k are left, 1 <= k <= n: cluster[i] of object i, from 0 in order of first
 * objects. -1: k is out of range, or memory ran out. */
int roxi_cluster_cut(const struct roxi_merge *merges, size_t n, size_t k, size_t *cluster,
                     struct ix_error *err);

#endif
