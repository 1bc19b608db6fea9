/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "agent/record/standing.h"

enum { KEY = 7, COUNT = 40 };

static struct ixa_standing standing;

/* A packet with the thread: it stands. */
static bool stands(uint64_t key, uint32_t count, bool waits)
{
    ixa_standing_begin(&standing);
    return ixa_standing_see(&standing, key, count, waits, false)->first != standing.packet;
}

static int begin(void **state)
{
    (void)state;
    memset(&standing, 0, sizeof standing);
    return 0;
}

static void from_the_second_packet_on(void **state)
{
    (void)state;
    assert_false(stands(KEY, COUNT, true));
    assert_true(stands(KEY, COUNT, true));
    assert_true(stands(KEY, COUNT, true));
}

static void seen_twice_in_a_packet(void **state)
{
    (void)state;
    assert_false(stands(KEY, COUNT, true));
    const struct ixa_stand *again = ixa_standing_see(&standing, KEY, COUNT, true, false);
    assert_int_equal(again->first, standing.packet);
}

static void a_change_or_a_gap_begins_anew(void **state)
{
    (void)state;
    assert_false(stands(KEY, COUNT, true));
    assert_false(stands(KEY, COUNT + 1, true));
    assert_false(stands(KEY, COUNT + 1, false));
    assert_true(stands(KEY, COUNT + 1, false));
    ixa_standing_begin(&standing);
    assert_false(stands(KEY, COUNT + 1, false));
}

static void of_two_in_one_slot_neither_stands(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_false(stands(KEY, COUNT, true));
        const struct ixa_stand *other =
            ixa_standing_see(&standing, KEY + IXA_STANDING, COUNT, true, false);
        assert_int_equal(other->first, standing.packet);
        ixa_standing_owns_nothing(&standing, KEY, COUNT);
        assert_false(other->owns_nothing);
    }
}

static void owns_nothing_as_long_as_it_waits(void **state)
{
    (void)state;
    assert_false(stands(KEY, COUNT, true));
    ixa_standing_owns_nothing(&standing, KEY, COUNT);
    assert_true(stands(KEY, COUNT, true));
    assert_true(ixa_standing_see(&standing, KEY, COUNT, true, false)->owns_nothing);
    assert_false(ixa_standing_see(&standing, KEY, COUNT + 2, true, false)->owns_nothing);
}

static void not_kept_of_another_wait(void **state)
{
    (void)state;
    assert_false(stands(KEY, COUNT, true));
    ixa_standing_owns_nothing(&standing, KEY, COUNT + 2);
    assert_false(ixa_standing_see(&standing, KEY, COUNT, true, false)->owns_nothing);
}

static void kept_of_the_blocked_as_long_as_it_does_not_run(void **state)
{
    (void)state;
    assert_false(stands(KEY, COUNT, false));
    ixa_standing_owns_nothing(&standing, KEY, COUNT);
    for (int i = 0; i < 3; i++) {
        ixa_standing_begin(&standing);
        assert_true(ixa_standing_see(&standing, KEY, COUNT, false, true)->owns_nothing);
    }
    assert_true(stands(KEY, COUNT, false)); /* it has run, and blocks again without an event */
    assert_false(ixa_standing_see(&standing, KEY, COUNT, false, true)->owns_nothing);
}

int main(void)
{
#define FROM_EMPTY(test) cmocka_unit_test_setup(test, begin)
    const struct CMUnitTest tests[] = {
        FROM_EMPTY(from_the_second_packet_on),
        FROM_EMPTY(seen_twice_in_a_packet),
        FROM_EMPTY(a_change_or_a_gap_begins_anew),
        FROM_EMPTY(of_two_in_one_slot_neither_stands),
        FROM_EMPTY(owns_nothing_as_long_as_it_waits),
        FROM_EMPTY(not_kept_of_another_wait),
        FROM_EMPTY(kept_of_the_blocked_as_long_as_it_does_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
