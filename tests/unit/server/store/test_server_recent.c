/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that wait for their reports: skew and its uncertainty, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "server/store/recent.h"

static struct ix_packet_outcome closed[16];
static size_t count;

static void on_close(void *user, const struct ix_packet_outcome *outcome)
{
    assert_ptr_equal(user, &count);
    assert_true(count < sizeof closed / sizeof *closed);
    closed[count++] = *outcome;
}

static struct ixor_recent *begin(size_t room)
{
    count = 0;
    struct ixor_recent *r = ixor_recent_new(room, on_close, &count);
    assert_non_null(r);
    return r;
}

static void sent(struct ixor_recent *r, uint64_t number, int64_t execution, uint64_t vms)
{
    ixor_recent_sent(r,
                     &(struct ixor_recent_packet){
                         .number = number, .execution = execution, .sent_ns = number, .vms = vms});
}

static void taken(struct ixor_recent *r, uint64_t number, bool timed, int64_t begin_ns,
                  int64_t error)
{
    struct ixor_recent_packet *p = ixor_recent_find(r, number, 1);
    assert_non_null(p);
    ixor_recent_taken(r, p, timed, begin_ns, error);
}

static void is(size_t i, int64_t number, int64_t took, int64_t skew, int64_t error)
{
    assert_true(i < count);
    assert_int_equal(closed[i].number, number);
    assert_int_equal(closed[i].taken, took);
    assert_int_equal(closed[i].skew_ns, skew);
    assert_int_equal(closed[i].skew_error_ns, error);
}

/* Stops at 100 +- 0, 130 +- 10, 120 +- 40: from the first to the last 30; at most from 80 to 160 =
 * 80; at least from 100 to 120 = 20. */
static void skew_and_its_uncertainty(void **state)
{
    (void)state;
    struct ixor_recent *r = begin(4);
    sent(r, 7, 1, 3);
    taken(r, 7, true, 100, 0);
    taken(r, 7, true, 130, 10);
    assert_int_equal(count, 0);
    taken(r, 7, true, 120, 40);
    assert_int_equal(count, 1);
    is(0, 7, 3, 30, 50);
    assert_null(ixor_recent_find(r, 7, 1));

    sent(r, 8, 1, 2); /* known exactly */
    taken(r, 8, true, 60, 0);
    taken(r, 8, true, 50, 0);
    is(1, 8, 2, 10, 0);
    sent(r, 9, 1, 2); /* the intervals overlap: it may have been nothing */
    taken(r, 9, true, 50, 20);
    taken(r, 9, true, 60, 20);
    is(2, 9, 2, 10, 40);
    ixor_recent_free(r);
}

static void too_few_known_clocks(void **state)
{
    (void)state;
    struct ixor_recent *r = begin(4);
    sent(r, 1, 1, 1);
    taken(r, 1, true, 5, 0);
    is(0, 1, 1, -1, -1);
    sent(r, 2, 1, 3);
    taken(r, 2, false, 0, 0);
    taken(r, 2, true, 9, 1);
    taken(r, 2, false, 0, 0);
    is(1, 2, 3, -1, -1);
    ixor_recent_free(r);
}

static void time_room_and_ends(void **state)
{
    (void)state;
    struct ixor_recent *r = begin(3);
    sent(r, 10, 1, 2);
    sent(r, 11, 1, 1);
    sent(r, 11, 2, 1);
    taken(r, 11, true, 5, 0);
    is(0, 11, 1, -1, -1);
    assert_non_null(ixor_recent_find(r, 11, 2));
    assert_null(ixor_recent_find(r, 11, 3));
    assert_null(ixor_recent_find(r, 9, 1));
    sent(r, 12, 1, 1); /* no room: the oldest goes, and those behind it that are closed */
    is(1, 10, 0, -1, -1);
    sent(r, 13, 1, 1);
    assert_int_equal(count, 2);
    ixor_recent_expire(r, 12); /* packet n was sent at n */
    assert_int_equal(count, 3);
    assert_int_equal(closed[2].execution, 2);
    ixor_recent_end(r, 2);
    assert_int_equal(count, 3);
    ixor_recent_end(r, 1);
    is(3, 12, 0, -1, -1);
    is(4, 13, 0, -1, -1);
    ixor_recent_expire(r, 1000);
    assert_int_equal(count, 5);
    for (uint64_t n = 100; n < 108; n++)
        sent(r, n, 1, 1);
    assert_int_equal(count, 10);
    ixor_recent_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skew_and_its_uncertainty),
        cmocka_unit_test(too_few_known_clocks),
        cmocka_unit_test(time_room_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
