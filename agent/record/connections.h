/* SPDX-License-Identifier: Apache-2.0 */
/* Which threads wait for a socket or a pipe, in which call, and for whom: connections=on. Also the
 * process's connections, with the thread last seen on each, and what went over them (sockets.h).
 *
 * The kernel tells in which system call each thread sleeps that was in native code at the stop
 * (calls.h). The answer must not be newer than the stop. So the call is read before the stop, and
 * used only if the kernel shows afterwards that the thread has not run since (schedule.h). The
 * descriptor is then unchanged, too, because closing it in Java wakes the threads that wait on it.
 * Everything else is left out.
 *
 * What was found holds as long as the thread keeps sleeping. sleepers.h decides which threads are
 * watched, and how many for each packet.
 *
 * Agent thread only. Calls no JVM. */
#ifndef IX_AGENT_CONNECTIONS_H
#define IX_AGENT_CONNECTIONS_H

#include "agent/capture/threads.h"
#include "agent/record/sleepers.h"
#include "agent/record/sockets.h"

/* What is known of a watched thread's system call. */
struct ixa_waiter {
    bool in_call; /* it waited for descriptors when it was looked at, before the stop */
    bool waits;   /* `target` is valid while the sleeper is known */
    struct ixa_call call;
    struct ixa_target target;
};

struct ixa_connections {
    struct ixa_sleepers sleepers; /* threads that were in native code at a recent stop */
    struct ixa_waiter *waiters;   /* owned; by the sleepers' places; NULL: off */
    bool partial;                 /* time ran out */
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
