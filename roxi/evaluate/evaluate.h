/* SPDX-License-Identifier: Apache-2.0 */
/* The thesis's figures for one strategy on runs whose failures are known (docs/thesis.md,
 * section 4.7), averaged over six clusterings: single, complete and average linkage of cosines,
 * each with row scaling none and sqrt. */
#ifndef ROXI_EVALUATE_H
#define ROXI_EVALUATE_H

#include <stdbool.h>

#include "roxi/distance/run_matrix.h"

enum { ROXI_SHARES = 8, ROXI_SMALLEST = 5 };

/* Numbers of clusters, in % of the runs (Tables 4.11, 4.12), and shares of the runs that are in
 * the smallest clusters (Table 4.8). */
extern const double roxi_evaluate_shares[ROXI_SHARES];
extern const double roxi_evaluate_smallest[ROXI_SMALLEST];

/* The number of clusters for a share of n runs: rounded to the nearest, at least 1. */
size_t roxi_evaluate_clusters(double share, size_t n);

/* By number of clusters. Exact expectations over the random choice. */
struct roxi_figures {
    double found[ROXI_SHARES];           /* by adaptive sampling, in % of the failures, */
    double checked[ROXI_SHARES];         /* after inspecting this many runs */
    double purity[ROXI_SHARES];          /* 4.7.3, 0 to 1 */
    double lone_failures[ROXI_SHARES];   /* 4.7.2: failures alone in their clusters, in % of the
                                            failures, */
    double lone_executions[ROXI_SHARES]; /* and of all runs */
    /* 4.7.1: failures in the smallest clusters that together hold this share of the runs, in %
     * of the failures; also averaged over the numbers of clusters. If the share ends among
     * clusters of one size, these count in proportion. */
    double smallest[ROXI_SMALLEST];
};

/* failed[i] for run i; at least one must have failed. -1: out of memory. */
int roxi_evaluate(const struct roxi_run_matrix *f, const bool *failed, struct roxi_figures *out,
                  struct ix_error *err);

#endif
