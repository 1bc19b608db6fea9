/* SPDX-License-Identifier: Apache-2.0 */
/* Where the longest stay of one thread was that the ranking holds against a run (durations.h). */
#ifndef ROXI_EXPLAIN_STAY_H
#define ROXI_EXPLAIN_STAY_H

#include "roxi/rank/score.h"

/* The longest span of a run that an item of its parts, a stay, is of. NULL: there is none, because
 * the run's history was not kept. O(spans + depth of some). */
const struct roxi_span *roxi_stay_find(const struct roxi_ranking *r, size_t run, uint32_t item);

/* The innermost call, on a call stack, of the class that an item, a stay, is of; its class is
 * ROXI_NONE: there is none. O(depth). */
struct roxi_call roxi_stay_call(const struct roxi_durations *d, uint32_t item, uint32_t stack);

#endif
