/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of blocks that pause, with a double of the JVM. With real JVMs: agent_coverage.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "tests/support/coverage_world.h"

/* A class of three blocks, that is prepared. */
static struct double_loaded *start(void)
{
    cover_start();
    struct double_loaded *a = cover_load("a/A", &covering.loaders[0], 3);
    cover_prepare(a);
    return a;
}

/* In so many packets the block is not executed, and nothing is told. */
static void expect_silence(unsigned packets)
{
    for (unsigned i = 0; i < packets; i++) {
        const struct told t = cover_packet(false);
        assert_int_equal(t.count, 0);
        assert_int_equal(t.pauses, 0);
    }
}

/* It pauses for so many packets, of which the last tells that. */
static void expect_pause(unsigned block, unsigned packets)
{
    expect_silence(packets - 1);
    const struct told t = cover_packet(false);
    assert_int_equal(t.pauses, 1);
    assert_int_equal(t.paused[block], packets);
}

/* It is executed, which is told or not. */
static void expect_again(struct double_loaded *a, unsigned block, bool told)
{
    cover_execute(a, block);
    const struct told t = cover_packet(false);
    assert_int_equal(t.count, 0);
    assert_int_equal(t.pauses, told);
    assert_int_equal(t.again[block], told);
}

static void test_pause(void **state)
{
    (void)state;
    struct double_loaded *a = start();
    cover_execute(a, 1);
    assert_int_equal(cover_packet(false).count, 1);
    expect_pause(1, IXA_PAUSE_PACKETS);
    expect_silence(20); /* told once */
    expect_again(a, 1, true);
    expect_again(a, 1, false);
    cover_stop();
}

/* What is executed now and then is not told to pause. */
static void test_short(void **state)
{
    (void)state;
    struct double_loaded *a = start();
    cover_execute(a, 2);
    assert_int_equal(cover_packet(false).count, 1);
    for (unsigned i = 0; i < 20; i++) {
        expect_silence(IXA_PAUSE_PACKETS - 1);
        expect_again(a, 2, false);
    }
    expect_pause(2, IXA_PAUSE_PACKETS);
    cover_stop();
}

/* Each of several is told. */
static void test_several(void **state)
{
    (void)state;
    struct double_loaded *a = start();
    cover_execute(a, 0);
    assert_int_equal(cover_packet(false).count, 1);
    for (unsigned i = 0; i < 5; i++) {
        expect_pause(0, IXA_PAUSE_PACKETS);
        expect_silence(i * 7);
        expect_again(a, 0, true);
    }
    cover_stop();
}

/* A block that was never executed does not pause. After the last packet no pause is told, and none
 * ends: there is no packet to tell it of. */
static void test_last(void **state)
{
    (void)state;
    struct double_loaded *a = start();
    cover_execute(a, 0);
    assert_int_equal(cover_packet(false).count, 1);
    expect_pause(0, IXA_PAUSE_PACKETS);
    cover_execute(a, 0);
    cover_execute(a, 1);
    struct told t = cover_packet(true);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.blocks[1], 1);
    assert_int_equal(t.pauses, 0);
    cover_stop();
}

/* In a large program a class is not looked at for each packet: what was not executed at one look
 * alone is no pause. */
static void test_many_classes(void **state)
{
    enum { CLASSES = IXA_COVERAGE_BLOCKS / 1000 };
    char name[16];
    struct double_loaded *classes[CLASSES];
    size_t pauses = 0;
    (void)state;
    cover_start();
    for (unsigned i = 0; i < CLASSES; i++) {
        snprintf(name, sizeof name, "a/A%u", i);
        classes[i] = cover_load(name, &covering.loaders[0], 1000);
        cover_prepare(classes[i]);
    }
    expect_silence(20); /* all are known */
    for (unsigned i = 0; i < CLASSES; i++)
        cover_execute(classes[i], 5);
    for (unsigned i = 0; i < 14; i++) /* two looks: a round takes seven packets, or eight */
        pauses += cover_packet(false).pauses;
    assert_int_equal(pauses, 0);
    for (unsigned i = 0; i < 40; i++) {
        const struct told t = cover_packet(false);
        pauses += t.pauses;
        assert_true(!t.pauses || t.paused[5] >= IXA_PAUSE_PACKETS);
    }
    assert_int_equal(pauses, CLASSES);
    cover_stop();
}

/* What could not be written is next time. */
static void test_writes(void **state)
{
    enum { BLOCKS = 1000, CLASSES = 5 };
    char name[16];
    struct double_loaded *classes[CLASSES];
    size_t pauses = 0, packets = 0;
    (void)state;
    cover_start();
    for (unsigned i = 0; i < CLASSES; i++) {
        snprintf(name, sizeof name, "a/A%u", i);
        classes[i] = cover_load(name, &covering.loaders[0], BLOCKS);
        cover_prepare(classes[i]);
        cover_execute_all(classes[i]);
    }
    assert_int_equal(cover_packet(false).count, IXA_COVERAGE_WRITES);
    assert_int_equal(cover_packet(false).count, CLASSES * BLOCKS - IXA_COVERAGE_WRITES);
    while (pauses < CLASSES * BLOCKS) {
        const struct told t = cover_packet(false);
        assert_true(t.pauses <= IXA_COVERAGE_WRITES);
        pauses += t.pauses;
        assert_true(++packets < 30);
    }
    assert_int_equal(pauses, CLASSES * BLOCKS);
    cover_stop();
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, cover_set_up, cover_clean_up)
    const struct CMUnitTest tests[] = {TEST(test_pause),        TEST(test_short),
                                       TEST(test_several),      TEST(test_last),
                                       TEST(test_many_classes), TEST(test_writes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
