/* When the trace log goes on in a new part (schema/tracelog.md, Parts), so that the agent's memory
 * and the log's size stay within their budgets. Knows neither the log nor the JVM. */
#ifndef IX_AGENT_BOUNDS_H
#define IX_AGENT_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct ixa_bounds {
    uint64_t memory; /* bytes that all caches may take */
    uint64_t maxlog; /* bytes that the log with its parts may take; 0 no limit */
    uint64_t floor;  /* what the caches took after the part's first snapshot; 0: it has none yet */
};

/* After each snapshot: true if a part is to begin now, the caches taking `memory` bytes and the
 * part `bytes`. A quarter of maxlog is a part, so that three quarters are kept when the oldest is
 * removed.
 *
 * The caches' tables double when they are full, so half of the budget is when they have to be
 * dropped. If what a single snapshot needs is more than that, dropping does not help: a part then
 * lasts until they have grown to twice that. */
bool ixa_bounds_passed(struct ixa_bounds *b, uint64_t memory, uint64_t bytes);

#endif
