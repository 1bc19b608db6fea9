/* Who has started: each thread's logical start and its number in the kernel, by Java's thread id.
 * Filled by the threads themselves (ThreadStart, ThreadEnd), read by the agent's.
 *
 * Not JVMTI's thread-local storage: HotSpot (17 to 25) reads another thread's without a lock and
 * crashes if that thread is just getting its first or ending. Any thread may call anything here; the
 * lock is held for moments and never across a call into the JVM. */
#ifndef IX_AGENT_STARTS_H
#define IX_AGENT_STARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "agent/idmap.h"

struct ixa_start {
    uint64_t key;    /* Java's thread id */
    uint64_t number; /* logical start, from 1 */
    uint32_t os_id;  /* gettid; 0 unknown */
    uint32_t ended;  /* 0 living; else sweeps since its end, plus 1 */
};

struct ixa_starts {
    _Atomic uint64_t count; /* threads started so far */
    pthread_mutex_t lock;
    struct ixa_start *list; /* owned */
    size_t used, capacity, ended;
    struct ixa_idmap by_key; /* place in the list, from 1 */
};
#define IXA_STARTS_NONE {.lock = PTHREAD_MUTEX_INITIALIZER}

/* Enters a thread; one that is there already keeps its number and gets the os_id unless that is 0.
 * Returns its number. (When memory runs out a number is given all the same, and forgotten.) */
uint64_t ixa_starts_add(struct ixa_starts *s, uint64_t key, uint32_t os_id);
void ixa_starts_end(struct ixa_starts *s, uint64_t key);
/* False if it is not there. */
bool ixa_starts_find(struct ixa_starts *s, uint64_t key, struct ixa_start *out);
/* After each snapshot: forgets who had ended by the sweep before. Without snapshots, ixa_starts_add does
 * it now and then, so that the list is as long as the living threads, about. */
void ixa_starts_sweep(struct ixa_starts *s);
void ixa_starts_free(struct ixa_starts *s);

#endif
