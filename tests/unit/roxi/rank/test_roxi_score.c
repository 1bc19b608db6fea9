/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of runs: small numbers worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/rank/likeness.h"
#include "tests/support/profiles_fixture.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* ---- scores ---- */

/* Five quiet runs, and one that is in a call for 100 packets that no other makes: z is 20 / 4. */
static void test_new_call(void **state)
{
    (void)state;
    const struct seen quiet = {"A", "t", "a.B.run()V:1;a.B.f()V:1", 40};
    const struct seen odd[] = {quiet, {"A", "t", "a.C.spin()V:1", 100}};
    for (size_t i = 0; i < 5; i++)
        add_seen(&quiet, 1);
    add_seen(odd, 2);
    struct roxi_ranking r = rank_all(NULL);
    for (size_t i = 0; i < 5; i++)
        assert_true(r.score[i] == 0);
    const double e = 20.0 / 4 - 1;
    assert_near(r.score[5], log1p(e * e));
    assert_string_equal(explained(&r, 5), "A: 100 packets in a.C.spin (typically 0)");
    assert_string_equal(explained(&r, 0), "");
    roxi_ranking_free(&r);
}

/* What a packet more or less decides is no evidence. */
static void test_resolution(void **state)
{
    (void)state;
    static const uint64_t early[] = {3, 3, 3, 3, 4, 3, 3, 4};
    for (size_t i = 0; i < 8; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", 40 + i % 2}, 1);
        add_role("A", 40 + i % 3, early[i], 0);
    }
    struct roxi_ranking r = rank_all(NULL);
    for (size_t i = 0; i < 8; i++)
        assert_true(r.score[i] == 0);
    roxi_ranking_free(&r);
}

/* A JVM that vanished, or ended early, is unusual where others do neither; one that was there for
 * longer is not, for itself. */
static void test_jvms(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", 40}, 1);
        add_role("A", i == 5 ? 400 : i == 4 ? 40 : 100, i == 4 ? 60 : 1, i == 3);
    }
    struct roxi_ranking r = rank_all(NULL);
    assert_true(r.score[0] == 0 && r.score[3] > 1 && r.score[4] > 1.5 && r.score[5] == 0);
    assert_string_equal(explained(&r, 3), "A: did not end in an orderly way");
    assert_string_equal(explained(&r, 4), "A: 60 packets by which it ended early (typically 0); "
                                          "A: 40 packets answered (typically 100)");
    roxi_ranking_free(&r);
}

/* Where another JVM goes on for longer, one is early only by what it lacks of its usual length; one
 * that was killed always is. */
static void test_others_go_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < 7; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", 40}, 1);
        add_role("A", i == 5 ? 60 : 100, i < 4 ? 1 : 200, i == 6);
    }
    struct roxi_ranking r = rank_all(NULL);
    assert_true(r.score[0] == 0 && r.score[4] == 0 && r.score[5] > 0);
    assert_string_equal(explained(&r, 5), "A: 40 packets by which it ended early (typically 0); "
                                          "A: 60 packets answered (typically 100)");
    assert_non_null(strstr(explained(&r, 6), "A: 200 packets by which it ended early"));
    roxi_ranking_free(&r);
}

/* Where JVMs are typically killed, one that ends in an orderly way is not unusual. */
static void test_orderly_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", 40}, 1);
        add_role("A", 40, 1, i != 3);
    }
    struct roxi_ranking r = rank_all(NULL);
    for (size_t i = 0; i < 6; i++)
        assert_true(r.score[i] == 0);
    roxi_ranking_free(&r);
}

/* The last run's threads stayed on each of their call stacks for that long at most. */
static void set_longest(uint32_t packets)
{
    struct roxi_profile *x = &profiles->executions[profiles->count - 1];
    for (size_t i = 0; i < x->count; i++)
        x->items[i].longest = packets;
}

/* One thread of a pool is stuck: nothing takes longer in all, but it stays where others pass by. A
 * stay of 4 packets is typical, so one of 100 is (20 - 4) / (2 * 4) units off, in two classes. That
 * no thread stays for long is no evidence, nor is a stay that a slower machine explains. */
static void test_stays(void **state)
{
    (void)state;
    static const uint32_t longest[] = {4, 4, 4, 4, 4, 4, 100, 1, 8};
    const struct seen pool = {"A", "w-*", "a.B.run()V:1;a.C.ask()V:2;java.X.read()V:3", 400};
    for (size_t i = 0; i < 9; i++) {
        struct seen seen = pool;
        seen.count = i == 8 ? 2 * pool.count : pool.count;
        add_seen(&seen, 1);
        add_role("A", seen.count, 0, 0);
        set_longest(longest[i]);
    }
    struct roxi_ranking r = rank_all(NULL);
    for (size_t i = 0; i < 9; i++)
        assert_near(r.score[i], i == 6 ? 2 * log1p(1) : 0);
    assert_string_equal(explained(&r, 6),
                        "A: 100 packets of one thread on one call stack in a.B (typically at most "
                        "4); A: 100 packets of one thread on one call stack in a.C (typically at "
                        "most 4)");
    roxi_ranking_free(&r);
}

/* The thread of a pool waits for work on another call stack than ever, and for good. */
static void test_idle(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        const char *waits = i < 5 ? "java.Queue.take()V:7" : "java.Queue.take()V:9";
        add_seen(&(struct seen){"A", "timer-*", waits, 400}, 1);
        set_longest(400);
    }
    struct roxi_ranking r = rank_all(NULL);
    assert_true(r.score[0] == 0);
    assert_near(r.score[5], log1p((40.0 / 8 - 1) * (40.0 / 8 - 1)));
    assert_string_equal(explained(&r, 5),
                        "A: 400 packets of one thread on one call stack in the Java platform "
                        "alone, threads timer-* (typically at most 0)");
    const struct roxi_stay stay = roxi_durations_stay(r.durations, r.parts[r.first[5]].item);
    assert_int_equal(stay.class_name, ROXI_NONE);
    assert_int_equal(stay.template, name_number("timer-*"));
    roxi_ranking_free(&r);
}

/* One that makes an exception of a class that few others make is odd, whoever makes it, the more if
 * something else is odd, too; a third of the runs are not few. */
static void test_exceptions(void **state)
{
    (void)state;
    for (size_t i = 0; i < 9; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", i == 7 ? 400 : 40}, 1);
        add_first("A", "a.Usual", 3);
        if (i % 3 == 0)
            add_first("A", "a.Often", 5);
        if (i == 7)
            add_first("A", "a.Other", 1);
    }
    add_first("A", "a.Rare", 30);
    add_first("B", "a.Rare", 20);
    struct roxi_ranking r = rank_all(NULL);
    for (size_t i = 0; i < 7; i++)
        assert_true(r.score[i] == 0);
    const double e = 1.5 * log(9 / 3.0), call = (2 * sqrt(400) - 2 * sqrt(40)) / 4 - 1;
    assert_near(r.score[7], log1p(call * call) + log1p(e * e));
    assert_near(r.score[8], 0.5);
    assert_string_equal(explained(&r, 8), "B: made an exception of class a.Rare");
    roxi_ranking_free(&r);
}

/* That none of few good runs made one says less than that none of many did. */
static void test_exceptions_of_reference(void **state)
{
    (void)state;
    bool good[9];
    for (size_t i = 0; i < 9; i++) {
        good[i] = i < 7;
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", i == 8 ? 400 : 40}, 1);
        tell_firsts();
        if (i != 2)
            add_first("A", i < 7 ? "a.Usual" : "a.Rare", 3);
    }
    struct roxi_ranking r = rank_all(good);
    const double e = 1.5 * log(7 / 1.5), call = (2 * sqrt(400) - 2 * sqrt(40)) / 4 - 1;
    for (size_t i = 0; i < 7; i++)
        assert_true(r.score[i] == 0);
    assert_near(r.score[7], 0.5);
    assert_string_equal(explained(&r, 7), "A: made an exception of class a.Rare");
    assert_near(r.score[8], log1p(call * call) + log1p(e * e));
    roxi_ranking_free(&r);
}

/* Good runs that were recorded without exceptions do not tell which ones are rare. */
static void test_exceptions_unknown(void **state)
{
    (void)state;
    bool good[9];
    for (size_t i = 0; i < 9; i++) {
        good[i] = i < 8;
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", 40}, 1);
    }
    add_first("A", "a.Rare", 3);
    struct roxi_ranking r = rank_all(good);
    assert_true(r.score[8] == 0);
    roxi_ranking_free(&r);
}

static void add_collecting(const char *role, uint64_t ms)
{
    const struct roxi_process_use process = {.role = name_number(role),
                                             .collecting_ns = 1000000 * ms};
    assert_int_equal(roxi_use_add_process(&profiles->executions[profiles->count - 1].use, &process),
                     0);
}

/* A JVM that collects garbage for long is unusual: 10 ms are a packet. One that collects less than
 * others is not. */
static void test_garbage(void **state)
{
    (void)state;
    static const uint64_t ms[] = {90, 90, 90, 90, 0, 1960};
    for (size_t i = 0; i < 6; i++) {
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", 40}, 1);
        add_collecting("A", ms[i]);
    }
    struct roxi_ranking r = rank_all(NULL);
    for (size_t i = 0; i < 5; i++)
        assert_true(r.score[i] == 0);
    const double e = (2 * sqrt(196) - 2 * sqrt(9)) / 4 - 1;
    assert_near(r.score[5], log1p(e * e));
    assert_string_equal(explained(&r, 5), "A: collected garbage for 1960 ms (typically 90)");
    roxi_ranking_free(&r);
}

/* A pool that is seen at work less than typical is no evidence: a faster machine explains it. One
 * that is seen more is. */
static void test_outside(void **state)
{
    (void)state;
    static const uint64_t packets[] = {400, 400, 400, 400, 400, 40, 4000};
    for (size_t i = 0; i < 7; i++) {
        const struct seen did[] = {{"A", "t", "a.B.run()V:1", 40},
                                   {"A", "pool-*", "java.X.run()V:1", packets[i]}};
        add_seen(did, 2);
    }
    struct roxi_ranking r = rank_all(NULL);
    for (size_t i = 0; i < 6; i++)
        assert_true(r.score[i] == 0);
    assert_true(r.score[6] > 0);
    roxi_ranking_free(&r);
}

/* A third of the runs failing alike hides nothing; a class that is restless in half of the runs
 * says less than one that is quiet. */
static void test_masking(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 30; i++) {
        const struct seen seen[] = {
            {"A", "t", "a.Quiet.run()V:1", i % 3 ? 10 : 200},
            {"A", "t", "a.Restless.run()V:1", i % 2 ? 900 - 20 * i : 10},
        };
        add_seen(seen, 2);
    }
    struct roxi_ranking r = rank_all(NULL);
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < 30; i++) {
        if (i % 3)
            most = fmax(most, r.score[i]);
        else
            least = fmin(least, r.score[i]);
    }
    assert_true(least > 2 * most);
    roxi_ranking_free(&r);
}

/* A run that is slower as a whole is not unusual, if it is at most twice as slow; one of the same
 * length in which a thread was stuck is. */
static void test_slow_machine(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 13; i++) {
        const uint64_t slower = i == 10 ? 2 : i == 12 ? 9 : 1, stuck = i == 11 ? 800 : 0;
        const struct seen seen[] = {
            {"A", "t", "a.B.run()V:1", 100 * slower + i + stuck},
            {"A", "t", "a.C.work()V:1", 30 * slower + i},
            {"A", "t", "a.D.lock()V:1", 10 * slower + stuck},
        };
        add_seen(seen, 3);
        add_role("A", 100 * slower + i + stuck, 0, 0);
    }
    struct roxi_ranking r = rank_all(NULL);
    assert_true(r.score[10] == 0 && r.score[11] > 1 && r.score[12] > 1);
    assert_string_equal(explained(&r, 11), "A: 810 packets in a.D.lock (typically 10)");
    roxi_ranking_free(&r);
}

/* A run that lasted nine times as long, but whose calls took as long as ever: the one in which it
 * waited is unusual. Of one in which all calls took twice as long none is. */
static void test_not_slower(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 13; i++) {
        const uint64_t slower = i == 12 ? 2 : 1, waits = i == 11 ? 9 : slower;
        const struct seen seen[] = {
            {"A", "t", "a.B.run()V:1", 60 * slower + i},
            {"A", "t", "a.C.work()V:1", 30 * slower + i},
            {"A", "t", "a.D.await()V:1", 100 * waits + i},
        };
        add_seen(seen, 3);
        add_role("A", 100 * waits + i, 0, 0);
    }
    struct roxi_ranking r = rank_all(NULL);
    assert_true(r.score[11] > 1 && r.score[12] == 0);
    assert_string_equal(explained(&r, 11), "A: 911 packets in a.D.await (typically 106)");
    roxi_ranking_free(&r);
}

/* A call that no other run makes is worth a look (5 units: log(1 + 16)); a run that has it and
 * lasted longer, more so, by the cube of how many times as long, which is at most 2. The same of a
 * call that is not worth a look: what is not above 1 is not multiplied. */
static void test_length(void **state)
{
    (void)state;
    static const struct {
        uint32_t spins, length;
    } odd[] = {{100, 40}, {100, 48}, {100, 90}, {20, 40}, {20, 80}};
    enum { NORMAL = 12, ODD = sizeof odd / sizeof *odd };
    for (size_t i = 0; i < NORMAL + ODD; i++) {
        const uint32_t spins = i < NORMAL ? 0 : odd[i - NORMAL].spins;
        const uint32_t length = i < NORMAL ? 40 : odd[i - NORMAL].length;
        const struct seen seen[] = {{"A", "t", "a.B.run()V:1;a.B.f()V:1", length},
                                    {"A", "t", "a.C.spin()V:1", spins}};
        add_seen(seen, spins ? 2 : 1);
        add_role("A", length, 0, 0);
    }
    struct roxi_ranking r = rank_all(NULL);
    const double *score = r.score + NORMAL, *evidence = r.evidence + NORMAL;
    assert_near(evidence[0], log1p(4 * 4));
    assert_near(score[0], evidence[0]);
    assert_true(evidence[1] > 1 && evidence[2] > 1);
    assert_near(score[1], 1 + (evidence[1] - 1) * 1.2 * 1.2 * 1.2);
    assert_near(score[2], 1 + (evidence[2] - 1) * 8);
    for (size_t i = 3; i < ODD; i++) {
        assert_true(evidence[i] > 0 && evidence[i] <= 1);
        assert_near(score[i], evidence[i]);
    }
    roxi_ranking_free(&r);
}

/* Scores do not depend on the order of the runs. */
static void test_order(void **state)
{
    (void)state;
    double forward[12];
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 12; i++) {
            const uint64_t k = round ? 11 - i : i;
            const struct seen seen[] = {{"A", "t", "a.B.f()V:1", 1 + k * k},
                                        {"A", "t", "a.C.g()V:1", 1 + 300 * (k % 5 == 0)},
                                        {"B 1", "t", "a.C.h()V:1", 1 + 200 * (k == 3)}};
            add_seen(seen, 3);
        }
        struct roxi_ranking r = rank_all(NULL);
        for (size_t i = 0; i < 12; i++) {
            if (round)
                assert_near(r.score[11 - i], forward[i]);
            else
                forward[i] = r.score[i];
        }
        roxi_ranking_free(&r);
        profiles_tear_down(NULL);
        profiles_set_up(NULL);
    }
}

/* ---- runs that passed and look like failed ones ---- */

static void test_likeness(void **state)
{
    (void)state;
    static const struct seen usual = {"A", "t", "a.B.run()V:1", 40};
    static const char *const odd[] = {"a.Lock.wait()V:1", "a.Lock.wait()V:1", "a.Other.spin()V:1"};
    bool passed[9], failed[9];
    for (size_t i = 0; i < 9; i++) {
        const struct seen seen[] = {usual, {"A", "t", i < 3 ? odd[i] : odd[0], 200}};
        add_seen(seen, i < 3 ? 2 : 1);
        failed[i] = i == 0;
        passed[i] = i > 0;
    }
    struct roxi_ranking r = rank_all(NULL);
    long *like = roxi_likeness(&r, passed, failed);
    assert_non_null(like);
    for (size_t i = 0; i < 9; i++) /* run 2 is as unusual, but elsewhere */
        assert_int_equal(like[i], i == 1 ? 0 : ROXI_NOT_LIKE);
    free(like);
    passed[1] = false; /* without a verdict */
    like = roxi_likeness(&r, passed, failed);
    assert_non_null(like);
    assert_int_equal(like[1], ROXI_NOT_LIKE);
    free(like);
    roxi_ranking_free(&r);
}

/* What many runs that passed do as well says nothing of a failure. */
static void test_likeness_of_many(void **state)
{
    (void)state;
    bool passed[30], failed[30];
    for (size_t i = 0; i < 30; i++) {
        const struct seen seen[] = {{"A", "t", "a.B.run()V:1", 40},
                                    {"A", "t", "a.Disk.wait()V:1", 200}};
        add_seen(seen, i % 6 == 0 ? 2 : 1);
        failed[i] = i == 0;
        passed[i] = i > 0;
    }
    struct roxi_ranking r = rank_all(NULL);
    long *like = roxi_likeness(&r, passed, failed);
    assert_non_null(like);
    for (size_t i = 0; i < 30; i++) { /* run 6, 12, 18 and 24 of 29 that passed */
        assert_int_equal(r.score[i] > ROXI_WORTH_A_LOOK, i % 6 == 0);
        assert_int_equal(like[i], ROXI_NOT_LIKE);
    }
    free(like);
    passed[6] = passed[12] = passed[18] = false;
    like = roxi_likeness(&r, passed, failed);
    assert_non_null(like);
    assert_int_equal(like[24], 0);
    free(like);
    roxi_ranking_free(&r);
}

/* Exceptions of another class are not alike. */
static void test_likeness_of_exceptions(void **state)
{
    (void)state;
    bool passed[30], failed[30];
    for (size_t i = 0; i < 30; i++) {
        static const char *const odd[] = {"a.C.spin()V:1", "a.D.spin()V:1", "a.E.spin()V:1"};
        const struct seen seen[] = {{"A", "t", "a.B.run()V:1", 40},
                                    {"A", "t", odd[i < 3 ? i : 0], 36}};
        add_seen(seen, i < 3 ? 2 : 1);
        tell_firsts();
        if (i < 3)
            add_first("A", i < 2 ? "a.Rare" : "a.Other", 3);
        failed[i] = i == 0;
        passed[i] = i > 0;
    }
    struct roxi_ranking r = rank_all(NULL);
    long *like = roxi_likeness(&r, passed, failed);
    assert_non_null(like);
    assert_true(r.score[1] > 0 && r.score[2] > r.score[1]);
    for (size_t i = 0; i < 30; i++)
        assert_int_equal(like[i], i == 1 ? 0 : ROXI_NOT_LIKE);
    free(like);
    roxi_ranking_free(&r);
}

/* ---- a reference ---- */

/* Good runs say what is typical, also if there are fewer of them than of others; and a good one is
 * compared with the others of them. */
static void test_reference(void **state)
{
    (void)state;
    bool good[12];
    for (uint64_t i = 0; i < 12; i++) {
        good[i] = i < 4;
        add_seen(&(struct seen){"A", "t", "a.B.f()V:1", i < 4 ? 10 + i : 300}, 1);
    }
    struct roxi_ranking r = rank_all(good), all = rank_all(NULL);
    assert_true(r.score[0] == 0 && r.score[11] > 2.5);
    assert_true(all.score[0] > 2.5 && all.score[11] == 0);
    roxi_ranking_free(&r);
    roxi_ranking_free(&all);
    profiles_tear_down(NULL);
    profiles_set_up(NULL);
    for (uint64_t i = 0; i < 12; i++) /* the last good one is as odd as the new ones */
        add_seen(&(struct seen){"A", "t", "a.B.f()V:1", i < 3 ? 10 : 300}, 1);
    r = rank_all(good);
    assert_true(r.score[0] == 0 && r.score[3] > 2.5);
    roxi_ranking_free(&r);
}

/* One run alone: the unit is the resolution, 4, so 100 packets (20 on the scale) and 130 (22.8) are
 * the same, and 400 (40) are 5 units away: log(1 + 4^2). */
static void test_one_reference(void **state)
{
    static const uint64_t packets[] = {100, 130, 400};
    const bool good[3] = {true, false, false};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        add_seen(&(struct seen){"A", "t", "a.B.f()V:1", packets[i]}, 1);
    struct roxi_ranking r = rank_all(good);
    assert_true(r.score[0] == 0);
    assert_true(r.score[1] == 0);
    assert_near(r.score[2], log(17));
    roxi_ranking_free(&r);
}

static void test_too_few(void **state)
{
    (void)state;
    struct roxi_ranking r;
    struct ix_error err = {""};
    const struct roxi_ranking_options o = {0};
    add_seen(&(struct seen){"A", "t", "a.B.f()V:1", 1}, 1);
    assert_int_equal(roxi_ranking_make(&r, profiles, &o, NULL, &err), -1);
    assert_non_null(strstr(err.text, "one run has nothing to compare it with"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, profiles_set_up, profiles_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_new_call),
        TEST(test_resolution),
        TEST(test_jvms),
        TEST(test_others_go_on),
        TEST(test_orderly_end),
        TEST(test_slow_machine),
        TEST(test_not_slower),
        TEST(test_length),
        TEST(test_stays),
        TEST(test_idle),
        TEST(test_garbage),
        TEST(test_outside),
        TEST(test_masking),
        TEST(test_order),
        TEST(test_likeness),
        TEST(test_likeness_of_many),
        TEST(test_exceptions),
        TEST(test_exceptions_of_reference),
        TEST(test_exceptions_unknown),
        TEST(test_likeness_of_exceptions),
        TEST(test_reference),
        TEST(test_one_reference),
        TEST(test_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
