/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/median.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From a median absolute deviation to the standard deviation of normally distributed values. */
#define SIGMA_OF_MEDIAN 1.4826

enum { ROUNDS = 10 }; /* of dividing; then few values are left, mostly, and they are sorted */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Divides the values from *left to *right into those up to `pivot`, which is one of them, and those
 * from it on. The first part then ends at *right, and the second one begins at *left; *left may be
 * greater than *right + 1: what is between them equals the pivot. */
static void divide(double *values, ptrdiff_t *left, ptrdiff_t *right, double pivot)
{
    ptrdiff_t i = *left, k = *right;
    while (i <= k) {
        while (values[i] < pivot)
            i++;
        while (pivot < values[k])
            k--;
        if (i <= k) {
            const double value = values[i];
            values[i++] = values[k];
            values[k--] = value;
        }
    }
    *left = i;
    *right = k;
}

/* Puts value number `nth` of the ascending ones in its place, none above it before it, and none
 * below it behind it: Hoare's algorithm "FIND" (Communications of the ACM 4, 1961). */
static void place(double *values, size_t count, size_t nth)
{
    const ptrdiff_t at = (ptrdiff_t)nth;
    ptrdiff_t first = 0, last = (ptrdiff_t)count - 1;
    for (int round = 0; first < last; round++) {
        ptrdiff_t begin = first, end = last;
        if (round == ROUNDS) {
            qsort(values + first, (size_t)(last - first) + 1, sizeof *values, by_value);
            return;
        }
        divide(values, &begin, &end, values[at]);
        if (at > end)
            first = at < begin ? at : begin;
        if (at < begin)
            last = at > end ? at : end;
    }
}

/* The greatest of `count` values, at least 1. */
static double greatest(const double *values, size_t count)
{
    double most = values[0];
    for (size_t i = 1; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

double roxi_nth(double *values, size_t count, size_t nth)
{
    place(values, count, nth);
    return values[nth];
}

double roxi_median(double *values, size_t count, size_t n)
{
    if (n == 0)
        return 0;
    const size_t zeros = n - count, low = (n - 1) / 2, high = n / 2;
    if (high < zeros)
        return 0;
    place(values, count, high - zeros);
    const double upper = values[high - zeros];
    if (low == high)
        return upper;
    return ((low < zeros ? 0 : greatest(values, high - zeros)) + upper) / 2;
}

double roxi_deviation(double *values, size_t count, size_t n, double centre)
{
    if (centre > 0) {
        memset(values + count, 0, (n - count) * sizeof *values);
        for (size_t i = 0; i < n; i++)
            values[i] = fabs(values[i] - centre);
        count = n;
    }
    return SIGMA_OF_MEDIAN * roxi_median(values, count, n);
}
