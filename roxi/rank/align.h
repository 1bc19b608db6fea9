/* SPDX-License-Identifier: Apache-2.0 */
/* Peers (peers.h) whose work is chance. Where a group elects its leader anew in each run, every
 * run has one server that does what that server typically does not; named by their servers, all
 * runs look unusual. So the names of peers are exchanged, in each run, until the runs agree on what
 * "Server 1" does:
 *
 * 1. The run that is nearest to typical is what the others are compared with.
 * 2. In each run two peers exchange their names if they are less than half as far from that one
 *    then, the two that gain most first, until no two do.
 *
 * This is tried only if the median score is above 1, and kept only if it leaves less than 70 % of
 * it, peers being compared together as well then (peers.h): where most runs agree on who does
 * what, one that does not is worth a look. Of 200 runs or more one to two hundred, spread evenly,
 * show first whether it helps. */
#ifndef ROXI_ALIGN_H
#define ROXI_ALIGN_H

#include "roxi/rank/model.h"

/* Two members of a run that exchanged their names. */
struct roxi_role_swap {
    size_t run;
    uint32_t a, b; /* numbers */
    bool chance;   /* who does what differs from run to run (align.h), or else it is unusual */
};

/* All zero: none. */
struct roxi_role_swaps {
    struct roxi_role_swap *list; /* of a run, in the order in which they were made; owned */
    size_t count, cap;
};
/* -1: memory ran out. */
int roxi_role_swaps_add(struct roxi_role_swaps *s, const struct roxi_role_swap *swap);

/* Exchanges names in d->all, and remakes the columns, if the peers' work is chance; else all stays
 * as it is. `score`: of the runs as they are named; `median`: of those in `reference`, by run
 * (NULL: all), which say what is typical. 1: it was done; 0: it was not; -1: memory ran out, or the
 * user interrupted. O(peers x durations log runs). */
int roxi_align(struct roxi_durations *d, struct roxi_columns *columns, const bool *reference,
               const struct roxi_score_constants *constants, const double *score, double median,
               struct roxi_role_swaps *swaps);

/* The median of their scores. -1: memory ran out. */
double roxi_median_score(const double *score, size_t n, const bool *reference);

#endif
