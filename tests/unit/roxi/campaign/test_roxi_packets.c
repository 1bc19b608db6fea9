/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of packet numbers, by hand and against counting each number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "roxi/campaign/packets.h"

static void add_all(struct roxi_packets *p, const uint64_t *packets)
{
    for (; *packets; packets++)
        assert_int_equal(roxi_packets_add(p, *packets), 0);
}

static void test_runs(void **state)
{
    (void)state;
    struct roxi_packets p = {0};
    add_all(&p, (uint64_t[]){1, 2, 3, 7, 9, 10, 10, 4, 11, 0}); /* 10 and 4 are not above */
    assert_int_equal(p.count, 3);
    assert_int_equal(roxi_packets_size(&p), 7);
    size_t at = 0;
    for (uint64_t packet = 0; packet < 14; packet++)
        assert_int_equal(roxi_packets_has(&p, packet, &at), (packet >= 1 && packet <= 3) ||
                                                                packet == 7 ||
                                                                (packet >= 9 && packet <= 11));
    roxi_packets_free(&p);
}

/* The highest number has no successor. */
static void test_highest(void **state)
{
    (void)state;
    struct roxi_packets p = {0}, both = {0};
    add_all(&p, (uint64_t[]){UINT64_MAX - 1, UINT64_MAX, 0});
    const struct roxi_packets *const twice[] = {&p, &p};
    assert_int_equal(roxi_packets_choose(twice, 2, 2, &both), 0);
    assert_int_equal(both.count, 1);
    assert_int_equal(roxi_packets_size(&both), 2);
    size_t at = 0;
    assert_true(roxi_packets_has(&both, UINT64_MAX, &at));
    roxi_packets_free(&p);
    roxi_packets_free(&both);
}

static void test_choose(void **state)
{
    (void)state;
    enum { SETS = 4, HIGHEST = 60 };
    static const unsigned steps[SETS] = {1, 2, 3,
                                         5}; /* set s: all but the multiples of steps[s] + 1 */
    struct roxi_packets sets[SETS] = {{0}};
    const struct roxi_packets *list[SETS];
    for (size_t s = 0; s < SETS; s++) {
        list[s] = &sets[s];
        for (uint64_t packet = 1; packet < HIGHEST; packet++)
            if (packet % (steps[s] + 1))
                assert_int_equal(roxi_packets_add(&sets[s], packet), 0);
    }
    for (uint64_t enough = 1; enough <= SETS + 1; enough++) {
        struct roxi_packets chosen = {0};
        size_t at = 0;
        assert_int_equal(roxi_packets_choose(list, SETS, enough, &chosen), 0);
        for (uint64_t packet = 0; packet < HIGHEST + 2; packet++) {
            uint64_t holders = 0;
            for (size_t s = 0; s < SETS; s++)
                holders += packet && packet < HIGHEST && packet % (steps[s] + 1);
            assert_int_equal(roxi_packets_has(&chosen, packet, &at), holders >= enough);
        }
        roxi_packets_free(&chosen);
    }
    for (size_t s = 0; s < SETS; s++)
        roxi_packets_free(&sets[s]);
}

/* Runs that touch, of different sets, are one. */
static void test_joined(void **state)
{
    (void)state;
    struct roxi_packets a = {0}, b = {0}, any = {0};
    add_all(&a, (uint64_t[]){1, 2, 0});
    add_all(&b, (uint64_t[]){3, 4, 0});
    const struct roxi_packets *const both[] = {&b, &a};
    assert_int_equal(roxi_packets_choose(both, 2, 1, &any), 0);
    assert_int_equal(any.count, 1);
    assert_int_equal(roxi_packets_size(&any), 4);
    roxi_packets_free(&a);
    roxi_packets_free(&b);
    roxi_packets_free(&any);
}

/* From within a range, from a gap, and from behind all. */
static void test_from(void **state)
{
    (void)state;
    for (uint64_t first = 0; first < 12; first++) {
        struct roxi_packets p = {0};
        size_t at = 0;
        add_all(&p, (uint64_t[]){1, 2, 5, 6, 7, 10, 0});
        roxi_packets_from(&p, first);
        for (uint64_t packet = 0; packet < 12; packet++)
            assert_int_equal(roxi_packets_has(&p, packet, &at),
                             packet >= first && (packet == 1 || packet == 2 || packet == 10 ||
                                                 (packet >= 5 && packet <= 7)));
        roxi_packets_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),   cmocka_unit_test(test_highest),
        cmocka_unit_test(test_choose), cmocka_unit_test(test_joined),
        cmocka_unit_test(test_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
