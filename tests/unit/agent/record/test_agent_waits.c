/* SPDX-License-Identifier: Apache-2.0 */
/* The table of waiting threads: each reference comes out exactly once, whoever gets it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "agent/record/waits.h"

static struct ixa_waits w; /* larger than a stack should have */

static int reset(void **state)
{
    (void)state;
    for (size_t i = 0; i < IXA_WAITS; i++)
        w.places[i].who = 0;
    ixa_waits_start(&w);
    return 0;
}

static void alone(void **state)
{
    (void)state;
    int a, b;
    assert_null(ixa_waits_hold(&w, 5));
    assert_null(ixa_waits_leave(&w, 5));
    assert_true(ixa_waits_enter(&w, 5, &a));
    assert_ptr_equal(ixa_waits_hold(&w, 5), &a);
    assert_null(ixa_waits_release(&w, 5));
    assert_ptr_equal(ixa_waits_leave(&w, 5), &a);
    assert_null(ixa_waits_leave(&w, 5));
    assert_null(ixa_waits_hold(&w, 5));
    assert_true(ixa_waits_enter(&w, 5, &b));
    assert_ptr_equal(ixa_waits_leave(&w, 5), &b);
}

/* Two threads of one place: the second one is not there, and disturbs nothing. */
static void shared_place(void **state)
{
    (void)state;
    int a, b;
    assert_true(ixa_waits_enter(&w, 5, &a));
    assert_false(ixa_waits_enter(&w, 5 + IXA_WAITS, &b));
    assert_null(ixa_waits_hold(&w, 5 + IXA_WAITS));
    assert_null(ixa_waits_leave(&w, 5 + IXA_WAITS));
    assert_ptr_equal(ixa_waits_leave(&w, 5), &a);
    assert_true(ixa_waits_enter(&w, 5 + IXA_WAITS, &b));
    assert_ptr_equal(ixa_waits_leave(&w, 5 + IXA_WAITS), &b);
}

static void left_while_held(void **state)
{
    (void)state;
    int a, b;
    assert_true(ixa_waits_enter(&w, 5, &a));
    assert_ptr_equal(ixa_waits_hold(&w, 5), &a);
    assert_null(ixa_waits_leave(&w, 5));
    assert_false(ixa_waits_enter(&w, 5, &b)); /* not yet */
    assert_ptr_equal(ixa_waits_release(&w, 5), &a);
    assert_true(ixa_waits_enter(&w, 5, &b));
    assert_ptr_equal(ixa_waits_leave(&w, 5), &b);
}

static void stopped(void **state)
{
    (void)state;
    int a, b;
    assert_true(ixa_waits_enter(&w, 5, &a));
    ixa_waits_stop(&w);
    assert_false(ixa_waits_enter(&w, 6, &b));
    assert_null(ixa_waits_clear(&w, 6));
    assert_ptr_equal(ixa_waits_clear(&w, 5), &a);
    assert_null(ixa_waits_clear(&w, 5));
    assert_null(ixa_waits_leave(&w, 5));
}

/* Threads come and go, some of one place, while one looks, stops and starts. A reference is a piece
 * of memory: released twice or looked at afterwards, a sanitizer tells. */
#define WAITERS 4
#define WAITS 100000
static _Atomic int waiting;
static _Atomic int64_t living;

static void let_go(void *ref)
{
    if (ref)
        atomic_fetch_sub(&living, 1);
    free(ref);
}

static void *wait_often(void *id)
{
    const uint64_t key = (uintptr_t)id == 3 ? 1 + IXA_WAITS : (uintptr_t)id + 1;
    for (int i = 0; i < WAITS; i++) {
        uint64_t *ref = malloc(sizeof *ref);
        *ref = key;
        atomic_fetch_add(&living, 1);
        if (!ixa_waits_enter(&w, key, ref))
            let_go(ref);
        let_go(ixa_waits_leave(&w, key));
    }
    atomic_fetch_sub(&waiting, 1);
    return NULL;
}

static void together(void **state)
{
    (void)state;
    pthread_t threads[WAITERS];
    uint64_t wrong = 0;
    waiting = WAITERS;
    for (uintptr_t i = 0; i < WAITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_often, (void *)i), 0);
    for (uint64_t i = 0; waiting; i++) {
        const uint64_t key = i % 4 == 3 ? 1 + IXA_WAITS : i % 4 + 1;
        const uint64_t *ref = ixa_waits_hold(&w, key);
        if (ref) {
            wrong += *ref != key;
            let_go(ixa_waits_release(&w, key));
        }
        if (i % 1000 == 0) {
            ixa_waits_stop(&w);
            for (size_t place = 0; place < 8; place++)
                let_go(ixa_waits_clear(&w, place));
            ixa_waits_start(&w);
        }
    }
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(living, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(alone, reset),           cmocka_unit_test_setup(shared_place, reset),
        cmocka_unit_test_setup(left_while_held, reset), cmocka_unit_test_setup(stopped, reset),
        cmocka_unit_test_setup(together, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
