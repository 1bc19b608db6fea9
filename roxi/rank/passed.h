/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that passed, compared with each other. */
#ifndef ROXI_PASSED_H
#define ROXI_PASSED_H

#include "roxi/rank/score.h"

/* What makes a run that passed unusual counts only as far as it is unusual among those that passed,
 * too. In each locus nine in ten of those may differ from typical by any amount. So what many runs
 * do and pass, such as to elect another leader, is not worth a look. A fault that more than one in
 * ten of them got over is not, either. Evidence, score and parts of runs that passed become less;
 * other runs' stay. Of fewer than 10 that passed, nothing changes. `passed` is by run. -1 with a
 * message: the ranking can only be freed. Time: a model of the runs that passed. */
int roxi_passed_compare(struct roxi_ranking *r, const struct roxi_score_constants *constants,
                        const bool *passed, struct ix_error *err);

#endif
