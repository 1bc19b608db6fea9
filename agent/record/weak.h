/* SPDX-License-Identifier: Apache-2.0 */
/* Weak references to classes that application threads met, for the agent's thread to write. They
 * keep no class alive; a class that is gone by then appears as `<unloaded>`. */
#ifndef IX_AGENT_WEAK_H
#define IX_AGENT_WEAK_H

#include <jvmti.h>

#include "agent/record/names.h"

/* Turns a local reference, which may be NULL, into a weak one. NULL when out of memory. */
jweak ixa_weak(JNIEnv *jni, jclass class);
/* The same for the class that declares a method, which must be executing: otherwise its id may be
 * dead. */
jweak ixa_weak_declaring(jvmtiEnv *ti, JNIEnv *jni, jmethodID method);
/* NULL is allowed. */
void ixa_weak_drop(JNIEnv *jni, jweak weak);

/* Agent thread only, between ixa_names_hold and ixa_names_end. */

/* The class's number in the log, whether it is alive or not; 0 when the log failed. */
uint32_t ixa_weak_class(JNIEnv *jni, struct ixa_names *names, jweak weak);
/* The frame's number in the log; 0 when the log failed. `declaring`: of frame->method. */
uint32_t ixa_weak_frame(JNIEnv *jni, struct ixa_names *names, jweak declaring,
                        const jvmtiFrameInfo *frame);

#endif
