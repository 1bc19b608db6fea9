/* SPDX-License-Identifier: Apache-2.0 */
/* How much a stop asks the JVM for, and what is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "agent/capture/capture.h"

static struct {
    jint threads, deepest; /* in the JVM */
    jint asked;            /* frames of a thread, the last time */
    uint64_t most;         /* bytes of all buffers in any stop */
    int stops;
} jvm;

static jvmtiError JNICALL relinquish(jvmtiEnv *ti, const jvmtiCapabilities *all)
{
    (void)ti;
    (void)all;
    return JVMTI_ERROR_NONE;
}

/* One thread is deep; the others have 10 frames. */
static jvmtiError JNICALL all_stacks(jvmtiEnv *ti, jint most, jvmtiStackInfo **infos, jint *count)
{
    (void)ti;
    const uint64_t bytes = (uint64_t)most * (uint64_t)jvm.threads * sizeof(jvmtiFrameInfo);
    jvm.asked = most;
    jvm.most = bytes > jvm.most ? bytes : jvm.most;
    jvm.stops++;
    *count = jvm.threads;
    *infos = calloc((size_t)jvm.threads, sizeof **infos);
    assert_non_null(*infos);
    for (jint i = 0; i < jvm.threads; i++) {
        const jint depth = i == 7 ? jvm.deepest : 10;
        (*infos)[i].frame_count = depth < most ? depth : most;
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *ti, unsigned char *memory)
{
    (void)ti;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jint JNICALL ensure(JNIEnv *jni, jint capacity)
{
    (void)jni;
    (void)capacity;
    return 0;
}

static void JNICALL delete_local(JNIEnv *jni, jobject object)
{
    (void)jni;
    (void)object;
}

static struct jvmtiInterface_1_ table = {.RelinquishCapabilities = relinquish,
                                         .GetAllStackTraces = all_stacks,
                                         .Deallocate = deallocate};
static struct JNINativeInterface_ functions = {.EnsureLocalCapacity = ensure,
                                               .DeleteLocalRef = delete_local};

static void memory_bounds_buffers(void **state)
{
    (void)state;
    static const struct {
        jint threads, deepest;
        uint32_t depth;
        uint64_t memory;
        jint frames; /* of the deep stack that come */
        bool cut;
    } cases[] = {
        {2000, 9000, 8192, 32 << 20, 524, true},
        {2000, 520, 8192, 32 << 20, 520, false},
        {1000, 9000, 8192, 32 << 20, 1048, true},
        {100, 9000, 8192, 32 << 20, 8193, true}, /* by depth= */
        {100, 8000, 8192, 32 << 20, 8000, false},
        {2000, 9000, 8192, 1 << 30, 8193, true},
        {20000, 9000, 8192, 32 << 20, 64, true}, /* never less than that of each */
        {10, 900000, 1000000, UINT64_C(1) << 40, 900000, false},
        {100, 3000000, 1000000, UINT64_C(1) << 40, 671088, true}, /* 1 GiB */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct jvmtiInterface_1_ *ti = &table;
        const struct JNINativeInterface_ *jni = &functions;
        struct ixa_capture c;
        struct ixa_stacks stacks;
        jvm.threads = cases[i].threads;
        jvm.deepest = cases[i].deepest;
        jvm.most = 0;
        ixa_capture_init(&c, &ti, NULL, false, cases[i].depth, cases[i].memory);
        assert_int_equal(ixa_capture_take(&c, &jni, &stacks), 0);
        assert_int_equal(stacks.infos[7].frame_count, cases[i].frames);
        assert_int_equal(stacks.infos[7].frame_count >= stacks.limit, cases[i].cut);
        const uint64_t least = (uint64_t)cases[i].threads * 64 * sizeof(jvmtiFrameInfo);
        assert_true(jvm.most <= (cases[i].memory / 2 > least ? cases[i].memory / 2 : least));
        ixa_capture_release(&c, &jni, &stacks);
        /* The next stop needs no second try. */
        jvm.stops = 0;
        assert_int_equal(ixa_capture_take(&c, &jni, &stacks), 0);
        assert_int_equal(jvm.stops, 1);
        ixa_capture_release(&c, &jni, &stacks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_bounds_buffers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
