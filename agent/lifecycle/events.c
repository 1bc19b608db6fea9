/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/lifecycle/events.h"

#include "agent/base/log_once.h"
#include "agent/lifecycle/environment.h"
#include "agent/lifecycle/life.h"
#include "agent/lifecycle/tests.h"
#include "agent/record/facts.h"

static struct {
    bool given_up;
    struct ix_error why;
} events;

void ixa_events_give_up(const struct ix_error *why)
{
    events.given_up = why;
    if (why)
        events.why = *why;
}

/* What begins before the server is reached. */
static void begin_early(JNIEnv *jni, const struct ixa_options *options, bool from_start)
{
    const struct ixa_facts_config facts = {.ti = ixa_environment(),
                                           .thread_id = ixa_environment_thread_id(),
                                           .wanted = options->facts};
    ixa_environment_follow_virtuals(options, from_start);
    if (options->tests)
        ixa_facts_begin_tests(&facts, jni);
    else
        ixa_facts_begin_early(&facts, jni);
}

static bool begin(JNIEnv *jni, bool from_start)
{
    if (ixa_life_now() == IXA_LIFE_RUNNING || !ixa_environment_is_live())
        return true;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    const bool good = ixa_environment_number_threads(jni);
    if (good)
        begin_early(jni, ixa_life_options(), from_start);
    const bool started = good && ixa_life_start(ixa_environment(), jni);
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
    (void)current;
    if (!events.given_up)
        ixa_tests_add_jar(ti, jni);
    if (events.given_up) {
        ixa_log_once("%s; the application goes on without sampling", events.why.text);
        ixa_environment_close();
    } else if (!begin(jni, true))
        ixa_log_once("cannot start a thread; the application goes on without sampling");
}

static void JNICALL on_vm_death(jvmtiEnv *ti, JNIEnv *jni)
{
    (void)ti;
    (void)jni;
    ixa_tests_end();
    ixa_life_end();
}

int ixa_events_open(JavaVM *vm, struct ix_error *err)
{
    return ixa_environment_open(vm, on_vm_init, on_vm_death, err);
}
