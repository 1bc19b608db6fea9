/* SPDX-License-Identifier: Apache-2.0 */
/* The list of living threads: numbers are given once, ended threads are kept for a while only. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(ended),
        cmocka_unit_test(bounded),
        cmocka_unit_test(off_and_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
