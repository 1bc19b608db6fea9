/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROXI_MEDIAN_H
#define ROXI_MEDIAN_H

#include <stddef.h>

/* The median of n values: the `count` given, which it puts in another order, and n - count zeros.
 * If there are any zeros, no value may be below 0. 0 if n is 0. O(count) on average, O(count log
 * count) at worst. */
double roxi_median(double *values, size_t count, size_t n);
/* Value number `nth` (< count) of the ascending ones; puts them in another order, all below `nth`
 * before it. O(count) on average, O(count log count) at worst. */
double roxi_nth(double *values, size_t count, size_t nth);

#endif
