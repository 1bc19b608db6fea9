/* Ranking: small numbers worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/rank.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void test_neighbours(void **state)
{
    (void)state;
    assert_int_equal(roxi_rank_neighbours(2), 1);
    assert_int_equal(roxi_rank_neighbours(3), 2);
    assert_int_equal(roxi_rank_neighbours(24), 5);
    assert_int_equal(roxi_rank_neighbours(100), 10);
}

/* Group 0: median 1.5, deviations 0.5 0.5 0.5 7.5, so sigma is 1.4826 / 2. Group 1: median 0,
 * deviations 0 0 0 3, so sigma is 0. The floor is the mean of the sigmas. */
static void test_combine(void **state)
{
    (void)state;
    static const double far[2][4] = {{1, 1, 2, 9}, {0, 0, 0, 3}};
    const double sigma = 1.4826 * 0.5, floor = sigma / 2;
    const double little = 0.5 / (sigma + floor);
    const double much = sqrt(pow(7.5 / (sigma + floor), 2) + pow(3 / floor, 2));
    /* The sums are 0, 0, little, much: median little / 2, from which three are as far away. */
    const double unit = 1.4826 * little / 2;
    double score[4];
    assert_int_equal(roxi_rank_combine(far[0], 2, 4, score), 0);
    assert_near(score[0], -little / 2 / unit);
    assert_near(score[1], score[0]);
    assert_near(score[2], little / 2 / unit);
    assert_near(score[3], (much - little / 2) / unit);
}

/* A thread that varies a thousand times more than the other one does not drown it. */
static void test_loud_group(void **state)
{
    (void)state;
    static const double far[2][5] = {{1000, 3000, 2000, 5000, 4000}, {1, 1, 2, 2, 900}};
    static const double swapped[2][5] = {{1000, 3000, 2000, 5000, 4000}, {900, 1, 2, 2, 1}};
    double score[5], other[5];
    assert_int_equal(roxi_rank_combine(far[0], 2, 5, score), 0);
    assert_int_equal(roxi_rank_combine(swapped[0], 2, 5, other), 0);
    assert_true(score[4] > score[1] && score[4] > score[0]);
    assert_true(other[0] > score[0]);
}

/* Most executions agree in every group: mean deviations take over. */
static void test_nearly_equal(void **state)
{
    (void)state;
    static const double far[] = {0, 0, 0, 0, 4};
    double score[5];
    assert_int_equal(roxi_rank_combine(far, 1, 5, score), 0);
    assert_near(score[0], 0);
    assert_true(score[4] > 3);
}

static void test_all_equal(void **state)
{
    (void)state;
    static const double far[] = {2, 2, 2, 5, 5, 5};
    double score[3];
    assert_int_equal(roxi_rank_combine(far, 2, 3, score), 0);
    for (int i = 0; i < 3; i++)
        assert_true(score[i] == 0);
    assert_int_equal(roxi_rank_combine(far, 0, 3, score), 0);
    assert_true(score[0] == 0);
}

/* Four executions, one thread, one-frame stacks at distance 0 or 1. Three show stack a only, for
 * 10, 10 and 1000 snapshots; the last one stack b: whatever its length, it is the odd one. */
static void test_profiles(void **state)
{
    (void)state;
    static const uint64_t counts[] = {10, 10, 1000, 10};
    struct roxi_profiles *p = roxi_profiles_new();
    assert_non_null(p);
    uint32_t role = roxi_symbols_string(p->symbols, "role", 4);
    uint32_t group = roxi_profiles_group(p, role, role);
    uint32_t stacks[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct roxi_frame frame = {.class_name = role, .method = role, .descriptor = role,
                                   .line = (int32_t)i + 1};
        stacks[i] = roxi_symbols_stack(p->symbols, 0,
                                       roxi_symbols_frame(p->symbols, frame));
    }
    for (int i = 0; i < 4; i++) {
        struct roxi_tally seen = {0};
        roxi_tally_add(&seen, roxi_pair(group, stacks[i == 3]), counts[i]);
        assert_int_equal(roxi_profiles_add(p, "run", &seen, NULL), 0);
        roxi_tally_free(&seen);
    }
    struct roxi_compare_options options = {.strategy = roxi_strategy_find("gap"),
                                           .match_reward = 1};
    double score[4];
    assert_int_equal(roxi_rank(p, &options, 2, score, NULL), 0);
    for (int i = 0; i < 3; i++)
        assert_near(score[i], 0);
    assert_true(score[3] > 2);
    roxi_profiles_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_combine),
        cmocka_unit_test(test_loud_group), cmocka_unit_test(test_nearly_equal),
        cmocka_unit_test(test_all_equal),  cmocka_unit_test(test_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
