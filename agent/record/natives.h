/* SPDX-License-Identifier: Apache-2.0 */
/* Two native methods of the Java platform of which the agent is told when they are called.
 *
 * JVMTI lets an agent that is there from the JVM's start put a function of its own in the place of
 * a native method (NativeMethodBind). This one tells of the call, and then calls the method that it
 * replaces.
 *
 * - Throwable.fillInStackTrace, which an exception's constructor calls. So exceptions of all
 *   classes are seen, also of those that the JVM has prepared for its own use
 *   (NullPointerException, ...), and none has to leave compiled code, as with JVMTI's Exception
 *   event. Not seen are exceptions without a call stack, and those that the JVM has made in advance
 *   (OutOfMemoryError, and what compiled code throws again and again).
 * - Thread.start0, on the thread that starts another one. Not of virtual threads. */
#ifndef IX_AGENT_NATIVES_H
#define IX_AGENT_NATIVES_H

#include <jvmti.h>
#include <stdbool.h>

enum ixa_native {
    IXA_FILL_IN,      /* of the exception */
    IXA_START_THREAD, /* of the thread to start */
    IXA_NATIVES,
};

/* On the calling thread, before the method itself; no exception is pending. It must leave none, and
 * run no Java code. */
typedef void ixa_native_tell(JNIEnv *jni, jobject object);

/* The JVM's event. */
void JNICALL ixa_natives_on_bind(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jmethodID method,
                                 void *address, void **replaced_by);

/* In Agent_OnLoad, after each options string: acquires the capability, or gives it back. From now
 * on the JVM binding these methods is waited for, or not any more. */
void ixa_natives_prepare(jvmtiEnv *ti, bool wanted);

/* From now on calls are told. False: they cannot be, as in a JVM that was running when the agent
 * came. May make an exception itself, to see. */
bool ixa_natives_tell(jvmtiEnv *ti, JNIEnv *jni, enum ixa_native native, ixa_native_tell *tell);
/* No call is told after this; telling of one may still be in progress. */
void ixa_natives_silence(enum ixa_native native);
/* When all are silenced: true once no thread is telling any more, for which it waits so long at
 * most. Unlike its events, the JVM does not know that a thread in there uses the environment, and
 * would free it. */
bool ixa_natives_quiet(unsigned ms);

#endif
