/* SPDX-License-Identifier: Apache-2.0 */
/* The ranking of a campaign's runs. */
#ifndef ROXI_RANKING_H
#define ROXI_RANKING_H

#include "roxi/campaign/verdicts.h"
#include "roxi/rank/score.h"

/* Runs that are compared with, at least. */
enum { ROXI_RANK_REFERENCE = 3 };

struct roxi_ranking_options {
    bool no_role_swap; /* roles are compared as they are named */
};

/* Ranks the profiles, loaded with their features; `reference` as in struct roxi_score_options. -1
 * with a message, also if there are too few runs; nothing is left to free. */
int roxi_ranking_make(struct roxi_ranking *r, const struct roxi_profiles *p,
                      const struct roxi_ranking_options *o, const bool *reference,
                      struct ix_error *err);

/* Ranks all runs: each compared with all, or with those that passed if half of them failed. Where
 * some failed and at least 10 passed, those that passed are compared with each other, too, and of
 * evidence and parts the lower ones count. The verdicts are by run. */
int roxi_ranking_judged(struct roxi_ranking *r, const struct roxi_profiles *p,
                        const struct roxi_ranking_options *o, const struct roxi_verdict *verdicts,
                        struct ix_error *err);

/* Numbers of the runs, the highest score first, equal scores in the order of the campaign; the runs
 * in `last` (NULL: none) come after all others. The caller frees it; NULL: memory ran out. */
size_t *roxi_ranking_order(const struct roxi_ranking *r, const bool *last);

#endif
