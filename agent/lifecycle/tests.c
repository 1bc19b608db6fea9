/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/lifecycle/tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/log_once.h"
#include "agent/base/utf8.h"
#include "agent/lifecycle/environment.h"
#include "agent/lifecycle/life.h"
#include "agent/settings/expand.h"
#include "schema/base/utf8.h"

#define CHARS_MAX 1000 /* of a string from Java; UTF-8 has at most 3 bytes for each */
#define LAUNCHER "org/junit/platform/launcher/TestExecutionListener.class"

static struct {
    pthread_mutex_t lock; /* protects everything below; never held while waiting or in the JVM */
    struct ixa_settings settings; /* of all tests; zero before ixa_tests_prepare */
    unsigned open;                /* tests that have begun and not ended */
    bool recorded;                /* the only open one has a run */
    bool hasty;                   /* the last one had none: do not wait */
    uint64_t count;
    struct ixa_settings own; /* of the last test; here because it is too large for a stack */
} tests = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool awaited; /* tests are to be recorded, and none has begun; no lock at VMDeath */

/* The name includes the types, because a jar of an earlier version calls begin(String). */
JNIEXPORT jint JNICALL Java_ixor_junit_Agent_begin__Ljava_lang_String_2J(JNIEnv *jni, jclass class,
                                                                         jstring name,
                                                                         jlong burst_ms);
JNIEXPORT void JNICALL Java_ixor_junit_Agent_end(JNIEnv *jni, jclass class, jint verdict,
                                                 jstring text);

void ixa_tests_prepare(const struct ixa_settings *settings)
{
    pthread_mutex_lock(&tests.lock);
    tests.settings = *settings;
    atomic_store(&awaited, settings->paused && !tests.count);
    pthread_mutex_unlock(&tests.lock);
}

/* Copies as much of a string as fits; NULL is empty. */
static void copy_text(JNIEnv *jni, jstring from, char *to, size_t size)
{
    char text[3 * CHARS_MAX + 1] = "";
    const jsize chars = from ? (*jni)->GetStringLength(jni, from) : 0;
    if (chars)
        (*jni)->GetStringUTFRegion(jni, from, 0, chars < CHARS_MAX ? chars : CHARS_MAX, text);
    struct ix_out out = {0};
    const char *good = ixa_utf8(&out, text, strlen(text));
    const size_t len = good ? ix_utf8_bounded(good, size - 1) : 0;
    if (len)
        memcpy(to, good, len);
    to[len] = 0;
    ix_out_free(&out);
}

/* Makes it a run's name, which is also a file's. */
static void make_name(char *name)
{
    if (!*name)
        memcpy(name, "_", 2);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '/' || *c == 0x7f || (*c == '.' && c == name))
            *c = '_';
}

/* With the lock held: a run of its own, with a log of its own. False if that is not possible. */
static bool begin_run(const char *name, uint64_t burst_ns)
{
    struct ixa_settings *own = &tests.own;
    *own = tests.settings;
    own->paused = false;
    own->test = ++tests.count;
    own->who.test = true;
    own->who.burst_ns = burst_ns;
    memcpy(own->who.execution, name, strlen(name) + 1);
    memcpy(own->options.execution, name, strlen(name) + 1);
    return ixa_numbered_path(own->who.log, sizeof own->who.log, own->test) == 0 &&
           ixa_life_turn(own, NULL);
}

/* With the lock held. */
static void end_run(enum ix_test_verdict verdict, const char *text)
{
    struct ixa_farewell farewell = {.verdict = verdict};
    memcpy(farewell.text, text, strlen(text) + 1);
    tests.recorded = false;
    ixa_life_turn(&tests.settings, &farewell);
}

/* With the lock held: counts a test that begins. */
static enum ixa_begun count_begin(const char *name, uint64_t burst_ns)
{
    if (!tests.settings.paused)
        return IXA_NOT_ASKED;
    atomic_store(&awaited, false);
    if (tests.open++) {
        if (tests.recorded)
            end_run(IX_TEST_ABORTED, "another test began in the same JVM");
        return IXA_PARALLEL;
    }
    tests.recorded = begin_run(name, burst_ns);
    ixa_starts_test(ixa_environment_starts(), tests.count);
    return tests.recorded ? IXA_BEGUN : IXA_NOT_REACHED;
}

static enum ixa_begun await_begin(unsigned ms)
{
    char host[IXA_HOST_MAX + 1];
    const bool good = ixa_life_turned(ms);
    pthread_mutex_lock(&tests.lock);
    const bool first = !good && !tests.hasty;
    const unsigned port = tests.settings.options.port;
    tests.hasty = !good;
    memcpy(host, tests.settings.options.host, sizeof host);
    pthread_mutex_unlock(&tests.lock);
    if (first)
        ixa_log_once("no server at %s, port %u; tests are not recorded while there is none", host,
                     port);
    return good ? IXA_BEGUN : IXA_NOT_REACHED;
}

/* A time too long to be one is none. */
static uint64_t burst_ns_of(jlong ms)
{
    return ms > 0 && (uint64_t)ms <= IX_CLOCK_MAX_NS / 1000000 ? (uint64_t)ms * 1000000 : 0;
}

jint JNICALL Java_ixor_junit_Agent_begin__Ljava_lang_String_2J(JNIEnv *jni, jclass class,
                                                               jstring name, jlong burst_ms)
{
    char text[IX_TEST_NAME_MAX + 1];
    (void)class;
    copy_text(jni, name, text, sizeof text);
    make_name(text);
    pthread_mutex_lock(&tests.lock);
    const enum ixa_begun begun = count_begin(text, burst_ns_of(burst_ms));
    const unsigned ms = tests.hasty ? 0 : IXA_TEST_BEGIN_MS;
    pthread_mutex_unlock(&tests.lock);
    return begun == IXA_BEGUN ? await_begin(ms) : begun;
}

void JNICALL Java_ixor_junit_Agent_end(JNIEnv *jni, jclass class, jint verdict, jstring text)
{
    char more[IX_REASON_MAX + 1];
    (void)class;
    copy_text(jni, text, more, sizeof more);
    pthread_mutex_lock(&tests.lock);
    const bool recorded = tests.recorded;
    if (tests.open && --tests.open == 0)
        ixa_starts_test(ixa_environment_starts(), 0);
    if (recorded)
        end_run(verdict >= IX_TEST_NONE && verdict <= IX_TEST_ABORTED
                    ? (enum ix_test_verdict)verdict
                    : IX_TEST_ABORTED,
                more);
    pthread_mutex_unlock(&tests.lock);
    if (recorded)
        ixa_life_turned(IXA_TEST_END_MS);
}

/* Whether the system class loader finds JUnit's launcher. */
static bool has_launcher(JNIEnv *jni)
{
    jclass loader = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    jmethodID find = loader ? (*jni)->GetStaticMethodID(jni, loader, "getSystemResource",
                                                        "(Ljava/lang/String;)Ljava/net/URL;")
                            : NULL;
    jstring name = find ? (*jni)->NewStringUTF(jni, LAUNCHER) : NULL;
    jobject url = name ? (*jni)->CallStaticObjectMethod(jni, loader, find, name) : NULL;
    const bool failed = (*jni)->ExceptionCheck(jni);
    if (failed)
        (*jni)->ExceptionClear(jni);
    return url && !failed;
}

void ixa_tests_add_jar(jvmtiEnv *ti, JNIEnv *jni)
{
    const char *jar = getenv("IXOR_JUNIT_JAR");
    if (!jar || !*jar || !atomic_load(&awaited))
        return;
    atomic_store(&awaited, false);
    if ((*jni)->PushLocalFrame(jni, 8) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    if (has_launcher(jni) && (*ti)->AddToSystemClassLoaderSearch(ti, jar) != JVMTI_ERROR_NONE)
        ixa_log_once("cannot add '%s' to the class path; tests are not recorded", jar);
    (*jni)->PopLocalFrame(jni, NULL);
}

void ixa_tests_end(void)
{
    if (atomic_load(&awaited))
        ixa_log_once("runs=tests, but no test has begun in this JVM; is ixor-junit.jar on its "
                     "class path?");
}
