/* SPDX-License-Identifier: Apache-2.0 */
/* The live virtual threads, as weak references in a lock-free table of fixed size.
 *
 * A virtual thread adds and removes itself, in its start and end events; the agent's thread lists
 * them. No thread ever waits: if a thread that ends finds the agent using its slot, the agent
 * clears the slot. A thread that finds no free slot is only counted. */
#ifndef IX_AGENT_TRACKED_H
#define IX_AGENT_TRACKED_H

#include <jni.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct ixa_tracked {
    struct ixa_tracked_place *places; /* owned; at least twice `limit` */
    size_t capacity;                  /* a power of two */
    uint32_t limit;                   /* most slots in use */
    _Atomic uint32_t used;
    _Atomic uint64_t started, ended; /* threads, with or without a slot */
    _Atomic uint64_t collected;      /* garbage-collected before their end event, which then
                                      * never comes */
};

/* -1 when out of memory; ixa_tracked_start then only counts. A zeroed struct is an empty table
 * without slots. */
int ixa_tracked_init(struct ixa_tracked *t, uint32_t limit);
/* Called by a thread that starts. `key` is Java's thread id, which is never reused. */
void ixa_tracked_start(struct ixa_tracked *t, JNIEnv *jni, jobject thread, uint64_t key);
/* Called by a thread that ends. */
void ixa_tracked_end(struct ixa_tracked *t, JNIEnv *jni, uint64_t key);
/* Fills in local references to the threads that have a slot, at most `room` of them, and returns
 * how many. Agent thread. */
size_t ixa_tracked_list(struct ixa_tracked *t, JNIEnv *jni, jobject *threads, size_t room);
/* How many threads have started and not ended, with or without a slot. */
uint64_t ixa_tracked_living(const struct ixa_tracked *t);
/* Deletes the references. No new event may arrive, but the last ones may still be running, so the
 * table's memory stays. */
void ixa_tracked_clear(struct ixa_tracked *t, JNIEnv *jni);
/* Call only when no other thread can be in the functions above. */
void ixa_tracked_free(struct ixa_tracked *t);

#endif
