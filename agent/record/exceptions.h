/* exceptions=on: which exceptions were thrown between two snapshots, by whom and where.
 *
 * Each throw in Java code counts, also one that is caught at once; a finally clause or a catch
 * clause that throws the same exception on counts as a throw there. An exception that the JVM or
 * native code makes counts where it first reaches Java code. At most IXA_THROWN_RATE a second are
 * looked at.
 *
 * No exception is kept alive, and no class: the queue has weak references to classes, and what is
 * gone when the agent's thread comes to write it appears as `<unloaded>`. */
#ifndef IX_AGENT_EXCEPTIONS_H
#define IX_AGENT_EXCEPTIONS_H

#include <jvmti.h>

#include "agent/names.h"
#include "agent/threads.h"
#include "agent/thrown.h"

struct ixa_exceptions {
    struct ixa_thrown thrown;
    jfieldID thread_id; /* Thread.tid; set before the first event */
};

/* The JVM's event, on the throwing thread. Runs no Java, so it cannot come here again. */
void ixa_exceptions_on_throw(struct ixa_exceptions *x, jvmtiEnv *ti, JNIEnv *jni, jthread thread,
                             jmethodID method, jlocation location, jobject exception);

/* Agent thread only, from here on. */

/* -1 if the JVM does not allow it: the capability is missing. */
int ixa_exceptions_start(struct ixa_exceptions *x, jvmtiEnv *ti, jfieldID thread_id);
/* Safe at any time, also when it is not on, while threads throw. jni NULL: the JVM is ending, its
 * references are left to it. */
void ixa_exceptions_stop(struct ixa_exceptions *x, jvmtiEnv *ti, JNIEnv *jni);
/* Gives the log what was thrown since the last call, after the snapshot's threads have been
 * entered in `threads` and before those that are gone have been forgotten. -1 when the log failed.
 */
int ixa_exceptions_write(struct ixa_exceptions *x, JNIEnv *jni, struct ixa_names *names,
                         const struct ixa_threads *threads, struct ix_log_writer *log);

#endif
