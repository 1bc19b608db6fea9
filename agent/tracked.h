/* The virtual threads that live now, by weak references: a table of fixed size without locks.
 *
 * A virtual thread enters and leaves on itself, in its start and end events; the agent's thread
 * lists them. Nobody ever waits: who finds a place in use by the lister leaves the clearing to it.
 * What finds no place is only counted. */
#ifndef IX_AGENT_TRACKED_H
#define IX_AGENT_TRACKED_H

#include <jni.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct ixa_tracked {
    struct ixa_tracked_place *places; /* owned; at least twice as many as `limit` */
    size_t capacity;                  /* a power of two */
    uint32_t limit;                   /* places in use at most */
    _Atomic uint32_t used;
    _Atomic uint64_t started, ended; /* threads, with a place or without */
    _Atomic uint64_t collected;      /* garbage before their end, which then has no event */
};

/* -1 when memory ran out; then ixa_tracked_start only counts. Zeroed memory is an empty table of no
 * places. */
int ixa_tracked_init(struct ixa_tracked *t, uint32_t limit);
/* A thread starts; on itself. `key`, Java's thread id, is never used again. */
void ixa_tracked_start(struct ixa_tracked *t, JNIEnv *jni, jobject thread, uint64_t key);
/* ... and ends; on itself. */
void ixa_tracked_end(struct ixa_tracked *t, JNIEnv *jni, uint64_t key);
/* Local references of those that have a place, at most `room` of them; returns how many. Agent
 * thread. */
size_t ixa_tracked_list(struct ixa_tracked *t, JNIEnv *jni, jobject *threads, size_t room);
/* How many have started and not ended, with a place or without. */
uint64_t ixa_tracked_living(const struct ixa_tracked *t);
/* Gives the references back. No event may come any more, but the last ones may be at it still: the
 * table's memory stays. */
void ixa_tracked_clear(struct ixa_tracked *t, JNIEnv *jni);
/* When nobody can be in the functions above. */
void ixa_tracked_free(struct ixa_tracked *t);

#endif
