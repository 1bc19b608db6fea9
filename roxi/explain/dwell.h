/* SPDX-License-Identifier: Apache-2.0 */
/* The plainest explanation: the threads that stayed longest in one call stack. */
#ifndef ROXI_EXPLAIN_DWELL_H
#define ROXI_EXPLAIN_DWELL_H

#include <stdbool.h>

#include "roxi/campaign/profile.h"

struct roxi_dwell {
    const struct roxi_span *span; /* of the run's history */
    double times;                 /* its packets over 1 + the group's median in that call stack */
};

/* The longest stays of a run whose history was kept, the one that is the most times what is typical
 * of the normal runs first; of each group (profile.h) the longest. `own`: only call stacks with
 * code of the application. Returns how many of at most `most` were found; -1: memory ran out.
 * O(spans log spans + stays that are looked at x normal runs x log items); few are, because a stay
 * that is shorter than what is found already cannot be one.
 */
int roxi_dwell_longest(struct roxi_dwell *list, size_t most, const struct roxi_profiles *p,
                       size_t run, const bool *normal, bool own);

#endif
