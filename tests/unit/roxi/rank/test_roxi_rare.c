/* SPDX-License-Identifier: Apache-2.0 */
/* Code that few runs execute: how rare it is, and what that adds to a run's score; small numbers
 * worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/rank/rare.h"
#include "tests/support/profiles_fixture.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

#define WORK "a.B.work()V:7"
#define FIX "a.B.fix()V:9"
#define RETRY "a.C.retry()V:3"

enum { RUNS = 12 }; /* a third of them is four */

/* A run of one call stack, with JVMs of A and D. */
static void add_quiet(void)
{
    const struct seen seen[] = {{"A", "t", "a.B.run()V:1", 40}, {"D", "t", "a.B.run()V:1", 40}};
    add_seen(seen, 2);
}

/* The run number `run`, in a JVM of the role. */
static void cover(size_t run, const char *role, const char *place, uint32_t block)
{
    struct roxi_use *use = &profiles->executions[run].use;
    const struct roxi_covered x = {
        .role = name_number(role), .stack = stack_number(place), .block = block, .packet = 5};
    assert_int_equal(roxi_use_add_covered(use, &x), 0);
    use->tells_covered = true;
    roxi_use_order(use);
}

/* So many runs, which execute WORK. */
static void add_runs(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add_quiet();
        cover(profiles->count - 1, "A", WORK, 0);
    }
}

static struct roxi_rare counted(const bool *of)
{
    struct roxi_rare r;
    assert_int_equal(roxi_rare_count(&r, profiles, of), 0);
    return r;
}

static uint32_t like(const struct roxi_rare *r, const char *place, uint32_t block)
{
    const struct roxi_covered x = {.stack = stack_number(place), .block = block};
    return roxi_rare_like(r, &x);
}

/* Of all classes of the run's first role, as the ranking asks. */
static double rarity(const bool *of, size_t run)
{
    struct roxi_rare r = counted(of);
    double classes = -1;
    const struct roxi_profile *x = &profiles->executions[run];
    const size_t to = roxi_rare_classes(&r, profiles, x, 0, &classes);
    assert_true(to > 0 && to <= x->use.covered_count);
    roxi_rare_free(&r);
    return classes;
}

/* ---- how rare ---- */

/* 1 if one run of twelve does, 0 if a third of them do, and log(4 / n) / log(4) in between. */
static void test_rarity(void **state)
{
    static const double want[] = {1, 0.5, 0.20751874963942190, 0, 0};
    (void)state;
    add_runs(RUNS);
    assert_near(rarity(NULL, 0), 0); /* all do */
    for (size_t n = 0; n < 5; n++) {
        cover(n, "A", FIX, 1);
        assert_near(rarity(NULL, 0), want[n]);
        assert_near(rarity(NULL, 11), 0);
    }
}

/* Two roles of a run are one run; a block is its number, and its place. */
static void test_like(void **state)
{
    (void)state;
    add_runs(RUNS);
    cover(3, "A", FIX, 1);
    cover(3, "D", FIX, 1);
    cover(4, "D", FIX, 1);
    cover(5, "A", FIX, 2);
    struct roxi_rare r = counted(NULL);
    assert_int_equal(r.runs, RUNS);
    assert_int_equal(like(&r, WORK, 0), RUNS);
    assert_int_equal(like(&r, FIX, 1), 2);
    assert_int_equal(like(&r, FIX, 2), 1);
    assert_int_equal(like(&r, "a.B.fix()V:10", 1), 0);
    assert_int_equal(like(&r, WORK, 1), 0);
    roxi_rare_free(&r);
    assert_int_equal(like(&r, WORK, 0), 0);
    assert_near(rarity(NULL, 3), 0.5); /* also in the role that runs 3 and 4 do not share */
}

/* Each class counts once, by its rarest block, and of one role at a time. */
static void test_classes(void **state)
{
    (void)state;
    add_runs(RUNS);
    cover(0, "A", FIX, 1);
    cover(1, "A", FIX, 1);
    cover(0, "A", "a.B.fix()V:10", 2);
    cover(0, "A", RETRY, 0);
    cover(2, "A", RETRY, 0);
    cover(0, "D", "a.E.f()V:1", 0);
    struct roxi_rare r = counted(NULL);
    double classes;
    const struct roxi_profile *run = &profiles->executions[0];
    const size_t to = roxi_rare_classes(&r, profiles, run, 0, &classes);
    assert_int_equal(to, 4);
    assert_near(classes, 1 + 0.5);
    assert_int_equal(roxi_rare_classes(&r, profiles, run, to, &classes), 5);
    assert_near(classes, 1);
    roxi_rare_free(&r);
}

/* Which branches a library takes is chance. */
static void test_library(void **state)
{
    (void)state;
    add_runs(RUNS);
    cover(0, "A", "org.apache.zoo.Server.serve()V:3", 0);
    assert_near(rarity(NULL, 0), 0);
    cover(1, "A", "org.apache.zoo.Client.ask()V:3", 0);
    cover(1, "A", FIX, 0);
    assert_near(rarity(NULL, 1), 1);
}

/* Up to three runs nothing is rare; of four, what one does. */
static void test_few_runs(void **state)
{
    (void)state;
    struct roxi_rare r = counted(NULL); /* of none */
    assert_int_equal(r.runs, 0);
    roxi_rare_free(&r);
    for (size_t n = 1; n <= 4; n++) {
        add_runs(1);
        if (n == 1)
            cover(0, "A", FIX, 1);
        assert_near(rarity(NULL, 0), n < 4 ? 0 : 1);
    }
}

/* Runs that do not tell are none, nor are those that are not asked for. */
static void test_some_tell(void **state)
{
    bool of[2 * RUNS] = {false};
    (void)state;
    for (size_t i = 0; i < RUNS - 3; i++)
        add_quiet();
    add_runs(3);
    cover(RUNS - 1, "A", FIX, 1);
    assert_near(rarity(NULL, RUNS - 1), 0); /* one of three */
    add_runs(RUNS);
    assert_near(rarity(NULL, RUNS - 1), 1); /* one of fifteen */
    for (size_t i = RUNS; i < 2 * RUNS; i++)
        of[i] = true;
    assert_near(rarity(of, RUNS - 1), 0); /* none of twelve */
    cover(RUNS, "A", FIX, 1);
    assert_near(rarity(of, RUNS - 1), 1);
}

/* ---- the score ---- */

static double *scores(void)
{
    static double list[3 * RUNS];
    struct roxi_ranking r = rank_all(NULL);
    memcpy(list, r.score, r.n * sizeof *list);
    roxi_ranking_free(&r);
    return list;
}

/* Runs of which the seventh is in a call for far longer: what else it does is not all there is. */
static void add_one_busy(void)
{
    for (size_t i = 0; i < RUNS; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", i == 7 ? 400 : 40}, 1);
        cover(i, "A", WORK, 0);
    }
}

/* What no other run executes counts as 16 packets for each class: z is 2 * sqrt(16) / 4. */
static void test_score(void **state)
{
    (void)state;
    add_one_busy();
    const double before = scores()[7];
    assert_true(before > 1);
    cover(7, "A", FIX, 1);
    assert_near(scores()[7], before + log1p(1));
    cover(7, "A", RETRY, 1);
    cover(7, "A", RETRY, 2);
    const double e = 2 * sqrt(32) / 4 - 1;
    assert_near(scores()[7], before + log1p(e * e));
    for (size_t i = 0; i < RUNS; i++)
        assert_true(i == 7 || !(scores()[i] > 0));
}

static double evidence_of(size_t run)
{
    struct roxi_ranking r = rank_all(NULL);
    const double evidence = r.evidence[run];
    assert_true(r.longer[run] > 2);
    roxi_ranking_free(&r);
    return evidence;
}

/* That a run lasted longer explains none of it: a slower machine does not execute other code. */
static void test_longer(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", i == 7 ? 400 : 40}, 1);
        add_role("A", i == 7 ? 300 : 100, 1, 0);
        cover(i, "A", WORK, 0);
    }
    const double before = evidence_of(7);
    cover(7, "A", FIX, 1);
    assert_near(evidence_of(7), before + log1p(1));
}

/* Each role has a score of its own. */
static void test_score_of_roles(void **state)
{
    (void)state;
    add_one_busy();
    const double before = scores()[7];
    cover(7, "A", FIX, 1);
    cover(7, "D", FIX, 1);
    assert_near(scores()[7], before + 2 * log1p(1));
}

/* If nothing else is unusual it makes the run unusual all the same. */
static void test_alone(void **state)
{
    (void)state;
    add_runs(RUNS);
    cover(7, "A", FIX, 1);
    struct roxi_ranking r = rank_all(NULL);
    for (size_t i = 0; i < RUNS; i++)
        assert_true(i == 7 ? r.score[i] > 0 && r.score[i] < log1p(1) + 1e-9 : !(r.score[i] > 0));
    assert_int_equal(r.first[8] - r.first[7], 1);
    assert_int_equal(r.parts[r.first[7]].packets, 16);
    assert_string_equal(explained(&r, 7),
                        "A: executed code that few runs execute, in 1 class or more");
    roxi_ranking_free(&r);
}

/* How many classes there are at least, whatever their rarity is: four of 0.5. */
static void test_words(void **state)
{
    static const char *const places[] = {"a.C.f()V:1", "a.D.f()V:1", "a.E.f()V:1", "a.F.f()V:1"};
    (void)state;
    add_runs(RUNS);
    for (size_t i = 0; i < 4; i++) {
        cover(7, "A", places[i], 0);
        cover(i, "A", places[i], 0);
    }
    struct roxi_ranking r = rank_all(NULL);
    assert_int_equal(r.parts[r.first[7]].packets, 32);
    assert_string_equal(explained(&r, 7),
                        "A: executed code that few runs execute, in 2 classes or more");
    roxi_ranking_free(&r);
}

/* What a third of the runs execute is no evidence, nor is it that a run executes less than all
 * others. */
static void test_common(void **state)
{
    (void)state;
    add_runs(RUNS);
    for (size_t i = 0; i < RUNS - 1; i++)
        cover(i, "A", FIX, 1);
    for (size_t i = 0; i < RUNS / 3; i++)
        cover(i, "A", RETRY, 1);
    for (size_t i = 0; i < RUNS; i++)
        assert_near(scores()[i], 0);
}

/* Where each run has rare code of its own that is how runs are; one without is not unusual. */
static void test_usual(void **state)
{
    (void)state;
    add_runs(RUNS);
    for (uint32_t i = 0; i < RUNS - 1; i++)
        cover(i, "A", FIX, i);
    for (size_t i = 0; i < RUNS; i++)
        assert_near(scores()[i], 0);
}

/* Without such records all is as it was. */
static void test_without(void **state)
{
    double before[RUNS];
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", i == 7 ? 400 : 40}, 1);
        add_role("A", i == 4 ? 40 : 100, i == 4 ? 60 : 1, i == 3);
    }
    memcpy(before, scores(), sizeof before);
    assert_true(before[3] > 0 && before[4] > 0 && before[7] > 0);
    for (size_t i = 0; i < RUNS; i++)
        cover(i, "A", WORK, 0); /* what all execute changes nothing, either */
    for (size_t i = 0; i < RUNS; i++)
        assert_near(scores()[i], before[i]);
    cover(7, "A", FIX, 1);
    for (size_t i = 0; i < RUNS; i++)
        assert_near(scores()[i], before[i] + (i == 7 ? log1p(1) : 0));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, profiles_set_up, profiles_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_library),  TEST(test_rarity),    TEST(test_like),   TEST(test_classes),
        TEST(test_few_runs), TEST(test_some_tell), TEST(test_score),  TEST(test_score_of_roles),
        TEST(test_alone),    TEST(test_words),     TEST(test_common), TEST(test_usual),
        TEST(test_without),  TEST(test_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
