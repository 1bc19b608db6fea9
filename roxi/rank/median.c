/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/median.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double roxi_median(double *values, size_t count, size_t n)
{
    if (n == 0)
        return 0;
    if (count)
        qsort(values, count, sizeof *values, by_value);
    const size_t zeros = n - count, low = (n - 1) / 2, high = n / 2;
    return ((low < zeros ? 0 : values[low - zeros]) + (high < zeros ? 0 : values[high - zeros])) /
           2;
}
