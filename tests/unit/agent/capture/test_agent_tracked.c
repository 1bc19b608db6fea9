/* SPDX-License-Identifier: Apache-2.0 */
/* The table of living virtual threads: who starts is listed, who ends is not, no reference is lost,
 * also when threads start and end while the table is listed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "agent/capture/tracked.h"
#include "tests/support/jni_double.h"

#define LISTED 64

static JNIEnv *jni = &double_jni;

static void start(struct ixa_tracked *t, struct double_object *object)
{
    jobject thread = double_local(object);
    ixa_tracked_start(t, jni, thread, (uint64_t)object->tid);
    double_delete_local(jni, thread);
}

static size_t listed(struct ixa_tracked *t)
{
    jobject threads[LISTED];
    const size_t count = ixa_tracked_list(t, jni, threads, LISTED);
    for (size_t i = 0; i < count; i++)
        double_delete_local(jni, threads[i]);
    return count;
}

static void no_reference_left(void)
{
    assert_int_equal(double_locals, 0);
    assert_int_equal(double_weaks, 0);
}

static void living(void **state)
{
    (void)state;
    struct ixa_tracked t;
    struct double_object a = {.tid = 30}, b = {.tid = 31}, c = {.tid = 1 << 30};
    assert_int_equal(ixa_tracked_init(&t, 10), 0);
    start(&t, &a);
    start(&t, &b);
    start(&t, &c);
    assert_int_equal(listed(&t), 3);
    assert_int_equal(ixa_tracked_living(&t), 3);
    ixa_tracked_end(&t, jni, 31);
    assert_int_equal(listed(&t), 2);
    assert_int_equal(ixa_tracked_living(&t), 2);
    ixa_tracked_end(&t, jni, 77); /* started before there were events */
    assert_int_equal(listed(&t), 2);
    ixa_tracked_clear(&t, jni);
    assert_int_equal(listed(&t), 0);
    ixa_tracked_end(&t, jni, 30);
    no_reference_left();
    ixa_tracked_free(&t);
}

/* Beyond the limit threads are counted only; a place that becomes free is given again. */
static void limited(void **state)
{
    (void)state;
    struct ixa_tracked t;
    struct double_object objects[5];
    assert_int_equal(ixa_tracked_init(&t, 3), 0);
    for (int i = 0; i < 5; i++) {
        objects[i] = (struct double_object){.tid = 100 + i};
        start(&t, &objects[i]);
    }
    assert_int_equal(listed(&t), 3);
    assert_int_equal(ixa_tracked_living(&t), 5);
    ixa_tracked_end(&t, jni, 104); /* has no place */
    ixa_tracked_end(&t, jni, 100);
    assert_int_equal(listed(&t), 2);
    assert_int_equal(ixa_tracked_living(&t), 3);
    objects[0].tid = 200;
    start(&t, &objects[0]);
    assert_int_equal(listed(&t), 3);
    ixa_tracked_clear(&t, jni);
    assert_int_equal(atomic_load(&t.used), 0);
    no_reference_left();
    ixa_tracked_free(&t);
}

static void out_of_memory(void **state)
{
    (void)state;
    struct ixa_tracked t, none = {0};
    struct double_object a = {.tid = 7};
    assert_int_equal(ixa_tracked_init(&t, 3), 0);
    double_no_weaks = true;
    start(&t, &a);
    double_no_weaks = false;
    assert_int_equal(listed(&t), 0);
    assert_int_equal(atomic_load(&t.used), 0);
    assert_int_equal(ixa_tracked_living(&t), 1);
    ixa_tracked_end(&t, jni, 7);
    assert_int_equal(ixa_tracked_living(&t), 0);
    ixa_tracked_free(&t);
    start(&none, &a); /* no table at all */
    assert_int_equal(listed(&none), 0);
    assert_int_equal(ixa_tracked_living(&none), 1);
    ixa_tracked_end(&none, jni, 7);
    assert_int_equal(ixa_tracked_living(&none), 0);
    no_reference_left();
}

/* A parked thread that nobody refers to is garbage: it never ends. */
static void collected(void **state)
{
    (void)state;
    struct ixa_tracked t;
    struct double_object a = {.tid = 8}, b = {.tid = 9};
    assert_int_equal(ixa_tracked_init(&t, 3), 0);
    start(&t, &a);
    start(&t, &b);
    a.collected = true;
    assert_int_equal(listed(&t), 1);
    assert_int_equal(ixa_tracked_living(&t), 1);
    ixa_tracked_end(&t, jni, 9);
    assert_int_equal(ixa_tracked_living(&t), 0);
    no_reference_left();
    ixa_tracked_free(&t);
}

#define THREADS 3
#define ROUNDS 20000

struct carrier {
    struct ixa_tracked *t;
    uint64_t first;
    pthread_t thread;
};

/* Threads of four lives that overlap, one after the other. */
static void *carry(void *argument)
{
    struct carrier *c = argument;
    static struct double_object objects[THREADS][4];
    struct double_object *own = objects[c->first / ROUNDS];
    for (uint64_t i = 0; i < ROUNDS; i++) {
        if (i >= 4)
            ixa_tracked_end(c->t, jni, c->first + i - 4 + 1);
        own[i % 4].tid = (jlong)(c->first + i + 1);
        start(c->t, &own[i % 4]);
    }
    for (uint64_t i = ROUNDS - 4; i < ROUNDS; i++)
        ixa_tracked_end(c->t, jni, c->first + i + 1);
    return NULL;
}

static void at_once(void **state)
{
    (void)state;
    struct ixa_tracked t;
    struct carrier carriers[THREADS];
    assert_int_equal(ixa_tracked_init(&t, 8), 0);
    for (uint64_t i = 0; i < THREADS; i++) {
        carriers[i] = (struct carrier){.t = &t, .first = i * ROUNDS};
        assert_int_equal(pthread_create(&carriers[i].thread, NULL, carry, &carriers[i]), 0);
    }
    while (atomic_load(&t.ended) < THREADS * ROUNDS)
        listed(&t);
    for (int i = 0; i < THREADS; i++)
        pthread_join(carriers[i].thread, NULL);
    assert_int_equal(ixa_tracked_living(&t), 0);
    assert_int_equal(listed(&t), 0);
    assert_int_equal(atomic_load(&t.used), 0);
    no_reference_left();
    ixa_tracked_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(living),    cmocka_unit_test(limited), cmocka_unit_test(out_of_memory),
        cmocka_unit_test(collected), cmocka_unit_test(at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
