/* SPDX-License-Identifier: Apache-2.0 */
/* One measure for all ways of finding known failures: how many runs a tester inspects until they
 * are found. Where the order is random it is the exact expectation, computed and not simulated.
 *
 * What is measured is an order of all runs. A ranking is one, except that equal scores come in
 * random order. Adaptive sampling (docs/thesis.md, section 4.6.1) becomes an order once its open
 * choices are fixed: cluster after cluster, a random run of the cluster is inspected, and if it
 * failed, all others of the cluster follow at once; after the last cluster, the remaining runs
 * follow at random.
 */
#ifndef ROXI_INSPECTION_EFFORT_H
#define ROXI_INSPECTION_EFFORT_H

#include "roxi/evaluate/sampling.h"

struct roxi_inspection_effort {
    double all;       /* runs inspected until all failures are found, 1 to n, */
    double ninety;    /* until 90 % of them are (rounded up) */
    double precision; /* average precision, 0 to 1: the mean, over the failures, of the share of
                         failures among the runs inspected up to and including it; NAN where there
                         is no formula */
};

/* The order in which clusters are inspected. */
enum roxi_visit {
    ROXI_VISIT_RANDOM,
    ROXI_VISIT_SMALL, /* smaller ones first; in random order within a size */
};

/* All of the following require that at least one run has failed. */

/* n runs in random order. */
struct roxi_inspection_effort roxi_inspection_effort_random(size_t n, size_t failures);

/* The highest score first. Ties: exact expectations; for precision by the formula of McSherry
 * and Najork (Computing information retrieval performance measures efficiently in the presence
 * of tied scores, 2008). No score may be NAN. -1: out of memory. O(n log n). */
int roxi_inspection_effort_ranked(const double *score, const bool *failed, size_t n,
                                  struct roxi_inspection_effort *out);

/* Members of smaller clusters before those of larger ones, in random order within a size. -1:
 * out of memory. O(n log n). */
int roxi_inspection_effort_small(const struct roxi_labelled *l, struct roxi_inspection_effort *out);

/* Adaptive sampling; precision is NAN. -1: out of memory. O(n log n), and O(d q^1.5 f) for f
 * failures in q clusters with d different combinations of size and number of failures. */
int roxi_inspection_effort_adaptive(const struct roxi_labelled *l, enum roxi_visit visit,
                                    struct roxi_inspection_effort *out);

/* ---- failure by failure ---- */

/* The same as curves: reached[i] is how many runs are inspected until i failures are found, from
 * 0 for i = 0 to struct roxi_inspection_effort's `all` for all failures. The array must hold
 * failures + 1 items. -1: out of memory. Time: as above, adaptive for each failure. */
void roxi_inspection_effort_random_curve(size_t n, size_t failures, double *reached);
int roxi_inspection_effort_ranked_curve(const double *score, const bool *failed, size_t n,
                                        double *reached);
int roxi_inspection_effort_small_curve(const struct roxi_labelled *l, double *reached);
int roxi_inspection_effort_adaptive_curve(const struct roxi_labelled *l, enum roxi_visit visit,
                                          double *reached);

#endif
