/* The typical execution of each cluster. */
#ifndef ROXI_MEDOIDS_H
#define ROXI_MEDOIDS_H

#include "roxi/condensed.h"

struct roxi_medoid {
    size_t
        object;  /* the least far from the others of its cluster in sum; of equal ones the first */
    size_t size; /* of the cluster */
    double mean; /* its mean distance from the others; 0 if it is alone */
};

/* Of clusters 0 to k - 1, into medoids[k]; cluster[i] is that of object i. O(n^2). -1: memory ran
 * out. */
int roxi_medoids(const struct roxi_condensed *apart, const size_t *cluster, size_t k,
                 struct roxi_medoid *medoids);

#endif
