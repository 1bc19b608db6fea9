/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions that were thrown but not yet written, counted by thread, class and location.
 * Independent of the JVM: classes are references that are only stored here.
 *
 * Filled by the throwing threads, emptied by the agent's thread; all functions may be called on any
 * thread. The lock is held briefly and never across a call into the JVM. */
#ifndef IX_AGENT_THROWN_H
#define IX_AGENT_THROWN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/base/idmap.h"
#include "schema/tracelog/tracelog.h"

/* A process that throws more than this throws in a loop, and a thousand a second show which loop;
 * examining all of them would slow it down further. */
#define IXA_THROWN_RATE 1000u  /* a second, all threads together */
#define IXA_THROWN_BURST 1000u /* at once, after a second without any */
#define IXA_THROWN_MAX 1024u   /* distinct ones between two snapshots */

/* Two throws are the same if these fields are equal. */
struct ixa_throw {
    uint64_t thread;  /* Java's thread id */
    uintptr_t method; /* that throws */
    int64_t location;
    uint32_t class_id; /* of the exception: the class object's identity hash */
};

struct ixa_thrown_at {
    struct ixa_throw what;
    void *declaring, *class; /* weak references: to the method's class, to the exception's class */
    uint64_t count;
    uint32_t next; /* next entry with the same hash, from 1 */
};

struct ixa_thrown {
    _Atomic int64_t due_ns;   /* rate limit: when the bucket will be full again */
    _Atomic uint64_t dropped; /* beyond the limits, since the list was last taken */
    pthread_mutex_t lock;
    bool on;                    /* protected by the lock, like all fields below */
    struct ixa_thrown_at *list; /* owned */
    uint32_t count, capacity;
    struct ix_idmap by_hash; /* hash -> first entry with it, from 1 */
};
#define IXA_THROWN_OFF                                                                             \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* From now on exceptions are recorded. */
void ixa_thrown_start(struct ixa_thrown *t);

/* True if this exception is within the rate limit; otherwise it is counted as dropped. Takes no
 * lock. */
bool ixa_thrown_admit(struct ixa_thrown *t, int64_t now_ns);
/* Counts a repeated exception. False if it is the first of its kind: call ixa_thrown_add. */
bool ixa_thrown_again(struct ixa_thrown *t, const struct ixa_throw *what);
/* Adds the first one of its kind and takes over the references. False if there is no room or
 * recording is off: the exception is counted as dropped, and the caller keeps the references. */
bool ixa_thrown_add(struct ixa_thrown *t, const struct ixa_throw *what, void *declaring,
                    void *class);

/* Everything recorded so far: the list, which the caller must free with all references in it, and
 * the number of dropped exceptions. The store is empty afterwards. */
struct ixa_thrown_list {
    struct ixa_thrown_at *list;
    uint32_t count;
    uint64_t dropped;
};
struct ixa_thrown_list ixa_thrown_take(struct ixa_thrown *t);
/* The same, and stops recording and frees the memory. Safe while threads throw. */
struct ixa_thrown_list ixa_thrown_stop(struct ixa_thrown *t);

/* Adds up entries with the same thread, class and frame, in place. Returns how many are left, in
 * ascending order of these three. */
size_t ixa_thrown_merge(struct ix_exception *list, size_t count);

#endif
