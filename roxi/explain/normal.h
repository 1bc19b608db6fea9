/* SPDX-License-Identifier: Apache-2.0 */
/* Which runs count as normal: findings say how many of them do as much. */
#ifndef ROXI_EXPLAIN_NORMAL_H
#define ROXI_EXPLAIN_NORMAL_H

#include "roxi/campaign/verdicts.h"
#include "roxi/rank/ranking.h"

/* Sets `normal`, by run: the runs that passed (roxi_run_passed), if at least ROXI_RANK_REFERENCE
 * did, or if half of all runs failed; else those with call stacks that are not worth a look
 * (likeness.h) and did not fail, unless none passed; none without a ranking (NULL). Returns how
 * many. `verdicts`: by run. O(runs). */
size_t roxi_normal_choose(bool *normal, const struct roxi_profiles *p,
                          const struct roxi_verdict *verdicts, const struct roxi_ranking *r);

#endif
