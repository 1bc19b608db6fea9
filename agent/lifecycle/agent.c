/* The agent's ways in and out of the JVM. */
#include "agent/agent.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "agent/answer.h"
#include "agent/clock.h"
#include "agent/expand.h"
#include "agent/facts.h"
#include "agent/identity.h"

static struct {
    struct ixa_options given;     /* by all options strings so far */
    struct ixa_settings settings; /* the last ones that the thread got */
    int64_t started_ns;           /* 0: this is the first mention */
    bool late;                    /* it came, or came back, into a JVM that ran already */
} agent;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved);
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm);

static void shift_clock(const struct ixa_options *options)
{
    if (options->testclock_ns)
        ixa_clock_set_shift(options->testclock_ns, options->testclock_ppb);
}

static int load(JavaVM *vm, const char *options, struct ix_error *err)
{
    if (!agent.started_ns)
        agent.started_ns = ixa_real_ns();
    if ((!ixa_events_env() && ixa_events_open(vm, err) != 0) ||
        ixa_options_parse(&agent.given, options, err) != 0 ||
        ixa_identify(ixa_events_env(), &agent.given, agent.started_ns, &agent.settings.options,
                     &agent.settings.who, err) != 0)
        return -1;
    shift_clock(&agent.settings.options);
    ixa_life_set(&agent.settings);
    return 0;
}

/* Called once for each mention of the agent (JAVA_TOOL_OPTIONS, command line): there is one agent,
 * and the later mention's options override the earlier one's key by key. */
jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    struct ix_error err;
    (void)reserved;
    if (load(vm, options, &err) == 0) {
        ixa_facts_prepare(ixa_events_env(), &agent.settings.options.facts);
        return JNI_OK;
    }
    fprintf(stderr, "ixor: %s\n", err.text);
    return JNI_ERR;
}

/* ---- attaching: nothing here waits for anything but the agent's own thread ---- */

static int stuck(struct ix_error *err)
{
    return ix_fail(err, "the agent was told to end and has not ended yet; it may hang in writing "
                        "its log or in resolving its server's name");
}

/* The last settings, with these options. A log that is there already is another one's: of an
 * earlier attach, perhaps. */
static int new_settings(const struct ixa_options *given, struct ixa_settings *settings,
                        struct ix_error *err)
{
    if (ixa_identify(ixa_events_env(), given, agent.started_ns, &settings->options, &settings->who,
                     err) != 0)
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
    const enum ixa_life life = ixa_life_set(settings);
    if (life == IXA_LIFE_STUCK)
        return stuck(err);
    *done = life == IXA_LIFE_RUNNING ? "changed" : "attached";
    if (life == IXA_LIFE_NONE &&
        ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK || !ixa_events_begin(jni)))
        return ix_fail(err, "cannot start a thread in this JVM");
    return 0;
}

/* New settings for the agent, which begins its life with them if it has none. */
static int settle(JavaVM *vm, const struct ixa_options *given, const char **done,
                  struct ix_error *err)
{
    struct ixa_settings settings;
    shift_clock(given);
    if (ixa_life_now() == IXA_LIFE_STUCK)
        return stuck(err); /* it will close the environment at any moment */
    const bool first = !ixa_events_env();
    if (!agent.started_ns)
        agent.started_ns = ixa_started_ns();
    if (first && ixa_events_open(vm, err) != 0)
        return -1;
    agent.late = agent.late || first;
    if (new_settings(given, &settings, err) != 0 || begin(vm, &settings, done, err) != 0) {
        if (first)
            ixa_events_close();
        return -1;
    }
    agent.settings = settings;
    agent.given = *given;
    return 0;
}

/* Everything that JVMTI allows is given back; a later attach begins anew. */
static int leave(const char **done, struct ix_error *err)
{
    const bool there = ixa_events_env();
    if (ixa_life_leave() == IXA_LIFE_STUCK)
        return stuck(err);
    if (!there)
        return ix_fail(err, "there is no agent in this JVM");
    if (ixa_events_env())
        ixa_events_close(); /* the thread had ended by itself */
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
    given.answer[0] = 0; /* these two are errands, not settings */
    given.detach = false;
    int status = ixa_options_parse(&given, options, &err);
    const bool away = given.detach;
    memcpy(to, given.answer, sizeof to);
    given.answer[0] = 0;
    given.detach = false;
    if (status == 0)
        status = away ? leave(&done, &err) : settle(vm, &given, &done, &err);
    if (status != 0)
        ixa_answer_failed(to, err.text);
    else
        ixa_answer_done(to, done, away ? NULL : &agent.settings, agent.late);
    return status;
}

/* Attaching again changes the settings, key by key. A failure changes nothing, and is told to
 * whoever attached; the JVM does not mind. */
jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    /* Not held while a callback or the agent's thread could want it: they never do. */
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    (void)reserved;
    if (pthread_mutex_trylock(&one_at_a_time) != 0)
        return JNI_ERR;
    const int status = attach(vm, options);
    pthread_mutex_unlock(&one_at_a_time);
    return status == 0 ? JNI_OK : JNI_ERR;
}

/* Everything has been ended by VMDeath, or the JVM never lived. */
void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
}
