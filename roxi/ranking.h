/* A campaign's ranking as the options that rank, next, check and evaluate share ask for it. */
#ifndef ROXI_RANKING_H
#define ROXI_RANKING_H

#include "roxi/options.h"
#include "roxi/rank.h"

/* Executions that are compared with, at least. */
enum { ROXI_RANK_REFERENCE = 3 };

/* Do the options fit together? ROXI_OK, or ROXI_USAGE with a message. */
int roxi_ranking_check(const struct roxi_options *o, struct ix_error *err);

/* Has what the aspects need loaded with the logs; before that. */
void roxi_ranking_prepare(struct roxi_options *o);

/* Ranks the profiles; `reference` as in struct roxi_rank_options. Fills in how many neighbours were
 * looked at, if that was not said. -1 with a message, also if there are too few executions; nothing
 * is left to free. */
int roxi_ranking_make(struct roxi_ranking *r, const struct roxi_profiles *p, struct roxi_options *o,
                      const bool *reference, struct ix_error *err);

/* Numbers of the executions, the highest score first, of equal ones the first; those of `last`
 * (NULL: none) behind all others. To be freed; NULL: memory ran out. */
size_t *roxi_ranking_order(const struct roxi_ranking *r, const bool *last);

/* A score for lines with three places: not -0.000. */
double roxi_ranking_shown(double score);

#endif
