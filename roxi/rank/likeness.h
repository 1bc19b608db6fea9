/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that passed, but are unusual in the same places as runs that failed. */
#ifndef ROXI_LIKENESS_H
#define ROXI_LIKENESS_H

#include "roxi/rank/score.h"

/* Two runs are alike if the cosine of what each place adds to their scores is at least this. Places
 * in which more than one in ten of the runs that passed departs do not count: on a machine that was
 * busy for half of a campaign, half of its runs are alike. */
#define ROXI_ALIKE 0.5

enum { ROXI_NOT_LIKE = -1 };

/* For each run, the number of the failed one that it is most like if it passed, is worth a look,
 * and is like one; else ROXI_NOT_LIKE. NULL: memory ran out; the caller frees.
 * O(runs worth a look x failed runs x places). */
long *roxi_likeness(const struct roxi_ranking *r, const bool *passed, const bool *failed);

#endif
