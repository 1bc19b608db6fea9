/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/map.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Both converge long before, in campaigns that were tried. */
enum { POWER_STEPS = 200, MAJORISATION_STEPS = 100 };

double roxi_map_distance(const struct roxi_condensed *apart, size_t i, size_t j)
{
    if (i == j)
        return 0;
    const double cell = roxi_apart(apart, i, j);
    return apart->measure == ROXI_ON_COSINE ? sqrt(2 * fmax(cell, 0)) : cell;
}

/* ---- the start ---- */

/* Squared distances, centred by rows and columns: products of the points that have them. */
static double *products(const struct roxi_condensed *apart)
{
    const size_t n = apart->n;
    double *b = calloc(n * n + 1, sizeof *b), *mean = calloc(n + 1, sizeof *mean), all = 0;
    for (size_t i = 0; b && mean && i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double d = roxi_map_distance(apart, i, j);
            b[i * n + j] = d * d;
            mean[i] += d * d / (double)n;
        }
    for (size_t i = 0; mean && i < n; i++)
        all += mean[i] / (double)n;
    for (size_t i = 0; b && mean && i < n; i++)
        for (size_t j = 0; j < n; j++)
            b[i * n + j] = -0.5 * (b[i * n + j] - mean[i] - mean[j] + all);
    if (!mean) {
        free(b);
        b = NULL;
    }
    free(mean);
    return b;
}

static double length_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* The eigenvector of the greatest eigenvalue, times the value's root; `next` is room for n. */
static void power(const double *b, size_t n, double *v, double *next)
{
    double value = 0;
    for (size_t i = 0; i < n; i++)
        v[i] = sin((double)(i + 1)); /* anything that is hardly at a right angle to it */
    double length = length_of(v, n);
    for (int step = 0; step < POWER_STEPS && length > 0; step++) {
        for (size_t i = 0; i < n; i++)
            v[i] /= length;
        for (size_t i = 0; i < n; i++) {
            next[i] = 0;
            for (size_t j = 0; j < n; j++)
                next[i] += b[i * n + j] * v[j];
        }
        value = length = length_of(next, n);
        for (size_t i = 0; i < n; i++)
            v[i] = next[i];
    }
    for (size_t i = 0; i < n; i++)
        v[i] = value > 0 ? v[i] / value * sqrt(value) : 0;
}

static int place(struct roxi_map *m, const struct roxi_condensed *apart)
{
    const size_t n = m->n;
    double *b = products(apart), *next = calloc(n + 1, sizeof *next);
    const bool good = b && next;
    if (good) {
        power(b, n, m->x, next);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                b[i * n + j] -= m->x[i] * m->x[j];
        power(b, n, m->y, next);
    }
    free(b);
    free(next);
    return good ? 0 : -1;
}

/* ---- improvement ---- */

static double between(const struct roxi_map *m, size_t i, size_t j)
{
    const double x = m->x[i] - m->x[j], y = m->y[i] - m->y[j];
    return sqrt(x * x + y * y); /* hypot is slow, and nothing here is near overflow */
}

/* Each point moves to the mean of where the others want it to be. */
static void majorise(struct roxi_map *m, const struct roxi_condensed *apart, double *x, double *y)
{
    const size_t n = m->n;
    for (size_t i = 0; i < n; i++) {
        x[i] = y[i] = 0;
        for (size_t j = 0; j < n; j++) {
            const double now = between(m, i, j);
            const double ratio = now > 0 ? roxi_map_distance(apart, i, j) / now : 0;
            x[i] += ratio * (m->x[i] - m->x[j]) / (double)n;
            y[i] += ratio * (m->y[i] - m->y[j]) / (double)n;
        }
    }
    for (size_t i = 0; i < n; i++) {
        m->x[i] = x[i];
        m->y[i] = y[i];
    }
}

static int improve(struct roxi_map *m, const struct roxi_condensed *apart)
{
    double *x = calloc(m->n + 1, sizeof *x), *y = calloc(m->n + 1, sizeof *y);
    for (int step = 0; x && y && step < MAJORISATION_STEPS; step++)
        majorise(m, apart, x, y);
    const int result = x && y ? 0 : -1;
    free(x);
    free(y);
    return result;
}

static double stress_of(const struct roxi_map *m, const struct roxi_condensed *apart)
{
    double wrong = 0, all = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n; j++) {
            const double d = roxi_map_distance(apart, i, j), off = d - between(m, i, j);
            wrong += off * off;
            all += d * d;
        }
    return all > 0 ? sqrt(wrong / all) : 0;
}

int roxi_map_make(struct roxi_map *m, const struct roxi_condensed *apart)
{
    *m = (struct roxi_map){.n = apart->n,
                           .x = calloc(apart->n + 1, sizeof *m->x),
                           .y = calloc(apart->n + 1, sizeof *m->y)};
    if (!m->x || !m->y || place(m, apart) != 0 || improve(m, apart) != 0) {
        roxi_map_free(m);
        return -1;
    }
    m->stress = stress_of(m, apart);
    return 0;
}

void roxi_map_free(struct roxi_map *m)
{
    free(m->x);
    free(m->y);
    *m = (struct roxi_map){0};
}
