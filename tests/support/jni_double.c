/* A JVM made of a few functions, for units of the agent that call JNI and JVMTI: local and weak
 * references are counted, what a test wants refused is refused. Include after cmocka.h. */
#ifndef IX_TESTS_JNI_DOUBLE_H
#define IX_TESTS_JNI_DOUBLE_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An object; its references are pointers to a malloc'ed struct, so that a lost one is a leak and
 * one that is used after its end a fault. */
struct double_object {
    _Atomic jlong tid;
    _Atomic bool collected;
};

struct double_ref {
    struct double_object *object;
};

static _Atomic long double_locals, double_weaks, double_globals;
static _Atomic bool double_no_weaks; /* NewWeakGlobalRef finds no memory */

static jobject double_ref(struct double_object *object, _Atomic long *count)
{
    struct double_ref *ref = malloc(sizeof *ref);
    assert_non_null(ref);
    ref->object = object;
    (*count)++;
    return (jobject)(void *)ref;
}

static struct double_object *double_at(jobject ref)
{
    return ((struct double_ref *)(void *)ref)->object;
}

static jobject double_local(struct double_object *object)
{
    return double_ref(object, &double_locals);
}

static void JNICALL double_delete_local(JNIEnv *jni, jobject ref)
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

static jclass JNICALL double_no_class(JNIEnv *jni, const char *name)
{
    (void)jni;
    (void)name;
    return NULL;
}

static struct JNINativeInterface_ double_functions = {
    .FindClass = double_no_class,
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
static const struct JNINativeInterface_ *double_jni = &double_functions;

#endif
