/* SPDX-License-Identifier: Apache-2.0 */
/* The most typical run of each cluster. */
#ifndef ROXI_MEDOIDS_H
#define ROXI_MEDOIDS_H

#include "roxi/cluster/condensed.h"

struct roxi_medoid {
    size_t object; /* with the least sum of distances to the others of its cluster; of equal ones
                      the first */
    size_t size;   /* of the cluster */
    double mean;   /* its mean distance to the others; 0 if it is alone */
};

/* Finds those of clusters 0 to k - 1 and writes them to medoids[k]; cluster[i] is the cluster of
 * object i. O(n^2). -1: out of memory. */
int roxi_medoids(const struct roxi_condensed *apart, const size_t *cluster, size_t k,
                 struct roxi_medoid *medoids);

#endif
