#include <stdlib.h>
#include <string.h>

#include "agent/capture.h"
#include "agent/virtual.h"

#define CARRIER_CLASS "jdk/internal/misc/CarrierThread"

static uint64_t starts_now(const struct ixa_virtual *v)
{
    return atomic_load_explicit(&v->starts->count, memory_order_seq_cst);
}

static uint64_t key_of(const struct ixa_virtual *v, JNIEnv *jni, jthread thread)
{
    return (uint64_t)(*jni)->GetLongField(jni, thread, v->tid);
}

bool ixa_virtual_any(const struct ixa_virtual *v)
{
    return v && v->on && atomic_load_explicit(&v->any, memory_order_relaxed);
}

static bool make_room(struct ixa_virtual *v, size_t threads)
{
    if (threads <= v->capacity)
        return true;
    jthread *list = realloc(v->list, (threads + threads / 2) * sizeof *list);
    if (!list)
        return false;
    v->list = list;
    v->capacity = threads + threads / 2;
    return true;
}

/* ---- carriers ---- */

static void forget_carriers(struct ixa_virtual *v, JNIEnv *jni)
{
    for (size_t i = 0; i < v->carrier_count; i++)
        (*jni)->DeleteGlobalRef(jni, v->carriers[i]);
    v->carrier_count = 0;
}

static bool add_carrier(struct ixa_virtual *v, JNIEnv *jni, jthread thread)
{
    if (v->carrier_class && !(*jni)->IsInstanceOf(jni, thread, v->carrier_class))
        return true;
    if (v->carrier_count == v->carrier_capacity) {
        const size_t capacity = v->carrier_capacity * 2 + 16;
        jthread *carriers = realloc(v->carriers, capacity * sizeof *carriers);
        if (!carriers)
            return false;
        v->carriers = carriers;
        v->carrier_capacity = capacity;
    }
    jthread carrier = (*jni)->NewGlobalRef(jni, thread);
    if (carrier)
        v->carriers[v->carrier_count++] = carrier;
    return carrier != NULL;
}

/* Looks the class up when there are virtual threads: then it has long been initialised. */
static void find_carrier_class(struct ixa_virtual *v, JNIEnv *jni)
{
    jclass class = (*jni)->FindClass(jni, CARRIER_CLASS);
    if (!class) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    v->carrier_class = (*jni)->NewGlobalRef(jni, class);
    (*jni)->DeleteLocalRef(jni, class);
}

/* The carriers are listed again when a platform thread has started since. */
static bool list_carriers(struct ixa_virtual *v, JNIEnv *jni)
{
    jthread *threads;
    jint count;
    bool all = true;
    const uint64_t starts = starts_now(v);
    if (v->carriers_at == starts + 1)
        return true;
    if (!v->carriers_at)
        find_carrier_class(v, jni);
    forget_carriers(v, jni);
    if ((*v->ti)->GetAllThreads(v->ti, &count, &threads) != JVMTI_ERROR_NONE)
        return false;
    ixa_capture_reserve(jni, count);
    for (jint i = 0; i < count; i++) {
        all = all && add_carrier(v, jni, threads[i]);
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    (*v->ti)->Deallocate(v->ti, (unsigned char *)threads);
    v->carriers_at = all ? starts + 1 : v->carriers_at;
    return all;
}

/* ---- the list ---- */

static bool is_listed(struct ixa_virtual *v, JNIEnv *jni, jthread thread)
{
    const uint64_t key = key_of(v, jni, thread);
    return ixa_idmap_get(&v->listed, key) || ixa_idmap_put(&v->listed, key, 1) != 0;
}

/* More than have a place now: others start while the table is listed, and must not take the room of
 * those that stand. */
static size_t tracked_room(const struct ixa_virtual *v)
{
    const size_t more = 2 * (size_t)atomic_load(&v->tracked.used) + 1024;
    return more < v->tracked.limit ? more : v->tracked.limit;
}

/* Those that have a place in the table, at the list's beginning. */
static bool add_tracked(struct ixa_virtual *v, JNIEnv *jni)
{
    const size_t most = tracked_room(v);
    if (!make_room(v, most + v->carrier_count))
        return false;
    ixa_capture_reserve(jni, (jint)(most + v->carrier_count));
    jint listed = (jint)ixa_tracked_list(&v->tracked, jni, v->list, most);
    for (jint i = 0; i < listed; i++) {
        if (is_listed(v, jni, v->list[i]))
            (*jni)->DeleteLocalRef(jni, v->list[i]);
        else
            v->list[v->virtual_count++] = v->list[i];
    }
    return true;
}

/* Those that are mounted, behind them: they may have no place in the table. */
static void add_mounted(struct ixa_virtual *v, JNIEnv *jni)
{
    for (size_t i = 0; i < v->carrier_count; i++) {
        jthread mounted = NULL;
        if (v->get_mounted(v->ti, v->carriers[i], &mounted) != JVMTI_ERROR_NONE || !mounted)
            continue;
        if (is_listed(v, jni, mounted))
            (*jni)->DeleteLocalRef(jni, mounted);
        else
            v->list[v->virtual_count++] = mounted;
    }
}

/* Platform threads before the virtual ones; the references are the caller's if `lent`. */
static bool add_platform(struct ixa_virtual *v, JNIEnv *jni, const jthread *threads, jint count,
                         bool lent)
{
    if (!make_room(v, (size_t)count + (size_t)v->virtual_count))
        return false;
    memmove(v->list + count, v->list, (size_t)v->virtual_count * sizeof *v->list);
    if (count)
        memcpy(v->list, threads, (size_t)count * sizeof *v->list);
    v->count = count + v->virtual_count;
    v->lent = lent ? count : 0;
    for (jint i = 0; i < count && !lent; i++)
        (void)is_listed(v, jni, threads[i]);
    return true;
}

static bool add_all_platform(struct ixa_virtual *v, JNIEnv *jni)
{
    jthread *threads;
    jint count;
    v->starts_before = starts_now(v);
    if ((*v->ti)->GetAllThreads(v->ti, &count, &threads) != JVMTI_ERROR_NONE)
        return false;
    ixa_capture_reserve(jni, 2 * count + v->virtual_count);
    const bool added = add_platform(v, jni, threads, count, false);
    for (jint i = 0; i < count && !added; i++)
        (*jni)->DeleteLocalRef(jni, threads[i]);
    (*v->ti)->Deallocate(v->ti, (unsigned char *)threads);
    return added;
}

void ixa_virtual_drop(struct ixa_virtual *v, JNIEnv *jni)
{
    for (jint i = v->lent; i < v->count; i++)
        (*jni)->DeleteLocalRef(jni, v->list[i]);
    v->count = v->virtual_count = v->lent = 0;
}

static void stop_waiting_for_the_first(struct ixa_virtual *v)
{
    if (!v->first_only)
        return;
    v->first_only = false;
    (*v->ti)->SetEventNotificationMode(v->ti, JVMTI_DISABLE, IXA_EVENT_VIRTUAL_START, NULL);
}

bool ixa_virtual_list(struct ixa_virtual *v, JNIEnv *jni, const jthread *threads, jint count)
{
    stop_waiting_for_the_first(v);
    v->count = v->virtual_count = v->lent = 0;
    ixa_idmap_clear(&v->listed);
    if (v->tracking)
        v->living = ixa_tracked_living(&v->tracked);
    if (!list_carriers(v, jni) || !add_tracked(v, jni))
        return false;
    add_mounted(v, jni);
    if (v->virtual_count &&
        (threads ? add_platform(v, jni, threads, count, true) : add_all_platform(v, jni)))
        return true;
    v->count = v->virtual_count; /* what there is to be dropped */
    ixa_virtual_drop(v, jni);
    return false;
}

bool ixa_virtual_nobody_born(struct ixa_virtual *v, JNIEnv *jni)
{
    jthread *threads;
    jint count;
    bool nobody = true;
    if ((*v->ti)->GetAllThreads(v->ti, &count, &threads) != JVMTI_ERROR_NONE)
        return false;
    for (jint i = 0; i < count; i++) {
        nobody = nobody && ixa_idmap_get(&v->listed, key_of(v, jni, threads[i]));
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    (*v->ti)->Deallocate(v->ti, (unsigned char *)threads);
    return nobody && starts_now(v) == v->starts_before;
}

bool ixa_virtual_hidden(const struct ixa_virtual *v, uint64_t shown, uint64_t *hidden)
{
    if (!ixa_virtual_any(v) || !v->tracking || !v->from_start)
        return false;
    *hidden = v->living > shown ? v->living - shown : 0;
    return true;
}

/* Ends the events, and gives back what the JVM keeps for us. */
static void leave(struct ixa_virtual *v, JNIEnv *jni)
{
    (*v->ti)->SetEventNotificationMode(v->ti, JVMTI_DISABLE, IXA_EVENT_VIRTUAL_START, NULL);
    if (v->tracking) {
        (*v->ti)->SetEventNotificationMode(v->ti, JVMTI_DISABLE, IXA_EVENT_VIRTUAL_END, NULL);
        ixa_tracked_clear(&v->tracked, jni);
    }
    forget_carriers(v, jni);
    if (v->carrier_class)
        (*jni)->DeleteGlobalRef(jni, v->carrier_class);
}

void ixa_virtual_end(struct ixa_virtual *v, JNIEnv *jni)
{
    if (!v->on)
        return;
    v->on = false;
    if (jni)
        leave(v, jni);
    v->carrier_class = NULL;
    v->carrier_count = 0;
    free(v->carriers);
    free(v->list);
    ixa_idmap_free(&v->listed);
    v->carriers = v->list = NULL;
    v->carrier_capacity = v->capacity = 0;
    v->listed = (struct ixa_idmap){0};
}
