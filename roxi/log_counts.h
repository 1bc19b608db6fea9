/* How often each call stack was seen in a trace log. A thread whose stack has not changed costs
 * nothing: it is counted when it goes on to another one. */
#ifndef ROXI_LOG_COUNTS_H
#define ROXI_LOG_COUNTS_H

#include "roxi/log_aspects.h"
#include "roxi/log_symbols.h"
#include "roxi/packets.h"
#include "roxi/profile.h"

struct roxi_log_counts {
    const struct roxi_packets *chosen; /* only these packets count; NULL: all */
    uint32_t role;                     /* a string of the dictionary */
    struct roxi_log_aspects *aspects;  /* gathered, too; NULL: not wanted */
    struct roxi_tally seen;            /* the result; keys: roxi_pair(group, stack) */
    uint64_t packets;                  /* that counted */
};

/* Reads the log, which is at its beginning, to its end; groups and stacks are those of `p`, which
 * `symbols` must belong to. 0, or -1 and a message. seen is to be freed in both cases. Time: O(bytes
 * of the log), but for a copy of the thread list for each snapshot; memory: what the log defines,
 * and O(different pairs). */
int roxi_log_count(struct roxi_log_counts *counts, struct ix_log_reader *log,
                   struct roxi_log_symbols *symbols, struct roxi_profiles *p,
                   struct ix_error *err);

#endif
