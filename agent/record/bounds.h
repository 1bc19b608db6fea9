/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when the trace log continues in a new part (schema/tracelog/tracelog.md, Parts), so that
 * the agent's memory and the log's size stay within their budgets. Independent of the log and the
 * JVM. */
#ifndef IX_AGENT_BOUNDS_H
#define IX_AGENT_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct ixa_bounds {
    uint64_t memory; /* bytes that all caches may use */
    uint64_t maxlog; /* bytes that the log with all its parts may use; 0: no limit */
    uint64_t floor;  /* what the caches used after the part's first snapshot; 0: no snapshot yet */
};

/* Call after each snapshot with the bytes that the caches and the part use. True if a new part must
 * begin now. A part is at most a quarter of maxlog, so that three quarters remain when the oldest
 * is removed.
 *
 * The caches' tables double when they are full, so the caches are dropped at half of the budget. If
 * a single snapshot needs more than that, dropping does not help: a part then lasts until they have
 * grown to twice that. */
bool ixa_bounds_passed(struct ixa_bounds *b, uint64_t memory, uint64_t bytes);

#endif
