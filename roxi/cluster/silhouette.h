/* SPDX-License-Identifier: Apache-2.0 */
/* How well a clustering fits: Rousseeuw's silhouettes (1987). */
#ifndef ROXI_SILHOUETTE_H
#define ROXI_SILHOUETTE_H

#include "roxi/cluster/cluster.h"

/* The largest number of clusters that is tried. */
enum { ROXI_SILHOUETTE_MOST = 300 };

/* *k: the number of clusters, from 2 to the smaller of n - 1 and ROXI_SILHOUETTE_MOST, with the
 * highest mean silhouette, of equal ones the smallest; *score: that mean. An object's silhouette
 * is (b - a) / max(a, b), where a is its mean distance to the others of its cluster and b the
 * least mean distance to another cluster; 0 if it is alone. With fewer than 3 objects *k is 1
 * and *score 0. -1: a distance is negative (silhouettes are undefined then), or out of memory.
 * Time: n^2, and n times the square of the greatest k; memory: n times the greatest k. */
int roxi_silhouette_choose(const struct roxi_condensed *apart, const struct roxi_dendrogram *tree,
                           size_t *k, double *score, struct ix_error *err);

#endif
