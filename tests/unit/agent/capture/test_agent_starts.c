/* SPDX-License-Identifier: Apache-2.0 */
/* The list of living threads: numbers are given once, ended threads are kept for a while only;
 * which threads an earlier test has left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/capture/starts.h"

static void numbers(void **state)
{
    (void)state;
    struct ixa_starts s = IXA_STARTS_NONE;
    struct ixa_start at;
    assert_int_equal(ixa_starts_add(&s, 11, 0), 1);
    assert_int_equal(ixa_starts_add(&s, 5, 500), 2);
    /* Seen by a snapshot first, then by its own event. */
    assert_int_equal(ixa_starts_add(&s, 11, 1100), 1);
    assert_int_equal(ixa_starts_add(&s, 11, 0), 1);
    assert_true(ixa_starts_find(&s, 11, &at));
    assert_int_equal(at.number, 1);
    assert_int_equal(at.os_id, 1100);
    assert_false(ixa_starts_find(&s, 12, &at));
    assert_int_equal(s.count, 2);
    ixa_starts_reset(&s, true);
}

static void ended(void **state)
{
    (void)state;
    struct ixa_starts s = IXA_STARTS_NONE;
    struct ixa_start at;
    ixa_starts_add(&s, 1, 10);
    ixa_starts_add(&s, 2, 20);
    ixa_starts_end(&s, 1);
    ixa_starts_end(&s, 1);
    ixa_starts_end(&s, 77);
    ixa_starts_sweep(&s); /* the next snapshot may still show it */
    assert_true(ixa_starts_find(&s, 1, &at));
    ixa_starts_sweep(&s);
    assert_false(ixa_starts_find(&s, 1, &at));
    assert_true(ixa_starts_find(&s, 2, &at));
    assert_int_equal(at.number, 2);
    assert_int_equal(ixa_starts_add(&s, 3, 0), 3);
    ixa_starts_reset(&s, true);
}

/* A million short threads without a snapshot: the list stays short. */
static void bounded(void **state)
{
    (void)state;
    struct ixa_starts s = IXA_STARTS_NONE;
    struct ixa_start at;
    ixa_starts_add(&s, 7, 70);
    for (uint64_t key = 100; key < 1000100; key++) {
        ixa_starts_add(&s, key, 1);
        ixa_starts_end(&s, key);
    }
    assert_int_equal(s.count, 1000001);
    assert_true(s.capacity <= 8192);
    assert_true(s.by_key.capacity <= 65536);
    assert_true(ixa_starts_find(&s, 7, &at));
    assert_int_equal(at.number, 1);
    ixa_starts_reset(&s, true);
}

/* After detaching: what comes late leaves nothing; attaching again begins anew. */
static void off_and_on(void **state)
{
    (void)state;
    struct ixa_starts s = IXA_STARTS_NONE;
    struct ixa_start at;
    ixa_starts_add(&s, 1, 10);
    ixa_starts_add(&s, 2, 20);
    ixa_starts_reset(&s, true);
    assert_int_equal(ixa_starts_add(&s, 3, 30), 0);
    ixa_starts_end(&s, 1);
    assert_false(ixa_starts_find(&s, 3, &at) || ixa_starts_find(&s, 1, &at));
    assert_null(s.list);
    assert_int_equal(s.by_key.capacity, 0);
    ixa_starts_reset(&s, false);
    assert_int_equal(ixa_starts_add(&s, 4, 40), 1);
    assert_int_equal(s.count, 1);
    ixa_starts_reset(&s, true);
}

/* Threads 1 and 2 are there before the first test, which leaves 3 to 5 behind. */
static void left_behind(void **state)
{
    (void)state;
    struct ixa_starts s = IXA_STARTS_NONE;
    ixa_starts_add(&s, 1, 0);
    ixa_starts_test(&s, 7);
    for (uint64_t key = 3; key <= 5; key++)
        ixa_starts_add(&s, key, 0);
    assert_false(ixa_starts_left(&s, 3, 7, 300)); /* its own test */
    assert_false(ixa_starts_left(&s, 4, 7, 400));
    ixa_starts_test(&s, 0);
    ixa_starts_add(&s, 2, 0); /* by @BeforeAll */
    ixa_starts_test(&s, 8);
    ixa_starts_add(&s, 6, 0);
    assert_false(ixa_starts_left(&s, 1, 8, 100));
    assert_false(ixa_starts_left(&s, 2, 8, 200));
    assert_false(ixa_starts_left(&s, 6, 8, 600));
    assert_false(ixa_starts_left(&s, 99, 8, 100)); /* not known */
    /* Where the next test finds it is where it rests, not where it was in its own. */
    assert_true(ixa_starts_left(&s, 3, 8, 301));
    assert_true(ixa_starts_left(&s, 4, 8, 401));
    assert_true(ixa_starts_left(&s, 4, 8, 401));
    /* One that moves is at work, for good. */
    assert_false(ixa_starts_left(&s, 4, 8, 402));
    assert_false(ixa_starts_left(&s, 4, 8, 401));
    /* The same in the tests after that. */
    ixa_starts_test(&s, 9);
    assert_true(ixa_starts_left(&s, 3, 9, 301));
    assert_false(ixa_starts_left(&s, 4, 9, 401));
    assert_true(ixa_starts_left(&s, 5, 9, 501));
    assert_true(ixa_starts_left(&s, 6, 9, 601));
    assert_false(ixa_starts_left(&s, 5, 10, 502));
    ixa_starts_reset(&s, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),    cmocka_unit_test(ended),       cmocka_unit_test(bounded),
        cmocka_unit_test(off_and_on), cmocka_unit_test(left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
