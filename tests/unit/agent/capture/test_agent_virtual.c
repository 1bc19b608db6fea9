/* SPDX-License-Identifier: Apache-2.0 */
/* Whom of the virtual threads a stop walks, in a JVM that has them, has none, or refuses
 * something. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "agent/capture/virtual.h"
#include "tests/support/jni_double.h"

#define THREADS_MAX 8

/* What this JVM has and refuses. */
static struct {
    bool capability_possible, capability_refused, has_function, functions_refused;
    bool start_refused, end_refused, threads_refused;
    struct double_object *platform[THREADS_MAX], *mounted[THREADS_MAX]; /* mounted on platform[i] */
    int count;
    int allocated;   /* JVMTI's memory that was not given back */
    bool enabled[2]; /* the start and the end event */
    void (*start)(jvmtiEnv *ti, JNIEnv *jni, jthread thread);
    void (*end)(jvmtiEnv *ti, JNIEnv *jni, jthread thread);
} jvm;

static JNIEnv *jni = &double_jni;

static void *allocate(size_t size)
{
    jvm.allocated++;
    return calloc(1, size);
}

static jvmtiError JNICALL deallocate(jvmtiEnv *ti, unsigned char *memory)
{
    (void)ti;
    jvm.allocated -= memory != NULL;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL potential(jvmtiEnv *ti, jvmtiCapabilities *out)
{
    (void)ti;
    memset(out, 0, sizeof *out);
    if (jvm.capability_possible)
        ((unsigned char *)out)[5] = 0x10; /* the 45th of them */
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL add(jvmtiEnv *ti, const jvmtiCapabilities *wanted)
{
    (void)ti;
    assert_int_equal(((const unsigned char *)wanted)[5], 0x10);
    return jvm.capability_refused ? JVMTI_ERROR_NOT_AVAILABLE : JVMTI_ERROR_NONE;
}

static jvmtiError mounted_on(jvmtiEnv *ti, ...)
{
    va_list arguments;
    va_start(arguments, ti);
    jthread carrier = va_arg(arguments, jthread);
    jthread *out = va_arg(arguments, jthread *);
    va_end(arguments);
    for (int i = 0; i < jvm.count; i++)
        if (jvm.platform[i] == double_at(carrier)) {
            *out = jvm.mounted[i] ? double_local(jvm.mounted[i]) : NULL;
            return JVMTI_ERROR_NONE;
        }
    return JVMTI_ERROR_THREAD_NOT_ALIVE;
}

static char *text(const char *from)
{
    char *copy = allocate(strlen(from) + 1);
    return strcpy(copy, from);
}

static jvmtiError JNICALL functions(jvmtiEnv *ti, jint *count, jvmtiExtensionFunctionInfo **out)
{
    (void)ti;
    if (jvm.functions_refused)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *count = jvm.has_function ? 2 : 1;
    *out = allocate(2 * sizeof **out);
    for (jint i = 0; i < *count; i++) {
        (*out)[i] = (jvmtiExtensionFunctionInfo){
            .func = i ? mounted_on : NULL,
            .id = text(i ? "com.sun.hotspot.functions.GetVirtualThread" : "a.b.Other"),
            .short_description = text("x"),
            .param_count = 1,
            .params = allocate(sizeof(jvmtiParamInfo)),
        };
        (*out)[i].params[0].name = text("thread");
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL notify(jvmtiEnv *ti, jvmtiEventMode mode, jvmtiEvent event,
                                 jthread thread, ...)
{
    (void)ti;
    assert_null(thread);
    assert_true(event == IXA_EVENT_VIRTUAL_START || event == IXA_EVENT_VIRTUAL_END);
    const bool end = event == IXA_EVENT_VIRTUAL_END;
    if (mode == JVMTI_ENABLE && (end ? jvm.end_refused : jvm.start_refused))
        return JVMTI_ERROR_INTERNAL;
    jvm.enabled[end] = mode == JVMTI_ENABLE;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL all_threads(jvmtiEnv *ti, jint *count, jthread **out)
{
    (void)ti;
    if (jvm.threads_refused)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *count = jvm.count;
    *out = allocate((size_t)jvm.count * sizeof **out + 1);
    for (int i = 0; i < jvm.count; i++)
        (*out)[i] = double_local(jvm.platform[i]);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL no_classes(jvmtiEnv *ti, jobject loader, jint *count, jclass **out)
{
    (void)ti;
    assert_null(loader); /* the bootstrap loader's */
    *count = 0;
    *out = allocate(1);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL callbacks(jvmtiEnv *ti, const jvmtiEventCallbacks *all, jint size)
{
    (void)ti;
    const char *bytes = (const char *)all;
    assert_int_equal(size, 39 * sizeof(void *));
    memcpy(&jvm.start, bytes + 37 * sizeof(void *), sizeof jvm.start);
    memcpy(&jvm.end, bytes + 38 * sizeof(void *), sizeof jvm.end);
    assert_true(all->VMInit == (jvmtiEventVMInit)(void *)1);
    return JVMTI_ERROR_NONE;
}

static struct jvmtiInterface_1_ table = {
    .GetPotentialCapabilities = potential,
    .AddCapabilities = add,
    .GetExtensionFunctions = functions,
    .SetEventNotificationMode = notify,
    .GetAllThreads = all_threads,
    .GetClassLoaderClasses = no_classes,
    .SetEventCallbacks = callbacks,
    .Deallocate = deallocate,
};
static const struct jvmtiInterface_1_ *ti = &table;

static struct double_object main_thread = {.tid = 1}, carrier = {.tid = 20};
static struct double_object first = {.tid = 30}, second = {.tid = 31};
static struct ixa_starts starts = IXA_STARTS_NONE;
static struct ixa_virtual v;

/* A JVM with all of it, one carrier, and `first` mounted on it. */
static int usual(void **state)
{
    (void)state;
    const jvmtiEventCallbacks known = {.VMInit = (jvmtiEventVMInit)(void *)1};
    memset(&jvm, 0, sizeof jvm);
    jvm.capability_possible = jvm.has_function = true;
    jvm.platform[0] = &main_thread;
    jvm.platform[1] = &carrier;
    jvm.mounted[1] = &first;
    jvm.count = 2;
    assert_int_equal(ixa_virtual_callbacks((jvmtiEnv *)&ti, &known), JVMTI_ERROR_NONE);
    return 0;
}

static void begin(enum ixa_virtual_mode mode, uint32_t limit, bool from_start)
{
    static struct ixa_options options;
    options.virtual_mode = mode;
    options.virtual_limit = limit;
    ixa_virtual_begin(&v, (jvmtiEnv *)&ti, &options, NULL, &starts, from_start);
    assert_int_equal(jvm.allocated, 0);
}

static void event(void (*callback)(jvmtiEnv *, JNIEnv *, jthread), struct double_object *object)
{
    jobject thread = double_local(object);
    callback((jvmtiEnv *)&ti, jni, thread);
    double_delete_local(jni, thread);
}

static void end(void)
{
    ixa_virtual_end(&v, jni);
    assert_false(ixa_virtual_any(&v));
    assert_false(jvm.enabled[0] || jvm.enabled[1]);
    event(jvm.start, &second); /* one that was late does no harm */
    event(jvm.end, &second);
    assert_int_equal(double_locals, 0);
    assert_int_equal(double_globals, 0);
    ixa_tracked_clear(&v.tracked, jni);
    assert_int_equal(double_weaks, 0);
    assert_int_equal(jvm.allocated, 0);
}

static void nothing_there(void **state)
{
    static bool *const wrong[] = {&jvm.capability_refused, &jvm.functions_refused};
    for (int i = 0; i < 5; i++) {
        usual(state);
        jvm.capability_possible = i != 0;
        jvm.has_function = i != 1;
        if (i < 4 && i > 1)
            *wrong[i - 2] = true;
        begin(i == 4 ? IXA_VIRTUAL_OFF : IXA_VIRTUAL_TRACKED, 10, true);
        assert_false(v.on || ixa_virtual_any(&v) || jvm.enabled[0] || jvm.enabled[1]);
        event(jvm.start, &first);
        event(jvm.end, &first);
        assert_false(ixa_virtual_any(&v));
        ixa_virtual_end(&v, jni);
        assert_int_equal(double_weaks, 0);
    }
    assert_false(ixa_virtual_any(NULL));
}

/* Until there is a virtual thread nothing is asked; then the event that told is off again. */
static void mounted(void **state)
{
    (void)state;
    uint64_t hidden;
    begin(IXA_VIRTUAL_MOUNTED, 0, true);
    assert_true(jvm.enabled[0] && !jvm.enabled[1]);
    assert_false(ixa_virtual_any(&v));
    event(jvm.start, &first);
    assert_true(ixa_virtual_any(&v));
    assert_true(ixa_virtual_list(&v, jni, NULL, 0));
    assert_false(jvm.enabled[0]);
    assert_int_equal(v.count, 3);
    assert_int_equal(v.virtual_count, 1);
    assert_ptr_equal(double_at(v.list[2]), &first);
    assert_true(ixa_virtual_nobody_born(&v, jni));
    assert_false(ixa_virtual_hidden(&v, 1, &hidden));
    ixa_virtual_drop(&v, jni);
    jvm.mounted[1] = NULL;
    assert_false(ixa_virtual_list(&v, jni, NULL, 0));
    end();
}

static void attached_late(void **state)
{
    (void)state;
    uint64_t hidden;
    begin(IXA_VIRTUAL_TRACKED, 10, false);
    assert_true(ixa_virtual_any(&v));
    event(jvm.start, &second);
    assert_true(ixa_virtual_list(&v, jni, NULL, 0));
    assert_int_equal(v.virtual_count, 2);
    assert_false(ixa_virtual_hidden(&v, 2, &hidden)); /* who lived before is not known */
    ixa_virtual_drop(&v, jni);
    end();
    usual(state);
    begin(IXA_VIRTUAL_MOUNTED, 0, false);
    assert_false(jvm.enabled[0]);
    assert_true(ixa_virtual_any(&v));
    end();
}

/* The caller's threads and the virtual ones, each once; the caller's references stay the
 * caller's. */
static void tracked(void **state)
{
    (void)state;
    uint64_t hidden = 99;
    begin(IXA_VIRTUAL_TRACKED, 1, true);
    assert_true(jvm.enabled[0] && jvm.enabled[1]);
    event(jvm.start, &first);
    event(jvm.start, &second);
    jthread own[1] = {double_local(&main_thread)};
    assert_true(ixa_virtual_list(&v, jni, own, 1));
    assert_int_equal(v.count, 2);
    assert_ptr_equal(v.list[0], own[0]);
    assert_ptr_equal(double_at(v.list[1]), &first);
    assert_true(ixa_virtual_hidden(&v, 1, &hidden));
    assert_int_equal(hidden, 1);
    ixa_virtual_drop(&v, jni);
    assert_true(ixa_virtual_list(&v, jni, own, 0)); /* virtual ones alone */
    assert_int_equal(v.count, 1);
    ixa_virtual_drop(&v, jni);
    jvm.mounted[1] = &second; /* has no place in the table, but a carrier */
    assert_true(ixa_virtual_list(&v, jni, own, 1));
    assert_int_equal(v.virtual_count, 2);
    assert_true(ixa_virtual_hidden(&v, 3, &hidden)); /* one more than had started by then */
    assert_int_equal(hidden, 0);
    ixa_virtual_drop(&v, jni);
    double_delete_local(jni, own[0]);
    event(jvm.end, &first);
    event(jvm.end, &second);
    end();
}

static void births(void **state)
{
    (void)state;
    static struct double_object newborn = {.tid = 40};
    begin(IXA_VIRTUAL_TRACKED, 10, true);
    event(jvm.start, &first);
    assert_true(ixa_virtual_list(&v, jni, NULL, 0));
    jvm.platform[jvm.count++] = &newborn;
    assert_false(ixa_virtual_nobody_born(&v, jni));
    jvm.count--;
    assert_true(ixa_virtual_nobody_born(&v, jni));
    ixa_starts_add(&starts, 41, 0); /* one that has come and gone */
    assert_false(ixa_virtual_nobody_born(&v, jni));
    ixa_virtual_drop(&v, jni);
    /* A carrier that has started since is asked, too. */
    jvm.platform[jvm.count] = &newborn;
    jvm.mounted[jvm.count++] = &second;
    assert_true(ixa_virtual_list(&v, jni, NULL, 0));
    assert_int_equal(v.virtual_count, 2);
    jvm.threads_refused = true;
    assert_false(ixa_virtual_nobody_born(&v, jni));
    ixa_virtual_drop(&v, jni);
    assert_false(ixa_virtual_list(&v, jni, NULL, 0));
    ixa_starts_add(&starts, 42, 0);
    assert_false(ixa_virtual_list(&v, jni, NULL, 0));
    end();
}

static void events_refused(void **state)
{
    for (int i = 0; i < 2; i++) {
        uint64_t hidden;
        usual(state);
        *(i ? &jvm.start_refused : &jvm.end_refused) = true;
        begin(IXA_VIRTUAL_TRACKED, 10, true); /* as mounted */
        assert_true(v.on && !v.tracking && !jvm.enabled[1]);
        assert_int_equal(ixa_virtual_any(&v), i); /* without an event there may always be one */
        event(jvm.start, &first);
        assert_true(ixa_virtual_list(&v, jni, NULL, 0));
        assert_int_equal(v.virtual_count, 1);
        assert_false(ixa_virtual_hidden(&v, 1, &hidden));
        ixa_virtual_drop(&v, jni);
        end();
    }
}

static int over(void **state)
{
    (void)state;
    ixa_tracked_free(&v.tracked);
    ixa_starts_reset(&starts, true);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_there),
        cmocka_unit_test_setup(mounted, usual),
        cmocka_unit_test_setup(attached_late, usual),
        cmocka_unit_test_setup(tracked, usual),
        cmocka_unit_test_setup(births, usual),
        cmocka_unit_test(events_refused),
    };
    return cmocka_run_group_tests(tests, NULL, over);
}
