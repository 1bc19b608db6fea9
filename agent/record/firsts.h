/* SPDX-License-Identifier: Apache-2.0 */
/* exceptions=first: where exceptions of each class were made for the first time, with the thread
 * and call stack.
 *
 * JVMTI reports throws (exceptions.h) only at the price that every throw of the JVM becomes slow.
 * So two other events are used. An exception's constructor fills in its call stack (natives.h): the
 * first exception of a class at each place is listed, and all others cost little (places.h). And a
 * class is prepared right before its first instance is made, on the thread that makes it: of
 * JVMTI's ClassPrepare event the first exception of each class is listed, which may have no call
 * stack of its own, and this is all that there is where the agent came to a running JVM. A class
 * may also be prepared for a static method or a subclass, and exceptions be made without being
 * thrown.
 *
 * No class is kept alive. The lock is held briefly and never across a call into the JVM. What the
 * events cost: README.md. */
#ifndef IX_AGENT_FIRSTS_H
#define IX_AGENT_FIRSTS_H

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/capture/threads.h"
#include "agent/record/natives.h"
#include "agent/record/names.h"
#include "agent/record/places.h"

#define IXA_FIRSTS_MAX 256u /* kept between two snapshots */

struct ixa_first; /* one of them */

struct ixa_firsts {
    jfieldID thread_id; /* Thread.tid; set before the first event, like the class */
    jclass throwable;   /* a global reference, kept until the JVM ends */
    bool has_places;    /* exceptions are told as they are made; agent thread only */
    struct ixa_places places;
    _Atomic bool on;
    _Atomic uint64_t dropped; /* since the list was last taken */
    pthread_mutex_t lock;
    /* Protected by the lock: what is not written yet, ascending by time; owned. */
    struct ixa_first *head, **tail;
    uint32_t count;
    uint64_t prepared_by; /* the thread, if the last one's class was only prepared so far; else 0 */
    uint32_t prepared;    /* that class's identity hash */
    jmethodID prepared_in; /* what the thread executed then; only compared */
};

/* The JVM's event, on the thread that prepares the class. Runs no Java code. */
void ixa_firsts_on_prepare(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jthread thread,
                           jclass class);
/* An exception is being made on the current thread. Runs no Java code. */
void ixa_firsts_on_made(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jobject exception);

/* Agent thread only, from here on. */

/* `tell` calls ixa_firsts_on_made. `of_test`: the log is one test's of several that run in the JVM,
 * so classes that are prepared do not count, because each is so only once; otherwise that event
 * must be told. -1 if the JVM does not allow it, or memory ran out. */
int ixa_firsts_start(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id,
                     ixa_native_tell *tell, bool of_test);
/* Safe at any time while threads prepare classes, even when not started. jni NULL: the JVM is
 * shutting down, and the references are left to it. */
void ixa_firsts_stop(struct ixa_firsts *x, JNIEnv *jni);
/* Writes to the log what was met since the last call. Call it when the snapshot's threads have been
 * added to `threads` and those that are gone have not been removed yet. -1 when the log failed. */
int ixa_firsts_write(struct ixa_firsts *x, JNIEnv *jni, struct ixa_names *names,
                     const struct ixa_threads *threads, struct ix_log_writer *log);

#endif
