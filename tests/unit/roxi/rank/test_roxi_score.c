/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking, and alarms learnt from it: small numbers worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/rank/calibrate.h"
#include "roxi/rank/nearest.h"
#include "roxi/rank/score.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void test_neighbours(void **state)
{
    (void)state;
    assert_int_equal(roxi_rank_neighbours(2), 1);
    assert_int_equal(roxi_rank_neighbours(3), 2);
    assert_int_equal(roxi_rank_neighbours(24), 5);
    assert_int_equal(roxi_rank_neighbours(100), 10);
}

/* Columns of call stacks with these cells, executions within a column. */
static void combine(const double *cells, size_t count, size_t n, const bool *reference,
                    double *score, struct roxi_columns *columns)
{
    *columns = (struct roxi_columns){.n = n};
    for (size_t c = 0; c < count; c++) {
        double *column =
            roxi_columns_add(columns, (struct roxi_column){ROXI_STACKS, (uint32_t)c, 0});
        assert_non_null(column);
        memcpy(column, cells + c * n, n * sizeof *column);
    }
    assert_int_equal(roxi_score_combine(columns, reference, score), 0);
}

static void combine_all(const double *cells, size_t count, size_t n, double *score)
{
    struct roxi_columns columns;
    combine(cells, count, n, NULL, score, &columns);
    roxi_columns_free(&columns);
}

/* Group 0: median 1.5, deviations 0.5 0.5 0.5 7.5, so sigma is 1.4826 / 2, and the mean square 57
 * / 4. Group 1: median 0, deviations 0 0 0 3, so sigma is 0, and the mean square 9 / 4. The floor
 * is the mean of the sigmas. */
static void test_combine(void **state)
{
    (void)state;
    static const double far[2][4] = {{1, 1, 2, 9}, {0, 0, 0, 3}};
    const double sigma = 1.4826 * 0.5, floor = sigma / 2;
    const double little = 0.5 / (sqrt(57.0 / 4) + floor);
    const double first = pow(7.5 / (sqrt(57.0 / 4) + floor), 2), second = pow(3 / (1.5 + floor), 2);
    /* The sums are 0, 0, little, much: median little / 2, from which three are as far away. */
    const double unit = 1.4826 * little / 2;
    struct roxi_columns columns;
    double score[4];
    combine(far[0], 2, 4, NULL, score, &columns);
    assert_near(score[0], -little / 2 / unit);
    assert_near(score[1], score[0]);
    assert_near(score[2], little / 2 / unit);
    assert_near(score[3], (sqrt(first + second) - little / 2) / unit);
    assert_near(roxi_column_at(&columns, 0)[3], score[3] * first / (first + second));
    assert_near(roxi_column_at(&columns, 1)[3], score[3] * second / (first + second));
    assert_near(roxi_column_at(&columns, 0)[0], 0);
    roxi_columns_free(&columns);
}

/* A thread that varies a thousand times more than the other one does not drown it. */
static void test_loud_group(void **state)
{
    (void)state;
    static const double far[2][5] = {{1000, 3000, 2000, 5000, 4000}, {1, 1, 2, 2, 900}};
    static const double swapped[2][5] = {{1000, 3000, 2000, 5000, 4000}, {900, 1, 2, 2, 1}};
    double score[5], other[5];
    combine_all(far[0], 2, 5, score);
    combine_all(swapped[0], 2, 5, other);
    assert_true(score[4] > score[1] && score[4] > score[0]);
    assert_true(other[0] > score[0]);
}

/* Most executions agree in every group: mean deviations take over. */
static void test_nearly_equal(void **state)
{
    (void)state;
    static const double far[] = {0, 0, 0, 0, 4};
    double score[5];
    combine_all(far, 1, 5, score);
    assert_near(score[0], 0);
    assert_true(score[4] > 3);
}

static void test_all_equal(void **state)
{
    (void)state;
    static const double far[] = {2, 2, 2, 5, 5, 5};
    double score[3];
    combine_all(far, 2, 3, score);
    for (int i = 0; i < 3; i++)
        assert_true(score[i] == 0);
    combine_all(far, 0, 3, score);
    assert_true(score[0] == 0);
}

/* A place where one of twenty is odd says the same however far off that one is; two such places say
 * more than one. */
static void test_bounded(void **state)
{
    (void)state;
    double far[4][20] = {{0}}, score[20], louder[20];
    for (int i = 0; i < 20; i++)
        far[3][i] = i % 5;
    far[0][0] = far[1][1] = far[2][1] = 1e4;
    combine_all(far[0], 4, 20, score);
    far[0][0] = 1e9;
    combine_all(far[0], 4, 20, louder);
    assert_true(score[0] > 3 && louder[0] < 1.001 * score[0]);
    assert_true(louder[1] > 1.3 * louder[0]);
}

/* Only the reference says what is typical. The last three are as far away as can be: each of them
 * is measured by the spread that the reference would have with it. */
static void test_reference(void **state)
{
    (void)state;
    static const double far[] = {1, 2, 3, 90, 90, 90};
    static const bool reference[] = {true, true, true, false, false, false};
    struct roxi_columns columns;
    double score[6], all[6];
    combine(far, 1, 6, reference, score, &columns);
    roxi_columns_free(&columns);
    assert_near(score[1], 0);
    /* Centre 2, floor sigma of the reference, its mean absolute deviation being 1. */
    const double good = 1 / (sqrt(2 / 3.0) + 1.4826);
    const double new = 88 / (sqrt((2 + 88 * 88) / 4.0) + 1.4826);
    assert_near(score[3], new / (1.2533 * good / 3));
    assert_true(score[3] > 10 && score[3] == score[5]);
    combine_all(far, 1, 6, all);
    assert_true(all[3] < 3);
}

/* What adds to a score adds up to it, over features, too; a feature in which it is no more unusual
 * than others adds nothing. */
static void test_features(void **state)
{
    (void)state;
    static const struct roxi_column of[] = {
        {ROXI_STACKS, 0, 0}, {ROXI_STACKS, 1, 0}, {ROXI_ENDS, 7, 0}};
    static const double far[3][5] = {{1, 2, 3, 4, 9}, {5, 5, 6, 6, 5}, {0, 1, 0, 0, 0}};
    struct roxi_columns columns = {.n = 5};
    double score[5];
    for (int c = 0; c < 3; c++)
        memcpy(roxi_columns_add(&columns, of[c]), far[c], sizeof far[c]);
    assert_int_equal(roxi_score_combine(&columns, NULL, score), 0);
    for (int i = 0; i < 5; i++) {
        double sum = 0;
        for (size_t c = 0; c < 3; c++)
            sum += roxi_column_at(&columns, c)[i];
        assert_near(sum, score[i] > 0 ? score[i] : 0);
    }
    assert_true(score[1] > score[4] && score[4] > score[0]);
    assert_true(roxi_column_at(&columns, 2)[1] > 0.9 * score[1]);
    assert_true(roxi_column_at(&columns, 2)[4] == 0);
    roxi_columns_free(&columns);
}

/* The k least in any order. */
static void test_nearest(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 300; round++) {
        double values[40], sorted[40];
        const size_t n = 1 + (size_t)round % 40, k = 1 + (size_t)round / 7 % n;
        for (size_t i = 0; i < n; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            values[i] = (double)(random >> 33) / (round % 3 ? 1 : 1e9); /* many are equal */
            values[i] = round % 3 ? values[i] : floor(values[i]);
            size_t at = i;
            for (; at > 0 && sorted[at - 1] > values[i]; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = values[i];
        }
        double sum = 0;
        for (size_t i = 0; i < k; i++)
            sum += sorted[i];
        assert_true(roxi_nearest_mean(values, n, k) == sum / (double)k);
    }
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
        struct roxi_frame frame = {
            .class_name = role, .method = role, .descriptor = role, .line = (int32_t)i + 1};
        stacks[i] = roxi_symbols_stack(p->symbols, 0, roxi_symbols_frame(p->symbols, frame));
    }
    for (int i = 0; i < 4; i++) {
        struct roxi_tally seen = {0};
        roxi_tally_add(&seen, roxi_pair(group, stacks[i == 3]), counts[i]);
        assert_int_equal(roxi_profiles_add(p, "run", &seen, NULL), 0);
        roxi_tally_free(&seen);
    }
    struct roxi_compare_options options = {.strategy = roxi_strategy_find("gap"),
                                           .match_reward = 1};
    const struct roxi_score_options rank = {
        .compare = &options, .features = 1u << ROXI_STACKS, .neighbours = 2};
    struct roxi_ranking r;
    assert_int_equal(roxi_score(p, &rank, &r, NULL), 0);
    for (int i = 0; i < 3; i++)
        assert_near(r.score[i], 0);
    assert_true(r.score[3] > 2);
    assert_int_equal(r.parts.count, 1);
    assert_true(r.parts.of[0].place == group);
    roxi_ranking_free(&r);
    roxi_profiles_free(p);
}

/* ---- features ---- */

/* Six executions of one VM; what is written here are the packets that it answered, whether it
 * vanished, and for how many of ten snapshots its thread was blocked. */
static const struct {
    uint64_t packets;
    bool vanished;
    uint64_t blocked;
} runs[] = {{100, false, 1}, {110, false, 2}, {105, false, 1},
            {100, true, 2},  {900, false, 1}, {110, false, 10}};
enum { RUNS = sizeof runs / sizeof *runs };

static struct roxi_profiles *six_runs(void)
{
    struct roxi_profiles *p = roxi_profiles_new();
    const uint32_t role = roxi_symbols_string(p->symbols, "r", 1);
    const uint32_t group = roxi_profiles_group(p, role, role);
    for (size_t i = 0; i < RUNS; i++) {
        struct roxi_tally seen = {0};
        assert_int_equal(roxi_profiles_add(p, "run", &seen, NULL), 0);
        struct roxi_feature_item *items = calloc(5, sizeof *items);
        items[0] =
            (struct roxi_feature_item){ROXI_PACKETS, role, ROXI_ANSWERED, 0, runs[i].packets};
        items[1] = (struct roxi_feature_item){ROXI_PACKETS, role, ROXI_COUNTED, 0, 10};
        items[2] = (struct roxi_feature_item){
            ROXI_ENDS, role, runs[i].vanished ? ROXI_VANISHED : ROXI_ORDERLY, 0, 1};
        items[3] =
            (struct roxi_feature_item){ROXI_STATES, group, ROXI_STATE_BLOCKED, 0, runs[i].blocked};
        items[4] = (struct roxi_feature_item){ROXI_STATES, group, ROXI_STATE_WAITING, 0,
                                              10 - runs[i].blocked};
        p->executions[i].features = items;
        p->executions[i].feature_count = runs[i].blocked < 10 ? 5 : 4;
    }
    return p;
}

static double score_by(const struct roxi_profiles *p, enum roxi_feature feature, size_t run)
{
    const struct roxi_score_options options = {.features = 1u << feature, .neighbours = 2};
    struct roxi_ranking r;
    assert_int_equal(roxi_score(p, &options, &r, NULL), 0);
    const double score = r.score[run];
    for (size_t i = 0; i < RUNS; i++)
        assert_true(i == run || r.score[i] < score);
    roxi_ranking_free(&r);
    return score;
}

static void test_surveys(void **state)
{
    (void)state;
    struct roxi_profiles *p = six_runs();
    struct roxi_columns columns = {.n = RUNS};
    const struct roxi_survey all = {p, NULL, 2};
    struct ix_error err = {""};
    assert_int_equal(roxi_survey_feature(&all, ROXI_STATES, &columns, &err), 0);
    assert_int_equal(columns.count, 1);
    assert_near(columns.cells[0], 0); /* two others are as it is */
    assert_near(columns.cells[1], (0 + (log2(3 / 2.0) + log2(10 / 9.0)) / 2) / 2);
    assert_near(columns.cells[5], (log2(11 / 3.0) + log2(9)) / 2);
    const bool reference[RUNS] = {true, true, false, true, false, false};
    const struct roxi_survey some = {p, reference, 2};
    assert_int_equal(roxi_survey_feature(&some, ROXI_ENDS, &columns, &err), 0);
    assert_near(roxi_column_at(&columns, 1)[0], 0.5); /* run 1, and run 3, which vanished */
    assert_near(roxi_column_at(&columns, 1)[3], 1);
    roxi_columns_free(&columns);
    assert_true(score_by(p, ROXI_PACKETS, 4) > 2);
    assert_near(score_by(p, ROXI_ENDS, 3), 1 / (sqrt(1 / 6.0) + 0.2));
    assert_true(score_by(p, ROXI_STATES, 5) > 5);
    roxi_profiles_free(p);
}

/* ---- alarms ---- */

static void test_calibrate(void **state)
{
    (void)state;
    double scores[99];
    for (int i = 0; i < 99; i++)
        scores[i] = (i * 37) % 99;
    struct roxi_alarm a = roxi_calibrate(scores, 99, 0.05);
    assert_near(a.rate, 0.05); /* five of a hundred places */
    assert_near(a.above, 94);
    assert_true(a.low > 0.01 && a.low < 0.03 && a.high > 0.07 && a.high < 0.1);
    a = roxi_calibrate(scores, 99, 0.001);
    assert_near(a.rate, 0.01);
    assert_near(a.above, 98);
    assert_near(roxi_p_value(scores, 99, 98.5), 0.01); /* it alone */
    assert_near(roxi_p_value(scores, 99, 98), 0.02);
    assert_near(roxi_p_value(scores, 99, -1), 1);
    for (int i = 0; i < 99; i++) { /* an alarm is one for p-values up to its rate */
        struct roxi_alarm b = roxi_calibrate(scores, 99, (i + 1) / 100.0);
        for (double score = -0.5; score < 99; score += 0.5)
            assert_int_equal(score > b.above, roxi_p_value(scores, 99, score) < b.rate + 1e-9);
    }
    /* Beta with 1 and 99: 1 - (1 - x)^99. */
    assert_near(a.low, 1 - pow(0.95, 1 / 99.0));
    assert_near(a.high, 1 - pow(0.05, 1 / 99.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_combine),
        cmocka_unit_test(test_loud_group), cmocka_unit_test(test_nearly_equal),
        cmocka_unit_test(test_all_equal),  cmocka_unit_test(test_reference),
        cmocka_unit_test(test_bounded),    cmocka_unit_test(test_features),
        cmocka_unit_test(test_nearest),    cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_surveys),    cmocka_unit_test(test_calibrate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
