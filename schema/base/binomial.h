/* SPDX-License-Identifier: Apache-2.0 */
/* How often something happens, judged by how often it happened in n runs that do not depend on each
 * other. */
#ifndef IX_BINOMIAL_H
#define IX_BINOMIAL_H

#include <stddef.h>

/* The quantile of the Beta distribution with r and n + 1 - r, r from 1 to n: the r-th smallest of n
 * uniform numbers is below it with this probability. O(r). */
double ix_beta_quantile(size_t r, size_t n, double probability);

/* A share of runs, and the interval that contains the true one with a probability of at least 0.95,
 * whatever that is (Clopper and Pearson, Biometrika 26, 1934). */
struct ix_rate {
    double rate, low, high;
};
struct ix_rate ix_rate_of(size_t hits, size_t n); /* n 0: from 0 to 1 */

/* The least number of runs in which something that happens at this rate, above 0, shows at least
 * once with this probability, below 1. */
size_t ix_runs_to_see(double rate, double probability);

#endif
