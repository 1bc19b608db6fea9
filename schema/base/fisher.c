/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/fisher.h"

#include <math.h>

/* ln of how many ways there are to choose k of n. */
static double choices(size_t n, size_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

double ix_fisher(struct ix_tried a, struct ix_tried b)
{
    /* Tables that are as probable as this one but for rounding count, too. */
    static const double rounding = 1 + 1e-7;
    const size_t failed = a.failed + b.failed, judged = a.judged + b.judged;
    if (!a.judged || !b.judged)
        return 1;
    const double all = choices(judged, failed);
    const double here = exp(choices(a.judged, a.failed) + choices(b.judged, b.failed) - all);
    const size_t least = failed > b.judged ? failed - b.judged : 0;
    const size_t most = failed < a.judged ? failed : a.judged;
    double sum = 0;
    for (size_t k = least; k <= most; k++) {
        const double p = exp(choices(a.judged, k) + choices(b.judged, failed - k) - all);
        if (p <= here * rounding)
            sum += p;
    }
    return sum < 1 ? sum : 1;
}

size_t ix_fisher_needs(struct ix_tried a, double level, size_t most)
{
    size_t low = 0, high = most; /* low: not enough */
    level *= 1 - 1e-9;           /* rounding must not turn 20 of 400 into less than 0.05 */
    if (ix_fisher(a, (struct ix_tried){0, most}) >= level)
        return 0;
    while (high - low > 1) { /* more runs without a failure never say less about it */
        const size_t middle = low + (high - low) / 2;
        if (ix_fisher(a, (struct ix_tried){0, middle}) < level)
            high = middle;
        else
            low = middle;
    }
    return high;
}
