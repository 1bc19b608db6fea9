/* SPDX-License-Identifier: Apache-2.0 */
/* What JVMTI's events tell of monitors while locks=on: how often each thread has begun and ceased
 * to be blocked or to wait, and on what it waits. The application's threads write this, the agent's
 * thread reads it; none waits for another. */
#ifndef IX_AGENT_CHANGES_H
#define IX_AGENT_CHANGES_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/record/waits.h"

/* Threads whose ids end in the same bits share a count. A change by another thread only means that
 * a relation is left out. */
#define IXA_CHANGES_COUNTS 4096u

struct ixa_changes {
    _Atomic uint32_t counts[IXA_CHANGES_COUNTS]; /* changes; written by any thread */
    uint32_t before[IXA_CHANGES_COUNTS];         /* the counts right before the stop */
    struct ixa_waits waits;                      /* weak references */
    jfieldID thread_id;                          /* Thread.tid */
};

/* Events, called on the thread itself: it becomes blocked or stops being blocked; it starts waiting
 * on the object; it stops waiting. */
void ixa_changes_on_change(struct ixa_changes *c, JNIEnv *jni, jthread thread);
void ixa_changes_on_wait(struct ixa_changes *c, JNIEnv *jni, jthread thread, jobject object);
void ixa_changes_on_waited(struct ixa_changes *c, JNIEnv *jni, jthread thread);

/* Enables the events. -1 if the JVM does not allow one; then ixa_changes_stop. */
int ixa_changes_start(struct ixa_changes *c, jvmtiEnv *ti, jfieldID thread_id);
/* Disables them, and forgets who waits. jni NULL: the JVM is shutting down and is not called. */
void ixa_changes_stop(struct ixa_changes *c, jvmtiEnv *ti, JNIEnv *jni);

/* Right before the stop. */
void ixa_changes_begin(struct ixa_changes *c);
/* The count of the thread with this id (Java's) at that time. */
uint32_t ixa_changes_before(const struct ixa_changes *c, uint64_t key);
/* True if it has changed since. */
bool ixa_changes_since(struct ixa_changes *c, uint64_t key);
/* The object on which the thread waits, according to its event: a local reference, or NULL. */
jobject ixa_changes_waited_on(struct ixa_changes *c, JNIEnv *jni, uint64_t key);

#endif
