/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several peers (peers.h) leads. One of them often does what the others do not: it leads
 * an election's servers, holds a lease, or has the lock for which the others wait. If it is nearly
 * always the same one, the few runs with another leader are unusual in every place of two peers,
 * although nothing is wrong with them; if it is chance, all runs are. So a run is looked at a
 * second time as if its leader had exchanged names with the usual one (score.h). A peer that does
 * another one's work in addition to its own, or only for a while, resembles neither, and stays
 * visible.
 *
 * What leading is, is learnt: of the calls that peers have in common, the one in which the first of
 * them is farthest ahead of the second, on the scale of model.h, over all runs. Who does most of it
 * leads. */
#ifndef ROXI_LEAD_H
#define ROXI_LEAD_H

#include "roxi/rank/peers.h"

/* A run in which another peer leads than in most. */
struct roxi_lead {
    size_t run;
    uint32_t leader, usual; /* numbers of members */
};

/* All zero: none. */
struct roxi_leads {
    struct roxi_lead *list; /* ascending by run; of each group of peers one at most; owned */
    size_t count, cap;
};

/* What most of the runs in `reference` do, by run (NULL: all), is usual. -1: memory ran out;
 * nothing is left to free. O(durations, and runs x groups of peers). */
int roxi_leads_find(struct roxi_leads *leads, const struct roxi_together *together,
                    const bool *reference);
void roxi_leads_free(struct roxi_leads *leads);

/* All runs' durations, as `all` of the durations, with the leaders' names exchanged. The caller
 * frees them; NULL: memory ran out. O(durations). */
struct roxi_duration *roxi_leads_exchanged(const struct roxi_leads *leads,
                                           const struct roxi_durations *d);

#endif
