/* SPDX-License-Identifier: Apache-2.0 */
/* For how long blocks were not executed while their method was: by hand, and compared with a plain
 * count packet by packet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/log_blocks.h"

static struct roxi_symbols *symbols;
static struct roxi_log_blocks blocks;
static struct roxi_use use;

static int set_up(void **state)
{
    (void)state;
    symbols = roxi_symbols_new();
    memset(&blocks, 0, sizeof blocks);
    memset(&use, 0, sizeof use);
    return symbols ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    roxi_log_blocks_free(&blocks);
    roxi_use_free(&use);
    roxi_symbols_free(symbols);
    return 0;
}

/* A method of class A, and a line of it. */
static uint32_t at(const char *method, int line)
{
    const struct roxi_frame frame = {.class_name = roxi_symbols_string(symbols, "A", 1),
                                     .method = roxi_symbols_string(symbols, method, strlen(method)),
                                     .line = line};
    return roxi_symbols_stack(symbols, 0, roxi_symbols_frame(symbols, frame));
}

static void executed(const char *method, uint32_t block, uint64_t packet)
{
    assert_int_equal(roxi_log_blocks_executed(&blocks, at(method, (int)block), block, packet), 0);
}

static void pauses(const char *method, uint32_t block, uint64_t packet, uint64_t packets)
{
    assert_int_equal(roxi_log_blocks_pause(&blocks, at(method, (int)block), block, packet, packets),
                     0);
}

static void end(uint64_t last)
{
    assert_int_equal(roxi_log_blocks_end(&blocks, symbols, last, 1, &use), 0);
    roxi_use_order(&use);
}

static void expect(const char *method, uint32_t block, uint32_t active, uint32_t missed,
                   uint32_t from)
{
    const struct roxi_executed *x = roxi_use_executed(&use, 1, at(method, (int)block), block);
    assert_non_null(x);
    assert_int_equal(x->active, active);
    assert_int_equal(x->missed, missed);
    assert_int_equal(x->missed_from, from);
}

/* The longest of its pauses, and of those that ended. */
static void expect_pauses(const char *method, uint32_t block, uint32_t longest, uint32_t from,
                          uint32_t resumed)
{
    const struct roxi_executed *x = roxi_use_executed(&use, 1, at(method, (int)block), block);
    assert_non_null(x);
    assert_int_equal(x->longest, longest);
    assert_int_equal(x->longest_from, from);
    assert_int_equal(x->resumed, resumed);
}

/* From packet 21 on it is not executed, although its method is, up to the end. */
static void test_to_the_end(void **state)
{
    (void)state;
    executed("m", 1, 5);
    executed("m", 2, 5);
    pauses("m", 2, 28, 8);
    end(60);
    expect("m", 1, 56, 0, 0);
    expect("m", 2, 16, 40, 21);
    expect_pauses("m", 1, 0, 0, 0);
    expect_pauses("m", 2, 40, 21, 0);
    assert_true(blocks.tells_pauses);
    assert_null(roxi_use_executed(&use, 2, at("m", 1), 1));
    assert_null(roxi_use_executed(&use, 1, at("m", 1), 2));
}

/* What its method does not do either is not missed, nor what it did before it was ever executed. */
static void test_method_pauses(void **state)
{
    (void)state;
    executed("m", 1, 5);
    executed("m", 2, 5);
    executed("m", 3, 30);
    pauses("m", 1, 38, 8); /* from 31 */
    pauses("m", 2, 28, 8); /* from 21 */
    pauses("m", 3, 48, 8); /* from 41 */
    pauses("m", 1, 50, 0);
    pauses("m", 3, 55, 0);
    end(60);
    /* The method is executed until 40, and again from 50 on. */
    expect("m", 1, 37, 10, 31);
    expect("m", 2, 16, 20 + 11, 21);
    expect("m", 3, 17, 5, 41);
    expect_pauses("m", 1, 19, 31, 19);
    expect_pauses("m", 2, 40, 21, 0);
    expect_pauses("m", 3, 14, 41, 14);
}

/* A method of one block, or all of whose blocks pause, misses nothing. */
static void test_alone(void **state)
{
    (void)state;
    executed("one", 1, 5);
    pauses("one", 1, 20, 10);
    executed("two", 1, 5);
    executed("two", 2, 5);
    pauses("two", 1, 20, 10);
    pauses("two", 2, 20, 10);
    end(60);
    expect("one", 1, 6, 0, 0);
    expect("two", 1, 6, 0, 0);
    expect("two", 2, 6, 0, 0);
}

/* The longest of several counts; one that ends with the last packet, or later, as in a log that was
 * cut, lasts to the end. */
static void test_several(void **state)
{
    (void)state;
    executed("m", 1, 1);
    executed("m", 2, 1);
    pauses("m", 2, 18, 8);
    pauses("m", 2, 40, 0); /* 11 to 39 */
    pauses("m", 2, 52, 12);
    pauses("m", 2, 70, 0); /* 41 to 69 */
    end(50);
    expect("m", 2, 11, 29, 11);
}

/* Of a block whose beginning is in a part that is gone nothing is known; what ends without having
 * begun, or begins twice, is harmless. */
static void test_odd(void **state)
{
    (void)state;
    pauses("m", 1, 20, 10);
    executed("m", 2, 5);
    executed("m", 3, 5);
    pauses("m", 2, 9, 0);
    pauses("m", 2, 30, 10);
    pauses("m", 2, 40, 10);
    pauses("m", 3, 41, UINT64_MAX);
    end(60);
    assert_null(roxi_use_executed(&use, 1, at("m", 1), 1));
    assert_int_equal(use.executed_count, 2);
    expect("m", 2, 16, 0, 0);
    expect("m", 3, 1, 15, 6);
}

static void test_nothing(void **state)
{
    (void)state;
    end(60);
    assert_int_equal(use.executed_count, 0);
    assert_false(blocks.tells_pauses);
}

/* Two JVMs of a role: the more of each. */
static void test_two_jvms(void **state)
{
    (void)state;
    executed("m", 1, 5);
    executed("m", 2, 5);
    pauses("m", 2, 28, 8);
    end(60);
    roxi_log_blocks_free(&blocks);
    executed("m", 1, 3);
    executed("m", 2, 3);
    pauses("m", 2, 20, 8);
    pauses("m", 2, 30, 0);
    end(60);
    expect("m", 2, 41, 40, 21);
}

/* ---- compared with a plain count ---- */

enum { BLOCKS = 7, PACKETS = 80 };

struct plain {
    bool idle[BLOCKS][PACKETS + 1]; /* by block and packet */
    uint64_t first[BLOCKS];
};

/* Random pauses of 8 packets or more, told as the agent does. */
static void make(struct plain *plain)
{
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint64_t packet = plain->first[b] = 1 + (uint64_t)(rand() % 40);
        executed("m", b, packet);
        for (uint64_t i = 0; i < packet; i++)
            plain->idle[b][i] = true;
        for (;;) {
            const uint64_t from = packet + 1 + (uint64_t)(rand() % 20);
            const uint64_t resumed = from + 8 + (uint64_t)(rand() % 30);
            if (from + 7 > PACKETS)
                break;
            pauses("m", b, from + 7, 8);
            if (resumed <= PACKETS)
                pauses("m", b, resumed, 0);
            for (uint64_t i = from; i < resumed && i <= PACKETS; i++)
                plain->idle[b][i] = true;
            packet = resumed;
        }
    }
}

static bool all_idle(const struct plain *plain, uint64_t packet)
{
    for (uint32_t b = 0; b < BLOCKS; b++)
        if (!plain->idle[b][packet])
            return false;
    return true;
}

static void compare(const struct plain *plain, uint32_t b)
{
    uint32_t active = 0, longest = 0, from = 0;
    for (uint64_t i = plain->first[b]; i <= PACKETS; i++) {
        uint32_t others = 0;
        const uint64_t begin = i;
        active += !plain->idle[b][i];
        for (; i <= PACKETS && plain->idle[b][i]; i++)
            others += !all_idle(plain, i);
        if (i > begin)
            i--;
        if (others > longest) {
            longest = others;
            from = (uint32_t)begin;
        }
    }
    expect("m", b, active, longest, from);
}

static void test_plain(void **state)
{
    srand(4711);
    for (int i = 0; i < 500; i++) {
        struct plain plain = {0};
        tear_down(state);
        set_up(state);
        make(&plain);
        end(PACKETS);
        for (uint32_t b = 0; b < BLOCKS; b++)
            compare(&plain, b);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_to_the_end), TEST(test_method_pauses), TEST(test_alone),    TEST(test_several),
        TEST(test_odd),        TEST(test_nothing),       TEST(test_two_jvms), TEST(test_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
