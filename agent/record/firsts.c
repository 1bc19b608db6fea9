/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/firsts.h"

#include <stdlib.h>

#include "agent/record/weak.h"

struct ixa_first {
    struct ixa_first *next;
    uint64_t thread; /* Java's thread id */
    jweak class;
    jint count; /* of frames; IXA_FIRST_FRAMES_MAX: there may be more */
    jvmtiFrameInfo frames[IXA_FIRST_FRAMES_MAX];
    jweak declaring[IXA_FIRST_FRAMES_MAX];
};

static void forget(struct ixa_first *list, JNIEnv *jni)
{
    while (list) {
        struct ixa_first *first = list;
        list = first->next;
        if (jni)
            ixa_weak_drop(jni, first->class);
        for (jint i = 0; jni && i < first->count; i++)
            ixa_weak_drop(jni, first->declaring[i]);
        free(first);
    }
}

/* ---- the event ---- */

/* Adds it, if there is room. */
static bool has_room(struct ixa_firsts *x, struct ixa_first *first)
{
    pthread_mutex_lock(&x->lock);
    const bool room = atomic_load(&x->on) && x->count < IXA_FIRSTS_MAX;
    if (room && first) {
        *(x->count++ ? x->tail : &x->head) = first;
        x->tail = &first->next;
    }
    pthread_mutex_unlock(&x->lock);
    return room;
}

/* All frames are executing, so their classes can be asked for. */
static void take_stack(struct ixa_first *first, jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    if ((*ti)->GetStackTrace(ti, thread, 0, IXA_FIRST_FRAMES_MAX, first->frames, &first->count) !=
        JVMTI_ERROR_NONE)
        first->count = 0;
    for (jint i = 0; i < first->count; i++)
        first->declaring[i] = ixa_weak_declaring(ti, jni, first->frames[i].method);
}

void ixa_firsts_on_prepare(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jthread thread,
                           jclass class)
{
    if (!atomic_load(&x->on) || !(*jni)->IsAssignableFrom(jni, class, x->throwable))
        return;
    struct ixa_first *first = has_room(x, NULL) ? calloc(1, sizeof *first) : NULL;
    if (first) {
        first->thread = (uint64_t)(*jni)->GetLongField(jni, thread, x->thread_id);
        first->class = ixa_weak(jni, (*jni)->NewLocalRef(jni, class));
        take_stack(first, ti, jni, thread);
        if (has_room(x, first))
            return;
        forget(first, jni);
    }
    atomic_fetch_add(&x->dropped, 1);
}

/* ---- on and off ---- */

static bool find_throwable(struct ixa_firsts *x, JNIEnv *jni)
{
    jclass found = x->throwable ? NULL : (*jni)->FindClass(jni, "java/lang/Throwable");
    if (found) {
        x->throwable = (*jni)->NewGlobalRef(jni, found);
        (*jni)->DeleteLocalRef(jni, found);
    }
    if ((*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionClear(jni);
    return x->throwable != NULL;
}

/* What was met and not written yet; the caller owns the list. */
static struct ixa_first *take(struct ixa_firsts *x)
{
    pthread_mutex_lock(&x->lock);
    struct ixa_first *list = x->head;
    x->head = NULL;
    x->count = 0;
    pthread_mutex_unlock(&x->lock);
    return list;
}

int ixa_firsts_start(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id)
{
    x->thread_id = thread_id;
    if (!find_throwable(x, jni))
        return -1;
    atomic_store(&x->on, true);
    if ((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL) ==
        JVMTI_ERROR_NONE)
        return 0;
    ixa_firsts_stop(x, ti, jni);
    return -1;
}

void ixa_firsts_stop(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni)
{
    if (jni)
        (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
    /* An event in progress finds no room, whatever the order. */
    atomic_store(&x->on, false);
    forget(take(x), jni);
    atomic_store(&x->dropped, 0);
}

/* ---- the log ---- */

/* The log's number of the call stack, built from the outermost frame to the executing one. -1 when
 * the log failed. */
static int stack_of(JNIEnv *jni, struct ixa_names *names, const struct ixa_first *first,
                    struct ix_log_writer *log, uint32_t *stack)
{
    *stack = first->count < IXA_FIRST_FRAMES_MAX ? IX_STACK_EMPTY : IX_STACK_CUT;
    for (jint i = first->count; i-- > 0;) {
        const uint32_t frame = ixa_weak_frame(jni, names, first->declaring[i], &first->frames[i]);
        *stack = frame ? ix_log_stack(log, *stack, frame) : 0;
        if (!*stack)
            return -1;
    }
    return 0;
}

static int write_one(JNIEnv *jni, struct ixa_names *names, const struct ixa_threads *threads,
                     const struct ixa_first *first, struct ix_log_writer *log)
{
    struct ix_first written = {
        .thread = ixa_threads_find(threads, first->thread),
        .class_number = ixa_weak_class(jni, names, first->class),
    };
    return written.class_number && stack_of(jni, names, first, log, &written.stack) == 0
               ? ix_log_first(log, &written)
               : -1;
}

int ixa_firsts_write(struct ixa_firsts *x, JNIEnv *jni, struct ixa_names *names,
                     const struct ixa_threads *threads, struct ix_log_writer *log)
{
    int status = 0;
    const uint64_t dropped = atomic_exchange(&x->dropped, 0);
    struct ixa_first *list = take(x);
    for (const struct ixa_first *at = list; at && status == 0; at = at->next)
        status = write_one(jni, names, threads, at, log);
    forget(list, jni);
    return dropped && status == 0 ? ix_log_firsts_dropped(log, dropped) : status;
}
