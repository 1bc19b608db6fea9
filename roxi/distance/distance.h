/* SPDX-License-Identifier: Apache-2.0 */
/* The distance between two call stacks, computed in the plain way: the reference against which
 * faster versions are checked.
 *
 * Edit distance: Lambert 2002, Algorithm 3.3 (Wagner and Fischer 1974), on one rolling row. Gap:
 * Gotoh 1982, two rolling rows. O(mn) time, O(n) memory. Computed in double, exact below 2^51 if
 * the match reward is a multiple of 1/4 (strategy.h). The distance is symmetric; call-stack
 * strategies can give negative distances, and the smallest still means the nearest.
 */
#ifndef ROXI_DISTANCE_H
#define ROXI_DISTANCE_H

#include "roxi/campaign/symbols.h"
#include "roxi/distance/strategy.h"
#include "schema/base/error.h"

struct roxi_distance {
    const struct roxi_strategy *strategy;
    const struct roxi_symbols *symbols;
    double match_reward;
    size_t depth; /* depth of the deepest stack that fits */
    double *rows; /* owned: two times depth + 1 */
};

/* Prepares for stacks of up to `depth` frames. The strategy must measure distances
 * (roxi_strategy_is_distance). match_reward: what identical frames earn under a graded strategy;
 * 1 as in the thesis's formulas, 1000 as in its text. -1: out of memory. */
int roxi_distance_init(struct roxi_distance *d, const struct roxi_strategy *strategy,
                       const struct roxi_symbols *symbols, double match_reward, size_t depth,
                       struct ix_error *err);
void roxi_distance_release(struct roxi_distance *d);

/* x and y: frame numbers of the dictionary, the entry frame first; m and n are at most `depth`. */
double roxi_distance(struct roxi_distance *d, const uint32_t *x, size_t m, const uint32_t *y,
                     size_t n);

#endif
