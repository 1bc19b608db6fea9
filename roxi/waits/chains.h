/* SPDX-License-Identifier: Apache-2.0 */
/* For whom each thread of a run waits, packet after packet: the thread at the end of its chain
 * (graph.h); and the next one, if that owns the monitor that it is blocked on. */
#ifndef ROXI_WAITS_CHAINS_H
#define ROXI_WAITS_CHAINS_H

#include "roxi/campaign/listing.h"

/* As long as a thread waits for the same end. */
struct waits_chain {
    uint32_t jvm, thread; /* who waits: place in the run's list of JVMs, number in its log */
    uint32_t end_jvm;
    uint32_t end_thread; /* number in its log; 0: not known which one */
    uint32_t owner;      /* of the monitor that the thread is blocked on: number in the thread's own
                            log; 0: it is not blocked, or that is not known */
    bool ring;           /* the chain ends in a deadlock, and the end is one of its threads */
    uint64_t first, last; /* packets */
};

/* All zero: empty. */
struct waits_chains {
    struct waits_chain *list; /* by JVM and thread, then by packet; owned */
    size_t count, cap;
};

/* Reads a run's logs. Of a run that was recorded without locks and connections the result is empty.
 * Chains that end outside the run are left out. -1 with a message; nothing is left to free.
 * O(threads x packets). */
int waits_chains_read(struct waits_chains *c, const struct roxi_listed_execution *run,
                      struct ix_error *err);
void waits_chains_free(struct waits_chains *c);

/* The place in the list of a thread's first chain, or of what would follow it. O(log n). */
size_t waits_chains_first(const struct waits_chains *c, uint32_t jvm, uint32_t thread);

#endif
