/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/distance.h"

#include <math.h>
#include <stdlib.h>

int roxi_distance_init(struct roxi_distance *d, const struct roxi_strategy *strategy,
                       const struct roxi_symbols *symbols, double match_reward, size_t depth,
                       struct ix_error *err)
{
    *d = (struct roxi_distance){
        .strategy = strategy, .symbols = symbols, .match_reward = match_reward, .depth = depth};
    d->rows = reallocarray(NULL, depth + 1, 2 * sizeof *d->rows);
    return d->rows ? 0 : ix_fail(err, "out of memory");
}

void roxi_distance_release(struct roxi_distance *d)
{
    free(d->rows);
    d->rows = NULL;
}

static double least(double a, double b)
{
    return b < a ? b : a;
}

/* The thesis's C(f, g) for frames that are not identical. */
static double difference(const struct roxi_symbols *symbols, uint32_t x, uint32_t y)
{
    struct roxi_frame f = roxi_symbols_frame_at(symbols, x);
    struct roxi_frame g = roxi_symbols_frame_at(symbols, y);
    if (f.class_name != g.class_name)
        return 1000;
    if (f.method != g.method)
        return 100;
    return f.descriptor != g.descriptor ? 10 : 1;
}

static double substitute(const struct roxi_distance *d, const uint32_t *x, size_t i, size_t m,
                         const uint32_t *y, size_t j, size_t n)
{
    const struct roxi_strategy *s = d->strategy;
    bool same = x[i] == y[j];
    if (!s->graded)
        return same ? 0 : s->replace(i, m, j, n);
    return s->replace(i, m, j, n) * (same ? -d->match_reward : difference(d->symbols, x[i], y[j]));
}

static double edit(const struct roxi_distance *d, const uint32_t *x, size_t m, const uint32_t *y,
                   size_t n)
{
    double *row = d->rows, *insert = d->rows + d->depth + 1;
    row[0] = 0;
    for (size_t j = 0; j < n; j++) {
        insert[j] = d->strategy->insert(j, n);
        row[j + 1] = row[j] + insert[j];
    }
    for (size_t i = 0; i < m; i++) {
        double delete = d->strategy->insert(i, m);
        double diagonal = row[0];
        row[0] += delete;
        for (size_t j = 0; j < n; j++) {
            double above = row[j + 1];
            double best = diagonal + substitute(d, x, i, m, y, j, n);
            best = least(best, above + delete);
            row[j + 1] = least(best, row[j] + insert[j]);
            diagonal = above;
        }
    }
    return row[n];
}

static double affine(const struct roxi_distance *d, const uint32_t *x, size_t m, const uint32_t *y,
                     size_t n)
{
    double open = d->strategy->open, widen = d->strategy->widen;
    double *row = d->rows, *gap_in_y = d->rows + d->depth + 1;
    row[0] = 0;
    for (size_t j = 0; j < n; j++) {
        row[j + 1] = open + widen * (double)j;
        gap_in_y[j + 1] = INFINITY;
    }
    for (size_t i = 0; i < m; i++) {
        double diagonal = row[0], gap_in_x = INFINITY;
        row[0] = open + widen * (double)i;
        for (size_t j = 0; j < n; j++) {
            double above = row[j + 1];
            gap_in_y[j + 1] = least(gap_in_y[j + 1] + widen, above + open);
            gap_in_x = least(gap_in_x + widen, row[j] + open);
            double best = diagonal + (x[i] == y[j] ? 0 : 1);
            row[j + 1] = least(best, least(gap_in_y[j + 1], gap_in_x));
            diagonal = above;
        }
    }
    return row[n];
}

double roxi_distance(struct roxi_distance *d, const uint32_t *x, size_t m, const uint32_t *y,
                     size_t n)
{
    return d->strategy->kind == ROXI_AFFINE ? affine(d, x, m, y, n) : edit(d, x, m, y, n);
}
