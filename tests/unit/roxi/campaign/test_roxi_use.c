/* SPDX-License-Identifier: Apache-2.0 */
/* What JVMs used and threw, added up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roxi/campaign/use.h"

/* Of two JVMs the one that had most threads of a group counts, and the one in which they were gone
 * for longest. */
static void test_most(void **state)
{
    (void)state;
    struct roxi_use u = {0};
    const struct roxi_most most[] = {{7, 2, 0, 10}, {3, 1, 6, 0}, {7, 5, 3, 5}, {7, 4, 9, 1}};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        assert_int_equal(roxi_use_add_most(&u, most[i]), 0);
    roxi_use_order(&u);
    assert_int_equal(u.most_count, 2);
    assert_int_equal(roxi_use_most(&u, 3)->threads, 1);
    assert_int_equal(roxi_use_most(&u, 3)->gone, 6);
    assert_int_equal(roxi_use_most(&u, 7)->threads, 5);
    assert_int_equal(roxi_use_most(&u, 7)->gone, 9);
    assert_int_equal(roxi_use_most(&u, 7)->turns, 16);
    assert_null(roxi_use_most(&u, 5));
    roxi_use_free(&u);
    roxi_use_order(&u);
    assert_null(roxi_use_most(&u, 3));
}

static void test_processes(void **state)
{
    (void)state;
    struct roxi_use u = {0};
    const struct roxi_process_use uses[] = {{1, 100, 5, 3, 40}, {2, 1, 1, 1, 1}, {1, 90, 8, 2, 50}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        assert_int_equal(roxi_use_add_process(&u, &uses[i]), 0);
    assert_int_equal(u.process_count, 2);
    assert_int_equal(u.processes[0].megabytes, 100);
    assert_int_equal(u.processes[0].files, 8);
    assert_int_equal(u.processes[0].collecting, 3);
    assert_int_equal(u.processes[0].collecting_ns, 50);
    roxi_use_free(&u);
}

static void throw(struct roxi_use * u, uint32_t role, uint32_t class_name, uint32_t stack,
                  uint64_t packet, uint32_t group)
{
    const struct roxi_thrown t = {role, class_name, stack, group, packet, 1};
    assert_int_equal(roxi_use_add_thrown(u, &t), 0);
}

/* Each role, class and place once, with the thread that was first; however many there are. */
static void test_thrown(void **state)
{
    enum { MANY = 20000, CLASSES = 3000 };
    (void)state;
    struct roxi_use u = {0};
    size_t count;
    throw(&u, 1, 10, 5, 30, 2);
    throw(&u, 2, 10, 5, 20, 3);
    throw(&u, 1, 10, 5, 10, 4);
    throw(&u, 1, 10, 6, 1, 5);
    for (uint32_t i = 0; i < MANY; i++)
        throw(&u, 1, 100 + i % CLASSES, 1, 1 + i, i);
    assert_true(u.thrown_cap < MANY); /* they are added up meanwhile */
    roxi_use_order(&u);
    assert_int_equal(u.thrown_count, CLASSES + 3);
    const struct roxi_thrown *t = roxi_use_thrown(&u, 10, 5, &count);
    assert_int_equal(count, 2);
    assert_int_equal(t[0].role, 1);
    assert_int_equal(t[0].count, 2);
    assert_int_equal(t[0].packet, 10);
    assert_int_equal(t[0].group, 4);
    assert_int_equal(t[1].role, 2);
    assert_int_equal(t[1].packet, 20);
    t = roxi_use_thrown(&u, 100, 1, &count);
    assert_int_equal(count, 1);
    assert_int_equal(t->count, 7); /* 0, 3000, ..., 18000 */
    assert_int_equal(t->packet, 1);
    assert_null(roxi_use_thrown(&u, 10, 7, &count));
    roxi_use_free(&u);
}

static void make_at(struct roxi_use *u, uint32_t role, uint32_t class_name, uint32_t stack,
                    uint64_t packet)
{
    const struct roxi_first f = {role, class_name, stack, 6, packet, 0};
    assert_int_equal(roxi_use_add_first(u, &f), 0);
}

static void make(struct roxi_use *u, uint32_t role, uint32_t class_name, uint64_t packet,
                 uint32_t serial)
{
    const struct roxi_first f = {role, class_name, 5, 6, packet, serial};
    assert_int_equal(roxi_use_add_first(u, &f), 0);
}

/* On each call stack once. */
static void test_firsts_by_stack(void **state)
{
    (void)state;
    struct roxi_use u = {0};
    make_at(&u, 1, 10, 7, 9);
    make_at(&u, 1, 10, 3, 30);
    make_at(&u, 1, 10, 3, 20);
    make_at(&u, 1, 11, 3, 5);
    roxi_use_order(&u);
    assert_int_equal(u.first_count, 3);
    assert_int_equal(u.firsts[0].stack, 3);
    assert_int_equal(u.firsts[0].packet, 20);
    assert_int_equal(roxi_use_earliest(&u, 10)->stack, 7);
    roxi_use_free(&u);
}

/* Each group and call stack once, with all their threads; of a group the one with most tells. */
static void test_starters(void **state)
{
    enum { MANY = 20000 };
    (void)state;
    struct roxi_use u = {0};
    assert_int_equal(roxi_use_starter(&u, 1), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        const struct roxi_started s = {i % 3, 10 + i % 6, 1};
        assert_int_equal(roxi_use_add_started(&u, &s), 0);
    }
    assert_true(u.started_cap < MANY); /* they are added up meanwhile */
    assert_int_equal(roxi_use_add_started(&u, &(struct roxi_started){1, 14, 2}), 0);
    roxi_use_order(&u);
    assert_int_equal(u.started_count, 6);
    assert_int_equal(roxi_use_starter(&u, 1), 14); /* one more than 11 */
    assert_int_equal(roxi_use_starter(&u, 2), 12);
    assert_int_equal(roxi_use_starter(&u, 9), 0);
    roxi_use_free(&u);
}

/* Each class and role once, however many there are: of several JVMs the one that made it first. */
static void test_firsts(void **state)
{
    enum { MANY = 20000, CLASSES = 3000 };
    (void)state;
    struct roxi_use u = {0};
    assert_null(roxi_use_earliest(&u, 10));
    make(&u, 2, 10, 8, 1);
    make(&u, 1, 11, 9, 0);
    make(&u, 1, 10, 8, 3);
    make(&u, 1, 10, 8, 2);
    make(&u, 1, 10, 9, 0);
    roxi_use_order(&u);
    assert_int_equal(u.first_count, 3);
    assert_int_equal(u.firsts[0].role, 1);
    assert_int_equal(u.firsts[0].packet, 8);
    assert_int_equal(u.firsts[0].serial, 2);
    assert_int_equal(roxi_use_earliest(&u, 10)->role, 2);
    assert_int_equal(roxi_use_earliest(&u, 11)->packet, 9);
    assert_null(roxi_use_earliest(&u, 9));
    assert_null(roxi_use_earliest(&u, 12));
    for (uint32_t i = 0; i < MANY; i++)
        make(&u, 3, 100 + i % CLASSES, MANY - i, 0);
    assert_true(u.first_cap < MANY); /* they are sorted out meanwhile */
    roxi_use_order(&u);
    assert_int_equal(u.first_count, CLASSES + 3);
    assert_int_equal(roxi_use_earliest(&u, 100)->packet, MANY % CLASSES);
    roxi_use_free(&u);
}

static void cover(struct roxi_use *u, uint32_t role, uint32_t stack, uint32_t block,
                  uint32_t packet)
{
    const struct roxi_covered c = {.role = role, .stack = stack, .block = block, .packet = packet};
    assert_int_equal(roxi_use_add_covered(u, &c), 0);
}

static void assert_covered(const struct roxi_covered *x, uint32_t role, uint32_t stack,
                           uint32_t block, uint32_t packet)
{
    assert_int_equal(x->role, role);
    assert_int_equal(x->stack, stack);
    assert_int_equal(x->block, block);
    assert_int_equal(x->packet, packet);
}

/* Each role, place and block once, in this order, with the packet at which it was executed first;
 * however many there are. */
static void test_covered(void **state)
{
    enum { MANY = 20000, BLOCKS = 3000 };
    (void)state;
    struct roxi_use u = {0};
    roxi_use_order(&u);
    assert_int_equal(u.covered_count, 0);
    cover(&u, 2, 5, 1, 8);
    cover(&u, 1, 6, 1, 9);
    cover(&u, 1, 5, 2, 7);
    cover(&u, 1, 5, 1, 30);
    cover(&u, 1, 5, 1, 20);
    cover(&u, 1, 5, 1, 25);
    roxi_use_order(&u);
    assert_int_equal(u.covered_count, 4);
    assert_covered(&u.covered[0], 1, 5, 1, 20);
    assert_covered(&u.covered[1], 1, 5, 2, 7);
    assert_covered(&u.covered[2], 1, 6, 1, 9);
    assert_covered(&u.covered[3], 2, 5, 1, 8);
    for (uint32_t i = 0; i < MANY; i++)
        cover(&u, 3, 7, i % BLOCKS, MANY - i);
    assert_true(u.covered_cap < MANY); /* they are sorted out meanwhile */
    roxi_use_order(&u);
    assert_int_equal(u.covered_count, BLOCKS + 4);
    assert_covered(&u.covered[4], 3, 7, 0, MANY % BLOCKS);
    assert_covered(&u.covered[BLOCKS + 3], 3, 7, BLOCKS - 1, MANY % BLOCKS + 1);
    roxi_use_free(&u);
    assert_int_equal(u.covered_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_thrown),
        cmocka_unit_test(test_firsts),
        cmocka_unit_test(test_firsts_by_stack),
        cmocka_unit_test(test_starters),
        cmocka_unit_test(test_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
