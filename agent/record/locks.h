/* SPDX-License-Identifier: Apache-2.0 */
/* locks=on: which threads own, are entering and wait on which monitors at the instant of a
 * snapshot.
 *
 * The JVM reports a thread's monitors only when asked, after the stop, and with stop=safepoint the
 * threads are running again by then. So a relation is recorded only for a thread that has provably
 * not run from before the stop until after the answer. Any other is left out; none is guessed:
 *   - A thread that is blocked on entering a monitor or in Object.wait. A table (changes.h) counts
 * these changes of state by JVMTI's events (MonitorContendedEnter, ...Entered, MonitorWait,
 *     MonitorWaited). If the count is the same before the stop and after the answers, and the
 *     thread is still blocked or waiting, it has been there all the time. What it owns now it
 *     also owned at the stop, so a deadlock is seen completely.
 *   - A thread that sleeps otherwise (in Thread.sleep, on a lock of java.util.concurrent, in a
 *     read) while others wait for one of its monitors. The kernel shows that it did not run
 *     (schedule.h), from the third packet on in which this matters.
 *   - With stop=suspend, every thread, because the JVM is asked while the threads are suspended.
 * So an owner that was computing is seen only with stop=suspend.
 *
 * Locks of java.util.concurrent are ordinary objects: see parks.h.
 *
 * Asking what a thread owns takes long in a JVM with many monitors: HotSpot goes through all of
 * them each time. So the JVM is asked as little as possible:
 *   - What a waiting thread owns is asked only if a thread is blocked on a monitor, for nobody
 *     else wants to know; what a blocked one owns, if threads are blocked on two monitors or more,
 *     for it does not own the one that it is blocked on. If a thread owns nothing, it is asked once
 *     for each wait, and, if it is blocked, as long as it does not run (standing.h).
 *   - A thread that has not run since the packet before, or is still in the same wait, is not asked
 *     again, unless what it owns was not asked and matters now (kept.h).
 *   - Asking what blocked and waiting threads own may take 150 us of processor time a packet on
 *     average. Waiting threads, and threads that were not blocked yet at the packet before, are
 *     asked in turn until that is used up. Those that have been blocked since the packet before are
 *     all asked, and if the owner of their monitor is unknown those that have waited for as long,
 *     too; if that takes longer, the next packets pay for it: until it is paid, of blocked threads
 *     it is told only what they are blocked on, and waiting ones that would have to be asked are
 *     left out. There is no such limit with stop=suspend.
 *   - At most 256 threads are asked for each packet, and for a limited time (locks.c): blocked
 *     threads first, then threads that owned something earlier, then waiting threads, and finally
 *     the others in turn, if the owner of a monitor is still unknown on which a thread has been
 *     blocked since the packet before (stop=suspend: is blocked). For this last search 50 us of
 *     processor time a packet are allowed on average: after a longer one the next has to wait.
 *
 * Of a thread that is left out nothing is recorded. So what is recorded of a thread is complete,
 * except for what a blocked or waiting one owns, by the first and the third of these rules.
 * META `locks-left-out` in the log says in how many packets there was more than these bounds, or
 * those of parks.h or monitors.h, allow.
 *
 * A thread that waits on the object of another thread, as in Thread.join, is recorded as such, too.
 *
 * Agent thread only, except for what JVMTI's events call (changes.h). */
#ifndef IX_AGENT_LOCKS_H
#define IX_AGENT_LOCKS_H

#include <jvmti.h>

#include "agent/capture/threads.h"
#include "agent/record/changes.h"
#include "agent/record/kept.h"
#include "agent/record/monitors.h"
#include "agent/record/names.h"
#include "agent/record/owners.h"
#include "agent/record/parks.h"
#include "agent/record/standing.h"

struct ixa_locks {
    struct ixa_changes changes;
    struct ixa_standing standing;
    struct ixa_kept kept;
    struct ixa_owners owners;
    struct ixa_parks parks;
    jvmtiEnv *ti;
    jfieldID thread_id;     /* Thread.tid */
    int64_t limit_ns;       /* processor time a packet for asking what threads own */
    size_t first;           /* the thread with which a packet begins */
    uint64_t bounded, told; /* packets in which a bound was reached; how many the log knows of */
    size_t turn;            /* where the search for owners continues */
    unsigned skip, penalty; /* packets without a search; how many after the next failed search */
    struct ixa_locks_packet *packet; /* owned: what was found for this packet; NULL: off */
};

/* -1 if the JVM does not allow it (a capability is missing), or memory ran out. */
int ixa_locks_start(struct ixa_locks *l, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id,
                    struct ixa_starts *starts);
/* Safe at any time, even when not started. jni NULL: the JVM is shutting down and is not called. */
void ixa_locks_stop(struct ixa_locks *l, JNIEnv *jni);

/* The log begins a new part. */
void ixa_locks_forget(struct ixa_locks *l);

/* The steps of a packet. Right before the stop: */
void ixa_locks_begin(struct ixa_locks *l);
/* Right after it, or while all are suspended: each thread, with its state at the stop. The
 * reference must stay valid until ixa_locks_ask has returned. unchanged: see
 * ixa_incremental_unchanged. */
void ixa_locks_see(struct ixa_locks *l, JNIEnv *jni, jthread thread, jint state, bool unchanged);
/* Then asks the JVM. The results hold local references until the caller's local frame is popped. */
void ixa_locks_ask(struct ixa_locks *l, JNIEnv *jni, bool suspended);
/* The stop is repeated: forgets what was seen and found. */
void ixa_locks_again(struct ixa_locks *l, JNIEnv *jni);
/* Writes to the log what was found, when the snapshot's threads have been added to `threads`. -1
 * when the log failed. */
int ixa_locks_write(struct ixa_locks *l, JNIEnv *jni, struct ixa_names *names,
                    const struct ixa_threads *threads, struct ix_log_writer *log);

#endif
