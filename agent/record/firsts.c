/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/firsts.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/boot.h"
#include "agent/record/natives.h"
#include "agent/record/site.h"
#include "agent/record/weak.h"

/* Of a call stack, the constructors included: so much tells two places apart. */
#define NEAR 16

struct ixa_first {
    struct ixa_first *next;
    uint64_t thread;   /* Java's thread id */
    uint32_t class_id; /* the class's identity hash */
    bool from_prepare; /* its class was prepared, and it is not made yet */
    jweak class;
    struct ixa_site site;
};

static void forget(struct ixa_first *list, JNIEnv *jni)
{
    while (list) {
        struct ixa_first *first = list;
        list = first->next;
        if (jni)
            ixa_weak_drop(jni, first->class);
        if (jni)
            ixa_site_drop(&first->site, jni);
        free(first);
    }
}

/* ---- the list ---- */

/* Adds it, if there is room. */
static bool has_room(struct ixa_firsts *x, struct ixa_first *first)
{
    pthread_mutex_lock(&x->lock);
    const bool room = atomic_load(&x->on) && x->count < IXA_FIRSTS_MAX;
    if (room && first) {
        *(x->count++ ? x->tail : &x->head) = first;
        x->tail = &first->next;
        x->prepared_by = first->from_prepare ? first->thread : 0;
        x->prepared = first->class_id;
        x->prepared_in = first->site.count ? first->site.frames[0].method : NULL;
    }
    pthread_mutex_unlock(&x->lock);
    return room;
}

/* What is known of an exception as it is made. */
struct making {
    uint64_t thread;
    uint32_t class_id;
    bool from_prepare; /* its class is prepared for it */
    jint from;         /* its place in the call stack: the constructors are left out */
    jmethodID in;      /* the method there */
};

/* Was the class prepared by this thread just now, to make this exception? If a packet came in
 * between, only what the thread executes tells that. */
static bool is_listed(struct ixa_firsts *x, const struct making *making)
{
    pthread_mutex_lock(&x->lock);
    const bool listed = making->thread && x->prepared_by == making->thread &&
                        x->prepared == making->class_id &&
                        (x->count || x->prepared_in == making->in);
    if (listed)
        x->prepared_by = 0;
    pthread_mutex_unlock(&x->lock);
    return listed;
}

/* Lists an exception of the current thread, or counts it as dropped. Not on the thread's stack,
 * which may be nearly full. */
static void list(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, const struct making *making,
                 jclass class)
{
    struct ixa_first *first = has_room(x, NULL) ? calloc(1, sizeof *first) : NULL;
    if (first) {
        first->thread = making->thread;
        first->class_id = making->class_id;
        first->from_prepare = making->from_prepare;
        first->class = ixa_weak(jni, (*jni)->NewLocalRef(jni, class));
        ixa_site_take(&first->site, ti, jni, making->from);
        if (has_room(x, first))
            return;
        forget(first, jni);
    }
    atomic_fetch_add(&x->dropped, 1);
}

/* ---- events ---- */

static uint32_t id_of(jvmtiEnv *ti, jclass class)
{
    jint id = 0;
    return (*ti)->GetObjectHashCode(ti, class, &id) == JVMTI_ERROR_NONE ? (uint32_t)id : 0;
}

void ixa_firsts_on_prepare(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jthread thread,
                           jclass class)
{
    if (!atomic_load(&x->on) || !(*jni)->IsAssignableFrom(jni, class, x->throwable))
        return;
    const struct making making = {.thread =
                                      (uint64_t)(*jni)->GetLongField(jni, thread, x->thread_id),
                                  .class_id = id_of(ti, class),
                                  .from_prepare = true};
    list(x, ti, jni, &making, class);
}

/* Does the frame fill in an exception's call stack, or construct one? */
static bool is_of_constructor(const struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni,
                              jmethodID method)
{
    char *name = NULL;
    jclass class = NULL;
    bool is = (*ti)->GetMethodName(ti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE &&
              (strcmp(name, "fillInStackTrace") == 0 || strcmp(name, "<init>") == 0) &&
              (*ti)->GetMethodDeclaringClass(ti, method, &class) == JVMTI_ERROR_NONE;
    is = is && (*jni)->IsAssignableFrom(jni, class, x->throwable);
    (*ti)->Deallocate(ti, (unsigned char *)name);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return is;
}

/* At a place where none of its class was made before? Sets the place. */
static bool is_new(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, struct making *making)
{
    jvmtiFrameInfo frames[NEAR];
    jint count = 0;
    if ((*ti)->GetStackTrace(ti, NULL, 0, NEAR, frames, &count) != JVMTI_ERROR_NONE ||
        !ixa_places_add(&x->places, making->class_id, ixa_site_hash(frames, count)))
        return false;
    jint from = 0;
    while (from < count && is_of_constructor(x, ti, jni, frames[from].method))
        from++;
    making->from = from;
    making->in = from < count ? frames[from].method : NULL;
    return true;
}

static uint64_t current_thread(const struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni)
{
    jthread thread = NULL;
    if ((*ti)->GetCurrentThread(ti, &thread) != JVMTI_ERROR_NONE || !thread)
        return 0;
    const uint64_t id = (uint64_t)(*jni)->GetLongField(jni, thread, x->thread_id);
    (*jni)->DeleteLocalRef(jni, thread);
    return id;
}

void ixa_firsts_on_made(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jobject exception)
{
    if (!atomic_load(&x->on))
        return;
    jclass class = (*jni)->GetObjectClass(jni, exception);
    struct making making = {.class_id = id_of(ti, class)};
    const enum ixa_look look = ixa_places_look(&x->places, making.class_id);
    if (look == IXA_LOOK_LATER) {
        atomic_fetch_add(&x->dropped, 1);
    } else if (look == IXA_LOOK && is_new(x, ti, jni, &making)) {
        making.thread = current_thread(x, ti, jni);
        if (!is_listed(x, &making))
            list(x, ti, jni, &making, class);
    }
    (*jni)->DeleteLocalRef(jni, class);
}

/* ---- on and off ---- */

static bool find_throwable(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni)
{
    jclass found = x->throwable ? NULL : ixa_boot_named(ti, jni, "Ljava/lang/Throwable;");
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

int ixa_firsts_start(struct ixa_firsts *x, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id,
                     ixa_native_tell *tell, bool of_test)
{
    x->thread_id = thread_id;
    if (!find_throwable(x, ti, jni))
        return -1;
    ixa_places_clear(&x->places);
    pthread_mutex_lock(&x->lock);
    x->prepared_by = 0;
    pthread_mutex_unlock(&x->lock);
    atomic_store(&x->on, true);
    x->has_places = ixa_natives_tell(ti, jni, IXA_FILL_IN, tell);
    if (!of_test || x->has_places)
        return 0;
    ixa_firsts_stop(x, jni);
    return -1;
}

void ixa_firsts_stop(struct ixa_firsts *x, JNIEnv *jni)
{
    ixa_natives_silence(IXA_FILL_IN);
    /* An event in progress finds no room, whatever the order. */
    atomic_store(&x->on, false);
    forget(take(x), jni);
    atomic_store(&x->dropped, 0);
}

/* ---- the log ---- */

static int write_one(JNIEnv *jni, struct ixa_names *names, const struct ixa_threads *threads,
                     const struct ixa_first *first, struct ix_log_writer *log)
{
    struct ix_first written = {
        .thread = ixa_threads_find(threads, first->thread),
        .class_number = ixa_weak_class(jni, names, first->class),
    };
    return written.class_number &&
                   ixa_site_write(&first->site, jni, names, log, &written.stack) == 0
               ? ix_log_first(log, &written)
               : -1;
}

int ixa_firsts_write(struct ixa_firsts *x, JNIEnv *jni, struct ixa_names *names,
                     const struct ixa_threads *threads, struct ix_log_writer *log)
{
    int status = 0;
    ixa_places_rest(&x->places);
    const uint64_t dropped = atomic_exchange(&x->dropped, 0);
    struct ixa_first *list = take(x);
    for (const struct ixa_first *at = list; at && status == 0; at = at->next)
        status = write_one(jni, names, threads, at, log);
    forget(list, jni);
    return dropped && status == 0 ? ix_log_firsts_dropped(log, dropped) : status;
}
