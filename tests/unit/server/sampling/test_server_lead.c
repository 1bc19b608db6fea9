/* SPDX-License-Identifier: Apache-2.0 */
/* The lead of target times: follows the delays up at once, down slowly, within bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "server/sampling/lead.h"

#define MS 1000000ull
#define S 1000000000ull

static uint64_t now;

/* For so many seconds 10 packets each, taken by 4 JVMs after `delay`; the lead afterwards. */
static uint64_t run(struct ixor_lead *l, unsigned tenths, uint64_t delay)
{
    for (unsigned i = 0; i < tenths; i++) {
        now += 100 * MS;
        for (int vm = 0; vm < 4; vm++)
            ixor_lead_feed(l, delay);
    }
    return ixor_lead_now(l, 4, now);
}

static void fixed(void **state)
{
    (void)state;
    static const uint64_t table[] = {0, 20 * MS, 1 * S};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixor_lead l;
        ixor_lead_init(&l, table[i], 10 * MS);
        assert_int_equal(run(&l, 100, 50 * MS), table[i]);
    }
}

static void up_at_once_down_slowly(void **state)
{
    (void)state;
    struct ixor_lead l;
    ixor_lead_init(&l, IXOR_LEAD_AUTO, S);
    assert_int_equal(ixor_lead_now(&l, 4, now), IXOR_LEAD_FIRST_NS);
    assert_int_equal(run(&l, 1, 50000), IXOR_LEAD_FIRST_NS); /* four say too little */
    assert_int_equal(run(&l, 100, 50000), IXOR_LEAD_MIN_NS);
    /* 5 ms, a class's width above it, and the margin */
    assert_in_range(run(&l, 20, 5 * MS), 5 * MS, 8 * MS);
    assert_in_range(run(&l, 300, 50000), 5 * MS, 8 * MS);
    assert_int_equal(run(&l, 1500, 50000), IXOR_LEAD_MIN_NS);
}

/* A JVM alone is asked at once, but not against what the user said. */
static void alone(void **state)
{
    (void)state;
    struct ixor_lead l;
    ixor_lead_init(&l, IXOR_LEAD_AUTO, S);
    assert_int_equal(ixor_lead_now(&l, 1, now), 0);
    assert_int_equal(ixor_lead_now(&l, 2, now), IXOR_LEAD_FIRST_NS);
    ixor_lead_init(&l, 7 * MS, S);
    assert_int_equal(ixor_lead_now(&l, 1, now), 7 * MS);
}

static void bounds(void **state)
{
    (void)state;
    struct ixor_lead l;
    ixor_lead_init(&l, IXOR_LEAD_AUTO, S);
    assert_int_equal(run(&l, 100, 0), IXOR_LEAD_MIN_NS);
    assert_int_equal(run(&l, 1000, UINT64_MAX), IXOR_LEAD_MAX_NS);
    ixor_lead_init(&l, IXOR_LEAD_AUTO, 1 * MS); /* packets are so close */
    assert_int_equal(ixor_lead_now(&l, 4, now), 1 * MS);
    assert_int_equal(run(&l, 1000, 50 * MS), 1 * MS);
    ixor_lead_init(&l, IXOR_LEAD_AUTO, 0);
    assert_int_equal(run(&l, 1000, 50 * MS), IXOR_LEAD_MIN_NS);
}

/* One JVM of many that is far slower than the others decides nothing; nor does one late start. */
static void few_do_not_decide(void **state)
{
    (void)state;
    struct ixor_lead l;
    ixor_lead_init(&l, IXOR_LEAD_AUTO, S);
    ixor_lead_feed(&l, 1 * S);
    assert_true(run(&l, 10, 100000) <= IXOR_LEAD_FIRST_NS);
    for (int packet = 0; packet < 100; packet++) {
        for (int vm = 0; vm < 500; vm++)
            ixor_lead_feed(&l, vm == 7 ? 80 * MS : 300000);
    }
    now += S;
    assert_in_range(ixor_lead_now(&l, 4, now), IXOR_LEAD_MIN_NS, 1 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed),  cmocka_unit_test(up_at_once_down_slowly), cmocka_unit_test(alone),
        cmocka_unit_test(bounds), cmocka_unit_test(few_do_not_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
