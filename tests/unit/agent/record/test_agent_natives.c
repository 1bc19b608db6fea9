/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that is telling of a native method's call uses the JVMTI environment: the agent must
 * know of it before it disposes of that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/record/natives.h"

static _Atomic int inside, may_go;

static jvmtiError JNICALL method_name(jvmtiEnv *ti, jmethodID id, char **name, char **type,
                                      char **generic)
{
    (void)ti, (void)id, (void)generic;
    *name = (char *)"fillInStackTrace";
    *type = (char *)"(I)Ljava/lang/Throwable;";
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL declaring(jvmtiEnv *ti, jmethodID id, jclass *class)
{
    (void)ti, (void)id;
    *class = NULL;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL signature(jvmtiEnv *ti, jclass class, char **text, char **generic)
{
    (void)ti, (void)class, (void)generic;
    *text = (char *)"Ljava/lang/Throwable;";
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *ti, unsigned char *memory)
{
    (void)ti, (void)memory;
    return JVMTI_ERROR_NONE;
}

static jobject JNICALL fill_in(JNIEnv *jni, jobject exception, jint unused)
{
    (void)jni, (void)unused;
    return exception;
}

static void tell(JNIEnv *jni, jobject exception)
{
    (void)jni, (void)exception;
    atomic_store(&inside, 1);
    while (!atomic_load(&may_go))
        sched_yield();
}

static jobject(JNICALL *replaced)(JNIEnv *jni, jobject exception, jint unused);

static void *make_exception(void *unused)
{
    return replaced(NULL, unused, 0);
}

static void who_tells_is_known(void **state)
{
    (void)state;
    const struct jvmtiInterface_1_ functions = {.GetMethodName = method_name,
                                                .GetMethodDeclaringClass = declaring,
                                                .GetClassSignature = signature,
                                                .Deallocate = deallocate};
    jvmtiEnv ti = &functions;
    jobject(JNICALL * original)(JNIEnv *, jobject, jint) = fill_in;
    void *address, *by = NULL;
    pthread_t thread;
    memcpy(&address, &original, sizeof address);
    ixa_natives_on_bind(&ti, NULL, NULL, NULL, address, &by);
    memcpy(&replaced, &by, sizeof by);
    assert_true(by != NULL);
    assert_true(ixa_natives_quiet(0));
    assert_true(ixa_natives_tell(NULL, NULL, IXA_FILL_IN, tell));
    pthread_create(&thread, NULL, make_exception, NULL);
    while (!atomic_load(&inside))
        sched_yield();
    ixa_natives_silence(IXA_FILL_IN);
    assert_true(!ixa_natives_quiet(20));
    atomic_store(&may_go, 1);
    assert_true(ixa_natives_quiet(5000));
    pthread_join(thread, NULL);
    assert_true(make_exception(NULL) == NULL);
    assert_true(ixa_natives_quiet(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_tells_is_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
