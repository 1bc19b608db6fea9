/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for JVMTI memory and JNI local references. */
#ifndef IX_AGENT_JVM_H
#define IX_AGENT_JVM_H

#include <jvmti.h>

/* Frees memory that JVMTI allocated. NULL is allowed. */
static inline void ixa_deallocate(jvmtiEnv *ti, void *memory)
{
    if (memory)
        (*ti)->Deallocate(ti, memory);
}

/* Announces to -Xcheck:jni the local references that JVMTI is about to create or has created, on
 * top of the agent's own, which are at most 64. HotSpot refuses to reserve more than 65,536; they
 * can be created all the same. */
static inline void ixa_reserve_references(JNIEnv *jni, jint references)
{
    if ((*jni)->EnsureLocalCapacity(jni, references + 64) != 0)
        (*jni)->ExceptionClear(jni);
}

#endif
