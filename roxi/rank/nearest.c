/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/nearest.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* The median of the first, the middle and the last one; never the greatest alone at the end. */
static double pivot_of(const double *v, size_t n)
{
    const double a = v[0], b = v[(n - 1) / 2], c = v[n - 1];
    const double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Moves the k least to the front (Hoare's selection). */
static void select_least(double *v, size_t n, size_t k)
{
    while (n > 1 && k > 0 && k < n) {
        const double pivot = pivot_of(v, n);
        size_t low = 0, high = n - 1;
        for (;; low++, high--) {
            while (v[low] < pivot)
                low++;
            while (v[high] > pivot)
                high--;
            if (low >= high)
                break;
            swap(&v[low], &v[high]);
        }
        const size_t left = high + 1; /* these are no greater than those behind them */
        if (k < left) {
            n = left;
        } else {
            v += left;
            n -= left;
            k -= left;
        }
    }
}

double roxi_nearest_mean(double *distances, size_t n, size_t k)
{
    double sum = 0;
    if (k > n)
        k = n;
    if (n == 0)
        return 0;
    select_least(distances, n, k);
    qsort(distances, k, sizeof *distances, ascending);
    for (size_t i = 0; i < k; i++)
        sum += distances[i];
    return sum / (double)k;
}
