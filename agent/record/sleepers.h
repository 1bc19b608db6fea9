/* SPDX-License-Identifier: Apache-2.0 */
/* Threads about which something is known as long as they do not run: connections.h, parks.h. The
 * kernel tells which ones have run (schedule.h).
 *
 * A thread is added when it is first seen at a stop. Before the following stop the caller looks at
 * it and stores its count (`before`). If the count is the same after that stop, when the caller has
 * found out something about the thread, the thread has not run in between, and what was found was
 * true at the stop. It stays true (`slept`) until the count changes. That takes one question for
 * each packet, after the stop, or none if incremental.h has found that the thread has not run.
 *
 * Only threads that have run since the packet before are looked at before the stop: at most 16, in
 * turn, for at most 60 us. One that was awake then, or ran before it was asked again, several times
 * in a row, is looked at only in every other packet, and then in every fourth. In between it counts
 * as awake.
 *
 * The thread's id in the kernel is known from its ThreadStart event (starts.h). It is unknown for
 * threads that ran before the agent was attached, and for virtual threads.
 *
 * Agent thread only. Calls no JVM. */
#ifndef IX_AGENT_SLEEPERS_H
#define IX_AGENT_SLEEPERS_H

#include "agent/capture/schedule.h"
#include "agent/capture/starts.h"

#define IXA_SLEEPERS 256u /* places for threads; two descriptors each */
#define IXA_NO_PLACE SIZE_MAX

struct ixa_sleeper {
    uint64_t key; /* Java's thread id; 0: free */
    struct ixa_watch watch;
    uint64_t
        before;     /* how often it had run when it was looked at, before the stop; 0: it was not */
    uint64_t slept; /* ... when something was found; it has not run since; 0: nothing is known */
    uint64_t count; /* how often it has run, as last read for this packet; 0: it was not read */
    bool present;   /* it was seen at this stop */
    bool unchanged; /* it has not run since before the stop of the packet before */
    uint32_t packet; /* the last one in which it was seen */
    uint8_t vain;    /* looks in a row after which nothing was known */
    uint8_t skip;    /* packets in which it is not looked at */
};

struct ixa_sleepers {
    struct ixa_starts *starts;
    struct ixa_schedule schedule;
    struct ixa_watch self;    /* the agent's thread: whether the kernel counts at all */
    uint64_t self_count;      /* at the beginning */
    bool counts;              /* it does */
    bool hidden;              /* it does not */
    bool partial;             /* there was more than is looked at for one packet, or it is not known
                               * yet whether the kernel counts */
    struct ixa_sleeper *list; /* owned; IXA_SLEEPERS; by key; NULL: stopped */
    uint16_t used[IXA_SLEEPERS]; /* the places that are not free */
    size_t used_count;
    size_t turn;     /* where the next packet begins to look before the stop */
    uint32_t packet; /* counts packets */
    int opened;      /* watches opened for this packet */
};

/* -1: memory ran out. A kernel that tells nothing is not a failure: then no thread is ever seen. */
int ixa_sleepers_start(struct ixa_sleepers *s, struct ixa_starts *starts);
void ixa_sleepers_stop(struct ixa_sleepers *s); /* safe at any time */

/* Right before the stop: marks all threads as not present. Calls `look` for those about which
 * nothing is known, with their places; it sets `before` if it learnt something. */
void ixa_sleepers_begin(struct ixa_sleepers *s, void (*look)(void *context, size_t place),
                        void *context);
/* After the stop: a thread that was seen there, once each; unchanged: see
 * ixa_incremental_unchanged. Its place, or IXA_NO_PLACE: it cannot be watched, or not yet. */
size_t ixa_sleepers_see(struct ixa_sleepers *s, uint64_t key, bool unchanged);
/* The place of a thread; IXA_NO_PLACE: it has none. */
size_t ixa_sleepers_find(const struct ixa_sleepers *s, uint64_t key);
/* How often it has run; 0: unknown. */
uint64_t ixa_sleeper_count(struct ixa_sleeper *sleeper);
/* True if what is known of it still holds; otherwise nothing is known from now on. */
bool ixa_sleeper_sleeps_on(struct ixa_sleeper *sleeper);
/* Call when something has been found out about a thread that was looked at before the stop. True:
 * it has not run since, and is known from now on. */
bool ixa_sleeper_slept(struct ixa_sleeper *sleeper);
/* At the end of the packet: nothing is known any more of threads that were not seen, and those that
 * have not been seen for a while are forgotten. */
void ixa_sleepers_end(struct ixa_sleepers *s);

#endif
