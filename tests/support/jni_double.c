/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/jni_double.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

struct double_ref {
    struct double_object *object;
};

_Atomic long double_locals, double_weaks, double_globals;
_Atomic bool double_no_weaks;

static jobject double_ref(struct double_object *object, _Atomic long *count)
{
    struct double_ref *ref = malloc(sizeof *ref);
    assert_non_null(ref);
    ref->object = object;
    (*count)++;
    return (jobject)(void *)ref;
}

struct double_object *double_at(jobject ref)
{
    return ((struct double_ref *)(void *)ref)->object;
}

jobject double_local(struct double_object *object)
{
    return double_ref(object, &double_locals);
}

void JNICALL double_delete_local(JNIEnv *jni, jobject ref)
{
    (void)jni;
    if (!ref)
        return;
    double_locals--;
    free(ref);
}

static jweak JNICALL double_new_weak(JNIEnv *jni, jobject ref)
{
    (void)jni;
    return double_no_weaks ? NULL : double_ref(double_at(ref), &double_weaks);
}

static void JNICALL double_delete_weak(JNIEnv *jni, jweak ref)
{
    (void)jni;
    double_weaks--;
    free(ref);
}

static jobject JNICALL double_new_global(JNIEnv *jni, jobject ref)
{
    (void)jni;
    return double_ref(double_at(ref), &double_globals);
}

static void JNICALL double_delete_global(JNIEnv *jni, jobject ref)
{
    (void)jni;
    double_globals--;
    free(ref);
}

static jobject JNICALL double_new_local(JNIEnv *jni, jobject ref)
{
    (void)jni;
    return double_at(ref)->collected ? NULL : double_local(double_at(ref));
}

static jboolean JNICALL double_is_same(JNIEnv *jni, jobject a, jobject b)
{
    (void)jni;
    if (!b)
        return !a || double_at(a)->collected;
    return double_at(a) == double_at(b);
}

static jlong JNICALL double_get_long(JNIEnv *jni, jobject object, jfieldID field)
{
    (void)jni;
    (void)field;
    return double_at(object)->tid;
}

static void JNICALL double_clear(JNIEnv *jni)
{
    (void)jni;
}

static jint JNICALL double_ensure(JNIEnv *jni, jint capacity)
{
    (void)jni;
    (void)capacity;
    return 0;
}

struct JNINativeInterface_ double_functions = {
    .ExceptionClear = double_clear,
    .NewGlobalRef = double_new_global,
    .DeleteGlobalRef = double_delete_global,
    .DeleteLocalRef = double_delete_local,
    .IsSameObject = double_is_same,
    .NewLocalRef = double_new_local,
    .EnsureLocalCapacity = double_ensure,
    .GetLongField = double_get_long,
    .NewWeakGlobalRef = double_new_weak,
    .DeleteWeakGlobalRef = double_delete_weak,
};
const struct JNINativeInterface_ *double_jni = &double_functions;
