/* SPDX-License-Identifier: Apache-2.0 */
/* How far something is from its nearest neighbours. */
#ifndef ROXI_NEAREST_H
#define ROXI_NEAREST_H

#include <stddef.h>

/* The mean of the k least of n distances, of all if there are no more than k, 0 if there is none;
 * none of them is NAN, k is 1 or more. They are reordered. The result does not depend on their
 * order. Expected O(n + k log k). */
double roxi_nearest_mean(double *distances, size_t n, size_t k);

#endif
