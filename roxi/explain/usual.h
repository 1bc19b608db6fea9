/* SPDX-License-Identifier: Apache-2.0 */
/* How far a number is from what it is in normal runs. */
#ifndef ROXI_EXPLAIN_USUAL_H
#define ROXI_EXPLAIN_USUAL_H

#include <stdbool.h>
#include <stddef.h>

struct roxi_usual {
    double centre; /* the median of the normal runs */
    double unit;   /* their median absolute deviation, as a standard deviation */
    double edge;   /* what so many of them reach that more would be common */
    size_t like;   /* those that have as much */
};

/* Do too many of `count` normal runs have as much as the run for it to be evidence: more than one
 * in 20? As soon as that is known, the rest need not be looked at. */
bool roxi_usual_is_common(size_t like, size_t count);
/* The greatest of `count` numbers (> 0), which are put in another order, such that it is common to
 * reach it. A run that does so, like a few normal ones that are busy with something else, say, is
 * no farther from normal than from this one. O(count). */
double roxi_usual_edge(double *numbers, size_t count);

/* Of `count` numbers, which are put in another order, and of the run's own. Without numbers all is
 * 0. O(n log n). */
struct roxi_usual roxi_usual_of(double *numbers, size_t count, double own);

/* The evidence that the run's own number is too great, as the score measures it (rank/score.h):
 * log(1 + (z - 1)^2), z being the distance from the centre in units, each greater by `resolution`,
 * what is not worth noticing; or from the edge, plus 1, if that is nearer. 0 if z is at most 1, or
 * if it is common among `count` normal runs. */
double roxi_usual_evidence(const struct roxi_usual *u, size_t count, double own, double resolution);

#endif
