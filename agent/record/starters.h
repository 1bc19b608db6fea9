/* SPDX-License-Identifier: Apache-2.0 */
/* process=on: which call stacks started the JVM's threads. Of a thread that leaked, or of a pool's,
 * its own call stack does not tell whose it is.
 *
 * Told by the starting threads (natives.h), so only in JVMs that started with the agent. Virtual
 * threads are not looked at. Of so many call stacks at most, and so many threads between two
 * packets; those beyond have no starter in the log. The lock is held briefly and never across a
 * call into the JVM. */
#ifndef IX_AGENT_STARTERS_H
#define IX_AGENT_STARTERS_H

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/capture/threads.h"
#include "agent/record/names.h"
#include "agent/record/natives.h"

#define IXA_STARTERS_SITES 128u /* call stacks that start threads */
#define IXA_STARTERS_MAX 512u   /* threads between two packets */

struct ixa_starter_site; /* one of the call stacks */
struct ixa_started {
    uint64_t thread; /* Java's thread id */
    uint32_t site;
    bool missed; /* it was not in a snapshot yet */
};

struct ixa_starters {
    jfieldID thread_id; /* Thread.tid; set before the first event */
    _Atomic bool on;
    pthread_mutex_t lock;
    /* Protected by the lock: */
    struct ixa_starter_site *sites[IXA_STARTERS_SITES]; /* owned; the first ones are used */
    uint32_t site_count;
    struct ixa_started list[IXA_STARTERS_MAX];
    uint32_t count;
};

/* The current thread is about to start this one. Runs no Java code. */
void ixa_starters_on_start(struct ixa_starters *x, jvmtiEnv *ti, JNIEnv *jni, jobject thread);

/* Agent thread only, from here on. */

/* `tell` calls ixa_starters_on_start. -1: the JVM does not allow it. */
int ixa_starters_start(struct ixa_starters *x, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id,
                       ixa_native_tell *tell);
/* Safe at any time while threads start others, even when not started. jni NULL: the JVM is shutting
 * down, and the references are left to it. */
void ixa_starters_stop(struct ixa_starters *x, JNIEnv *jni);
/* Writes to the log who started the threads that were started since the last call. Call it when the
 * snapshot's threads have been added to `threads`. -1 when the log failed. */
int ixa_starters_write(struct ixa_starters *x, JNIEnv *jni, struct ixa_names *names,
                       const struct ixa_threads *threads, struct ix_log_writer *log);

#endif
