/* SPDX-License-Identifier: Apache-2.0 */
/* The next run to inspect: adaptive sampling (docs/thesis.md, section 4.6.1) one step at a time,
 * using what is known so far instead of a random choice.
 *
 * While a cluster has a failure and runs that nobody has inspected, it picks the one of those
 * that is nearest to a failure of its cluster. Otherwise it picks the most typical run (the
 * medoid) of the smallest cluster that nobody has inspected. When all clusters have been
 * inspected, they are split further along the dendrogram until one has not been inspected.
 */
#ifndef ROXI_NEXT_H
#define ROXI_NEXT_H

#include <stdbool.h>

#include "roxi/cluster/cluster.h"

struct roxi_known {
    const bool *settled; /* by object: it need not be inspected any more */
    const bool *failed;  /* of the settled ones: it has failed */
};

enum roxi_reason { ROXI_ALL_SETTLED, ROXI_NEAR_FAILURE, ROXI_NEW_CLUSTER };

struct roxi_next {
    enum roxi_reason reason;
    size_t object;
    size_t failure;  /* with ROXI_NEAR_FAILURE: which failure */
    size_t size;     /* of the cluster that it is in */
    size_t clusters; /* how many there were at that point */
};

/* Starts with k clusters, 1 to n. -1: out of memory. O(n^2). */
int roxi_next(const struct roxi_condensed *apart, const struct roxi_dendrogram *tree, size_t k,
              const struct roxi_known *known, struct roxi_next *out, struct ix_error *err);

#endif
