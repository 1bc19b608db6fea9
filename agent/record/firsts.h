/* SPDX-License-Identifier: Apache-2.0 */
/* exceptions=first: the first exception of each class that the JVM makes, with the thread and call
 * stack that make it.
 *
 * JVMTI reports throws (exceptions.h) only at the price that every throw of the JVM becomes slow.
 * But a class is prepared right before its first instance is made, on the thread that makes it, and
 * JVMTI's ClassPrepare event costs nothing afterwards. An exception class may also be prepared for
 * a static method or a subclass, and be made without being thrown. Classes that were prepared
 * before the agent started, as the JVM does with some for its own use (NullPointerException,
 * OutOfMemoryError, ...), are not seen.
 *
 * The event costs 0.2 us for a class that is no exception, and about 8 us for one that is. No
 * class is kept alive. The lock is held briefly and never across a call into the JVM. */
#ifndef IX_AGENT_FIRSTS_H
#define IX_AGENT_FIRSTS_H

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/capture/threads.h"
#include "agent/record/names.h"

#define IXA_FIRSTS_MAX 256u     /* kept between two snapshots */
#define IXA_FIRST_FRAMES_MAX 48 /* of a call stack, the executing frame first */

struct ixa_first; /* one of them */

struct ixa_firsts {
    jfieldID thread_id; /* Thread.tid; set before the first event, like the class */
    jclass throwable;   /* a global reference, kept until the JVM ends */
    _Atomic bool on;
    _Atomic uint64_t dropped; /* since the list was last taken */
    pthread_mutex_t lock;
    /* Protected by the lock: what is not written yet, ascending by time; owned. */
    struct ixa_first *head, **tail;
    uint32_t count;
};

/* The JVM's event, on the thread that prepares the class. Runs no Java code. */
void ixa_firsts_on_prepare(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jthread thread,
                           jclass class);

/* Agent thread only, from here on. */

/* -1 if the JVM does not allow it, or memory ran out. */
int ixa_firsts_start(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id);
/* Safe at any time while threads prepare classes, even when not started. jni NULL: the JVM is
 * shutting down, and the references are left to it. */
void ixa_firsts_stop(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni);
/* Writes to the log what was met since the last call. Call it when the snapshot's threads have been
 * added to `threads` and those that are gone have not been removed yet. -1 when the log failed. */
int ixa_firsts_write(struct ixa_firsts *x, JNIEnv *jni, struct ixa_names *names,
                     const struct ixa_threads *threads, struct ix_log_writer *log);

#endif
