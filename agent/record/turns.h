/* SPDX-License-Identifier: Apache-2.0 */
/* process=on: how often the kernel has put threads onto a CPU. A thread that asks a server every
 * few milliseconds sleeps at nearly all packets, like one that asks every second; but it runs far
 * more often.
 *
 * So many threads are looked at after each packet, in turn, of those that may have run since the
 * look before; their numbers since then are written. So are those of threads that were asked for
 * another fact (sleepers.h) anyway. What a thread does between its last look and
 * its end is missed. Not known for threads that ran before the agent was attached, for virtual
 * threads, for more than so many threads at once, and where the kernel does not count (schedule.h).
 *
 * Agent thread only. Calls no JVM. */
#ifndef IX_AGENT_TURNS_H
#define IX_AGENT_TURNS_H

#include "agent/capture/schedule.h"
#include "agent/capture/threads.h"
#include "schema/tracelog/writer.h"

#define IXA_TURNS_THREADS 256u /* at once, with a descriptor each */
#define IXA_TURNS_LOOKS 32u    /* threads a packet, 1 to 4 us each */
#define IXA_TURNS_OPENS 4u     /* new ones a packet, about 10 us each */

struct ixa_turning {
    uint64_t key; /* Java's thread id; 0: free */
    int fd;
    uint64_t turns; /* so far, as written */
    uint64_t known; /* so far, at this packet: ixa_turns_known; else 0 */
    bool unchanged; /* at this packet: ixa_turns_unchanged */
    bool due;       /* it may have run since it was looked at */
};

struct ixa_turns {
    struct ixa_starts *starts; /* NULL: stopped */
    struct ixa_schedule schedule;
    struct ixa_turning *list; /* owned; the first `count` are used */
    size_t count, next;       /* next: whose turn it is */
    size_t next_start;        /* where to look for new threads */
    struct ix_idmap by_key;   /* place in the list + 1 */
};

/* -1: memory ran out; then it is as if stopped. */
int ixa_turns_start(struct ixa_turns *t, struct ixa_starts *starts);
void ixa_turns_stop(struct ixa_turns *t); /* safe at any time */
/* A thread that has not run since before the stop of the packet before
 * (ixa_incremental_unchanged). */
void ixa_turns_unchanged(struct ixa_turns *t, uint64_t key);
/* How often the thread has run so far: a number that was read for this packet. */
void ixa_turns_known(struct ixa_turns *t, uint64_t key, uint64_t count);
/* Call it when the snapshot's threads have been added to `threads`. -1 when the log failed. */
int ixa_turns_write(struct ixa_turns *t, const struct ixa_threads *threads,
                    struct ix_log_writer *log);

#endif
