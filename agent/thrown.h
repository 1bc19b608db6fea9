/* Exceptions that were thrown and not yet written, counted by thread, class and place. Knows no
 * JVM: classes come as references that it only keeps.
 *
 * Filled by the throwing threads, emptied by the agent's; any thread may call anything here. The
 * lock is held for moments and never across a call into the JVM. */
#ifndef IX_AGENT_THROWN_H
#define IX_AGENT_THROWN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/idmap.h"
#include "schema/tracelog.h"

/* A process that throws more is throwing in a loop, and a thousand a second show which one; looking
 * at all of them would make it slower still. */
#define IXA_THROWN_RATE 1000u  /* a second, by all threads together */
#define IXA_THROWN_BURST 1000u /* at once, after a second of rest */
#define IXA_THROWN_MAX 1024u   /* different ones between two snapshots */

/* What makes two of them the same. */
struct ixa_throw {
    uint64_t thread;  /* Java's thread id */
    uintptr_t method; /* of the throw */
    int64_t location;
    uint32_t class_id; /* of the exception: the class object's identity hash */
};

struct ixa_thrown_at {
    struct ixa_throw what;
    void *declaring, *class; /* weak references: of the method's class, of the exception's */
    uint64_t count;
    uint32_t next; /* of the same hash; from 1 */
};

struct ixa_thrown {
    _Atomic int64_t due_ns;   /* rate limit: when the bucket is full again */
    _Atomic uint64_t dropped; /* beyond the limits, since the last taking */
    pthread_mutex_t lock;
    bool on;                    /* under the lock, like all that follows */
    struct ixa_thrown_at *list; /* owned */
    uint32_t count, capacity;
    struct ixa_idmap by_hash; /* place of the first one of a hash, from 1 */
};
#define IXA_THROWN_OFF                                                                             \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* From now on exceptions are taken in. */
void ixa_thrown_start(struct ixa_thrown *t);

/* True if this one is within the limit of rate; else it is counted as dropped. Takes no lock. */
bool ixa_thrown_admit(struct ixa_thrown *t, int64_t now_ns);
/* Counts one more of its kind; false if it is the first: ixa_thrown_add follows. */
bool ixa_thrown_again(struct ixa_thrown *t, const struct ixa_throw *what);
/* Adds the first one. The references are taken over; false if not (no room, or off): it is counted
 * as dropped, and they stay the caller's. */
bool ixa_thrown_add(struct ixa_thrown *t, const struct ixa_throw *what, void *declaring,
                    void *class);

/* What there is: the list, the caller's to free with all references in it, and the number of those
 * dropped. Nothing is left. */
struct ixa_thrown_list {
    struct ixa_thrown_at *list;
    uint32_t count;
    uint64_t dropped;
};
struct ixa_thrown_list ixa_thrown_take(struct ixa_thrown *t);
/* The same, and takes nothing in from now on; its memory is free. Safe while threads throw. */
struct ixa_thrown_list ixa_thrown_stop(struct ixa_thrown *t);

/* Adds up those of the same thread, class and frame, in place; returns how many are left, ascending
 * by these three. */
size_t ixa_thrown_merge(struct ix_exception *list, size_t count);

#endif
