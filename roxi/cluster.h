/* Agglomerative clustering [3.7]: at first every object is a cluster; the two nearest ones are
 * merged until one is left.
 *
 * Which two: the nearest by the linkage (links.h, exactly); of equally near pairs the one whose
 * clusters come first, clusters being ordered by their first objects. That settles every merge. It
 * is what a search through all pairs before each merge would do, in O(n^2) instead of O(n^3).
 */
#ifndef ROXI_CLUSTER_H
#define ROXI_CLUSTER_H

#include "roxi/links.h"

/* Merge i, from 0, makes cluster n + i; clusters 0 to n - 1 are the objects. */
struct roxi_merge {
    size_t a, b; /* the one that holds the smaller first object is a */
    double
        height;  /* how far apart they were: cosine: 1 - similarity; never below the merge before */
    size_t size; /* objects in the result */
};

struct roxi_dendrogram {
    size_t n;
    double unit;               /* to what heights are rounded; Ward: relative to the square */
    struct roxi_merge *merges; /* owned; n - 1 */
};

/* n at least 1. Time O(n^2); memory: once more the condensed cells. -1: memory ran out, or Ward's
 * linkage does not fit (links.h). */
int roxi_cluster(const struct roxi_condensed *apart, enum roxi_linkage linkage,
                 struct roxi_dendrogram *out, struct ix_error *err);
void roxi_dendrogram_free(struct roxi_dendrogram *d);

/* The clusters when k are left, 1 <= k <= n: cluster[i] of object i, from 0 in order of first
 * objects. -1: k is out of range, or memory ran out. */
int roxi_cluster_cut(const struct roxi_dendrogram *d, size_t k, size_t *cluster,
                     struct ix_error *err);

/* How many clusters are left when all merges up to that height are done; a height counts as reached
 * if only rounding keeps it from that. */
size_t roxi_cluster_count_at(const struct roxi_dendrogram *d, double height);

#endif
