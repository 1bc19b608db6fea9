/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that have started: the logical start, the kernel thread id and the test of each, by
 * Java's thread id. Filled by the threads themselves (ThreadStart, ThreadEnd), read by the agent's
 * thread.
 *
 * This does not use JVMTI's thread-local storage: HotSpot (17 to 25) reads another thread's storage
 * without a lock and crashes if that thread is just getting its first entry or ending. All
 * functions here may be called on any thread; the lock is held briefly and never across a call into
 * the JVM. */
#ifndef IX_AGENT_STARTS_H
#define IX_AGENT_STARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "schema/base/idmap.h"

struct ixa_start {
    uint64_t key;    /* Java's thread id */
    uint64_t number; /* logical start, from 1 */
    uint32_t os_id;  /* gettid; 0: unknown */
    uint32_t ended;  /* 0: alive; else sweeps since its end, plus 1 */
    uint64_t test;   /* the test that was running when it started; 0: none, or it has been at work
                      * for a later one */
    uint64_t rest;   /* hash of the stack in which a later test found it; 0: none has */
};

struct ixa_starts {
    _Atomic uint64_t count; /* threads started so far */
    pthread_mutex_t lock;
    bool off;               /* ignore all threads */
    struct ixa_start *list; /* owned */
    size_t used, capacity, ended;
    uint64_t test;          /* the test that is running; 0: none */
    struct ix_idmap by_key; /* Java's thread id -> index into `list`, plus 1 */
};
#define IXA_STARTS_NONE                                                                            \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* Adds a thread and returns its number. A thread that is already listed keeps its number and gets
 * the os_id unless that is 0. (When out of memory, returns a new number and does not store it.) */
uint64_t ixa_starts_add(struct ixa_starts *s, uint64_t key, uint32_t os_id);
void ixa_starts_end(struct ixa_starts *s, uint64_t key);
/* False if the thread is not listed. */
bool ixa_starts_find(struct ixa_starts *s, uint64_t key, struct ixa_start *out);
/* A test begins, which has this number (from 1, ascending), or has ended (0): threads that start
 * from now on are its own. */
void ixa_starts_test(struct ixa_starts *s, uint64_t test);
/* A snapshot of this test shows the thread with this stack (a hash that is not 0). True if an
 * earlier test has left the thread behind: it started during that one and has not moved since, as
 * far as snapshots of later tests show. A thread that has moved works for several tests, a pool's
 * for example, and is not left behind any more. */
bool ixa_starts_left(struct ixa_starts *s, uint64_t key, uint64_t test, uint64_t stack);
/* Copies the threads whose turn it is, `most` at most, which are alive and whose id in the kernel
 * is known. *next: where the next call goes on. Returns how many; none twice. */
size_t ixa_starts_next(struct ixa_starts *s, size_t *next, struct ixa_start *out, size_t most);
/* Call after each snapshot: removes threads that had ended by the previous sweep. Without
 * snapshots, ixa_starts_add sweeps from time to time, so that the list stays about as long as the
 * number of live threads. */
void ixa_starts_sweep(struct ixa_starts *s);
/* Removes and frees all entries and counts from 1 again. off: until the next call, threads are
 * ignored and numbers are 0, because a callback may still arrive late. */
void ixa_starts_reset(struct ixa_starts *s, bool off);

#endif
