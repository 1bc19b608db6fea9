/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/weak.h"

jweak ixa_weak(JNIEnv *jni, jclass class)
{
    jweak weak = class ? (*jni)->NewWeakGlobalRef(jni, class) : NULL;
    if (!weak && (*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionClear(jni);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return weak;
}

jweak ixa_weak_declaring(jvmtiEnv *ti, JNIEnv *jni, jmethodID method)
{
    jclass class = NULL;
    if ((*ti)->GetMethodDeclaringClass(ti, method, &class) != JVMTI_ERROR_NONE)
        class = NULL;
    return ixa_weak(jni, class);
}

void ixa_weak_drop(JNIEnv *jni, jweak weak)
{
    if (weak)
        (*jni)->DeleteWeakGlobalRef(jni, weak);
}

uint32_t ixa_weak_class(JNIEnv *jni, struct ixa_names *names, jweak weak)
{
    jclass class = weak ? (*jni)->NewLocalRef(jni, weak) : NULL;
    const uint32_t number = ixa_names_class(names, jni, class);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return number;
}

/* A method id is valid only while its class is alive, so the class is held meanwhile. */
uint32_t ixa_weak_frame(JNIEnv *jni, struct ixa_names *names, jweak declaring,
                        const jvmtiFrameInfo *frame)
{
    jclass class = declaring ? (*jni)->NewLocalRef(jni, declaring) : NULL;
    const jvmtiFrameInfo held = {.method = class ? frame->method : NULL,
                                 .location = frame->location};
    const uint32_t number = ixa_names_frame(names, jni, &held);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return number;
}
