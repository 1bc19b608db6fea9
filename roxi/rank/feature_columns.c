/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a ranking that come from features other than call stacks (columns.h). */
#include <math.h>
#include <stdlib.h>

#include "roxi/rank/columns.h"
#include "roxi/rank/nearest.h"

/* A feature at one place: of each execution a sparse vector. */
struct vectors {
    size_t *start; /* by execution, + 1: its range in what follows */
    uint64_t *key; /* ascending within an execution */
    double *value;
};

struct survey {
    const struct roxi_survey *of;
    const struct roxi_profiles *profiles;
    enum roxi_feature feature;
    size_t *cursor; /* by execution: its next item of the feature */
    size_t *other;  /* those that stand for the reference */
    size_t others, k;
    struct vectors at; /* the place that is surveyed */
    double *number;    /* by execution: one number of it; of ends, the VMs that were too short */
    bool *unknown;     /* by execution: roxi_unknown there */
    struct roxi_columns *out;
};

/* ---- the place that is surveyed ---- */

static const struct roxi_feature_item *next_item(const struct survey *s, size_t e)
{
    const struct roxi_profile *x = &s->profiles->executions[e];
    const size_t at = s->cursor[e];
    return at < x->feature_count && x->features[at].feature == s->feature ? &x->features[at] : NULL;
}

/* The lowest place that is left; false: none. */
static bool next_place(const struct survey *s, uint32_t *place)
{
    bool any = false;
    for (size_t e = 0; e < s->profiles->count; e++) {
        const struct roxi_feature_item *item = next_item(s, e);
        if (item && (!any || item->place < *place)) {
            *place = item->place;
            any = true;
        }
    }
    return any;
}

/* Items [from, to) as a vector behind `at`; returns its end. Stays count by length alone, a long
 * one as the many packets that it takes. */
static size_t put_vector(struct vectors *v, size_t at, const struct roxi_feature_item *items,
                         size_t from, size_t to)
{
    double length[64] = {0};
    for (size_t i = from; i < to; i++) {
        if (items[i].feature == ROXI_STAYS) {
            length[items[i].b & 63] += ldexp((double)items[i].count, (int)items[i].b);
            continue;
        }
        v->key[at] = (uint64_t)items[i].a << 32 | items[i].b;
        v->value[at++] = (double)items[i].count;
    }
    for (uint64_t b = 0; from < to && items[from].feature == ROXI_STAYS && b < 64; b++) {
        if (length[b] > 0) {
            v->key[at] = b;
            v->value[at++] = length[b];
        }
    }
    return at;
}

/* Counts become what there is of it in each packet of the role: a thread that is seldom there
 * weighs little. */
static void relate(const struct survey *s, size_t e, uint32_t group, size_t from, size_t to)
{
    const struct roxi_profile *x = &s->profiles->executions[e];
    const uint32_t role = (uint32_t)(roxi_tally_key(&s->profiles->groups, group) >> 32);
    const uint64_t packets = roxi_features_packets(x->features, x->feature_count, role);
    for (size_t i = from; packets && i < to; i++)
        s->at.value[i] /= (double)packets;
}

/* Counts become logarithms: half as often is as different as twice as often. */
static void take_logarithms(const struct survey *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        s->at.value[i] = log2(1 + s->at.value[i]);
}

/* VMs that were too short are no end of their own; returns the vector's new end. They have the
 * highest key. */
static size_t take_too_short(const struct survey *s, size_t e, size_t from, size_t to)
{
    const bool any = to > from && s->at.key[to - 1] >> 32 == ROXI_TOO_SHORT;
    s->number[e] = any ? s->at.value[to - 1] : 0;
    return any ? to - 1 : to;
}

/* Moves the cursors behind the place. */
static void take_place(struct survey *s, uint32_t place)
{
    const bool related = s->feature == ROXI_STAYS || s->feature == ROXI_MOVES;
    size_t at = 0;
    for (size_t e = 0; e < s->profiles->count; e++) {
        const size_t from = s->cursor[e];
        const struct roxi_feature_item *item;
        while ((item = next_item(s, e)) && item->place == place)
            s->cursor[e]++;
        s->at.start[e] = at;
        at = put_vector(&s->at, at, s->profiles->executions[e].features, from, s->cursor[e]);
        s->unknown[e] = s->feature != ROXI_ENDS &&
                        roxi_unknown(s->profiles, e, roxi_feature_of_role(s->feature), place);
        if (s->feature == ROXI_ENDS)
            at = take_too_short(s, e, s->at.start[e], at);
        else if (related)
            relate(s, e, place, s->at.start[e], at);
        else if (s->feature == ROXI_STATES)
            take_logarithms(s, s->at.start[e], at);
    }
    s->at.start[s->profiles->count] = at;
}

/* ---- how far apart ---- */

/* Half the sum of the differences. */
static double vectors_apart(const struct vectors *v, size_t a, size_t b)
{
    size_t i = v->start[a], j = v->start[b];
    double sum = 0;
    while (i < v->start[a + 1] && j < v->start[b + 1]) {
        if (v->key[i] < v->key[j])
            sum += v->value[i++];
        else if (v->key[i] > v->key[j])
            sum += v->value[j++];
        else
            sum += fabs(v->value[i++] - v->value[j++]);
    }
    while (i < v->start[a + 1])
        sum += v->value[i++];
    while (j < v->start[b + 1])
        sum += v->value[j++];
    return sum / 2;
}

/* The same, but a VM that was too short goes with any end. */
static double ends_apart(const struct survey *s, size_t a, size_t b)
{
    const double rest = vectors_apart(&s->at, a, b) - (s->number[a] + s->number[b]) / 2;
    return rest > 0 ? rest : 0;
}

static double apart(const struct survey *s, size_t a, size_t b, bool numbers)
{
    if (numbers)
        return fabs(s->number[a] - s->number[b]);
    return s->feature == ROXI_ENDS ? ends_apart(s, a, b) : vectors_apart(&s->at, a, b);
}

/* Fills a column; with `numbers` from s->number, else from the vectors. */
static int measure(const struct survey *s, struct roxi_column column, bool numbers)
{
    double *far = roxi_columns_add(s->out, column);
    int failed = !far;
#pragma omp parallel for schedule(dynamic, 16) reduction(| : failed)
    for (size_t i = 0; i < (far ? s->profiles->count : 0); i++) {
        double *row = calloc(s->others + 1, sizeof *row);
        size_t n = 0;
        for (size_t o = 0; row && !s->unknown[i] && o < s->others; o++)
            if (s->other[o] != i && !s->unknown[s->other[o]])
                row[n++] = apart(s, i, s->other[o], numbers);
        if (row)
            far[i] = roxi_nearest_mean(row, n, s->k);
        failed |= !row;
        free(row);
    }
    return failed ? -1 : 0;
}

/* The logarithm of one of the numbers, + 1 so that none is 0, as packets and threads double. */
static void take_number(struct survey *s, uint32_t key)
{
    for (size_t e = 0; e < s->profiles->count; e++) {
        double count = 0;
        for (size_t i = s->at.start[e]; i < s->at.start[e + 1]; i++)
            if (s->at.key[i] >> 32 == key)
                count = s->at.value[i];
        s->number[e] = log2(1 + count);
    }
}

static int survey_place(struct survey *s, uint32_t place)
{
    int result = 0;
    take_place(s, place);
    const uint32_t keys = s->feature == ROXI_PACKETS   ? ROXI_LOST + 1
                          : s->feature == ROXI_THREADS ? ROXI_LAST + 1
                          : s->feature == ROXI_EARLY   ? 1
                                                       : 0;
    if (!keys)
        return measure(s, (struct roxi_column){s->feature, place, 0}, false);
    for (uint32_t key = 0; key < keys && result == 0; key++) {
        take_number(s, key);
        result = measure(s, (struct roxi_column){s->feature, place, key}, true);
    }
    return result;
}

/* ---- the whole ---- */

static void choose_others(struct survey *s)
{
    const bool *reference = s->of->reference;
    size_t all = 0;
    for (size_t e = 0; e < s->profiles->count; e++)
        if (!reference || reference[e])
            s->other[all++] = e;
    s->others = all < ROXI_SURVEY_MOST ? all : ROXI_SURVEY_MOST;
    for (size_t i = 0; i < s->others; i++)
        s->other[i] = s->other[i * all / s->others];
    s->k = all > s->others ? s->of->k * s->others / all : s->of->k;
    if (s->k == 0)
        s->k = 1;
}

static int prepare(struct survey *s)
{
    const size_t n = s->profiles->count;
    size_t items = 0;
    for (size_t e = 0; e < n; e++)
        items += s->profiles->executions[e].feature_count;
    s->cursor = calloc(n + 1, sizeof *s->cursor);
    s->other = calloc(n + 1, sizeof *s->other);
    s->number = calloc(n + 1, sizeof *s->number);
    s->unknown = calloc(n + 1, sizeof *s->unknown);
    s->at.start = calloc(n + 2, sizeof *s->at.start);
    s->at.key = calloc(items + 1, sizeof *s->at.key);
    s->at.value = calloc(items + 1, sizeof *s->at.value);
    if (!s->cursor || !s->other || !s->number || !s->unknown || !s->at.start || !s->at.key ||
        !s->at.value)
        return -1;
    for (size_t e = 0; e < n; e++) {
        const struct roxi_profile *x = &s->profiles->executions[e];
        while (s->cursor[e] < x->feature_count && x->features[s->cursor[e]].feature < s->feature)
            s->cursor[e]++;
    }
    choose_others(s);
    return 0;
}

int roxi_survey_feature(const struct roxi_survey *of, enum roxi_feature feature,
                        struct roxi_columns *out, struct ix_error *err)
{
    struct survey s = {.of = of, .profiles = of->profiles, .feature = feature, .out = out};
    uint32_t place = 0;
    int result = prepare(&s);
    while (result == 0 && next_place(&s, &place))
        result = survey_place(&s, place);
    free(s.cursor);
    free(s.other);
    free(s.number);
    free(s.unknown);
    free(s.at.start);
    free(s.at.key);
    free(s.at.value);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}
