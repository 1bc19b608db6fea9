/* SPDX-License-Identifier: Apache-2.0 */
/* How a thread comes to an instant that was named ahead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "agent/base/clock.h"
#include "agent/base/instant.h"
#include "schema/protocol/datagram.h"

#define US 1000ll
#define MS 1000000ll

static void a_thread_keeps_its_share(void **state)
{
    (void)state;
    const int nice = getpriority(PRIO_PROCESS, 0), policy = sched_getscheduler(0);
    ixa_instant_thread();
    assert_int_equal(getpriority(PRIO_PROCESS, 0), nice);
    assert_int_equal(sched_getscheduler(0), policy);
    assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 1);
}

/* Asleep, as an agent waits: who polls the clock has used up its time slice when the instant comes,
 * and others that are ready to run go first. */
static void sleep_until(int64_t ns)
{
    const struct timespec at = {.tv_sec = ns / (1000 * MS), .tv_nsec = ns % (1000 * MS)};
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL), 0);
}

/* Prepares for `ns` and then reaches an instant 3 ms ahead; returns how late. */
static int64_t lateness(struct ixa_instant *instant, int64_t ns)
{
    const int64_t target = ixa_mono_ns() + 3 * MS;
    ixa_instant_name(instant, (uint64_t)target);
    assert_true(ixa_instant_wakes_at(instant) < target);
    sleep_until(ixa_instant_wakes_at(instant));
    ixa_instant_begin(instant);
    sleep_until(ixa_mono_ns() + ns);
    ixa_instant_reach(instant);
    return ixa_mono_ns() - target;
}

/* The least of so many; none is early. */
static int64_t least_lateness(struct ixa_instant *instant, int tries, int64_t ns)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < tries; i++) {
        const int64_t late = lateness(instant, ns);
        assert_true(late >= 0);
        least = late < least ? late : least;
    }
    return least;
}

static void it_is_reached_and_never_early(void **state)
{
    (void)state;
    struct ixa_instant instant;
    ixa_instant_init(&instant);
    /* Usually microseconds; the machine may be busy. */
    assert_true(least_lateness(&instant, 20, 0) < MS);
}

static void preparations_begin_earlier_if_they_take_long(void **state)
{
    (void)state;
    struct ixa_instant instant;
    ixa_instant_init(&instant);
    assert_int_equal(ixa_instant_prepared(&instant, 5), 5);
    assert_true(least_lateness(&instant, 80, MS) < MS);
    assert_true(ixa_instant_prepared(&instant, 5) > 900 * US);
    least_lateness(&instant, 200, 0);
    assert_true(ixa_instant_prepared(&instant, 5) < 500 * US);
}

static void what_was_seen_is_believed_within_limits(void **state)
{
    (void)state;
    struct ixa_instant instant;
    ixa_instant_init(&instant);
    for (int i = 0; i < 200; i++)
        ixa_instant_woke(&instant, ixa_mono_ns() - 150 * US);
    assert_true(instant.wake_ns > 140 * US);
    for (int i = 0; i < 1000; i++)
        ixa_instant_woke(&instant, ixa_mono_ns() - 100 * MS);
    assert_true(instant.wake_ns <= 300 * US);
    for (int i = 0; i < 1000; i++)
        ixa_instant_woke(&instant, ixa_mono_ns() + MS);
    assert_int_equal(instant.wake_ns, 0);
    for (int i = 0; i < 200; i++) {
        instant.begun_ns = ixa_mono_ns() - 1000 * MS;
        ixa_instant_reach(&instant);
    }
    assert_true(instant.prepare_ns <= 2 * MS);
}

static void at_once(struct ixa_instant *instant)
{
    const int64_t before = ixa_mono_ns();
    ixa_instant_reach(instant);
    assert_true(ixa_mono_ns() - before < 100 * MS);
}

static void what_is_at_once(void **state)
{
    (void)state;
    const int64_t now = ixa_mono_ns();
    const uint64_t table[] = {
        0,          1,         (uint64_t)now - 1, (uint64_t)now + 3600 * IX_TARGET_AHEAD_MAX_NS,
        1ull << 62, UINT64_MAX};
    struct ixa_instant instant;
    ixa_instant_init(&instant);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ixa_instant_name(&instant, table[i]);
        assert_int_equal(ixa_instant_wakes_at(&instant), 0);
        at_once(&instant);
    }
    /* Nobody has waited until shortly before it. */
    ixa_instant_name(&instant, (uint64_t)ixa_mono_ns() + IX_TARGET_AHEAD_MAX_NS - MS);
    at_once(&instant);
    /* A second stop for the same packet. */
    const int64_t target = ixa_mono_ns() + 2 * MS;
    ixa_instant_name(&instant, (uint64_t)target);
    ixa_instant_reach(&instant);
    assert_true(ixa_mono_ns() >= target);
    assert_int_equal(ixa_instant_wakes_at(&instant), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_keeps_its_share),
        cmocka_unit_test(it_is_reached_and_never_early),
        cmocka_unit_test(preparations_begin_earlier_if_they_take_long),
        cmocka_unit_test(what_was_seen_is_believed_within_limits),
        cmocka_unit_test(what_is_at_once),
    };
    return cmocka_run_group_tests_name("agent/base/instant", tests, NULL, NULL);
}
