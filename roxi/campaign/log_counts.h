/* SPDX-License-Identifier: Apache-2.0 */
/* How often each call stack was seen in a trace log. A thread whose stack has not changed costs
 * nothing: it is counted when it moves to another one. */
#ifndef ROXI_LOG_COUNTS_H
#define ROXI_LOG_COUNTS_H

#include "roxi/campaign/history.h"
#include "roxi/campaign/log_symbols.h"
#include "roxi/campaign/packets.h"
#include "roxi/campaign/profile.h"
#include "roxi/campaign/traffic.h"

struct roxi_log_counts {
    const struct roxi_packets *chosen; /* only these packets count; NULL: all */
    uint32_t role;                     /* a string of the dictionary */
    struct roxi_tally seen;            /* the result; keys: roxi_pair(group, stack) */
    struct roxi_visits *visits;        /* by number in it */
    size_t visits_cap;
    uint64_t answered, lost;      /* number of packets, the longest series without any */
    uint64_t lost_from;           /* its first packet; 0: there is none */
    uint64_t first, last;         /* packet numbers; 0: there are none */
    struct roxi_use use;          /* the result, too; `role` is the one above */
    struct roxi_traffic traffic;  /* the result, too */
    struct roxi_history *history; /* to be added to; NULL: not wanted */
};

/* Reads the log from its beginning to its end; groups and stacks are those of `p`, to which
 * `symbols` must belong. 0, or -1 with a message. The caller releases the counts in both cases.
 * Time: O(bytes of the log), plus a copy of the thread list for each snapshot; memory: the log's
 * definitions, and O(distinct pairs). */
int roxi_log_count(struct roxi_log_counts *counts, struct ix_log_reader *log,
                   struct roxi_log_symbols *symbols, struct roxi_profiles *p, struct ix_error *err);
void roxi_log_counts_release(struct roxi_log_counts *counts); /* but not the history */

#endif
