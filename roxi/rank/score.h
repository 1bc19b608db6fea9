/* SPDX-License-Identifier: Apache-2.0 */
/* How unusual each run is.
 *
 * 1. In each locus (durations.h) a run is as far from typical as its farthest duration (model.h).
 * 2. Some loci vary a lot: runs are far from typical there without anything being wrong. So the
 *    distance in a locus is divided by what 6 of 10 runs do not exceed there, or by 1.
 * 3. What is left above 1, e, gives evidence of log(1 + e^2): the first few units count most, so
 *    that no locus can outweigh several that agree.
 * 4. The score is the sum over the loci. 0 is typical. Exceptions add at most 0.5 more than all
 *    else does: normal runs make rare ones, too, and nothing else in them is unusual then.
 * 5. A run in which another peer leads than in most (lead.h) is compared as if the two had
 *    exchanged their names, if that leaves less than half of a score that was more than twice the
 *    median. The score becomes less only if 3 % at most are left: else something else is unusual.
 *    If the median score is above 1, names are exchanged in all such runs before anything else, and
 *    what peers do is compared together as well (peers.h), if that leaves less than 70 % of the
 *    median.
 * 6. What is above 1 is multiplied by the cube of how many times as long as typical the run lasted,
 *    at most by 8. So length as such is no evidence, because of busy machines; but of runs that are
 *    worth a look, those that lasted longest come first.
 *
 * Step 2's share, the resolution (model.h), and step 6's power are chosen by
 * leaving out systems (docs/ranking-measured.md).
 *
 * If runs are known to be good, typical is what those do. A good run is then compared only with the
 * other good ones, as if it were new: they are divided into up to 20 parts, and each part is
 * compared with all others (cross-conformal prediction: Vovk 2015). If only one run is known to be
 * good, it is compared with itself; how much runs differ anyway is not known then, and everything
 * above the resolution adds to the scores of the others. */
#ifndef ROXI_SCORE_H
#define ROXI_SCORE_H

#include <stdbool.h>

#include "roxi/rank/lead.h"
#include "roxi/rank/model.h"
#include "schema/base/error.h"

struct roxi_score_options {
    const struct roxi_score_constants *constants;
    const bool *reference; /* by run: those that are known to be good; NULL: all count */
    bool no_role_swap;
};

/* What a locus adds to the evidence of a run. */
struct roxi_part {
    uint32_t locus, item; /* the item is the one that is farthest from typical */
    double part;          /* above 0 */
    uint32_t packets;     /* its duration in this run */
    double typical;       /* and its median, in packets */
    double limit;         /* the duration, on its side of the median, from which on it would add */
};

struct roxi_ranking {
    size_t n;                /* runs */
    double *score;           /* by run; owned */
    double *evidence;        /* by run: at least the sum of its parts (model.h); owned */
    double *longer;          /* by run: how many times as long as typical; owned */
    struct roxi_part *parts; /* run after run, the greatest first; owned */
    size_t *first;           /* by run, and one more: where its parts begin; owned */
    bool by_leader;          /* the leaders' names are exchanged in all runs that have another
                                one than most, and peers are compared together, too */
    struct roxi_leads leads; /* those runs; else those that this explains; owned */
    struct roxi_durations *durations; /* what the parts' loci and items are of; owned */
};

/* The profiles must have been loaded with their features and must outlive the ranking. At least 2
 * are needed, or 1 good one if there is a reference. -1 with a message; nothing is left to free.
 * Time: O(durations log runs), twenty times that with a reference. */
int roxi_score(const struct roxi_profiles *p, const struct roxi_score_options *options,
               struct roxi_ranking *out, struct ix_error *err);
void roxi_ranking_free(struct roxi_ranking *r);

/* A run's score, of its evidence and of how many times as long as typical it lasted (step 6). */
double roxi_score_by_length(double evidence, double longer, double power);

/* What one of a run's parts is of all of them, at most 1. O(the run's parts). */
double roxi_ranking_share(const struct roxi_ranking *r, size_t run, const struct roxi_part *part);

/* The number of the member that has an item of a run's parts: the item's, or the peer that was
 * compared as that one. */
uint32_t roxi_ranking_member(const struct roxi_ranking *r, size_t run, uint32_t item);
/* Who did what a part is of: that member, or who made the first exception of that class. */
struct roxi_member roxi_ranking_who(const struct roxi_ranking *r, size_t run,
                                    const struct roxi_part *part);
/* The same for an item of the run's durations. */
uint32_t roxi_ranking_named(const struct roxi_ranking *r, size_t run, uint32_t item);

#endif
