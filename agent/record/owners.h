/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that own monitors on which others are blocked, while they themselves are neither blocked
 * nor waiting: in Thread.sleep, say, or in a read. Before each stop the kernel is asked whether
 * they sleep (capture/schedule.h), so that after it one can tell whether they have run.
 *
 * Agent thread only. Calls no JVM. */
#ifndef IX_AGENT_OWNERS_H
#define IX_AGENT_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/capture/schedule.h"
#include "agent/capture/starts.h"

#define IXA_OWNERS 32u /* two descriptors each */

struct ixa_owners {
    struct ixa_starts *starts;
    struct ixa_schedule schedule;
    struct ixa_owner {
        uint64_t key; /* Java's thread id; 0: free slot */
        struct ixa_watch watch;
        uint64_t count;  /* the kernel's count before the stop; 0: it was not asleep */
        unsigned unused; /* packets since it was last found to own what others wait for */
    } list[IXA_OWNERS];
};

void ixa_owners_start(struct ixa_owners *o, struct ixa_starts *starts);
void ixa_owners_stop(struct ixa_owners *o);

/* Right before the stop: asks the kernel about each, for a limited time, and drops those that have
 * not been needed for long. */
void ixa_owners_begin(struct ixa_owners *o);
/* True if the thread is among them. */
bool ixa_owners_has(const struct ixa_owners *o, uint64_t key);
/* The thread has slept from before the stop until now. */
bool ixa_owners_slept(const struct ixa_owners *o, uint64_t key);
/* Adds the thread. Nothing happens if there is no room. known: the kernel need not be asked, as the
 * threads are suspended at each stop. */
void ixa_owners_add(struct ixa_owners *o, uint64_t key, bool known);
/* Others are blocked on what the thread owns. */
void ixa_owners_needed(struct ixa_owners *o, uint64_t key);

#endif
