/* SPDX-License-Identifier: Apache-2.0 */
/* The distances between runs: Lambert 2002, Algorithms 3.1 and 3.2, as interpreted in
 * docs/thesis.md.
 *
 * Compare(v, m) is a sum over the call stacks of every group (role and thread) that both runs
 * have: count times the distance to the nearest call stack of m in that group. The difference of
 * a and b is Compare(a, b) + Compare(b, a). Time: for each group, the square of its number of
 * distinct stacks, times the cost of a distance; the fast engine divides it by lanes and
 * processors. Memory: little more than the matrix. Sums are of doubles that are exact
 * (strategy.h), so the result depends neither on any order nor on the engine.
 */
#ifndef ROXI_COMPARE_H
#define ROXI_COMPARE_H

#include "roxi/campaign/profile.h"
#include "roxi/distance/compare_options.h"
#include "roxi/distance/matrix.h"

/* Runs x runs, in order; symmetric. -1: out of memory, this processor cannot run the chosen
 * engine, or interrupted (checkpoint.h). */
int roxi_compare(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                 struct roxi_matrix *out, struct ix_error *err);

/* The same for each group: calls `each` with the group's number and the cells (a, b) =
 * Compare(a, b) of that group alone, in order of the groups' numbers. The callback may use the
 * matrix only during the call; nonzero from it means out of memory. */
typedef int roxi_each_group(void *user, uint32_t group, const struct roxi_matrix *directed);
int roxi_compare_groups(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                        roxi_each_group *each, void *user, struct ix_error *err);

#endif
