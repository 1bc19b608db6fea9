/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that stay blocked on a monitor, or in Object.wait, for several packets: locks.h. Its
 * count of changes tells that a thread has been there all the time.
 *
 * A thread in Object.wait that owned no monitor when the JVM was asked owns none until that wait is
 * over, because only the thread itself can enter one. It is still the same wait if the count is the
 * same, as the event at the beginning of a wait adds to it. The JVM can make a thread block in ways
 * that have no event, so for a blocked thread this is kept only while the kernel shows that it has
 * not run (capture/incremental.h).
 *
 * A table of slots, without references to Java's objects. Of the threads whose ids end in the same
 * bits, the last one seen has the slot; nothing is known of the others.
 *
 * Agent thread only. Calls no JVM. */
#ifndef IX_AGENT_STANDING_H
#define IX_AGENT_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#define IXA_STANDING 1024u

struct ixa_stand {
    uint64_t key; /* Java's thread id; 0: free slot */
    uint32_t count;
    bool waits;           /* it is in Object.wait; else it is blocked */
    bool owns_nothing;    /* false: it owns something, or that is not known */
    uint32_t first, last; /* packets */
};

/* All zero: empty. */
struct ixa_standing {
    uint32_t packet;
    struct ixa_stand places[IXA_STANDING];
};

/* A packet begins. */
void ixa_standing_begin(struct ixa_standing *s);
/* A thread at this packet's stop, with its count from right before the stop; unchanged: it has not
 * run since the stop of the packet before. Returns what is known of it, valid until the next call;
 * it stands if first != s->packet. Seeing a thread again in the same packet changes nothing. */
const struct ixa_stand *ixa_standing_see(struct ixa_standing *s, uint64_t key, uint32_t count,
                                         bool waits, bool unchanged);
/* The thread, which has been seen in this packet, owned no monitor, and still has that count. */
void ixa_standing_owns_nothing(struct ixa_standing *s, uint64_t key, uint32_t count);

#endif
