/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are parked (LockSupport.park), the object that each one names as the reason
 * (Thread.parkBlocker), and who owns it if it is a lock of java.util.concurrent: a part of
 * locks=on. Both are fields, read after the stop, when the threads run again. So something is
 * recorded only if it provably held at the stop as well:
 *
 *   - The reason. Only the thread itself changes it. If the kernel shows that the thread has not
 *     run from before the stop until after the field was read, it was the same at the stop.
 *   - The owner, of a lock that is built on AbstractQueuedSynchronizer or ...LongSynchronizer, as
 *     those of the JDK are.
 *     The first thread in its queue has a node whose status says that it must be woken. A thread
 *     that unlocks clears this status before it can lock again, and only the waiting thread itself
 *     sets it again. So the owner has not unlocked between two packets if both show the same owner
 *     and the same first thread, which has not run in between, and if the status, read after the
 *     owner, is still set: had he unlocked and locked again, it would be cleared. It does not
 *     matter whether he runs, sleeps or waits, and the first thread stays the first, as only it
 *     can leave that place.
 *
 * The reason is known from the second packet in which a thread is parked, the owner from the third
 * one; a packet later each if the thread was not watched yet. With stop=suspend both are read while
 * the threads are suspended, and are known at once; the owner only if he is suspended as well.
 *
 * Not known: virtual threads that are parked, as they are no threads of the kernel's, and the owner
 * if a virtual thread is the first in the queue; those who hold a ReentrantReadWriteLock for
 * reading or a Semaphore's permits, as the JDK does not keep them; the owner of a StampedLock.
 *
 * Reads fields of objects only: no Java code runs, no class is loaded or initialized. If this JVM's
 * classes have other fields, nothing is recorded. At most 256 parked threads, of which
 * sleepers.h asks some, and 128 objects for each packet; with stop=suspend, 64 threads, in turn.
 *
 * Agent thread only. */
#ifndef IX_AGENT_PARKS_H
#define IX_AGENT_PARKS_H

#include <jvmti.h>

#include "agent/capture/threads.h"
#include "agent/record/names.h"
#include "agent/record/sleepers.h"

#define IXA_PARKED 256u
#define IXA_BLOCKERS 128u

/* A parked thread of this packet. */
struct ixa_parked {
    jthread thread; /* borrowed */
    uint64_t key;
    bool unchanged;
    uint32_t blocker; /* its place in `blockers`, plus 1; 0: not known */
};

/* What a lock says of its owner and its queue. */
struct ixa_ownership {
    uint64_t owner; /* Java's thread id; 0: nobody, or not known */
    uint64_t first; /* ... of the first in the queue, who has to be woken */
    uint64_t slept; /* the count of the first: it has not run since it fell asleep */
};

/* A class that locks are built on, and its fields. */
struct ixa_queued {
    jclass class; /* a global reference; NULL: no object of it has been met */
    jfieldID owner, head;
    jfieldID next, waiter, status; /* of the queue's nodes; NULL: none has been met */
    bool unusual;                  /* this JVM has other fields */
};
enum { IXA_QUEUED_KINDS = 2 };

/* An object that threads are parked on. */
struct ixa_blocker {
    jweak object;              /* owned; NULL: free */
    struct ixa_queued *queued; /* its class; NULL: another one */
    uint32_t since;            /* the packet in which it was first met */
    bool used;                 /* in this packet */
    uint64_t owner;            /* at this packet's stop; 0: nobody, or not known */
    struct ixa_ownership last; /* as it was in the packet before */
    uint32_t packet;           /* the number of that */
};

/* What the log has of a parked thread. */
struct ixa_relation {
    uint64_t key;            /* Java's thread id */
    uint32_t blocker, since; /* its place, plus 1; from which packet on it has been this object */
    uint32_t owner;          /* the log's number of the thread; 0: not known */
    uint32_t unused;         /* padding, 0: relations are compared as bytes */
};

struct ixa_parks {
    jvmtiEnv *ti;
    jfieldID thread_id, blocker; /* of Thread; blocker NULL: off */
    struct ixa_queued queued[IXA_QUEUED_KINDS];
    struct ixa_sleepers sleepers; /* parked threads */
    uint16_t known[IXA_SLEEPERS]; /* by their places: the blocker, as in ixa_parked */
    struct ixa_parked parked[IXA_PARKED];
    size_t parked_count;
    bool left_out; /* from this packet, because of a bound */
    size_t turn;   /* where stop=suspend continues */
    uint32_t packet;
    struct ixa_blocker blockers[IXA_BLOCKERS];
    struct ixa_relation written[IXA_PARKED]; /* in this part of the log, last */
    size_t written_count;
};

/* -1: memory ran out. It is no failure if this JVM does not have the fields. */
int ixa_parks_start(struct ixa_parks *p, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id,
                    struct ixa_starts *starts);
/* Safe at any time, even when not started. jni NULL: the JVM is shutting down and is not called. */
void ixa_parks_stop(struct ixa_parks *p, JNIEnv *jni);

/* The log begins a new part. */
void ixa_parks_forget(struct ixa_parks *p);

/* The steps of a packet. Right before the stop: */
void ixa_parks_begin(struct ixa_parks *p);
/* The stop is repeated: forgets who was seen. */
void ixa_parks_again(struct ixa_parks *p);
/* Right after the stop, or while all are suspended: each thread with its state at the stop; it must
 * stay valid until ixa_parks_ask has returned. unchanged: see ixa_incremental_unchanged. */
void ixa_parks_see(struct ixa_parks *p, jthread thread, uint64_t key, jint state, bool unchanged);
/* Then reads the fields. Leaves no local references. */
void ixa_parks_ask(struct ixa_parks *p, JNIEnv *jni, bool suspended);
/* Writes to the log what was found, when the snapshot's threads are in `threads`; numbers objects
 * from first_object on. -1 when the log failed. */
int ixa_parks_write(struct ixa_parks *p, JNIEnv *jni, struct ixa_names *names,
                    const struct ixa_threads *threads, uint64_t first_object,
                    struct ix_log_writer *log);

#endif
