/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/capture/virtual.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/boot.h"
#include "agent/base/jvm.h"

#define CAPABILITY_BIT 44u /* can_support_virtual_threads */
#define FIRST_EVENT 50     /* JVMTI_MIN_EVENT_TYPE_VAL: the first callback */

#define GET_MOUNTED "com.sun.hotspot.functions.GetVirtualThread"
#define CARRIER_CLASS "Ljdk/internal/misc/CarrierThread;"

/* The events pass only the thread: there is one JVM, and one of these. */
static struct ixa_virtual *_Atomic the;

static uint64_t key_of(const struct ixa_virtual *v, JNIEnv *jni, jthread thread)
{
    return (uint64_t)(*jni)->GetLongField(jni, thread, v->tid);
}

static void JNICALL on_start(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    struct ixa_virtual *v = atomic_load(&the);
    (void)ti;
    if (!v)
        return;
    if (!atomic_load_explicit(&v->any, memory_order_relaxed))
        atomic_store(&v->any, true);
    if (v->tracking)
        ixa_tracked_start(&v->tracked, jni, thread, key_of(v, jni, thread));
}

static void JNICALL on_end(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    struct ixa_virtual *v = atomic_load(&the);
    (void)ti;
    if (v && v->tracking)
        ixa_tracked_end(&v->tracked, jni, key_of(v, jni, thread));
}

typedef void(JNICALL *thread_event)(jvmtiEnv *ti, JNIEnv *jni, jthread thread);

jvmtiError ixa_virtual_callbacks(jvmtiEnv *ti, const jvmtiEventCallbacks *callbacks)
{
    struct {
        char known[(IXA_EVENT_VIRTUAL_START - FIRST_EVENT) * sizeof(thread_event)];
        thread_event start, end;
    } all = {.start = on_start, .end = on_end};
    memcpy(all.known, callbacks, sizeof all.known);
    return (*ti)->SetEventCallbacks(ti, (const jvmtiEventCallbacks *)(const void *)&all,
                                    (jint)sizeof all);
}

/* ---- what this JVM has ---- */

static bool get_capability(jvmtiEnv *ti)
{
    union {
        jvmtiCapabilities all;
        unsigned char bytes[sizeof(jvmtiCapabilities)];
    } possible = {{0}}, wanted = {{0}};
    const unsigned char bit = 1u << CAPABILITY_BIT % 8;
    if ((*ti)->GetPotentialCapabilities(ti, &possible.all) != JVMTI_ERROR_NONE ||
        !(possible.bytes[CAPABILITY_BIT / 8] & bit))
        return false;
    wanted.bytes[CAPABILITY_BIT / 8] = bit;
    return (*ti)->AddCapabilities(ti, &wanted.all) == JVMTI_ERROR_NONE;
}

static void forget_function(jvmtiEnv *ti, jvmtiExtensionFunctionInfo *info)
{
    for (jint i = 0; i < info->param_count; i++)
        (*ti)->Deallocate(ti, (unsigned char *)info->params[i].name);
    (*ti)->Deallocate(ti, (unsigned char *)info->id);
    (*ti)->Deallocate(ti, (unsigned char *)info->short_description);
    (*ti)->Deallocate(ti, (unsigned char *)info->params);
    (*ti)->Deallocate(ti, (unsigned char *)info->errors);
}

static jvmtiExtensionFunction find_function(jvmtiEnv *ti, const char *id)
{
    jint count;
    jvmtiExtensionFunctionInfo *infos;
    jvmtiExtensionFunction found = NULL;
    if ((*ti)->GetExtensionFunctions(ti, &count, &infos) != JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count; i++) {
        if (strcmp(infos[i].id, id) == 0)
            found = infos[i].func;
        forget_function(ti, &infos[i]);
    }
    (*ti)->Deallocate(ti, (unsigned char *)infos);
    return found;
}

static bool enable(struct ixa_virtual *v, jvmtiEventMode mode, jvmtiEvent event)
{
    return (*v->ti)->SetEventNotificationMode(v->ti, mode, event, NULL) == JVMTI_ERROR_NONE;
}

static bool track(struct ixa_virtual *v, uint32_t limit)
{
    if (ixa_tracked_init(&v->tracked, limit) != 0)
        return false;
    v->tracking = true; /* must be set before the first event */
    if (enable(v, JVMTI_ENABLE, IXA_EVENT_VIRTUAL_END)) {
        if (enable(v, JVMTI_ENABLE, IXA_EVENT_VIRTUAL_START))
            return true;
        enable(v, JVMTI_DISABLE, IXA_EVENT_VIRTUAL_END);
    }
    v->tracking = false;
    ixa_tracked_free(&v->tracked);
    return false;
}

void ixa_virtual_begin(struct ixa_virtual *v, jvmtiEnv *ti, const struct ixa_options *options,
                       jfieldID tid, const struct ixa_starts *starts, bool from_start)
{
    ixa_tracked_free(&v->tracked);
    *v = (struct ixa_virtual){.ti = ti, .tid = tid, .starts = starts, .from_start = from_start};
    if (options->virtual_mode == IXA_VIRTUAL_OFF || !get_capability(ti))
        return;
    v->get_mounted = find_function(ti, GET_MOUNTED);
    v->on = v->get_mounted != NULL;
    if (!v->on)
        return;
    atomic_store(&v->any, !from_start);
    atomic_store(&the, v);
    if (options->virtual_mode == IXA_VIRTUAL_TRACKED && track(v, options->virtual_limit))
        return;
    /* Nothing needs to be done until there is a virtual thread, so wait for the first one. */
    v->first_only = from_start && enable(v, JVMTI_ENABLE, IXA_EVENT_VIRTUAL_START);
    atomic_store(&v->any, !v->first_only);
}

/* ---- for each stop ---- */

static uint64_t starts_now(const struct ixa_virtual *v)
{
    return atomic_load_explicit(&v->starts->count, memory_order_seq_cst);
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

/* Looks the class up once there are virtual threads: then it has been loaded. */
static void find_carrier_class(struct ixa_virtual *v, JNIEnv *jni)
{
    jclass class = ixa_boot_named(v->ti, jni, CARRIER_CLASS);
    if (!class)
        return;
    v->carrier_class = (*jni)->NewGlobalRef(jni, class);
    (*jni)->DeleteLocalRef(jni, class);
}

/* Lists the carriers again if a platform thread has started since. */
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
    ixa_reserve_references(jni, count);
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
    return ix_idmap_get(&v->listed, key) || ix_idmap_put(&v->listed, key, 1) != 0;
}

/* More than have a slot now: others start while the table is being listed, and must not displace
 * those already in it. */
static size_t tracked_room(const struct ixa_virtual *v)
{
    const size_t more = 2 * (size_t)atomic_load(&v->tracked.used) + 1024;
    return more < v->tracked.limit ? more : v->tracked.limit;
}

/* Adds those that have a slot in the table, at the start of the list. */
static bool add_tracked(struct ixa_virtual *v, JNIEnv *jni)
{
    const size_t most = tracked_room(v);
    if (!make_room(v, most + v->carrier_count))
        return false;
    ixa_reserve_references(jni, (jint)(most + v->carrier_count));
    jint listed = (jint)ixa_tracked_list(&v->tracked, jni, v->list, most);
    for (jint i = 0; i < listed; i++) {
        if (is_listed(v, jni, v->list[i]))
            (*jni)->DeleteLocalRef(jni, v->list[i]);
        else
            v->list[v->virtual_count++] = v->list[i];
    }
    return true;
}

/* Appends those that are mounted; they may have no slot in the table. */
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

/* Inserts platform threads before the virtual ones. The references belong to the caller if
 * `lent`. */
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
    ixa_reserve_references(jni, 2 * count + v->virtual_count);
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
    ix_idmap_clear(&v->listed);
    if (v->tracking)
        v->living = ixa_tracked_living(&v->tracked);
    if (!list_carriers(v, jni) || !add_tracked(v, jni))
        return false;
    add_mounted(v, jni);
    if (v->virtual_count &&
        (threads ? add_platform(v, jni, threads, count, true) : add_all_platform(v, jni)))
        return true;
    v->count = v->virtual_count; /* how many references there are to drop */
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
    ixa_reserve_references(jni, count);
    for (jint i = 0; i < count; i++) {
        nobody = nobody && ix_idmap_get(&v->listed, key_of(v, jni, threads[i]));
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

/* Disables the events and gives back what the JVM holds for us. */
static void end_events(struct ixa_virtual *v, JNIEnv *jni)
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
        end_events(v, jni);
    v->carrier_class = NULL;
    v->carrier_count = 0;
    free(v->carriers);
    free(v->list);
    ix_idmap_free(&v->listed);
    v->carriers = v->list = NULL;
    v->carrier_capacity = v->capacity = 0;
    v->listed = (struct ix_idmap){0};
}
