/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/exceptions.h"

#include <stdlib.h>

#include "agent/base/clock.h"
#include "agent/record/weak.h"

/* Adds the first one of its kind. The method is executing, so its class can be asked for. Takes
 * over the reference to the exception's class. */
static void remember(struct ixa_exceptions *x, jvmtiEnv *ti, JNIEnv *jni,
                     const struct ixa_throw *what, jclass class)
{
    const jweak declaring = ixa_weak_declaring(ti, jni, (jmethodID)what->method);
    const jweak weak = ixa_weak(jni, class);
    if (ixa_thrown_add(&x->thrown, what, declaring, weak))
        return;
    ixa_weak_drop(jni, declaring);
    ixa_weak_drop(jni, weak);
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
        ixa_weak_drop(jni, got->list[i].declaring);
        ixa_weak_drop(jni, got->list[i].class);
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

int ixa_exceptions_write(struct ixa_exceptions *x, JNIEnv *jni, struct ixa_names *names,
                         const struct ixa_threads *threads, struct ix_log_writer *log)
{
    int status = 0;
    struct ixa_thrown_list got = ixa_thrown_take(&x->thrown);
    struct ix_exception *list = got.count ? calloc(got.count, sizeof *list) : NULL;
    size_t count = 0;
    for (uint32_t i = 0; list && i < got.count; i++) {
        const struct ixa_thrown_at *at = &got.list[i];
        const jvmtiFrameInfo frame = {.method = (jmethodID)at->what.method,
                                      .location = at->what.location};
        list[count++] = (struct ix_exception){
            .thread = ixa_threads_find(threads, at->what.thread),
            .class_number = ixa_weak_class(jni, names, at->class),
            .frame = ixa_weak_frame(jni, names, at->declaring, &frame),
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
