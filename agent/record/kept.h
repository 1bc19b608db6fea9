/* SPDX-License-Identifier: Apache-2.0 */
/* What the JVM has told of threads, kept for the next packet: their relations to monitors. Only the
 * thread itself enters and leaves monitors, blocks and waits. So as long as it does not run
 * (capture/incremental.h), or is still in the same Object.wait (standing.h), nothing of this
 * changes, and the JVM need not be asked again. Only a notify by another thread makes one that
 * waits a blocked one; its state shows that.
 *
 * A table of slots with weak references to the monitors. Of the threads whose ids end in the same
 * bits, the last one has the slot. Threads with more relations than a slot holds are not kept.
 *
 * Agent thread only. */
#ifndef IX_AGENT_KEPT_H
#define IX_AGENT_KEPT_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/tracelog/writer.h"

#define IXA_KEPT 256u
#define IXA_KEPT_RELATIONS 6u

struct ixa_kept_thread {
    uint64_t key;    /* Java's thread id; 0: free slot */
    uint32_t packet; /* the last one in which this was found to be so */
    jint state;      /* those of the thread's states that the relations belong to */
    bool all;        /* all that it owns is among them */
    uint32_t count;
    struct ixa_kept_relation {
        jweak object; /* owned */
        enum ix_lock_kind kind;
        jint depth; /* see struct ix_lock */
    } relations[IXA_KEPT_RELATIONS];
};

/* All zero: empty. */
struct ixa_kept {
    uint32_t packet;
    struct ixa_kept_thread places[IXA_KEPT];
};

/* A packet begins. */
void ixa_kept_begin(struct ixa_kept *k);
/* Its end: forgets what it did not find or repeat. */
void ixa_kept_end(struct ixa_kept *k, JNIEnv *jni);
/* Forgets all. jni NULL: the JVM is shutting down and is not called. */
void ixa_kept_clear(struct ixa_kept *k, JNIEnv *jni);

/* The answer about this thread follows: its relations one by one. */
void ixa_kept_put(struct ixa_kept *k, JNIEnv *jni, uint64_t key, jint state, bool all);
/* One of them; the reference stays the caller's. If it cannot be kept the thread is forgotten. */
void ixa_kept_add(struct ixa_kept *k, JNIEnv *jni, uint64_t key, jobject object,
                  enum ix_lock_kind kind, jint depth);

/* What was found, or repeated, at the packet before; NULL: nothing. If it is repeated:
 * ixa_kept_still. */
struct ixa_kept_thread *ixa_kept_find(struct ixa_kept *k, uint64_t key);
/* It holds in this packet, too: local references to the monitors, in the relations' order. False,
 * with none, if one of them is gone. */
bool ixa_kept_still(struct ixa_kept *k, JNIEnv *jni, struct ixa_kept_thread *thread,
                    jobject objects[IXA_KEPT_RELATIONS]);

#endif
