#include "roxi/rank.h"

#include <math.h>
#include <stdlib.h>

#include "schema/grow.h"

/* From a median absolute deviation, and from a mean one, to the standard deviation of normally
 * distributed values. */
#define SIGMA_OF_MEDIAN 1.4826
#define SIGMA_OF_MEAN 1.2533

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

/* work: room for n. */
static double median(const double *values, size_t n, double *work)
{
    for (size_t i = 0; i < n; i++)
        work[i] = values[i];
    qsort(work, n, sizeof *work, by_value);
    return n % 2 ? work[n / 2] : (work[n / 2 - 1] + work[n / 2]) / 2;
}

/* Centre and spread of values, not minding outliers. work: room for 2 n. */
struct typical {
    double centre;
    double sigma; /* 0 when more than half of the values are equal */
    double mean;  /* from the mean deviation; 0 only if all are equal */
};

static struct typical typical_of(const double *values, size_t n, double *work)
{
    struct typical t = {.centre = median(values, n, work)};
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += work[n + i] = fabs(values[i] - t.centre);
    t.sigma = SIGMA_OF_MEDIAN * median(work + n, n, work);
    t.mean = SIGMA_OF_MEAN * sum / (double)n;
    /* Values that differ by rounding only are equal. */
    double rounding = 1e-9 * fabs(t.centre);
    if (t.sigma <= rounding)
        t.sigma = 0;
    if (t.mean <= rounding)
        t.mean = 0;
    return t;
}

/* ---- how far from the nearest others, a group at a time ---- */

struct survey {
    const struct roxi_profiles *profiles;
    size_t k;
    double *far; /* owned; groups x executions */
    size_t groups, cap;
    double *work; /* owned; room for a row */
};

/* Both directions, each related to the stacks of the execution it was summed over, so that a long
 * run is not unusual for its length. */
static double related(const struct survey *s, const struct roxi_matrix *directed, size_t a,
                      size_t b)
{
    double of_a = (double)s->profiles->executions[a].total;
    double of_b = (double)s->profiles->executions[b].total;
    double sum = 0;
    if (of_a > 0)
        sum += *roxi_cell(directed, a, b) / of_a;
    if (of_b > 0)
        sum += *roxi_cell(directed, b, a) / of_b;
    return sum;
}

static double nearest_mean(const struct survey *s, const struct roxi_matrix *directed, size_t of)
{
    size_t others = 0;
    for (size_t i = 0; i < directed->n; i++)
        if (i != of)
            s->work[others++] = related(s, directed, of, i);
    qsort(s->work, others, sizeof *s->work, by_value);
    double sum = 0;
    for (size_t i = 0; i < s->k; i++)
        sum += s->work[i];
    return sum / (double)s->k;
}

static int survey_group(void *user, const struct roxi_matrix *directed)
{
    struct survey *s = user;
    size_t n = directed->n;
    double *far = ix_grow(s->far, &s->cap, (s->groups + 1) * n, sizeof *far);
    if (!far)
        return -1;
    s->far = far;
    for (size_t i = 0; i < n; i++)
        far[s->groups * n + i] = nearest_mean(s, directed, i);
    s->groups++;
    return 0;
}

/* ---- all groups together ---- */

/* The least spread that any group is given. When most executions agree in every group, mean
 * deviations have to do. */
static double least_sigma(const struct typical *groups, size_t count)
{
    double sigma = 0, mean = 0;
    for (size_t g = 0; g < count; g++) {
        sigma += groups[g].sigma;
        mean += groups[g].mean;
    }
    return (sigma > 0 ? sigma : mean) / (double)(count ? count : 1);
}

static void standardise(double *score, size_t n, double *work)
{
    struct typical t = typical_of(score, n, work);
    double unit = t.sigma > 0 ? t.sigma : t.mean;
    for (size_t i = 0; i < n; i++)
        score[i] = unit > 0 ? (score[i] - t.centre) / unit : 0;
}

int roxi_rank_combine(const double *far, size_t groups, size_t n, double *score)
{
    double *work = calloc(2 * n + 1, sizeof *work);
    struct typical *typical = calloc(groups + 1, sizeof *typical);
    int result = work && typical ? 0 : -1;
    for (size_t i = 0; result == 0 && i < n; i++)
        score[i] = 0;
    for (size_t g = 0; result == 0 && g < groups; g++)
        typical[g] = typical_of(far + g * n, n, work);
    double floor = result == 0 ? least_sigma(typical, groups) : 0;
    for (size_t g = 0; floor > 0 && g < groups; g++) {
        for (size_t i = 0; i < n; i++) {
            double surplus = (far[g * n + i] - typical[g].centre) / (typical[g].sigma + floor);
            if (surplus > 0)
                score[i] += surplus * surplus;
        }
    }
    if (result == 0) {
        for (size_t i = 0; i < n; i++)
            score[i] = sqrt(score[i]);
        standardise(score, n, work);
    }
    free(work);
    free(typical);
    return result;
}

int roxi_rank(const struct roxi_profiles *p, const struct roxi_compare_options *options, size_t k,
              double *score, struct ix_error *err)
{
    struct survey s = {.profiles = p, .k = k, .work = calloc(p->count + 1, sizeof *s.work)};
    int result = s.work ? roxi_compare_groups(p, options, survey_group, &s, err)
                        : ix_fail(err, "out of memory");
    if (result == 0 && roxi_rank_combine(s.far, s.groups, p->count, score) != 0)
        result = ix_fail(err, "out of memory");
    free(s.far);
    free(s.work);
    return result;
}
