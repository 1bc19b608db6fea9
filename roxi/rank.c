#include "roxi/rank.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void roxi_rank_relate(struct roxi_matrix *distances, const struct roxi_profiles *p)
{
    for (size_t a = 0; a < distances->n; a++) {
        for (size_t b = 0; b < distances->n; b++) {
            double stacks = (double)p->executions[a].total + (double)p->executions[b].total;
            if (stacks > 0)
                *roxi_cell(distances, a, b) /= stacks;
        }
    }
}

size_t roxi_rank_neighbours(size_t n)
{
    size_t k = (size_t)lround(sqrt((double)n));
    if (k > n - 1)
        k = n - 1;
    return k ? k : 1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Sorts `values`. */
static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double nearest_mean(const struct roxi_matrix *distances, size_t of, size_t k, double *work)
{
    size_t others = 0;
    for (size_t i = 0; i < distances->n; i++)
        if (i != of)
            work[others++] = *roxi_cell(distances, of, i);
    qsort(work, others, sizeof *work, by_value);
    double sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += work[i];
    return sum / (double)k;
}

/* The standard deviation that normally distributed values of this spread would have: from the
 * median absolute deviation, or, when more than half are equal, from the mean one. 0 if all are
 * equal. */
static double spread(const double *values, size_t n, double centre, double *work)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += work[i] = fabs(values[i] - centre);
    double middle = median(work, n);
    bool rounding = middle <= 1e-9 * fabs(centre);
    return rounding ? 1.2533 * sum / (double)n : 1.4826 * middle;
}

int roxi_rank(const struct roxi_matrix *distances, size_t k, double *score, struct ix_error *err)
{
    size_t n = distances->n;
    double *work = calloc(n, sizeof *work);
    if (!work)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < n; i++)
        score[i] = nearest_mean(distances, i, k, work);
    for (size_t i = 0; i < n; i++)
        work[i] = score[i];
    double centre = median(work, n);
    double unit = spread(score, n, centre, work);
    for (size_t i = 0; i < n; i++)
        score[i] = unit > 0 ? (score[i] - centre) / unit : 0;
    free(work);
    return 0;
}
