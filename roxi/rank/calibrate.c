/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "schema/base/binomial.h"

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
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
                               .low = ix_beta_quantile(r, n, 0.05),
                               .high = ix_beta_quantile(r, n, 0.95)};
}
