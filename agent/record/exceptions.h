/* SPDX-License-Identifier: Apache-2.0 */
/* exceptions=on: which exceptions were thrown between two snapshots, by which threads and where.
 *
 * Each throw in Java code counts, even if it is caught at once; a finally or catch clause that
 * rethrows the same exception counts as a throw there. An exception created by the JVM or by native
 * code counts where it first reaches Java code. At most IXA_THROWN_RATE throws a second are
 * examined.
 *
 * No exception and no class is kept alive: the queue holds weak references to classes, and a class
 * that is gone when the agent's thread writes it appears as `<unloaded>`. */
#ifndef IX_AGENT_EXCEPTIONS_H
#define IX_AGENT_EXCEPTIONS_H

#include <jvmti.h>

#include "agent/capture/threads.h"
#include "agent/record/names.h"
#include "agent/record/thrown.h"

struct ixa_exceptions {
    struct ixa_thrown thrown;
    jfieldID thread_id; /* Thread.tid; set before the first event */
};

/* The JVM's event, on the throwing thread. Runs no Java code, so it cannot recurse. */
void ixa_exceptions_on_throw(struct ixa_exceptions *x, jvmtiEnv *ti, JNIEnv *jni, jthread thread,
                             jmethodID method, jlocation location, jobject exception);

/* Agent thread only, from here on. */

/* -1 if the JVM does not allow it: the capability is missing. */
int ixa_exceptions_start(struct ixa_exceptions *x, jvmtiEnv *ti, jfieldID thread_id);
/* Safe at any time while threads throw, even when not started. jni NULL: the JVM is shutting down,
 * and the references are left to it. */
void ixa_exceptions_stop(struct ixa_exceptions *x, jvmtiEnv *ti, JNIEnv *jni);
/* Writes to the log what was thrown since the last call. Call it when the snapshot's threads have
 * been added to `threads` and those that are gone have not been removed yet. -1 when the log
 * failed. */
int ixa_exceptions_write(struct ixa_exceptions *x, JNIEnv *jni, struct ixa_names *names,
                         const struct ixa_threads *threads, struct ix_log_writer *log);

#endif
