/* SPDX-License-Identifier: Apache-2.0 */
/* Medians, and deviations from them: both tolerate that up to half of the values are odd. */
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

/* The median absolute deviation from `centre`, which is not below 0, of such values as roxi_median
 * has, as a standard deviation. The values are replaced; there is room for n of them. O(n) on
 * average. */
double roxi_deviation(double *values, size_t count, size_t n, double centre);

#endif
