/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/binomial.h"

#include <math.h>

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

double ix_beta_quantile(size_t r, size_t n, double probability)
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

struct ix_rate ix_rate_of(size_t hits, size_t n)
{
    static const double outside = 0.025; /* on each side */
    return (struct ix_rate){
        .rate = n ? (double)hits / (double)n : 0,
        .low = hits ? ix_beta_quantile(hits, n, outside) : 0,
        .high = hits < n ? ix_beta_quantile(hits + 1, n, 1 - outside) : 1,
    };
}

size_t ix_runs_to_see(double rate, double probability)
{
    if (rate >= 1)
        return 1;
    return (size_t)ceil(log1p(-probability) / log1p(-rate));
}
