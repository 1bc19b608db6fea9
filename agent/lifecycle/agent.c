/* SPDX-License-Identifier: Apache-2.0 */
/* The entry and exit points that the JVM calls. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "agent/base/clock.h"
#include "agent/base/log_once.h"
#include "agent/lifecycle/answer.h"
#include "agent/lifecycle/environment.h"
#include "agent/lifecycle/events.h"
#include "agent/lifecycle/life.h"
#include "agent/lifecycle/tests.h"
#include "agent/record/facts.h"
#include "agent/settings/expand.h"

static struct {
    struct ixa_options given;     /* from all options strings so far */
    struct ixa_settings settings; /* the last settings passed to the thread */
    int64_t started_ns;           /* 0: the agent has not been mentioned before */
    bool late;                    /* loaded, or loaded again, into a running JVM */
} agent;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved);
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm);

static void shift_clock(const struct ixa_options *options)
{
    if (options->testclock_ns)
        ixa_clock_set_shift(options->testclock_ns, options->testclock_ppb);
}

/* The JVM opens files whenever it loads a class. Where it may have only a few, those that the agent
 * opens for a moment could make that fail. */
#define FILES_MIN 32

static int check_files(struct ix_error *err)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FILES_MIN)
        return 0;
    return ix_fail(err,
                   "this process may open only %llu files (ulimit -n), and the agent needs some",
                   (unsigned long long)limit.rlim_cur);
}

/* Collects what the options ask for, where this JVM runs and how it was started. */
static int prepare(struct ix_error *err)
{
    if (check_files(err) != 0 || ixa_options_read_key(&agent.given, err) != 0 ||
        ixa_identify(ixa_environment(), &agent.given, agent.started_ns, &agent.settings, err) != 0)
        return -1;
    /* In containers that share a directory each JVM is process 1. */
    if (ixa_unused_path(agent.settings.who.log, sizeof agent.settings.who.log) != 0)
        return ix_fail(err, "there are too many logs like '%s'", agent.settings.who.log);
    shift_clock(&agent.settings.options);
    ixa_tests_prepare(&agent.settings);
    ixa_life_set(&agent.settings);
    ixa_facts_prepare(ixa_environment(), &agent.settings.options.facts);
    return 0;
}

/* Called once for each mention of the agent (JAVA_TOOL_OPTIONS, command line). There is one agent,
 * and a later mention's options override the earlier ones key by key.
 *
 * Only options that are wrong in themselves stop the JVM. Other problems (a missing or bad
 * environment variable, an unreadable key file) are not the fault of whoever wrote the options: the
 * JVM may be a distant child process that inherited them. A later mention may fix them. */
jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    struct ix_error err;
    (void)reserved;
    if (!agent.started_ns)
        agent.started_ns = ix_real_ns();
    if (ixa_options_parse(&agent.given, options, &err) != 0) {
        fprintf(stderr, "ixor: %s\n", err.text);
        return JNI_ERR;
    }
    if (!ixa_environment() && ixa_events_open(vm, &err) != 0)
        ixa_log_once("%s; the application goes on without sampling", err.text);
    else
        ixa_events_give_up(prepare(&err) == 0 ? NULL : &err);
    return JNI_OK;
}

/* ---- attaching: nothing here waits for anything but the agent's own thread ---- */

static int fail_stuck(struct ix_error *err)
{
    return ix_fail(err, "the agent has not ended yet; it may be stuck in writing its log or in "
                        "resolving its server's name");
}

/* The last settings with these options applied. If the log already exists, it belongs to another
 * session, perhaps to an earlier attach. */
static int new_settings(const struct ixa_options *given, struct ixa_settings *settings,
                        struct ix_error *err)
{
    if (check_files(err) != 0 ||
        ixa_identify(ixa_environment(), given, agent.started_ns, settings, err) != 0)
        return -1;
    if (ixa_life_now() == IXA_LIFE_RUNNING &&
        ixa_options_same_log(&settings->options, &agent.settings.options))
        memcpy(settings->who.log, agent.settings.who.log, sizeof settings->who.log);
    else if (ixa_unused_path(settings->who.log, sizeof settings->who.log) != 0)
        return ix_fail(err, "there are too many logs like '%s'", settings->who.log);
    return 0;
}

static int begin(JavaVM *vm, const struct ixa_settings *settings, const char **done,
                 struct ix_error *err)
{
    JNIEnv *jni;
    ixa_tests_prepare(settings);
    const enum ixa_life life = ixa_life_set(settings);
    if (life == IXA_LIFE_STUCK)
        return fail_stuck(err);
    *done = life == IXA_LIFE_RUNNING ? "changed" : "attached";
    if (life == IXA_LIFE_NONE &&
        ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK || !ixa_events_begin(jni)))
        return ix_fail(err, "cannot start a thread in this JVM");
    return 0;
}

/* Applies new settings to the agent, and starts it with them if it is not running. */
static int apply_options(JavaVM *vm, const struct ixa_options *given, const char **done,
                         struct ix_error *err)
{
    struct ixa_settings settings;
    shift_clock(given);
    if (ixa_life_now() == IXA_LIFE_STUCK)
        return fail_stuck(err); /* it may close the environment at any moment */
    const bool first = !ixa_environment();
    if (!agent.started_ns)
        agent.started_ns = ixa_started_ns();
    if (first && ixa_events_open(vm, err) != 0)
        return -1;
    agent.late = agent.late || first;
    if (new_settings(given, &settings, err) != 0 || begin(vm, &settings, done, err) != 0) {
        if (first)
            ixa_environment_close();
        return -1;
    }
    agent.settings = settings;
    agent.given = *given;
    return 0;
}

/* Gives back everything that JVMTI allows; a later attach starts afresh. */
static int detach(const char **done, struct ix_error *err)
{
    const bool there = ixa_environment();
    if (ixa_life_leave() == IXA_LIFE_STUCK)
        return fail_stuck(err);
    if (!there)
        return ix_fail(err, "there is no agent in this JVM");
    if (ixa_environment())
        ixa_environment_close(); /* the thread had already ended */
    agent.given = (struct ixa_options){0};
    *done = "detached";
    return 0;
}

static int attach(JavaVM *vm, const char *options)
{
    struct ix_error err;
    struct ixa_options given = agent.given;
    char to[sizeof given.answer];
    const char *done = NULL;
    given.answer[0] = 0; /* these two are one-time requests, not settings */
    given.detach = false;
    int status = ixa_options_parse(&given, options, &err);
    if (status == 0)
        status = ixa_options_read_key(&given, &err);
    const bool away = given.detach;
    memcpy(to, given.answer, sizeof to);
    given.answer[0] = 0;
    given.detach = false;
    if (status == 0)
        status = away ? detach(&done, &err) : apply_options(vm, &given, &done, &err);
    if (status != 0)
        ixa_answer_failed(to, err.text);
    else
        ixa_answer_done(to, done, away ? NULL : &agent.settings, agent.late);
    return status;
}

/* Attaching again changes the settings, key by key. A failure changes nothing and is reported to
 * the program that attached; the JVM is not affected. */
jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    /* Never held while a callback or the agent's thread could want it: they do not take it. */
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    (void)reserved;
    if (pthread_mutex_trylock(&one_at_a_time) != 0)
        return JNI_ERR;
    const int status = attach(vm, options);
    pthread_mutex_unlock(&one_at_a_time);
    return status == 0 ? JNI_OK : JNI_ERR;
}

/* VMDeath has ended everything, or the JVM never started. */
void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
}
