/* SPDX-License-Identifier: Apache-2.0 */
/* What several runs have in common that other runs have not: failed runs against passed ones, or
 * the runs of one build against those of another.
 *
 * Each finding of any of the runs is counted: how many of them depart there in the same direction,
 * and how many of the others do. What peers do counts as one (rank/peers.h), because a fault may
 * strike any of them. The order is by Ochiai's coefficient, which spectrum-based fault
 * localisation favours (Abreu, Zoeteweij and van Gemund 2007), times the finding's weight. Runs
 * that may have the same cause form groups (groups.h). */
#ifndef ROXI_COMMON_H
#define ROXI_COMMON_H

#include <stdio.h>

#include "roxi/base/json.h"
#include "roxi/explain/apart.h"
#include "roxi/explain/failures.h"
#include "roxi/explain/groups.h"

enum { ROXI_COMMON_PEERS = 4 };

struct roxi_common_finding {
    struct roxi_finding finding; /* of the run in which it weighs most */
    size_t run;                  /* that run */
    size_t found, last;          /* runs that have such a finding, and the last of them */
    size_t like;                 /* the most of the others that one of them counts */
    /* Peers of which there is such a finding, that one's among them, in the order of the runs. */
    struct roxi_member peers[ROXI_COMMON_PEERS];
    size_t peer_count;
    bool peers_left_out;  /* there are more */
    size_t in, in_others; /* runs that depart like this */
    double weight;
};

struct roxi_common {
    struct roxi_common_finding *list; /* the first is what to look at first; owned */
    size_t count, cap;
    size_t runs, others; /* how many there are */
    struct roxi_groups groups;
    struct roxi_failures failures; /* of the runs */
};

/* Are two findings, of whatever runs, of the same at the same place, or at that of a peer? O(1). */
bool roxi_findings_alike(const struct roxi_durations *d, const struct roxi_finding *a,
                         const struct roxi_finding *b);

/* `of`: the runs, whose histories were kept; `others`: those that do not have it in common; both by
 * run. `apart`: roles of which there are no findings; NULL: none. `campaign` as of
 * roxi_findings_make. `threads`: how many runs are explained at the same time; 0: as many as there
 * are processors. The result does not depend on it. -1 with a message; nothing is left to free. As
 * long as roxi_findings_make for each of the runs, and O(findings x parts); groups: see there. */
int roxi_common_make(struct roxi_common *c, const struct roxi_ranking *r, const bool *of,
                     const bool *others, const struct roxi_apart *apart, const char *campaign,
                     unsigned threads, struct ix_error *err);
void roxi_common_free(struct roxi_common *c);

/* What is said of the runs and the others: "that failed", "that passed"; of both numbers one
 * sentence is made: "in 7 of 8 runs that failed, in none of 100 that passed". */
struct roxi_common_words {
    const char *runs, *others;
    bool all;                       /* show all findings; else the first five */
    const struct roxi_apart *apart; /* roles that are said to be only in one of both; NULL: none */
};
/* As roxi_explain_text. */
int roxi_common_text(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                     const struct roxi_common_words *w);
/* -1: memory ran out, and nothing is printed. */
int roxi_common_markdown(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                         const struct roxi_common_words *w);
/* The members of an object that is open: runs, others, failures, groups (lists of names), findings
 * (as roxi_finding_json, with execution, in, in_others, peers). -1: memory ran out. */
int roxi_common_json(struct roxi_json *j, const struct roxi_profiles *p,
                     const struct roxi_common *c);

#endif
