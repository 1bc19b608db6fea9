/* How far something is from its nearest neighbours. */
#ifndef ROXI_NEAREST_H
#define ROXI_NEAREST_H

#include <stddef.h>

/* The mean of the k least of n distances, none of them NAN; k is 1 to n. They are reordered. The
 * result does not depend on their order. Expected O(n + k log k). */
double roxi_nearest_mean(double *distances, size_t n, size_t k);

#endif
