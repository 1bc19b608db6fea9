/* SPDX-License-Identifier: Apache-2.0 */
/* The score above which a run is unusual, learnt from runs that are known to be good.
 *
 * Each good run was compared with the other good ones as if it were new (score.h). So the score of
 * a new good run takes each place among theirs with the same probability, except that it has one
 * run more to be compared with. An alarm for scores above the r-th greatest of n is therefore false
 * in r / (n + 1) of the cases, whatever the distribution of the scores (conformal prediction: Vovk,
 * Gammerman and Shafer, Algorithmic learning in a random world, 2005). That is the mean over all
 * sets of n good runs; for one given set the rate has a Beta distribution, with r and n + 1 - r. */
#ifndef ROXI_CALIBRATE_H
#define ROXI_CALIBRATE_H

#include <stddef.h>

struct roxi_alarm {
    double above;     /* scores above it are unusual */
    double rate;      /* share of good executions that are called so: expectation, */
    double low, high; /* and the interval that it is in with probability 0.9 */
};

/* The greatest rate up to `wanted` that n scores allow, or else the smallest one, 1 / (n + 1). n is
 * at least 1. Reorders the scores. O(n log n). */
struct roxi_alarm roxi_calibrate(double *scores, size_t n, double wanted);

/* The p-value of a run's score, given those of n good runs: the share of the n + 1 runs, including
 * this one, that score as much or more. An alarm of rate r / (n + 1) is raised for all p-values up
 * to that rate. O(n). */
double roxi_p_value(const double *scores, size_t n, double score);

#endif
