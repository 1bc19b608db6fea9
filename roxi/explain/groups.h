/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of runs that may have the same cause: those whose findings are alike (evidence.h).
 *
 * Two runs are alike if at least ROXI_ALIKE of their evidence is the same. All runs of a group are
 * alike, each with each: complete linkage (cluster/cluster.h), cut there. The groups do not depend
 * on the order of the runs. docs/why-measured.md says how well they tell known faults apart, and
 * what else was tried. */
#ifndef ROXI_GROUPS_H
#define ROXI_GROUPS_H

#include "roxi/explain/evidence.h"

struct roxi_group {
    size_t runs;
    /* What tells it from the other groups: the finding that most of its runs have, and few others,
     * by Ochiai's coefficient times the finding's mean share of the evidence. */
    struct roxi_finding finding; /* of the run of the group in which it weighs most */
    size_t in, in_others;        /* runs of this group, and of others, that have it */
};

struct roxi_groups {
    struct roxi_group
        *list; /* the one with most runs first, then in the order of the runs; owned */
    size_t count;
    size_t *of;  /* by run: group + 1; 0: none, because it has no evidence; owned */
    size_t runs; /* that are in a group */
};

/* `runs`: by run, `n` of them, sorted. -1 with a message; nothing is left to free.
 * O(runs^2 x evidence of a run). */
int roxi_groups_make(struct roxi_groups *g, const struct roxi_profiles *p,
                     const struct roxi_run_evidence *runs, struct ix_error *err);
void roxi_groups_free(struct roxi_groups *g);

#endif
