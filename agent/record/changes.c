/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/changes.h"

static _Atomic uint32_t *count_of(struct ixa_changes *c, uint64_t key)
{
    return &c->counts[key % IXA_CHANGES_COUNTS];
}

static uint64_t key_of(const struct ixa_changes *c, JNIEnv *jni, jthread thread)
{
    return (uint64_t)(*jni)->GetLongField(jni, thread, c->thread_id);
}

void ixa_changes_on_change(struct ixa_changes *c, JNIEnv *jni, jthread thread)
{
    atomic_fetch_add(count_of(c, key_of(c, jni, thread)), 1);
}

static void drop_weak(JNIEnv *jni, jweak weak)
{
    if (weak)
        (*jni)->DeleteWeakGlobalRef(jni, weak);
}

void ixa_changes_on_wait(struct ixa_changes *c, JNIEnv *jni, jthread thread, jobject object)
{
    const uint64_t key = key_of(c, jni, thread);
    atomic_fetch_add(count_of(c, key), 1);
    /* HotSpot (17) sends the event for a wait that it then refuses (IllegalMonitorStateException),
     * but not for its end. */
    drop_weak(jni, ixa_waits_leave(&c->waits, key));
    jweak weak = (*jni)->NewWeakGlobalRef(jni, object);
    if (!weak)
        (*jni)->ExceptionClear(jni);
    else if (!ixa_waits_enter(&c->waits, key, weak))
        drop_weak(jni, weak);
}

void ixa_changes_on_waited(struct ixa_changes *c, JNIEnv *jni, jthread thread)
{
    const uint64_t key = key_of(c, jni, thread);
    drop_weak(jni, ixa_waits_leave(&c->waits, key));
    atomic_fetch_add(count_of(c, key), 1);
}

static const jvmtiEvent events[] = {
    JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
    JVMTI_EVENT_MONITOR_WAIT,
    JVMTI_EVENT_MONITOR_WAITED,
};

static int set_events(jvmtiEnv *ti, jvmtiEventMode mode)
{
    int status = 0;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if ((*ti)->SetEventNotificationMode(ti, mode, events[i], NULL) != JVMTI_ERROR_NONE)
            status = -1;
    return status;
}

int ixa_changes_start(struct ixa_changes *c, jvmtiEnv *ti, jfieldID thread_id)
{
    c->thread_id = thread_id;
    ixa_waits_start(&c->waits);
    return set_events(ti, JVMTI_ENABLE);
}

/* Events in progress find it stopped. */
void ixa_changes_stop(struct ixa_changes *c, jvmtiEnv *ti, JNIEnv *jni)
{
    if (jni)
        set_events(ti, JVMTI_DISABLE);
    ixa_waits_stop(&c->waits);
    for (size_t i = 0; jni && i < IXA_WAITS; i++)
        drop_weak(jni, ixa_waits_clear(&c->waits, i));
}

void ixa_changes_begin(struct ixa_changes *c)
{
    for (size_t i = 0; i < IXA_CHANGES_COUNTS; i++)
        c->before[i] = atomic_load(&c->counts[i]);
}

uint32_t ixa_changes_before(const struct ixa_changes *c, uint64_t key)
{
    return c->before[key % IXA_CHANGES_COUNTS];
}

bool ixa_changes_since(struct ixa_changes *c, uint64_t key)
{
    return atomic_load(count_of(c, key)) != ixa_changes_before(c, key);
}

jobject ixa_changes_waited_on(struct ixa_changes *c, JNIEnv *jni, uint64_t key)
{
    const jweak weak = ixa_waits_hold(&c->waits, key);
    if (!weak)
        return NULL;
    jobject object = (*jni)->NewLocalRef(jni, weak);
    drop_weak(jni, ixa_waits_release(&c->waits, key));
    return object;
}
