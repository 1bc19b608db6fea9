/* SPDX-License-Identifier: Apache-2.0 */
/* A fake JVM of a few functions, for units of the agent that call JNI and JVMTI. It counts local
 * and weak references, and refuses calls as a test wants. */
#ifndef IX_TESTS_JNI_DOUBLE_H
#define IX_TESTS_JNI_DOUBLE_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An object. Its references are pointers to a malloc'ed struct, so that the sanitizer reports a
 * lost reference as a leak and one used after its deletion as an error. */
struct double_object {
    _Atomic jlong tid;
    _Atomic bool collected;
};

extern _Atomic long double_locals, double_weaks, double_globals; /* live references */
extern _Atomic bool double_no_weaks; /* NewWeakGlobalRef runs out of memory */

/* The object of a reference. */
struct double_object *double_at(jobject ref);

/* A new local reference. */
jobject double_local(struct double_object *object);

/* The function table, in which a test can replace entries; the agent calls it through
 * double_jni. */
extern struct JNINativeInterface_ double_functions;
extern const struct JNINativeInterface_ *double_jni;

/* Frees a local reference, as the agent does. */
void JNICALL double_delete_local(JNIEnv *jni, jobject ref);

#endif
