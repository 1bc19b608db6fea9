/* SPDX-License-Identifier: Apache-2.0 */
/* Where unusual begins, learnt from executions that are known to be good.
 *
 * Each good one was compared with the others of them as if it were new (score.h), so a new good
 * one's score takes each place among theirs with the same probability, but for having one execution
 * more to be compared with. An alarm for scores above the r-th greatest of n is therefore false in
 * r / (n + 1) of the cases, whatever the scores' distribution is (conformal prediction: Vovk,
 * Gammerman and Shafer, Algorithmic learning in a random world, 2005). That is the mean over all
 * sets of n good executions; for this one set the rate has a Beta distribution, with r and n + 1 -
 * r. */
#ifndef ROXI_CALIBRATE_H
#define ROXI_CALIBRATE_H

#include <stddef.h>

struct roxi_alarm {
    double above;     /* scores above it are unusual */
    double rate;      /* share of good executions that are called so: expectation, */
    double low, high; /* and the interval that it is in with probability 0.9 */
};

/* The greatest rate up to `wanted` that n scores allow, or else the smallest one, 1 / (n + 1). n is
 * 1 at least. Reorders the scores. O(n log n). */
struct roxi_alarm roxi_calibrate(double *scores, size_t n, double wanted);

/* The p-value of a score beside those of n good executions: how many of n + 1, the one it belongs
 * to among them, score as much or more. An alarm of rate r / (n + 1) is one for all p-values up to
 * that. O(n). */
double roxi_p_value(const double *scores, size_t n, double score);

#endif
