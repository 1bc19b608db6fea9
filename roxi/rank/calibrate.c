/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/calibrate.h"

#include <math.h>
#include <stdlib.h>

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* That of n things, each of which happens with probability x, r or more do. */
static double at_least(size_t r, size_t n, double x)
{
    const double all = (double)n;
    double fewer = 0;
    for (size_t i = 0; i < r; i++) {
        const double k = (double)i;
        fewer += exp(lgamma(all + 1) - lgamma(k + 1) - lgamma(all - k + 1) + k * log(x) +
                     (all - k) * log1p(-x));
    }
    return 1 - fewer;
}

/* Of the Beta distribution with r and n + 1 - r: it is below x as often as r of n uniform numbers
 * are. */
static double beta_quantile(size_t r, size_t n, double probability)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) { /* halves: as exact as a double is */
        const double middle = (low + high) / 2;
        if (at_least(r, n, middle) < probability)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double roxi_p_value(const double *scores, size_t n, double score)
{
    size_t as_much = 1;
    for (size_t i = 0; i < n; i++)
        as_much += scores[i] >= score;
    return (double)as_much / (double)(n + 1);
}

struct roxi_alarm roxi_calibrate(double *scores, size_t n, double wanted)
{
    /* Rounding must not turn 0.05 x 100 into 4. */
    size_t r = (size_t)floor(wanted * (double)(n + 1) * (1 + 1e-12));
    if (r < 1)
        r = 1;
    if (r > n)
        r = n;
    qsort(scores, n, sizeof *scores, descending);
    return (struct roxi_alarm){.above = scores[r - 1],
                               .rate = (double)r / (double)(n + 1),
                               .low = beta_quantile(r, n, 0.05),
                               .high = beta_quantile(r, n, 0.95)};
}
