/* A strategy's costs as integers: multiplied by its scale, positions k counted from its anchor. They
 * are computed from the strategy's own functions, so that a new strategy needs nothing here. */
#ifndef ROXI_COSTS_H
#define ROXI_COSTS_H

#include "roxi/strategy.h"

#include <stdint.h>

struct roxi_costs {
    const struct roxi_strategy *strategy;
    int64_t reward; /* what identical frames gain, unscaled; 0 unless graded */
};

/* False: the strategy has no exact integers with that match reward, which is not a whole number or
 * is absurdly large. */
bool roxi_costs_init(struct roxi_costs *c, const struct roxi_strategy *s, double match_reward);

/* To insert the k-th frame of n. Only with ROXI_FROM_BOTH does it depend on n. */
int64_t roxi_costs_insert(const struct roxi_costs *c, size_t k, size_t n);
/* Not graded: two different frames, the sum of whose positions is k. */
int64_t roxi_costs_replace(const struct roxi_costs *c, size_t k);
/* Graded: the factor is the sum of the left part, of x's k-th frame of m, and the right part, of y's
 * k-th of n. */
int64_t roxi_costs_left(const struct roxi_costs *c, size_t k, size_t m);
int64_t roxi_costs_right(const struct roxi_costs *c, size_t k, size_t n);

/* No number that comes up in comparing a stack of at most m frames with one of at most n is further
 * from 0. Time O(m + n). */
double roxi_costs_bound(const struct roxi_costs *c, size_t m, size_t n);

#endif
