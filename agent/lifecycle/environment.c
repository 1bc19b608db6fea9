/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/lifecycle/environment.h"

#include <unistd.h>

#include "agent/capture/threads.h"
#include "agent/record/facts.h"
#include "agent/record/natives.h"

#define QUIET_MS 200 /* for threads that are making an exception, or starting another thread */

static struct {
    jvmtiEnv *ti;
    struct ixa_starts starts;
    /* Used alternately: a callback may still be using the previous one when the next starts. */
    struct ixa_virtual virtuals[2];
    unsigned turn;
    enum ixa_virtual_mode virtual_mode; /* how they are followed at present */
    uint32_t virtual_limit;
    jfieldID thread_id; /* Thread.tid */
} environment = {.starts = IXA_STARTS_NONE};

jvmtiEnv *ixa_environment(void)
{
    return environment.ti;
}

struct ixa_starts *ixa_environment_starts(void)
{
    return &environment.starts;
}

jfieldID ixa_environment_thread_id(void)
{
    return environment.thread_id;
}

struct ixa_virtual *ixa_environment_virtuals(void)
{
    return &environment.virtuals[environment.turn];
}

void ixa_environment_follow_virtuals(const struct ixa_options *options, bool from_start)
{
    environment.virtual_mode = options->virtual_mode;
    environment.virtual_limit = options->virtual_limit;
    environment.turn ^= 1;
    ixa_virtual_begin(ixa_environment_virtuals(), environment.ti, options, environment.thread_id,
                      &environment.starts, from_start);
}

void ixa_environment_renew(JNIEnv *jni, const struct ixa_options *options)
{
    if (options->virtual_mode == environment.virtual_mode &&
        options->virtual_limit == environment.virtual_limit)
        return;
    ixa_virtual_end(ixa_environment_virtuals(), jni);
    ixa_environment_follow_virtuals(options, false);
}

static void JNICALL on_thread_start(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti;
    ixa_starts_add(&environment.starts,
                   (uint64_t)(*jni)->GetLongField(jni, thread, environment.thread_id),
                   (uint32_t)gettid());
}

static void JNICALL on_thread_end(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti;
    ixa_starts_end(&environment.starts,
                   (uint64_t)(*jni)->GetLongField(jni, thread, environment.thread_id));
}

static bool enable(jvmtiEnv *ti, jvmtiEvent event)
{
    return (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, event, NULL) == JVMTI_ERROR_NONE;
}

bool ixa_environment_number_threads(JNIEnv *jni)
{
    jvmtiEnv *ti = environment.ti;
    jthread current = NULL;
    if ((*ti)->GetCurrentThread(ti, &current) != JVMTI_ERROR_NONE)
        return false;
    environment.thread_id = ixa_threads_id_field(ti, jni);
    if (!environment.thread_id)
        return false;
    ixa_starts_reset(&environment.starts, false);
    ixa_threads_running(&environment.starts, ti, jni, environment.thread_id);
    on_thread_start(ti, jni, current); /* the current thread, too, reports its kernel id */
    return enable(ti, JVMTI_EVENT_THREAD_START) && enable(ti, JVMTI_EVENT_THREAD_END);
}

static bool is_live(jvmtiEnv *ti)
{
    jvmtiPhase phase = JVMTI_PHASE_ONLOAD;
    return (*ti)->GetPhase(ti, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_LIVE;
}

bool ixa_environment_is_live(void)
{
    return is_live(environment.ti);
}

static void add_capabilities(jvmtiEnv *ti)
{
    jvmtiCapabilities possible = {0}, wanted = {0};
    if ((*ti)->GetPotentialCapabilities(ti, &possible) != JVMTI_ERROR_NONE)
        return;
    wanted.can_get_line_numbers = possible.can_get_line_numbers;
    wanted.can_get_source_file_name = possible.can_get_source_file_name;
    (*ti)->AddCapabilities(ti, &wanted); /* without them frames only lack their lines */
}

static bool take_events(jvmtiEnv *ti, jvmtiEventVMInit on_vm_init, jvmtiEventVMDeath on_vm_death)
{
    jvmtiEventCallbacks callbacks = {
        .VMInit = on_vm_init,
        .VMDeath = on_vm_death,
        .ThreadStart = on_thread_start,
        .ThreadEnd = on_thread_end,
    };
    ixa_facts_callbacks(&callbacks);
    return ixa_virtual_callbacks(ti, &callbacks) == JVMTI_ERROR_NONE &&
           (is_live(ti) || enable(ti, JVMTI_EVENT_VM_INIT)) && enable(ti, JVMTI_EVENT_VM_DEATH);
}

int ixa_environment_open(JavaVM *vm, jvmtiEventVMInit on_vm_init, jvmtiEventVMDeath on_vm_death,
                         struct ix_error *err)
{
    jvmtiEnv *ti;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK)
        return ix_fail(err, "this JVM has no JVMTI 1.2");
    add_capabilities(ti);
    if (!take_events(ti, on_vm_init, on_vm_death)) {
        (*ti)->DisposeEnvironment(ti);
        return ix_fail(err, "this JVM provides no events");
    }
    environment.ti = ti;
    return 0;
}

void ixa_environment_close(void)
{
    static const jvmtiEvent enabled[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
                                         JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END};
    jvmtiEnv *ti = environment.ti;
    jvmtiCapabilities held = {0};
    for (size_t i = 0; i < sizeof enabled / sizeof *enabled; i++)
        (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, enabled[i], NULL);
    if ((*ti)->GetCapabilities(ti, &held) == JVMTI_ERROR_NONE)
        (*ti)->RelinquishCapabilities(ti, &held);
    environment.ti = NULL;
    /* A thread that a debugger has suspended in there may use it in hours: then it stays. And as
     * long as classes have probes, ClassFileLoadHook is needed. */
    if (ixa_natives_quiet(QUIET_MS) && !ixa_facts_last())
        (*ti)->DisposeEnvironment(ti);
    ixa_starts_reset(&environment.starts, true);
}
