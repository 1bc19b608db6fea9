#include "agent/virtual.h"

#include <string.h>

/* What JDK 21's jvmti.h adds to JDK 17's. */
#define CAPABILITY_BIT 44u /* can_support_virtual_threads */
#define FIRST_EVENT 50     /* JVMTI_MIN_EVENT_TYPE_VAL: the first of the callbacks */

#define GET_MOUNTED "com.sun.hotspot.functions.GetVirtualThread"

/* The events tell no more than the thread: there is one JVM, and one of these. */
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
    v->tracking = true; /* before the first event */
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
    /* Until there is a virtual thread nothing is to be done at all, so the first one is waited
     * for. */
    v->first_only = from_start && enable(v, JVMTI_ENABLE, IXA_EVENT_VIRTUAL_START);
    atomic_store(&v->any, !v->first_only);
}
