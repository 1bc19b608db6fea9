/* SPDX-License-Identifier: Apache-2.0 */
/* Which threads wait for a socket or a pipe, in which call, and for whom: connections=on. Also the
 * process's connections, with the thread last seen on each (sockets.h).
 *
 * After the stop, the kernel is asked about each thread that was in native code at the stop: in
 * which system call it sleeps (calls.h). Nothing that it says may be newer than the stop. So the
 * call is read before the stop, and is used only if the kernel shows after the last look that the
 * thread has not run since (schedule.h); then the descriptor is what it was, too, because whoever
 * closes it in Java wakes the threads that wait on it. All else is left out.
 *
 * What was found holds for as long as the thread sleeps on: one question for each packet, after the
 * stop, or none if incremental.h has found out that it has not run. Only threads that have run
 * since the packet before are looked at before the stop, at most MOVING_MAX (connections.c) of them
 * for each packet, in turn.
 *
 * The thread's id in the kernel is known from its ThreadStart event (starts.h). It is unknown for
 * threads that ran before the agent was attached, and for virtual threads.
 *
 * Agent thread only. Calls no JVM. */
#ifndef IX_AGENT_CONNECTIONS_H
#define IX_AGENT_CONNECTIONS_H

#include "agent/capture/schedule.h"
#include "agent/capture/threads.h"
#include "agent/record/sockets.h"

#define IXA_WAITERS 256u /* threads that are looked at; two descriptors each */

/* A thread that was in native code at a recent stop. */
struct ixa_waiter {
    uint64_t key; /* Java's thread id; 0: free */
    struct ixa_watch watch;
    uint64_t before; /* how often it had run when `call` was read, before the stop; 0: not read */
    uint64_t slept;  /* ... when `target` was found; it has not run since; 0: nothing is known */
    bool in_call;    /* it waits for descriptors */
    bool waits;      /* `target` is valid */
    bool present;    /* it was in native code at this stop */
    bool unchanged;  /* it has not run since before the stop of the packet before */
    uint32_t packet; /* the last one in which it was */
    struct ixa_call call;
    struct ixa_target target;
};

struct ixa_connections {
    struct ixa_starts *starts;
    struct ixa_schedule schedule;
    struct ixa_watch self; /* the agent's thread: whether the kernel counts at all */
    uint64_t self_count;   /* at the beginning */
    bool counts;           /* it does */
    bool hidden, partial;
    struct ixa_waiter *waiters; /* owned; IXA_WAITERS; by key; NULL: off */
    uint16_t used[IXA_WAITERS]; /* the places that are not free */
    size_t used_count;
    size_t turn;     /* where the next packet begins to look before the stop */
    uint32_t packet; /* counts packets */
    int opened;      /* watches opened for this packet */
    struct ixa_sockets sockets;
};

/* -1: memory ran out. It is no failure if the kernel tells nothing: the log then says so. */
int ixa_connections_start(struct ixa_connections *c, struct ixa_starts *starts);
void ixa_connections_stop(struct ixa_connections *c); /* safe at any time */
/* The log begins a new part. */
void ixa_connections_forget(struct ixa_connections *c);

/* The steps of a packet. Right before the stop: */
void ixa_connections_begin(struct ixa_connections *c);
/* Right after it, for each platform thread, with its JVMTI state at the stop; unchanged: it has not
 * run since before the stop of the packet before (ixa_incremental_unchanged). */
void ixa_connections_see(struct ixa_connections *c, uint64_t key, jint state, bool unchanged);
/* When the snapshot's threads have been added to `threads`. -1 when the log failed. */
int ixa_connections_write(struct ixa_connections *c, const struct ixa_threads *threads,
                          struct ix_log_writer *log);

#endif
