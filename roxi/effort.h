/* One measure for all ways of looking for failures that are known: how many executions a tester
 * looks at until they are found. Where chance decides, its expectation, computed and not simulated.
 *
 * An order of all executions is what is measured. A ranking is one, but for equal scores, which
 * come in random order. Adaptive sampling [4.6.1.5] becomes one by saying what it leaves open:
 * cluster after cluster, a random execution of it is looked at, and if that has failed, at once all
 * others of the cluster; when no cluster is left, the rest, at random.
 */
#ifndef ROXI_EFFORT_H
#define ROXI_EFFORT_H

#include "roxi/sampling.h"

struct roxi_effort {
    double all;       /* executions looked at until all failures are found, 1 to n, */
    double ninety;    /* until 90 % of them are (rounded up) */
    double precision; /* average precision, 0 to 1: the mean, over the failures, of the share of
                         failures among what is looked at up to it; NAN where there is no formula */
};

/* The order in which clusters are looked into. */
enum roxi_visit {
    ROXI_VISIT_RANDOM,
    ROXI_VISIT_SMALL, /* smaller ones first; at random within a size */
};

/* In all of this one execution at least has failed. */

/* n executions in random order. */
struct roxi_effort roxi_effort_random(size_t n, size_t failures);

/* The highest score first. Ties: exact expectations; for precision as McSherry and Najork have it
 * (Computing information retrieval performance measures efficiently in the presence of tied scores,
 * 2008). No score is NAN. -1: memory ran out. O(n log n). */
int roxi_effort_ranked(const double *score, const bool *failed, size_t n, struct roxi_effort *out);

/* Members of smaller clusters before those of larger ones, in random order within a size. -1:
 * memory ran out. O(n log n). */
int roxi_effort_small(const struct roxi_labelled *l, struct roxi_effort *out);

/* Adaptive sampling; precision is NAN. -1: memory ran out. O(n log n), and O(d q^1.5 f) for f
 * failures in q clusters of d different sizes and numbers of failures. */
int roxi_effort_adaptive(const struct roxi_labelled *l, enum roxi_visit visit,
                         struct roxi_effort *out);

/* ---- failure by failure ---- */

/* The same as curves: reached[i] executions are looked at until i failures are found, for i from 0,
 * where it is 0, to all of them, where it is struct roxi_effort's `all`. Room for failures + 1. -1:
 * memory ran out. Time: as above, adaptive for each failure. */
void roxi_effort_random_curve(size_t n, size_t failures, double *reached);
int roxi_effort_ranked_curve(const double *score, const bool *failed, size_t n, double *reached);
int roxi_effort_small_curve(const struct roxi_labelled *l, double *reached);
int roxi_effort_adaptive_curve(const struct roxi_labelled *l, enum roxi_visit visit,
                               double *reached);

#endif
