/* The next execution worth looking at: adaptive sampling [4.6.1.5] one step at a time, with what is
 * known by now instead of a random choice.
 *
 * While a cluster has a failure and executions that nobody has looked at, the one of those that is
 * nearest to a failure of its cluster. Else the typical one (the medoid) of the smallest cluster
 * that nobody has looked into. When all clusters have been looked into, they are split further, as
 * the dendrogram has them, until there is one that has not. */
#ifndef ROXI_NEXT_H
#define ROXI_NEXT_H

#include <stdbool.h>

#include "roxi/cluster.h"

struct roxi_known {
    const bool *settled; /* by object: nobody has to look at it any more */
    const bool *failed;  /* of those: it has */
};

enum roxi_reason { ROXI_ALL_SETTLED, ROXI_NEAR_FAILURE, ROXI_NEW_CLUSTER };

struct roxi_next {
    enum roxi_reason reason;
    size_t object;
    size_t failure;  /* ROXI_NEAR_FAILURE: which */
    size_t size;     /* of the cluster that it is in */
    size_t clusters; /* how many there were then */
};

/* Starts with k clusters, 1 to n. -1: memory ran out. O(n^2). */
int roxi_next(const struct roxi_condensed *apart, const struct roxi_dendrogram *tree, size_t k,
              const struct roxi_known *known, struct roxi_next *out, struct ix_error *err);

#endif
