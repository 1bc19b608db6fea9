/* What the agent is told by the JVM: its JVMTI environment and the callbacks. */
#include <unistd.h>

#include "agent/agent.h"
#include "agent/facts.h"
#include "agent/say.h"
#include "agent/threads.h"
#include "agent/virtual.h"

static struct {
    jvmtiEnv *ti;
    struct ixa_starts starts;
    /* In turn: a callback may still be at the one before when the next begins. */
    struct ixa_virtual virtuals[2];
    unsigned turn;
    enum ixa_virtual_mode virtual_mode; /* how they are followed now */
    uint32_t virtual_limit;
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

struct ixa_virtual *ixa_events_virtuals(void)
{
    return &events.virtuals[events.turn];
}

/* from_start: no thread of the application has run yet. */
static void follow_virtuals(const struct ixa_options *options, bool from_start)
{
    events.virtual_mode = options->virtual_mode;
    events.virtual_limit = options->virtual_limit;
    events.turn ^= 1;
    ixa_virtual_begin(ixa_events_virtuals(), events.ti, options, events.thread_id, &events.starts,
                      from_start);
}

void ixa_events_renew(JNIEnv *jni, const struct ixa_options *options)
{
    if (options->virtual_mode == events.virtual_mode &&
        options->virtual_limit == events.virtual_limit)
        return;
    ixa_virtual_end(ixa_events_virtuals(), jni);
    follow_virtuals(options, false);
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
    ixa_starts_reset(&events.starts, false);
    ixa_threads_running(&events.starts, ti, jni, events.thread_id);
    on_thread_start(ti, jni, current); /* this one, too, tells its number in the kernel */
    return enable(ti, JVMTI_EVENT_THREAD_START) && enable(ti, JVMTI_EVENT_THREAD_END);
}

static bool is_live(jvmtiEnv *ti)
{
    jvmtiPhase phase = JVMTI_PHASE_ONLOAD;
    return (*ti)->GetPhase(ti, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_LIVE;
}

static bool begin(JNIEnv *jni, bool from_start)
{
    jvmtiEnv *ti = events.ti;
    jthread current = NULL;
    if (ixa_life_now() == IXA_LIFE_RUNNING || !is_live(ti))
        return true;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    const bool good = (*ti)->GetCurrentThread(ti, &current) == JVMTI_ERROR_NONE &&
                      know_threads(ti, jni, current);
    if (good)
        follow_virtuals(ixa_life_options(), from_start);
    const bool started = good && ixa_life_start(ti, jni);
    if (!started)
        (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return started;
}

bool ixa_events_begin(JNIEnv *jni)
{
    return begin(jni, false);
}

static void JNICALL on_vm_init(jvmtiEnv *ti, JNIEnv *jni, jthread current)
{
    (void)ti;
    (void)current;
    if (!begin(jni, true))
        ixa_say_once("cannot start a thread; the application goes on without sampling");
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

static bool take_events(jvmtiEnv *ti)
{
    jvmtiEventCallbacks callbacks = {
        .VMInit = on_vm_init,
        .VMDeath = on_vm_death,
        .ThreadStart = on_thread_start,
        .ThreadEnd = on_thread_end,
    };
    ixa_facts_callbacks(&callbacks);
    return ixa_virtual_callbacks(ti, &callbacks) == JVMTI_ERROR_NONE &&
           (is_live(ti) || enable(ti, JVMTI_EVENT_VM_INIT)) &&
           enable(ti, JVMTI_EVENT_VM_DEATH);
}

int ixa_events_open(JavaVM *vm, struct ix_error *err)
{
    jvmtiEnv *ti;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK)
        return ix_fail(err, "this JVM has no JVMTI 1.2");
    add_capabilities(ti);
    if (!take_events(ti)) {
        (*ti)->DisposeEnvironment(ti);
        return ix_fail(err, "this JVM gives no events");
    }
    events.ti = ti;
    return 0;
}

void ixa_events_close(void)
{
    static const jvmtiEvent enabled[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
                                         JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END};
    jvmtiEnv *ti = events.ti;
    jvmtiCapabilities held = {0};
    for (size_t i = 0; i < sizeof enabled / sizeof *enabled; i++)
        (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, enabled[i], NULL);
    if ((*ti)->GetCapabilities(ti, &held) == JVMTI_ERROR_NONE)
        (*ti)->RelinquishCapabilities(ti, &held);
    events.ti = NULL;
    (*ti)->DisposeEnvironment(ti);
    ixa_starts_reset(&events.starts, true);
}
