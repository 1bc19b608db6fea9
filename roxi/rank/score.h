/* SPDX-License-Identifier: Apache-2.0 */
/* How unusual each execution is.
 *
 * It is looked at in one place and one respect at a time (columns.h): the call stacks of a thread
 * of a role, how often that thread was blocked, how a VM ended. How far is the execution there from
 * its k nearest others? Places differ by orders of magnitude in how much they vary from run to run,
 * so that distance is measured in units of its own spread over the campaign; a thread that is
 * steady in all runs but one counts as much as a whole system that is a little off. That spread is
 * the root of the mean square, of which the odd ones are a part: in a place where one of n
 * executions is odd, that one is sqrt(n) of it off and never more (about means: Samuelson 1968), so
 * no place says more than how rare it is. A floor added to the spread keeps trifles in steady
 * places from counting. The surpluses of an feature's places are added by their squares and
 * standardised; of the features' scores z, those above 0, ln(1 + z^2) is added up, and standardised
 * once more.
 *
 * Where executions are known to be good, all can be compared with those alone, and measured by how
 * much those vary. A good one is then compared with the others of them, as if it were new.
 */
#ifndef ROXI_SCORE_H
#define ROXI_SCORE_H

#include "roxi/rank/columns.h"
#include "roxi/rank/role_swap.h"

/* The features of `roxi rank`, as bits 1 << enum roxi_feature. */
extern const unsigned roxi_rank_features;

/* Default of k for n executions: about sqrt(n), so that as many runs that fail alike still look
 * unusual. */
size_t roxi_rank_neighbours(size_t n);

struct roxi_score_options {
    const struct roxi_compare_options *compare; /* of call stacks */
    unsigned features;                          /* one at least */
    size_t neighbours;                          /* k */
    const bool *reference; /* by execution: with whom they are compared; NULL: with all */
    bool named;            /* peers keep their names (role_swap.h) */
};

struct roxi_ranking {
    /* By execution: 0 is typical of the reference (the median), 1 is one standard deviation,
     * estimated by the median absolute deviation, more unusual than that. Owned. */
    double *score;
    /* What each column adds to a score that is above 0: these add up to it. */
    struct roxi_columns parts;
    struct roxi_role_swaps peers;   /* who was compared under another name; owned */
    struct roxi_profiles *renamed;  /* so; owned; NULL: nobody was */
    const struct roxi_profiles *of; /* what was ranked */
};

/* All executions must have the features; `p` must outlive the ranking. Of those that they are
 * compared with there are k + 1 at least (2 or more). -1: memory ran out, or it was interrupted;
 * nothing is left to free. Time: that of columns.h. */
int roxi_score(const struct roxi_profiles *p, const struct roxi_score_options *options,
               struct roxi_ranking *out, struct ix_error *err);
void roxi_ranking_free(struct roxi_ranking *r);

/* The profiles that the columns' places are of. */
const struct roxi_profiles *roxi_ranked(const struct roxi_ranking *r);

/* The last step alone: `columns` has how far each execution is, and becomes the scores' parts;
 * columns of one feature follow each other. -1: memory ran out. */
int roxi_score_combine(struct roxi_columns *columns, const bool *reference, double *score);

#endif
