/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions between two snapshots: counted by kind, limited in rate and number, taken and stopped
 * while others throw. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "agent/record/thrown.h"

#define SECOND 1000000000

static struct ixa_throw throw_of(uint64_t thread, uintptr_t method, int64_t location,
                                 uint32_t class_id)
{
    return (struct ixa_throw){thread, method, location, class_id};
}

static void kinds(void **state)
{
    (void)state;
    struct ixa_thrown t = IXA_THROWN_OFF;
    int one, other;
    const struct ixa_throw what[] = {
        throw_of(1, 2, 3, 4), throw_of(9, 2, 3, 4), throw_of(1, 9, 3, 4),
        throw_of(1, 2, 9, 4), throw_of(1, 2, 3, 9), throw_of(1, 2, -1, 4),
    };
    enum { KINDS = sizeof what / sizeof *what };
    ixa_thrown_start(&t);
    for (int i = 0; i < KINDS; i++) {
        assert_false(ixa_thrown_again(&t, &what[i]));
        assert_true(ixa_thrown_add(&t, &what[i], &one, &other));
    }
    for (int i = 0; i < KINDS; i++)
        for (int n = 0; n < i; n++)
            assert_true(ixa_thrown_again(&t, &what[i]));
    struct ixa_thrown_list got = ixa_thrown_take(&t);
    assert_int_equal(got.count, KINDS);
    assert_int_equal(got.dropped, 0);
    for (int i = 0; i < KINDS; i++) {
        assert_int_equal(got.list[i].what.thread, what[i].thread);
        assert_int_equal(got.list[i].what.method, what[i].method);
        assert_int_equal(got.list[i].what.location, what[i].location);
        assert_int_equal(got.list[i].what.class_id, what[i].class_id);
        assert_int_equal(got.list[i].count, i + 1);
        assert_ptr_equal(got.list[i].declaring, &one);
        assert_ptr_equal(got.list[i].class, &other);
    }
    free(got.list);
    /* Taken means gone. */
    assert_false(ixa_thrown_again(&t, &what[0]));
    got = ixa_thrown_take(&t);
    assert_true(!got.list && !got.count && !got.dropped);
    ixa_thrown_stop(&t);
}

static void off(void **state)
{
    (void)state;
    struct ixa_thrown t = IXA_THROWN_OFF;
    const struct ixa_throw what = throw_of(1, 2, 3, 4);
    assert_false(ixa_thrown_add(&t, &what, NULL, NULL));
    struct ixa_thrown_list got = ixa_thrown_stop(&t);
    assert_true(!got.list && got.dropped == 1);
    ixa_thrown_start(&t);
    assert_true(ixa_thrown_add(&t, &what, NULL, NULL));
    got = ixa_thrown_stop(&t);
    assert_int_equal(got.count, 1);
    free(got.list);
    assert_false(ixa_thrown_again(&t, &what));
    assert_false(ixa_thrown_add(&t, &what, NULL, NULL));
    /* And on again. */
    ixa_thrown_start(&t);
    assert_true(ixa_thrown_add(&t, &what, NULL, NULL));
    free(ixa_thrown_stop(&t).list);
}

static void full(void **state)
{
    (void)state;
    struct ixa_thrown t = IXA_THROWN_OFF;
    ixa_thrown_start(&t);
    for (uint32_t i = 0; i < IXA_THROWN_MAX + 5; i++) {
        const struct ixa_throw what = throw_of(1, 2, i, 4);
        assert_int_equal(ixa_thrown_add(&t, &what, NULL, NULL), i < IXA_THROWN_MAX);
    }
    const struct ixa_throw known = throw_of(1, 2, 3, 4);
    assert_true(ixa_thrown_again(&t, &known));
    struct ixa_thrown_list got = ixa_thrown_take(&t);
    assert_int_equal(got.count, IXA_THROWN_MAX);
    assert_int_equal(got.dropped, 5);
    assert_int_equal(got.list[3].count, 2);
    free(got.list);
    assert_true(ixa_thrown_add(&t, &known, NULL, NULL));
    free(ixa_thrown_stop(&t).list);
}

static int admitted(struct ixa_thrown *t, int64_t now, int asked)
{
    int n = 0;
    for (int i = 0; i < asked; i++)
        n += ixa_thrown_admit(t, now);
    return n;
}

static void rate(void **state)
{
    (void)state;
    struct ixa_thrown t = IXA_THROWN_OFF;
    const int64_t start = 5000 * (int64_t)SECOND;
    ixa_thrown_start(&t);
    assert_int_equal(admitted(&t, start, 3000), IXA_THROWN_BURST);
    assert_int_equal(admitted(&t, start + SECOND / IXA_THROWN_RATE, 10), 1);
    assert_int_equal(admitted(&t, start + SECOND / 2, 3000), IXA_THROWN_RATE / 2 - 1);
    /* Rest fills the bucket, and no further. */
    assert_int_equal(admitted(&t, start + 100 * (int64_t)SECOND, 3000), IXA_THROWN_BURST);
    assert_int_equal(ixa_thrown_take(&t).dropped,
                     2000 + 9 + 3000 - (IXA_THROWN_RATE / 2 - 1) + 2000);
    /* A steady rate at the limit loses none. */
    for (int i = 0; i < 5000; i++)
        assert_true(ixa_thrown_admit(&t, start + (200 + i / 1000) * (int64_t)SECOND +
                                             i % 1000 * (SECOND / IXA_THROWN_RATE)));
    assert_int_equal(ixa_thrown_stop(&t).dropped, 0);
}

static void merged(void **state)
{
    (void)state;
    struct ix_exception list[] = {
        {2, 1, 7, 1}, {1, 5, 7, 2},   {2, 1, 7, 10}, {0, 9, 9, 3},
        {1, 5, 8, 4}, {2, 1, 7, 100}, {1, 4, 9, 5},
    };
    const struct ix_exception want[] = {
        {0, 9, 9, 3}, {1, 4, 9, 5}, {1, 5, 7, 2}, {1, 5, 8, 4}, {2, 1, 7, 111},
    };
    assert_int_equal(ixa_thrown_merge(list, 7), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(list[i].thread, want[i].thread);
        assert_int_equal(list[i].class_number, want[i].class_number);
        assert_int_equal(list[i].frame, want[i].frame);
        assert_int_equal(list[i].count, want[i].count);
    }
    assert_int_equal(ixa_thrown_merge(list, 0), 0);
    assert_int_equal(ixa_thrown_merge(NULL, 0), 0);
}

/* Threads throw, two of them the same kinds, while one takes, stops and starts: each throw is in
 * one list or counted as dropped, exactly once. */
#define THROWERS 4
#define THROWS 50000
static struct ixa_thrown shared = IXA_THROWN_OFF;
static _Atomic int throwing;

static void *throw_all(void *id)
{
    for (int i = 0; i < THROWS; i++) {
        const struct ixa_throw what = throw_of((uintptr_t)id, 2, i % 700, 4);
        if (ixa_thrown_admit(&shared, (int64_t)i * (SECOND / 300)) &&
            !ixa_thrown_again(&shared, &what))
            ixa_thrown_add(&shared, &what, NULL, NULL);
    }
    atomic_fetch_sub(&throwing, 1);
    return NULL;
}

static uint64_t sum_of(struct ixa_thrown_list got)
{
    uint64_t sum = got.dropped;
    for (uint32_t i = 0; i < got.count; i++)
        sum += got.list[i].count;
    free(got.list);
    return sum;
}

static void together(void **state)
{
    (void)state;
    pthread_t threads[THROWERS];
    uint64_t sum = 0;
    throwing = THROWERS;
    for (uintptr_t i = 0; i < THROWERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, throw_all, (void *)(i / 2)), 0);
    for (unsigned i = 0; throwing; i++) {
        if (i % 64 == 0)
            sum += sum_of(ixa_thrown_stop(&shared));
        ixa_thrown_start(&shared);
        sum += sum_of(ixa_thrown_take(&shared));
    }
    for (int i = 0; i < THROWERS; i++)
        pthread_join(threads[i], NULL);
    sum += sum_of(ixa_thrown_stop(&shared));
    assert_int_equal(sum, THROWERS * THROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds), cmocka_unit_test(off),    cmocka_unit_test(full),
        cmocka_unit_test(rate),  cmocka_unit_test(merged), cmocka_unit_test(together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
