/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/usual.h"

#include <math.h>

#include "roxi/rank/median.h"
#include "roxi/rank/model.h"

#define RARE 20 /* at most one normal run of so many may have as much */

bool roxi_usual_is_common(size_t like, size_t count)
{
    return RARE * like > count;
}

double roxi_usual_edge(double *numbers, size_t count)
{
    return roxi_nth(numbers, count, count - 1 - count / RARE);
}

struct roxi_usual roxi_usual_of(double *numbers, size_t count, double own)
{
    struct roxi_usual u = {0};
    if (!count)
        return u;
    for (size_t i = 0; i < count; i++)
        u.like += numbers[i] >= own;
    u.edge = roxi_usual_edge(numbers, count);
    u.centre = roxi_median(numbers, count, count);
    u.unit = roxi_deviation(numbers, count, count, u.centre);
    return u;
}

double roxi_usual_evidence(const struct roxi_usual *u, size_t count, double own, double resolution)
{
    const double unit = u->unit + resolution;
    const double beyond = fmin((own - u->centre) / unit - 1, (own - u->edge) / unit);
    return count && !roxi_usual_is_common(u->like, count) ? roxi_excess_evidence(beyond) : 0;
}
