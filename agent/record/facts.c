/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/facts.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/clock.h"
#include "agent/base/log_once.h"
#include "agent/record/connections.h"
#include "agent/record/coverage.h"
#include "agent/record/exceptions.h"
#include "agent/record/firsts.h"
#include "agent/record/invocations.h"
#include "agent/record/process.h"
#include "agent/record/starters.h"

static struct {
    jvmtiEnv *ti;
    struct ixa_wanted_facts on;
    struct ixa_locks locks;
    struct ixa_exceptions exceptions;
    struct ixa_firsts firsts;
    struct ixa_process process;
    struct ixa_collections collections;
    struct ixa_starters starters;
    struct ixa_turns turns;
    struct ixa_connections connections;
    struct ixa_invocations invocations;
    struct ixa_coverage coverage;
    bool between_tests; /* it lasts between the logs of tests, too */
} facts = {.exceptions.thrown = IXA_THROWN_OFF,
           .firsts.lock = PTHREAD_MUTEX_INITIALIZER,
           .starters.lock = PTHREAD_MUTEX_INITIALIZER,
           .invocations.lock = PTHREAD_MUTEX_INITIALIZER,
           .coverage.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- events ---- */

static void JNICALL on_exception(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jmethodID method,
                                 jlocation location, jobject exception, jmethodID catch_method,
                                 jlocation catch_location)
{
    (void)catch_method;
    (void)catch_location;
    ixa_exceptions_on_throw(&facts.exceptions, ti, jni, thread, method, location, exception);
}

static void JNICALL on_prepare(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jclass class)
{
    ixa_firsts_on_prepare(&facts.firsts, ti, jni, thread, class);
    ixa_invocations_on_prepare(&facts.invocations, ti, jni, class);
    ixa_coverage_on_prepare(&facts.coverage, ti, jni, class);
}

static void JNICALL on_load(jvmtiEnv *ti, JNIEnv *jni, jclass redefined, jobject loader,
                            const char *name, jobject domain, jint length,
                            const unsigned char *bytes, jint *new_length, unsigned char **new_bytes)
{
    (void)domain;
    ixa_coverage_on_load(&facts.coverage, ti, jni, redefined, loader, name, length, bytes,
                         new_length, new_bytes);
}

static void on_made(JNIEnv *jni, jobject exception)
{
    ixa_firsts_on_made(&facts.firsts, facts.ti, jni, exception);
}

static void on_start(JNIEnv *jni, jobject thread)
{
    ixa_starters_on_start(&facts.starters, facts.ti, jni, thread);
}

static void JNICALL on_enter(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jobject object)
{
    (void)ti;
    (void)object;
    ixa_changes_on_change(&facts.locks.changes, jni, thread);
}

static void JNICALL on_wait(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jobject object,
                            jlong timeout)
{
    (void)ti;
    (void)timeout;
    ixa_changes_on_wait(&facts.locks.changes, jni, thread, object);
}

static void JNICALL on_waited(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jobject object,
                              jboolean timed_out)
{
    (void)ti;
    (void)object;
    (void)timed_out;
    ixa_changes_on_waited(&facts.locks.changes, jni, thread);
}

/* Called on the JVM's own thread, while all others are stopped. */
static void JNICALL on_collection_start(jvmtiEnv *ti)
{
    (void)ti;
    ixa_collections_start(&facts.collections, ixa_mono_ns());
}

static void JNICALL on_collection_finish(jvmtiEnv *ti)
{
    (void)ti;
    ixa_collections_finish(&facts.collections, ixa_mono_ns());
}

void ixa_facts_callbacks(jvmtiEventCallbacks *callbacks)
{
    callbacks->Exception = on_exception;
    callbacks->ClassPrepare = on_prepare;
    callbacks->ClassFileLoadHook = on_load;
    callbacks->NativeMethodBind = ixa_natives_on_bind;
    callbacks->MonitorContendedEnter = on_enter;
    callbacks->MonitorContendedEntered = on_enter;
    callbacks->MonitorWait = on_wait;
    callbacks->MonitorWaited = on_waited;
    callbacks->GarbageCollectionStart = on_collection_start;
    callbacks->GarbageCollectionFinish = on_collection_finish;
}

/* ---- on and off ---- */

static jvmtiCapabilities capabilities(const struct ixa_wanted_facts *wanted)
{
    return (jvmtiCapabilities){
        .can_get_owned_monitor_stack_depth_info = wanted->locks,
        .can_get_current_contended_monitor = wanted->locks,
        .can_generate_monitor_events = wanted->locks,
        .can_generate_exception_events = wanted->exceptions,
        .can_generate_garbage_collection_events = wanted->process,
    };
}

/* One by one, so that a refused capability does not prevent another. */
static void get_capabilities(jvmtiEnv *ti, const struct ixa_wanted_facts *wanted)
{
    const jvmtiCapabilities each[] = {
        capabilities(&(struct ixa_wanted_facts){.locks = wanted->locks}),
        capabilities(&(struct ixa_wanted_facts){.exceptions = wanted->exceptions}),
        capabilities(&(struct ixa_wanted_facts){.process = wanted->process}),
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        (*ti)->AddCapabilities(ti, &each[i]);
}

void ixa_facts_prepare(jvmtiEnv *ti, const struct ixa_wanted_facts *wanted)
{
    const jvmtiCapabilities unwanted = capabilities(&(struct ixa_wanted_facts){
        .locks = !wanted->locks, .exceptions = !wanted->exceptions, .process = !wanted->process});
    (*ti)->RelinquishCapabilities(ti, &unwanted);
    get_capabilities(ti, wanted);
    ixa_natives_prepare(ti, wanted->firsts || wanted->process);
}

/* Without the events, and without who starts threads, there are the other figures. */
static void start_process(const struct ixa_facts_config *config, JNIEnv *jni)
{
    jvmtiEnv *ti = config->ti;
    ixa_process_open(&facts.process);
    ixa_turns_start(&facts.turns, config->starts);
    ixa_starters_start(&facts.starters, ti, jni, config->thread_id, on_start);
    if ((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                        NULL) == JVMTI_ERROR_NONE)
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                        NULL);
}

static void stop_process(JNIEnv *jni)
{
    jvmtiEnv *ti = facts.ti;
    if (jni) {
        (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                        NULL);
        (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                        NULL);
    }
    ixa_process_close(&facts.process);
    ixa_starters_stop(&facts.starters, jni);
    ixa_turns_stop(&facts.turns);
}

/* First exceptions, invocations and coverage need it. */
static bool tell_prepared(jvmtiEnv *ti, jvmtiEventMode mode)
{
    return (*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_CLASS_PREPARE, NULL) ==
           JVMTI_ERROR_NONE;
}

static bool tell_loaded(jvmtiEnv *ti, jvmtiEventMode mode)
{
    return (*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL) ==
           JVMTI_ERROR_NONE;
}

/* Classes with probes may be redefined later. */
static void stop_coverage(JNIEnv *jni)
{
    if (jni && !ixa_coverage_lasts(&facts.coverage))
        tell_loaded(facts.ti, JVMTI_DISABLE);
    ixa_coverage_stop(&facts.coverage, jni);
}

static void stop_unwanted(const struct ixa_wanted_facts *wanted, JNIEnv *jni)
{
    if (facts.on.locks && !wanted->locks)
        ixa_locks_stop(&facts.locks, jni);
    if (facts.on.exceptions && !wanted->exceptions)
        ixa_exceptions_stop(&facts.exceptions, facts.ti, jni);
    if (facts.on.firsts && !wanted->firsts)
        ixa_firsts_stop(&facts.firsts, jni);
    if (facts.on.process && !wanted->process)
        stop_process(jni);
    if (facts.on.connections && !wanted->connections)
        ixa_connections_stop(&facts.connections);
    if (facts.on.invocations && !wanted->invocations)
        ixa_invocations_stop(&facts.invocations, jni);
    if (facts.on.coverage && !wanted->coverage && !facts.between_tests)
        stop_coverage(jni);
    facts.on.locks &= wanted->locks;
    facts.on.exceptions &= wanted->exceptions;
    facts.on.firsts &= wanted->firsts;
    facts.on.process &= wanted->process;
    facts.on.connections &= wanted->connections;
    facts.on.invocations &= wanted->invocations;
    facts.on.coverage &= wanted->coverage;
    if (jni && !facts.on.firsts && !facts.on.invocations && !facts.on.coverage &&
        !facts.between_tests)
        tell_prepared(facts.ti, JVMTI_DISABLE);
}

static void start_firsts(const struct ixa_facts_config *config, JNIEnv *jni)
{
    if (config->wanted.firsts && !facts.on.firsts)
        facts.on.firsts = (config->of_test || tell_prepared(config->ti, JVMTI_ENABLE)) &&
                          ixa_firsts_start(&facts.firsts, config->ti, jni, config->thread_id,
                                           on_made, config->of_test) == 0;
}

/* A test's classes were mostly prepared, and its methods compiled, for tests before it. */
static void start_invocations(const struct ixa_facts_config *config, JNIEnv *jni)
{
    if (config->wanted.invocations && !facts.on.invocations && !config->of_test)
        facts.on.invocations = tell_prepared(config->ti, JVMTI_ENABLE) &&
                               ixa_invocations_start(&facts.invocations, config->ti, jni) == 0;
}

/* False: it cannot be. */
static bool probe_classes(const struct ixa_facts_config *config, JNIEnv *jni, bool of_tests)
{
    if (ixa_coverage_start(&facts.coverage, config->ti, of_tests) != 0)
        return false;
    if (tell_prepared(config->ti, JVMTI_ENABLE) && tell_loaded(config->ti, JVMTI_ENABLE))
        return true;
    stop_coverage(jni);
    return false;
}

/* The classes of a test may have been loaded before it. */
static void start_coverage(const struct ixa_facts_config *config, JNIEnv *jni)
{
    if (!config->wanted.coverage || facts.on.coverage)
        return;
    if (facts.between_tests)
        ixa_coverage_anew(&facts.coverage, config->ti, jni);
    else if (!probe_classes(config, jni, config->of_test))
        return;
    facts.between_tests = config->of_test;
    facts.on.coverage = true;
}

static void start_wanted(const struct ixa_facts_config *config, JNIEnv *jni)
{
    const struct ixa_wanted_facts *wanted = &config->wanted;
    if (wanted->locks && !facts.on.locks)
        facts.on.locks =
            ixa_locks_start(&facts.locks, config->ti, jni, config->thread_id, config->starts) == 0;
    if (wanted->exceptions && !facts.on.exceptions)
        facts.on.exceptions =
            ixa_exceptions_start(&facts.exceptions, config->ti, config->thread_id) == 0;
    start_firsts(config, jni);
    if (wanted->process && !facts.on.process)
        start_process(config, jni);
    facts.on.process |= wanted->process;
    if (wanted->connections && !facts.on.connections)
        facts.on.connections = ixa_connections_start(&facts.connections, config->starts) == 0;
    start_invocations(config, jni);
    start_coverage(config, jni);
}

/* The kinds that are on, as in META. */
static const char *list_kinds(char names[96])
{
    const struct ixa_wanted_facts *on = &facts.on;
    const int len =
        snprintf(names, 96, "%s%s%s%s%s%s%s%s", on->locks ? " locks" : "",
                 on->exceptions ? " exceptions" : "", on->firsts ? " first-exceptions" : "",
                 on->firsts && facts.firsts.has_places ? " exception-places" : "",
                 on->process ? " process" : "", on->connections ? " connections" : "",
                 on->invocations ? " invocations" : "", on->coverage ? " coverage" : "");
    return len ? names + 1 : names;
}

void ixa_facts_begin_early(const struct ixa_facts_config *config, JNIEnv *jni)
{
    facts.ti = config->ti;
    start_firsts(config, jni);
    start_invocations(config, jni);
    start_coverage(config, jni);
}

void ixa_facts_begin_tests(const struct ixa_facts_config *config, JNIEnv *jni)
{
    facts.ti = config->ti;
    facts.between_tests = config->wanted.coverage && probe_classes(config, jni, true);
}

/* From now on it ends with the log, as of a JVM that runs no tests. */
static void forget_tests(void)
{
    facts.on.coverage |= facts.between_tests;
    facts.between_tests = false;
}

int ixa_facts_set(const struct ixa_facts_config *config, JNIEnv *jni, struct ix_log_writer *log)
{
    char names[96];
    const bool were = *list_kinds(names);
    facts.ti = config->ti;
    if (!config->wanted.coverage)
        forget_tests();
    stop_unwanted(&config->wanted, jni);
    get_capabilities(config->ti, &config->wanted);
    start_wanted(config, jni);
    if (config->wanted.locks && !facts.on.locks)
        ixa_log_once(
            "locks=on is not possible in this JVM, or not any longer; continuing without it");
    if (config->wanted.firsts && !facts.on.firsts && !config->of_test)
        ixa_log_once("exceptions=first is not possible in this JVM; continuing without it");
    if (config->wanted.exceptions && !facts.on.exceptions)
        ixa_log_once(
            "exceptions=on is not possible in this JVM, or not any longer; continuing without it");
    const char *kinds = list_kinds(names);
    return *kinds || were ? ix_log_meta(log, "facts", kinds) : 0;
}

void ixa_facts_leave(JNIEnv *jni)
{
    stop_unwanted(&(struct ixa_wanted_facts){0}, jni);
}

void ixa_facts_end(JNIEnv *jni)
{
    forget_tests();
    ixa_facts_leave(jni);
}

bool ixa_facts_last(void)
{
    return ixa_coverage_lasts(&facts.coverage);
}

/* ---- a packet ---- */

void ixa_facts_begin(void)
{
    if (facts.on.locks)
        ixa_locks_begin(&facts.locks);
    if (facts.on.connections)
        ixa_connections_begin(&facts.connections);
}

struct ixa_connections *ixa_facts_connections(void)
{
    return facts.on.connections ? &facts.connections : NULL;
}

struct ixa_turns *ixa_facts_turns(void)
{
    return facts.on.process ? &facts.turns : NULL;
}

void ixa_facts_leave_out(int fd)
{
    facts.connections.sockets.own = fd + 1;
}

void ixa_facts_forget(void)
{
    if (facts.on.locks)
        ixa_locks_forget(&facts.locks);
    if (facts.on.connections)
        ixa_connections_forget(&facts.connections);
    ixa_invocations_forget(&facts.invocations);
}

struct ixa_locks *ixa_facts_locks(void)
{
    return facts.on.locks ? &facts.locks : NULL;
}

static int write_process(struct ix_log_writer *log)
{
    struct ix_process process;
    ixa_process_read(&facts.process, &facts.collections, ixa_mono_ns(), &process);
    return ix_log_process(log, &process);
}

static int write_exceptions(JNIEnv *jni, struct ixa_names *names, const struct ixa_threads *threads,
                            struct ix_log_writer *log)
{
    if (facts.on.exceptions &&
        ixa_exceptions_write(&facts.exceptions, jni, names, threads, log) != 0)
        return -1;
    return facts.on.firsts ? ixa_firsts_write(&facts.firsts, jni, names, threads, log) : 0;
}

static int write_invocations(JNIEnv *jni, struct ixa_names *names, struct ix_log_writer *log,
                             bool last)
{
    return facts.on.invocations
               ? ixa_invocations_write(&facts.invocations, facts.ti, jni, names, log, last)
               : 0;
}

static int write_coverage(JNIEnv *jni, struct ixa_names *names, struct ix_log_writer *log,
                          uint64_t packet)
{
    return facts.on.coverage
               ? ixa_coverage_write(&facts.coverage, facts.ti, jni, names, log, packet)
               : 0;
}

int ixa_facts_write_rest(JNIEnv *jni, struct ixa_names *names, const struct ixa_threads *threads,
                         struct ix_log_writer *log)
{
    return write_exceptions(jni, names, threads, log) == 0 &&
                   write_invocations(jni, names, log, true) == 0
               ? write_coverage(jni, names, log, 0)
               : -1;
}

static void tell_turns(const struct ixa_sleepers *sleepers)
{
    for (size_t i = 0; i < sleepers->used_count; i++) {
        const struct ixa_sleeper *sleeper = &sleepers->list[sleepers->used[i]];
        if (sleeper->count)
            ixa_turns_known(&facts.turns, sleeper->key, sleeper->count);
    }
}

/* After the others, which have read some of these numbers. */
static int write_turns(const struct ixa_threads *threads, struct ix_log_writer *log)
{
    if (facts.on.locks)
        tell_turns(&facts.locks.parks.sleepers);
    if (facts.on.connections)
        tell_turns(&facts.connections.sleepers);
    return ixa_turns_write(&facts.turns, threads, log);
}

int ixa_facts_write(JNIEnv *jni, struct ixa_names *names, const struct ixa_threads *threads,
                    struct ix_log_writer *log, uint64_t packet)
{
    if (facts.on.process && (write_process(log) != 0 ||
                             ixa_starters_write(&facts.starters, jni, names, threads, log) != 0))
        return -1;
    if (facts.on.locks && ixa_locks_write(&facts.locks, jni, names, threads, log) != 0)
        return -1;
    if (write_exceptions(jni, names, threads, log) != 0)
        return -1;
    if (facts.on.connections && ixa_connections_write(&facts.connections, threads, log) != 0)
        return -1;
    if (facts.on.process && write_turns(threads, log) != 0)
        return -1;
    return write_invocations(jni, names, log, false) == 0 ? write_coverage(jni, names, log, packet)
                                                          : -1;
}
