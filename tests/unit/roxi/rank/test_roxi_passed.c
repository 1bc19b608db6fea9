/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that passed, compared with each other: what many of them do is not worth a look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/profiles_fixture.h"

enum { RUNS = 40, LEADERS = 8, ODD = 8, LEADER_FAILED = 38 };

/* Of 40 runs eight elect a leader and pass, one is odd and passes, and of the last two, which
 * failed if any did, one elects a leader. */
static void add_runs(size_t n, struct roxi_verdict verdicts[RUNS], bool some_failed)
{
    for (size_t i = 0; i < n; i++) {
        const bool leader = i < LEADERS || i == LEADER_FAILED;
        const struct seen seen[] = {
            {"A", "t", "a.B.run()V:1", 40},
            {"A", "t", leader ? "a.Election.run()V:1" : "a.Odd.spin()V:1", 200}};
        add_seen(seen, leader || i == ODD ? 2 : 1);
        verdicts[i].verdict =
            some_failed && i >= LEADER_FAILED ? IX_VERDICT_FAILED : IX_VERDICT_PASSED;
    }
}

static struct roxi_ranking judged(const struct roxi_verdict *verdicts)
{
    struct roxi_ranking r;
    struct ix_error err = {""};
    const struct roxi_ranking_options o = {0};
    if (roxi_ranking_judged(&r, profiles, &o, verdicts, &err) != 0)
        fail_msg("%s", err.text);
    return r;
}

static void usual_among_passed(void **state)
{
    (void)state;
    struct roxi_verdict verdicts[RUNS] = {0};
    add_runs(RUNS, verdicts, true);
    struct roxi_ranking all = rank_all(NULL), r = judged(verdicts);
    for (size_t i = 0; i < RUNS; i++) {
        const bool leader = i < LEADERS;
        assert_true((all.score[i] > 1) == (leader || i == ODD || i == LEADER_FAILED));
        assert_true(r.score[i] == (leader ? 0 : all.score[i]));
        assert_true(r.evidence[i] == (leader ? 0 : all.evidence[i]));
        assert_int_equal(r.first[i + 1] - r.first[i], leader ? 0 : all.first[i + 1] - all.first[i]);
    }
    assert_string_equal(explained(&r, 0), "");
    assert_string_equal(explained(&r, ODD), explained(&all, ODD));
    assert_string_equal(explained(&r, LEADER_FAILED), explained(&all, LEADER_FAILED));
    roxi_ranking_free(&all);
    roxi_ranking_free(&r);
}

/* A score becomes less by as much as is usual, with its parts. */
static void lower(void **state)
{
    (void)state;
    struct roxi_verdict verdicts[RUNS] = {0};
    for (size_t i = 0; i < RUNS; i++) {
        const struct seen seen[] = {{"A", "t", "a.B.run()V:1", 40},
                                    {"A", "t", "a.Election.run()V:1", i ? 100 : 900}};
        add_seen(seen, i < LEADERS ? 2 : 1);
        verdicts[i].verdict = i == RUNS - 1 ? IX_VERDICT_FAILED : IX_VERDICT_PASSED;
    }
    struct roxi_ranking all = rank_all(NULL), r = judged(verdicts);
    assert_true(r.score[0] > 1 && r.score[0] < all.score[0]);
    assert_true(r.first[1] == all.first[1] && r.parts[0].part == r.evidence[0]);
    assert_true(r.score[1] == 0);
    roxi_ranking_free(&all);
    roxi_ranking_free(&r);
}

/* If half of the runs failed, most no longer show what is normal; those that passed do. */
static void half_failed(void **state)
{
    enum { FOUR = 4 };
    (void)state;
    struct roxi_verdict verdicts[RUNS] = {0};
    for (size_t i = 0; i < FOUR; i++) {
        const struct seen seen[] = {{"A", "t", "a.B.run()V:1", 20},
                                    {"A", "u", "a.Gate.await()V:1", 50}};
        add_seen(seen, i % 2 ? 2 : 1);
        verdicts[i].verdict = i % 2 ? IX_VERDICT_FAILED : IX_VERDICT_PASSED;
    }
    struct roxi_ranking all = rank_all(NULL), r = judged(verdicts);
    for (size_t i = 0; i < FOUR; i++) {
        assert_true(all.score[i] <= 1);
        assert_true((r.score[i] > 1) == (i % 2));
    }
    roxi_ranking_free(&all);
    roxi_ranking_free(&r);
}

/* Where none failed, passing may mean nothing; and a few say little of what is usual. */
static void unchanged(void **state)
{
    (void)state;
    for (int few = 0; few < 2; few++) {
        struct roxi_verdict verdicts[RUNS] = {0};
        add_runs(RUNS, verdicts, few);
        for (size_t i = 9; few && i < LEADER_FAILED; i++)
            verdicts[i].verdict = IX_VERDICT_UNKNOWN;
        struct roxi_ranking all = rank_all(NULL), r = judged(verdicts);
        for (size_t i = 0; i < RUNS; i++)
            assert_true(r.score[i] == all.score[i]);
        roxi_ranking_free(&all);
        roxi_ranking_free(&r);
        profiles_tear_down(NULL);
        profiles_set_up(NULL);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, profiles_set_up, profiles_tear_down)
    const struct CMUnitTest tests[] = {TEST(usual_among_passed), TEST(half_failed), TEST(lower),
                                       TEST(unchanged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
