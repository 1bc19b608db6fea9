/* What the agent is told by the JVM: its JVMTI environment and the callbacks. */
#include <unistd.h>

#include "agent/agent.h"
#include "agent/say.h"
#include "agent/threads.h"

static struct {
    jvmtiEnv *ti;
    struct ixa_starts starts;
    jfieldID thread_id; /* Thread.tid */
} events = {.starts = IXA_STARTS_NONE};

jvmtiEnv *ixa_events_env(void)
{
    return events.ti;
}

struct ixa_starts *ixa_events_starts(void)
{
    return &events.starts;
}

jfieldID ixa_events_thread_id(void)
{
    return events.thread_id;
}

static void JNICALL on_thread_start(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti;
    ixa_starts_add(&events.starts, (uint64_t)(*jni)->GetLongField(jni, thread, events.thread_id),
                   (uint32_t)gettid());
}

static void JNICALL on_thread_end(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti;
    ixa_starts_end(&events.starts, (uint64_t)(*jni)->GetLongField(jni, thread, events.thread_id));
}

static bool enable(jvmtiEnv *ti, jvmtiEvent event)
{
    return (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, event, NULL) == JVMTI_ERROR_NONE;
}

/* From now on each thread that starts is known; those that run already are numbered. */
static bool know_threads(jvmtiEnv *ti, JNIEnv *jni, jthread current)
{
    events.thread_id = ixa_threads_id_field(jni);
    if (!events.thread_id)
        return false;
    ixa_threads_running(&events.starts, ti, jni, events.thread_id);
    on_thread_start(ti, jni, current); /* this one, too, tells its number in the kernel */
    return enable(ti, JVMTI_EVENT_THREAD_START) && enable(ti, JVMTI_EVENT_THREAD_END);
}

static void JNICALL on_vm_init(jvmtiEnv *ti, JNIEnv *jni, jthread current)
{
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    if (!know_threads(ti, jni, current) || !ixa_life_start(ti, jni)) {
        (*jni)->ExceptionClear(jni);
        ixa_life_never();
        ixa_say_once("cannot start a thread; the application goes on without sampling");
    }
    (*jni)->PopLocalFrame(jni, NULL);
}

static void JNICALL on_vm_death(jvmtiEnv *ti, JNIEnv *jni)
{
    (void)ti;
    (void)jni;
    ixa_life_end();
}

static void add_capabilities(jvmtiEnv *ti)
{
    jvmtiCapabilities possible = {0}, wanted = {0};
    if ((*ti)->GetPotentialCapabilities(ti, &possible) != JVMTI_ERROR_NONE)
        return;
    wanted.can_get_line_numbers = possible.can_get_line_numbers;
    wanted.can_get_source_file_name = possible.can_get_source_file_name;
    (*ti)->AddCapabilities(ti, &wanted); /* without them names have no lines, no more */
}

int ixa_events_open(JavaVM *vm, struct ix_error *err)
{
    if ((*vm)->GetEnv(vm, (void **)&events.ti, JVMTI_VERSION_1_2) != JNI_OK)
        return ix_fail(err, "this JVM has no JVMTI 1.2");
    jvmtiEnv *ti = events.ti;
    add_capabilities(ti);
    const jvmtiEventCallbacks callbacks = {
        .VMInit = on_vm_init,
        .VMDeath = on_vm_death,
        .ThreadStart = on_thread_start,
        .ThreadEnd = on_thread_end,
    };
    if ((*ti)->SetEventCallbacks(ti, &callbacks, (jint)sizeof callbacks) != JVMTI_ERROR_NONE ||
        !enable(ti, JVMTI_EVENT_VM_INIT) || !enable(ti, JVMTI_EVENT_VM_DEATH))
        return ix_fail(err, "this JVM gives no events");
    return 0;
}
