/* The thesis' figures of one strategy on executions whose failures are known [4.7], averaged over
 * six clusterings: single, complete and average linkage of cosines, each with row scaling none and
 * sqrt. */
#ifndef ROXI_EVALUATE_H
#define ROXI_EVALUATE_H

#include <stdbool.h>

#include "roxi/features.h"

enum { ROXI_SHARES = 8, ROXI_SMALLEST = 5 };

/* Numbers of clusters, in % of the executions [Tables 4.11, 4.12]; and parts of the executions that
 * are in the smallest clusters [Table 4.8]. */
extern const double roxi_evaluate_shares[ROXI_SHARES];
extern const double roxi_evaluate_smallest[ROXI_SMALLEST];

/* Clusters for a share of n executions: the nearest whole number, at least 1. */
size_t roxi_evaluate_clusters(double share, size_t n);

/* By number of clusters. Expectations over the random choice, exact. */
struct roxi_figures {
    double found[ROXI_SHARES];           /* by adaptive sampling, in % of the failures, */
    double checked[ROXI_SHARES];         /* looking at so many executions */
    double purity[ROXI_SHARES];          /* 4.7.3, 0 to 1 */
    double lone_failures[ROXI_SHARES];   /* 4.7.2: alone in their clusters, in % of the failures, */
    double lone_executions[ROXI_SHARES]; /* and of all executions */
    /* 4.7.1: failures in the smallest clusters that hold such a part of the executions, in % of the
     * failures; averaged over the numbers of clusters as well. A part that ends within clusters of
     * one size counts as much of them as it takes. */
    double smallest[ROXI_SMALLEST];
};

/* failed[i] of execution i; one has failed at least. -1: memory ran out. */
int roxi_evaluate(const struct roxi_features *f, const bool *failed, struct roxi_figures *out,
                  struct ix_error *err);

#endif
