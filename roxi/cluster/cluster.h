/* SPDX-License-Identifier: Apache-2.0 */
/* Agglomerative clustering (docs/thesis.md, section 3.7): at first every object is a cluster;
 * the two nearest clusters are merged until one is left.
 *
 * The next pair to merge is the nearest by the linkage (links.h, exactly); of equally near
 * pairs, the one whose clusters come first, where clusters are ordered by their first objects.
 * This determines every merge. The result is the same as from a search through all pairs before
 * each merge, in O(n^2) instead of O(n^3).
 */
#ifndef ROXI_CLUSTER_H
#define ROXI_CLUSTER_H

#include "roxi/cluster/links.h"

/* Merge i, counted from 0, makes cluster n + i; clusters 0 to n - 1 are the objects. */
struct roxi_merge {
    size_t a, b;   /* a is the one with the smaller first object */
    double height; /* distance of the two; cosine: 1 - similarity; never below the previous merge */
    size_t size;   /* objects in the merged cluster */
};

struct roxi_dendrogram {
    size_t n;
    double unit;               /* heights are rounded to it; Ward: relative to the square */
    struct roxi_merge *merges; /* owned; n - 1 */
};

/* n is at least 1. Time O(n^2); memory: another copy of the condensed cells. -1: out of memory,
 * or the numbers are too large for Ward's linkage (links.h). */
int roxi_cluster(const struct roxi_condensed *apart, enum roxi_linkage linkage,
                 struct roxi_dendrogram *out, struct ix_error *err);
void roxi_dendrogram_free(struct roxi_dendrogram *d);

/* Cuts the tree into k clusters, 1 <= k <= n: cluster[i] is the cluster of object i, numbered
 * from 0 in order of first objects. -1: k is out of range, or out of memory. */
int roxi_cluster_cut(const struct roxi_dendrogram *d, size_t k, size_t *cluster,
                     struct ix_error *err);

/* How many clusters are left after all merges up to that height; a height that is missed only by
 * rounding counts as reached. */
size_t roxi_cluster_count_at(const struct roxi_dendrogram *d, double height);

#endif
