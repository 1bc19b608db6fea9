/* SPDX-License-Identifier: Apache-2.0 */
/* The ranking of a campaign's runs. */
#ifndef ROXI_RANKING_H
#define ROXI_RANKING_H

#include "roxi/rank/score.h"

/* Executions that are compared with, at least. */
enum { ROXI_RANK_REFERENCE = 3 };

struct roxi_ranking_options {
    struct roxi_compare_options compare; /* of call stacks */
    unsigned features;                   /* 1 << enum roxi_feature; one at least */
    size_t neighbours;                   /* 0: not given */
    bool no_role_swap;                   /* roles are compared as they are named */
};

/* Does the ranking need more of the logs than call stacks (struct roxi_load_options, features)? */
bool roxi_ranking_needs_features(const struct roxi_ranking_options *o);

/* Ranks the profiles; `reference` as in struct roxi_score_options. Fills in the number of
 * neighbours, if it was not given. -1 with a message, also if there are too few runs; nothing is
 * left to free. */
int roxi_ranking_make(struct roxi_ranking *r, const struct roxi_profiles *p,
                      struct roxi_ranking_options *o, const bool *reference, struct ix_error *err);

/* Numbers of the executions, the highest score first, of equal ones the first; those of `last`
 * (NULL: none) behind all others. To be freed; NULL: memory ran out. */
size_t *roxi_ranking_order(const struct roxi_ranking *r, const bool *last);

/* A score for lines with three places: not -0.000. */
double roxi_ranking_shown(double score);

#endif
