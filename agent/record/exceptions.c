/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/exceptions.h"

#include <stdlib.h>

#include "agent/base/clock.h"

/* Turns a local reference into a weak one; NULL when out of memory. */
static jweak weak_reference(JNIEnv *jni, jclass class)
{
    jweak weak = class ? (*jni)->NewWeakGlobalRef(jni, class) : NULL;
    if (!weak && (*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionClear(jni);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return weak;
}

static void drop_weak(JNIEnv *jni, jweak weak)
{
    if (weak)
        (*jni)->DeleteWeakGlobalRef(jni, weak);
}

/* Adds the first one of its kind. The method is executing, so its class can be asked for. Takes
 * over the reference to the exception's class. */
static void remember(struct ixa_exceptions *x, jvmtiEnv *ti, JNIEnv *jni,
                     const struct ixa_throw *what, jclass class)
{
    jclass at = NULL;
    if ((*ti)->GetMethodDeclaringClass(ti, (jmethodID)what->method, &at) != JVMTI_ERROR_NONE)
        at = NULL;
    const jweak declaring = weak_reference(jni, at), weak = weak_reference(jni, class);
    if (ixa_thrown_add(&x->thrown, what, declaring, weak))
        return;
    drop_weak(jni, declaring);
    drop_weak(jni, weak);
}

void ixa_exceptions_on_throw(struct ixa_exceptions *x, jvmtiEnv *ti, JNIEnv *jni, jthread thread,
                             jmethodID method, jlocation location, jobject exception)
{
    jint class_id = 0;
    if (!ixa_thrown_admit(&x->thrown, ixa_mono_ns()))
        return;
    jclass class = (*jni)->GetObjectClass(jni, exception);
    if ((*ti)->GetObjectHashCode(ti, class, &class_id) != JVMTI_ERROR_NONE)
        class_id = 0;
    const struct ixa_throw what = {
        .thread = (uint64_t)(*jni)->GetLongField(jni, thread, x->thread_id),
        .method = (uintptr_t)method,
        .location = location,
        .class_id = (uint32_t)class_id,
    };
    if (ixa_thrown_again(&x->thrown, &what))
        (*jni)->DeleteLocalRef(jni, class);
    else
        remember(x, ti, jni, &what, class);
}

static void forget(struct ixa_thrown_list *got, JNIEnv *jni)
{
    for (uint32_t i = 0; jni && i < got->count; i++) {
        drop_weak(jni, got->list[i].declaring);
        drop_weak(jni, got->list[i].class);
    }
    free(got->list);
}

int ixa_exceptions_start(struct ixa_exceptions *x, jvmtiEnv *ti, jfieldID thread_id)
{
    x->thread_id = thread_id;
    ixa_thrown_start(&x->thrown);
    if ((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_EXCEPTION, NULL) ==
        JVMTI_ERROR_NONE)
        return 0;
    ixa_thrown_stop(&x->thrown);
    return -1;
}

void ixa_exceptions_stop(struct ixa_exceptions *x, jvmtiEnv *ti, JNIEnv *jni)
{
    if (jni)
        (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_EXCEPTION, NULL);
    /* An event in progress finds it stopped, whatever the order. */
    struct ixa_thrown_list got = ixa_thrown_stop(&x->thrown);
    forget(&got, jni);
}

/* The class's number in the log, whether it is alive or not; 0 when the log failed. */
static uint32_t class_number(JNIEnv *jni, struct ixa_names *names, jweak weak)
{
    jclass class = weak ? (*jni)->NewLocalRef(jni, weak) : NULL;
    const uint32_t number = ixa_names_class(names, jni, class);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return number;
}

/* A method id is valid only while its class is alive, so the class is held meanwhile. */
static uint32_t frame_number(JNIEnv *jni, struct ixa_names *names, const struct ixa_thrown_at *at)
{
    jclass class = at->declaring ? (*jni)->NewLocalRef(jni, at->declaring) : NULL;
    const jvmtiFrameInfo frame = {
        .method = class ? (jmethodID)at->what.method : NULL,
        .location = at->what.location,
    };
    const uint32_t number = ixa_names_frame(names, jni, &frame);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return number;
}

int ixa_exceptions_write(struct ixa_exceptions *x, JNIEnv *jni, struct ixa_names *names,
                         const struct ixa_threads *threads, struct ix_log_writer *log)
{
    int status = 0;
    struct ixa_thrown_list got = ixa_thrown_take(&x->thrown);
    struct ix_exception *list = got.count ? calloc(got.count, sizeof *list) : NULL;
    size_t count = 0;
    for (uint32_t i = 0; list && i < got.count; i++) {
        const struct ixa_thrown_at *at = &got.list[i];
        list[count++] = (struct ix_exception){
            .thread = ixa_threads_find(threads, at->what.thread),
            .class_number = class_number(jni, names, at->class),
            .frame = frame_number(jni, names, at),
            .count = at->count,
        };
    }
    for (uint32_t i = 0; !list && i < got.count; i++)
        got.dropped += got.list[i].count;
    forget(&got, jni);
    count = ixa_thrown_merge(list, count);
    for (size_t i = 0; i < count && status == 0; i++)
        status = ix_log_exception(log, &list[i]);
    if (got.dropped && status == 0)
        status = ix_log_exceptions_dropped(log, got.dropped);
    free(list);
    return status;
}
