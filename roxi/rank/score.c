/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/score.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/rank/median.h"
#include "roxi/rank/swapped_profiles.h"

/* From a median absolute deviation, and from a mean one, to the standard deviation of normally
 * distributed values. */
#define SIGMA_OF_MEDIAN 1.4826
#define SIGMA_OF_MEAN 1.2533

const unsigned roxi_rank_features =
    1u << ROXI_STACKS | 1u << ROXI_ENDS | 1u << ROXI_EARLY | 1u << ROXI_STATES;

/* What is at least one standard deviation, in the units of columns.h, in case nearly all
 * executions agree: of a column, and of all columns of a feature together. Stacks have no natural
 * unit, and take what is left of their variation. */
static const struct floors {
    double column, feature;
} floors[ROXI_FEATURES] = {
    [ROXI_STACKS] = {0, 0},  [ROXI_PACKETS] = {0.05, 1}, /* 3.5 % more packets */
    [ROXI_ENDS] = {0.2, 1},  /* a VM that ends otherwise than all others: nearly five */
    [ROXI_THREADS] = {1, 1}, /* twice as many threads */
    [ROXI_EARLY] = {0, 0},   /* they vary enough by themselves */
    [ROXI_STATES] = {0, 0},  [ROXI_STAYS] = {0.05, 1},   [ROXI_MOVES] = {0.05, 1},
};

size_t roxi_rank_neighbours(size_t n)
{
    size_t k = (size_t)lround(sqrt((double)n));
    if (k > n - 1)
        k = n - 1;
    return k ? k : 1;
}

/* Centre and spread of values, not minding outliers. */
struct typical {
    double centre;
    double sigma;   /* 0 when more than half of the values are equal */
    double mean;    /* from the mean deviation, of all executions if those of the reference do not
                       differ at all; 0 only if all are equal */
    double squares; /* sum of the squared deviations of the reference */
    size_t n;       /* how many these are */
};

struct scoring {
    const bool *reference; /* NULL: all */
    size_t n;
    double *work;            /* owned; n */
    struct typical *typical; /* owned; by column */
    double *feature;         /* owned; features x n: their scores */
};

static double mean_deviation(const double *values, size_t n, double centre)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(values[i] - centre);
    /* Values that differ by rounding only are equal. */
    return sum > 1e-9 * fabs(centre) * (double)n ? SIGMA_OF_MEAN * sum / (double)n : 0;
}

static struct typical typical_of(const struct scoring *s, const double *values)
{
    struct typical t = {0};
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!s->reference || s->reference[i])
            s->work[n++] = values[i];
    t.centre = roxi_median(s->work, n, n);
    t.mean = mean_deviation(s->work, n, t.centre);
    if (t.mean <= 0)
        t.mean = mean_deviation(values, s->n, t.centre);
    for (size_t i = 0; i < n; i++) {
        s->work[i] = fabs(s->work[i] - t.centre);
        t.squares += s->work[i] * s->work[i];
    }
    t.n = n;
    t.sigma = SIGMA_OF_MEDIAN * roxi_median(s->work, n, n);
    if (t.sigma <= 1e-9 * fabs(t.centre))
        t.sigma = 0;
    return t;
}

/* The least spread that any of a feature's columns is given, beside the natural one: the mean of
 * all. When most executions agree in every column, mean deviations have to do. */
static double least_sigma(const struct typical *columns, size_t count, struct floors natural)
{
    double sigma = 0, mean = 0;
    for (size_t c = 0; c < count; c++) {
        sigma += columns[c].sigma;
        mean += columns[c].mean;
    }
    const double least = (sigma > 0 || natural.column > 0 ? sigma : mean) / (double)count;
    return least > natural.column ? least : natural.column;
}

/* In standard deviations above the centre. */
static void standardise(const struct scoring *s, double *score, double floor)
{
    const struct typical t = typical_of(s, score);
    double unit = t.sigma > 0 || floor > 0 ? t.sigma : t.mean;
    if (unit < floor)
        unit = floor;
    for (size_t i = 0; i < s->n; i++)
        score[i] = unit > 0 ? (score[i] - t.centre) / unit : 0;
}

/* The spread that execution i is measured by: the reference's and its own, so that a new execution
 * is treated as if it were one of them. */
static double spread(const struct scoring *s, const struct typical *t, size_t i, double value)
{
    const double off = value - t->centre;
    if (!s->reference || s->reference[i])
        return sqrt(t->squares / (double)t->n);
    return sqrt((t->squares + off * off) / (double)(t->n + 1));
}

/* Columns `from` to `to` - 1 are a feature's: they become squares of surpluses, in parts of their
 * sum; and the feature gets its score. */
static void score_feature(struct scoring *s, struct roxi_columns *columns, size_t from, size_t to,
                          double *score)
{
    const struct floors natural = floors[columns->of[from].feature];
    for (size_t c = from; c < to; c++)
        s->typical[c] = typical_of(s, roxi_column_at(columns, c));
    const double floor = least_sigma(s->typical + from, to - from, natural);
    for (size_t i = 0; i < s->n; i++) {
        score[i] = 0;
        for (size_t c = from; c < to; c++) {
            double *cell = roxi_column_at(columns, c) + i;
            const struct typical *t = &s->typical[c];
            const double unit = spread(s, t, i, *cell) + floor;
            const double surplus = floor > 0 ? (*cell - t->centre) / unit : 0;
            *cell = surplus > 0 ? surplus * surplus : 0;
            score[i] += *cell;
        }
        for (size_t c = from; c < to && score[i] > 0; c++)
            roxi_column_at(columns, c)[i] /= score[i];
        score[i] = sqrt(score[i]);
    }
    standardise(s, score, natural.feature);
}

static size_t end_of_feature(const struct roxi_columns *columns, size_t from)
{
    size_t to = from;
    while (to < columns->count && columns->of[to].feature == columns->of[from].feature)
        to++;
    return to;
}

/* What a feature's score adds to that of several. Each that finds something odd is evidence; one
 * that is thousands of standard deviations away (threads that leak) must not outshout three that
 * agree. */
static double evidence(double score)
{
    return score > 0 ? log1p(score * score) : 0;
}

/* The features' scores become one: its own, if there is but one feature; else the evidence. */
static void add_features(const struct scoring *s, size_t features, double *score)
{
    for (size_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (size_t a = 0; a < features; a++)
            sum += evidence(s->feature[a * s->n + i]);
        score[i] = features == 1 ? s->feature[i] : sum;
    }
    if (features > 1)
        standardise(s, score, 0);
}

/* From shares of a feature's score to shares of the whole one. */
static void share_out(const struct scoring *s, struct roxi_columns *columns, const double *score)
{
    for (size_t i = 0; i < s->n; i++) {
        double sum = 0;
        size_t features = 0;
        for (size_t from = 0; from < columns->count; from = end_of_feature(columns, from))
            sum += evidence(s->feature[features++ * s->n + i]);
        features = 0;
        for (size_t from = 0, to; from < columns->count; from = to, features++) {
            to = end_of_feature(columns, from);
            const double part = evidence(s->feature[features * s->n + i]);
            for (size_t c = from; c < to; c++)
                roxi_column_at(columns, c)[i] *=
                    sum > 0 && score[i] > 0 ? part / sum * score[i] : 0;
        }
    }
}

int roxi_score_combine(struct roxi_columns *columns, const bool *reference, double *score)
{
    const size_t n = columns->n;
    struct scoring s = {.reference = reference,
                        .n = n,
                        .work = calloc(n + 1, sizeof *s.work),
                        .typical = calloc(columns->count + 1, sizeof *s.typical),
                        .feature = calloc(ROXI_FEATURES * n + 1, sizeof *s.feature)};
    const int result = s.work && s.typical && s.feature ? 0 : -1;
    size_t features = 0;
    for (size_t from = 0, to; result == 0 && from < columns->count; from = to) {
        to = end_of_feature(columns, from);
        score_feature(&s, columns, from, to, s.feature + features++ * n);
    }
    if (result == 0) {
        add_features(&s, features, score);
        share_out(&s, columns, score);
    }
    free(s.work);
    free(s.typical);
    free(s.feature);
    return result;
}

const struct roxi_profiles *roxi_ranked(const struct roxi_ranking *r)
{
    return r->renamed ? r->renamed : r->of;
}

static int exchange_names(struct roxi_ranking *r, const struct roxi_score_options *options)
{
    if (options->named)
        return 0;
    if (roxi_role_swaps_find(&r->peers, r->of, options->reference) != 0)
        return -1;
    if (r->peers.count && !(r->renamed = roxi_swapped_profiles(r->of, &r->peers)))
        return -1;
    return 0;
}

int roxi_score(const struct roxi_profiles *p, const struct roxi_score_options *options,
               struct roxi_ranking *out, struct ix_error *err)
{
    *out = (struct roxi_ranking){
        .score = calloc(p->count + 1, sizeof *out->score), .parts = {.n = p->count}, .of = p};
    int result =
        out->score && exchange_names(out, options) == 0 ? 0 : ix_fail(err, "out of memory");
    const struct roxi_survey survey = {roxi_ranked(out), options->reference, options->neighbours};
    for (enum roxi_feature a = ROXI_STACKS; result == 0 && a < ROXI_FEATURES; a++) {
        if (!(options->features & 1u << a))
            continue;
        result = a == ROXI_STACKS ? roxi_survey_stacks(&survey, options->compare, &out->parts, err)
                                  : roxi_survey_feature(&survey, a, &out->parts, err);
    }
    if (result == 0 && roxi_score_combine(&out->parts, options->reference, out->score) != 0)
        result = ix_fail(err, "out of memory");
    if (result != 0)
        roxi_ranking_free(out);
    return result;
}

void roxi_ranking_free(struct roxi_ranking *r)
{
    free(r->score);
    roxi_columns_free(&r->parts);
    roxi_swapped_profiles_free(r->renamed, r->of);
    roxi_role_swaps_free(&r->peers);
    *r = (struct roxi_ranking){0};
}
