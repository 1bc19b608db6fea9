/* SPDX-License-Identifier: Apache-2.0 */
/* A strategy's costs as integers: multiplied by its scale, with positions k counted from its
 * anchor. They are computed from the strategy's own functions, so a new strategy needs no change
 * here. */
#ifndef ROXI_COSTS_H
#define ROXI_COSTS_H

#include "roxi/distance/strategy.h"

#include <stdint.h>

struct roxi_costs {
    const struct roxi_strategy *strategy;
    int64_t reward; /* gain for identical frames, unscaled; 0 unless graded */
};

/* False: the strategy's costs are not exact integers with this match reward, because it is not a
 * whole number or is absurdly large. */
bool roxi_costs_init(struct roxi_costs *c, const struct roxi_strategy *s, double match_reward);

/* Cost of inserting the k-th frame of n. It depends on n only with ROXI_FROM_BOTH. */
int64_t roxi_costs_insert(const struct roxi_costs *c, size_t k, size_t n);
/* Not graded: cost of replacing a frame by a different one, where k is the sum of their
 * positions. */
int64_t roxi_costs_replace(const struct roxi_costs *c, size_t k);
/* Graded: the factor is the sum of the left part, for x's k-th frame of m, and the right part,
 * for y's k-th of n. */
int64_t roxi_costs_left(const struct roxi_costs *c, size_t k, size_t m);
int64_t roxi_costs_right(const struct roxi_costs *c, size_t k, size_t n);

/* A bound on the absolute value of all numbers that occur in comparing a stack of at most m
 * frames with one of at most n. Time O(m + n). */
double roxi_costs_bound(const struct roxi_costs *c, size_t m, size_t n);

#endif
