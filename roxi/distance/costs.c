/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/costs.h"

#include <math.h>

/* The thesis's C(f, g) for different classes. */
#define WORST_GRADE 1000
/* Above every sensible reward; larger ones are left to the reference implementation. */
#define MOST_REWARD 1000000

bool roxi_costs_init(struct roxi_costs *c, const struct roxi_strategy *s, double match_reward)
{
    *c = (struct roxi_costs){.strategy = s};
    if (!s->scale)
        return false;
    if (!s->graded)
        return true;
    if (match_reward != floor(match_reward) || match_reward > MOST_REWARD)
        return false;
    c->reward = (int64_t)match_reward;
    return true;
}

static int64_t scaled(const struct roxi_costs *c, double cost)
{
    return (int64_t)(cost * c->strategy->scale);
}

/* Costs that depend on one end alone are evaluated in the shortest stack that has position k. */
static size_t length(const struct roxi_costs *c, size_t k, size_t n)
{
    return c->strategy->anchor == ROXI_FROM_BOTH ? n : k + 1;
}

/* Converts a position counted from the anchor to one counted from the entry. */
static size_t place(const struct roxi_costs *c, size_t k, size_t n)
{
    return c->strategy->anchor == ROXI_FROM_TOP ? n - 1 - k : k;
}

int64_t roxi_costs_insert(const struct roxi_costs *c, size_t k, size_t n)
{
    const struct roxi_strategy *s = c->strategy;
    if (s->kind == ROXI_AFFINE)
        return scaled(c, k ? s->widen : s->open);
    n = length(c, k, n);
    return scaled(c, s->insert(place(c, k, n), n));
}

int64_t roxi_costs_replace(const struct roxi_costs *c, size_t k)
{
    if (c->strategy->kind == ROXI_AFFINE)
        return scaled(c, 1);
    return scaled(c, c->strategy->replace(place(c, k, k + 1), k + 1, 0, 1));
}

int64_t roxi_costs_left(const struct roxi_costs *c, size_t k, size_t m)
{
    m = length(c, k, m);
    return scaled(c, c->strategy->replace(place(c, k, m), m, 0, 1));
}

int64_t roxi_costs_right(const struct roxi_costs *c, size_t k, size_t n)
{
    n = length(c, k, n);
    return scaled(c, c->strategy->replace(0, 1, place(c, k, n), n)) -
           scaled(c, c->strategy->replace(0, 1, 0, 1));
}

struct extent {
    double total; /* cost of inserting all frames */
    double step;  /* the most expensive insertion */
    double factor;
};

static struct extent extent_of(const struct roxi_costs *c, size_t n,
                               int64_t (*factor)(const struct roxi_costs *, size_t, size_t))
{
    struct extent e = {0};
    for (size_t k = 0; k < n; k++) {
        double insert = (double)roxi_costs_insert(c, k, n);
        e.total += insert;
        e.step = fmax(e.step, insert);
        if (c->strategy->graded)
            e.factor = fmax(e.factor, (double)factor(c, k, n));
    }
    return e;
}

/* A cell is at most the cost of deleting everything and inserting everything, and at least minus
 * the gain of matches on the longest diagonal. Add to that one step, which leads to a rejected
 * candidate; for gaps, which can be opened from either border, two steps. */
double roxi_costs_bound(const struct roxi_costs *c, size_t m, size_t n)
{
    struct extent x = extent_of(c, m, roxi_costs_left), y = extent_of(c, n, roxi_costs_right);
    double most = x.total + y.total, step = 2 * (x.step + y.step);
    if (!c->strategy->graded)
        return most + step + (double)roxi_costs_replace(c, m + n);
    double factor = x.factor + y.factor, least = (double)c->reward * factor * fmin(m, n);
    return fmax(most, least) + step + factor * fmax(WORST_GRADE, (double)c->reward);
}
