/* The distance between two call stacks, plainly computed: the reference that faster versions are
 * checked against.
 *
 * Edit distance: Lambert 2002, Algorithm 3.3 (Wagner and Fischer 1974), on one rolling row. Gap:
 * Gotoh 1982, two rolling rows. O(mn) time, O(n) memory. In double; with a match reward that is a
 * multiple of 1/4 exact below 2^51 (strategy.h). The distance is symmetric; call-stack strategies
 * give negative ones, and the smallest is still the nearest.
 */
#ifndef ROXI_DISTANCE_H
#define ROXI_DISTANCE_H

#include "roxi/strategy.h"
#include "roxi/symbols.h"
#include "schema/error.h"

struct roxi_distance {
    const struct roxi_strategy *strategy;
    const struct roxi_symbols *symbols;
    double match_reward;
    size_t depth; /* the deepest stack it has room for */
    double *rows; /* owned: two times depth + 1 */
};

/* Prepares for stacks of up to `depth` frames. The strategy measures distances
 * (roxi_strategy_is_distance). match_reward: what identical frames earn under a graded strategy;
 * 1 as in the thesis' formulas, 1000 as in its text. -1: memory ran out. */
int roxi_distance_init(struct roxi_distance *d, const struct roxi_strategy *strategy,
                       const struct roxi_symbols *symbols, double match_reward, size_t depth,
                       struct ix_error *err);
void roxi_distance_release(struct roxi_distance *d);

/* x and y: frame numbers of the dictionary, the thread's entry first; m and n at most `depth`. */
double roxi_distance(struct roxi_distance *d, const uint32_t *x, size_t m, const uint32_t *y,
                     size_t n);

#endif
