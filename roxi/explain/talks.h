/* SPDX-License-Identifier: Apache-2.0 */
/* What a role sent to another one, compared with normal runs. */
#ifndef ROXI_EXPLAIN_TALKS_H
#define ROXI_EXPLAIN_TALKS_H

#include "roxi/explain/finder.h"

/* Of the same roles and direction in the normal runs: means, and how many have as much. */
struct roxi_usual_talk {
    double sent, connections, waits;
    size_t sent_like, waits_like;
};
/* O(talks of all runs). */
struct roxi_usual_talk roxi_talk_usual(const struct roxi_finder *f, const struct roxi_talk *talk);

#endif
