/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in which JVMs of one kind did each other's work. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/rank/peers.h"
#include "tests/support/profiles_fixture.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void add_servers(const char *leader, const char *follower, uint64_t noise)
{
    const struct seen seen[] = {
        {leader, "t", "a.Leader.lead()V:1", 90 + noise},
        {leader, "t", "a.Log.write()V:1", 50 + noise},
        {follower, "t", "a.Follower.follow()V:1", 95 + noise},
    };
    add_seen(seen, 3);
}

static double last_score(bool no_role_swap, char *text)
{
    struct roxi_ranking r;
    struct ix_error err = {""};
    const struct roxi_ranking_options o = {no_role_swap};
    assert_int_equal(roxi_ranking_make(&r, profiles, &o, NULL, &err), 0);
    const double score = r.score[r.n - 1];
    snprintf(text, 500, "%.499s", explained(&r, r.n - 1));
    roxi_ranking_free(&r);
    return score;
}

static void test_role_swap(void **state)
{
    (void)state;
    char text[500];
    for (uint64_t i = 0; i < 9; i++)
        add_servers("S 1", "S 2", i % 3);
    add_servers("S 2", "S 1", 1);
    assert_true(last_score(true, text) > 5);
    assert_true(last_score(false, text) == 0);
    /* The same, and something besides, which is told under the true name. */
    add_servers("S 2", "S 1", 1);
    add_seen(&(struct seen){"S 2", "t", "a.Leader.lead()V:1", 400}, 1);
    assert_true(last_score(false, text) > 0);
    for (uint64_t i = 0; i < 9; i++)
        add_servers("S 1", "S 2", i % 3);
    const struct seen more[] = {
        {"S 2", "t", "a.Leader.lead()V:1", 91},
        {"S 2", "t", "a.Log.write()V:1", 51},
        {"S 1", "t", "a.Follower.follow()V:1", 95},
        {"S 2", "t", "a.Odd.spin()V:1", 30},
    };
    add_seen(more, 4);
    assert_true(last_score(false, text) > 0);
    assert_string_equal(text, "S 2: 30 packets in a.Odd.spin (typically 0)");
    /* If that is more than a tenth of the score, it counts in full. */
    struct seen much[4];
    memcpy(much, more, sizeof much);
    much[3].count = 400;
    add_seen(much, 4);
    const double besides = last_score(false, text);
    assert_string_equal(text, "S 2: 400 packets in a.Odd.spin (typically 0)");
    assert_near(besides, last_score(true, text));
}

/* One that does the other one's work for a while only stays visible. */
static void test_no_swap(void **state)
{
    (void)state;
    char text[500];
    for (uint64_t i = 0; i < 9; i++)
        add_servers("S 1", "S 2", i % 3);
    const struct seen both[] = {
        {"S 1", "t", "a.Leader.lead()V:1", 50},     {"S 1", "t", "a.Log.write()V:1", 25},
        {"S 2", "t", "a.Follower.follow()V:1", 50}, {"S 2", "t", "a.Leader.lead()V:1", 40},
        {"S 2", "t", "a.Log.write()V:1", 25},       {"S 1", "t", "a.Follower.follow()V:1", 40},
    };
    add_seen(both, 6);
    const double named = last_score(true, text);
    assert_near(last_score(false, text), named);
    assert_true(named > 2);
}

/* One of three clients does a little more, which is chance; which of the servers leads is not. That
 * one does the other one's work for a while stays visible. */
static void test_little_chance(void **state)
{
    (void)state;
    static const char *const clients[] = {"T 1", "T 2", "T 3"};
    char text[500];
    for (unsigned i = 0; i < 13; i++) {
        const bool odd = i == 12;
        const struct seen seen[] = {
            {"S 1", "t", "a.Leader.lead()V:1", odd ? 50 : 90},
            {"S 1", "t", "a.Follower.follow()V:1", odd ? 40 : 1},
            {"S 2", "t", "a.Follower.follow()V:1", odd ? 50 : 95},
            {"S 2", "t", "a.Leader.lead()V:1", odd ? 40 : 1},
            {clients[i % 3], "t", "a.Extra.work()V:1", 10 + i},
        };
        add_seen(seen, 5);
    }
    const double named = last_score(true, text);
    assert_true(named > 2);
    assert_near(last_score(false, text), named);
}

/* One of three servers leads, and the others follow; `more` is what server 2 does besides. */
static void add_group(unsigned leader, uint64_t noise, uint64_t more)
{
    static const char *const names[] = {"S 0", "S 1", "S 2"};
    struct seen seen[6];
    size_t n = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (i == leader) {
            seen[n++] = (struct seen){names[i], "t", "a.Leader.lead()V:1", 90 + noise};
            seen[n++] = (struct seen){names[i], "t", "a.Log.write()V:1", 50 + noise};
        } else {
            seen[n++] = (struct seen){names[i], "t", "a.Follower.follow()V:1", 95 + noise};
        }
    }
    if (more)
        seen[n++] = (struct seen){"S 2", "t", "a.Odd.spin()V:1", more};
    add_seen(seen, n);
}

/* Who leads is chance: no run is unusual for that, and what is unusual is told under the true name.
 */
static void test_chance(void **state)
{
    (void)state;
    char text[500];
    struct roxi_ranking r;
    struct ix_error err = {""};
    for (unsigned i = 0; i < 12; i++)
        add_group((i * 7 + 1) % 3, i % 4, 0);
    add_group(0, 1, 30);
    assert_int_equal(
        roxi_ranking_make(&r, profiles, &(struct roxi_ranking_options){true}, NULL, &err), 0);
    for (size_t i = 0; i < 12; i++)
        assert_true(r.score[i] > 1);
    roxi_ranking_free(&r);
    assert_int_equal(roxi_ranking_make(&r, profiles, &(struct roxi_ranking_options){0}, NULL, &err),
                     0);
    for (size_t i = 0; i < 12; i++)
        assert_near(r.score[i], 0);
    assert_true(r.score[12] > 1);
    snprintf(text, sizeof text, "%.499s", explained(&r, 12));
    assert_string_equal(text, "S 2: 30 packets in a.Odd.spin (typically 0)");
    assert_true(r.by_leader);
    roxi_ranking_free(&r);
    /* So are new runs, compared with good ones. */
    bool good[14];
    add_group(2, 3, 0);
    for (size_t i = 0; i < 14; i++)
        good[i] = i < 12;
    assert_int_equal(roxi_ranking_make(&r, profiles, &(struct roxi_ranking_options){0}, good, &err),
                     0);
    assert_true(r.score[12] > 1);
    assert_near(r.score[13], 0);
    roxi_ranking_free(&r);
}

/* Of many runs a part shows that it is chance; all are exchanged. With verdicts, too. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 250, ODD = 100 };
    struct roxi_verdict verdicts[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        add_group((i * 7 + 1) % 3, i % 4, i == ODD ? 30 : 0);
        verdicts[i] =
            (struct roxi_verdict){.verdict = i == ODD ? IX_VERDICT_FAILED : IX_VERDICT_PASSED};
    }
    for (int judged = 0; judged < 2; judged++) {
        const struct roxi_ranking_options o = {0};
        struct roxi_ranking r;
        struct ix_error err = {""};
        assert_int_equal(judged ? roxi_ranking_judged(&r, profiles, &o, verdicts, &err)
                                : roxi_ranking_make(&r, profiles, &o, NULL, &err),
                         0);
        for (size_t i = 0; i < MANY; i++)
            assert_true(i == ODD ? r.score[i] > 1 : r.score[i] < 1e-9);
        assert_true(r.by_leader && r.leads.count > MANY / 2);
        roxi_ranking_free(&r);
    }
}

/* Two servers, one after the other or at the same time: who led, and for how long. */
static void add_two_leaders(uint64_t first, uint64_t second)
{
    const struct seen seen[] = {
        {"S 0", "t", "a.Leader.lead()V:1", first},
        {"S 0", "t", "a.Log.write()V:1", first},
        {"S 0", "t", "a.Follower.follow()V:1", 900 - first},
        {"S 1", "t", "a.Leader.lead()V:1", second},
        {"S 1", "t", "a.Log.write()V:1", second},
        {"S 1", "t", "a.Follower.follow()V:1", 900 - second},
        {"S 2", "t", "a.Follower.follow()V:1", 900},
    };
    add_seen(seen, 7);
}

/* Where who leads is chance, another leader in the middle of a run says little; two at the same
 * time say much. */
static void test_moved(void **state)
{
    (void)state;
    struct roxi_ranking r;
    struct ix_error err = {""};
    for (unsigned i = 0; i < 12; i++)
        add_group((i * 7 + 1) % 3, 800 + i % 4, 0);
    add_two_leaders(500, 400);
    add_two_leaders(900, 900);
    assert_int_equal(roxi_ranking_make(&r, profiles, &(struct roxi_ranking_options){0}, NULL, &err),
                     0);
    assert_true(r.score[12] < 0.7 * r.score[13]);
    assert_true(r.score[13] > 2);
    roxi_ranking_free(&r);
}

/* However much work it is: one unit for each place at most. */
static void test_moved_much(void **state)
{
    (void)state;
    struct roxi_ranking r;
    struct ix_error err = {""};
    for (unsigned i = 0; i < 12; i++)
        add_group((i * 7 + 1) % 3, 89000 + i % 4, 0);
    const struct seen moved[] = {
        {"S 0", "t", "a.Leader.lead()V:1", 50000},
        {"S 0", "t", "a.Log.write()V:1", 50000},
        {"S 0", "t", "a.Follower.follow()V:1", 40000},
        {"S 1", "t", "a.Leader.lead()V:1", 39000},
        {"S 1", "t", "a.Log.write()V:1", 39000},
        {"S 1", "t", "a.Follower.follow()V:1", 50000},
        {"S 2", "t", "a.Follower.follow()V:1", 89000},
    };
    add_seen(moved, 7);
    assert_int_equal(roxi_ranking_make(&r, profiles, &(struct roxi_ranking_options){0}, NULL, &err),
                     0);
    assert_true(r.score[12] < 1);
    roxi_ranking_free(&r);
}

/* Each of eight partitions has a leader of its own among three servers: no exchange of names makes
 * runs agree on that, but all servers together lead as much as in other runs. */
static void test_shared(void **state)
{
    (void)state;
    enum { PARTITIONS = 8, RUNS = 16 };
    static const char *const names[] = {"S 0", "S 1", "S 2"};
    static const char *const leads[PARTITIONS] = {
        "a.P0.lead()V:1", "a.P1.lead()V:1", "a.P2.lead()V:1", "a.P3.lead()V:1",
        "a.P4.lead()V:1", "a.P5.lead()V:1", "a.P6.lead()V:1", "a.P7.lead()V:1"};
    struct roxi_ranking r;
    struct ix_error err = {""};
    uint32_t chance = 1;
    for (size_t i = 0; i < RUNS; i++) {
        struct seen seen[PARTITIONS];
        for (size_t k = 0; k < PARTITIONS; k++) {
            chance = chance * 1664525 + 1013904223;
            seen[k] = (struct seen){names[(chance >> 16) % 3], "t", leads[k], 300};
        }
        add_seen(seen, PARTITIONS);
    }
    assert_int_equal(
        roxi_ranking_make(&r, profiles, &(struct roxi_ranking_options){true}, NULL, &err), 0);
    for (size_t i = 0; i < RUNS; i++)
        assert_true(r.score[i] > 10);
    roxi_ranking_free(&r);
    assert_int_equal(roxi_ranking_make(&r, profiles, &(struct roxi_ranking_options){0}, NULL, &err),
                     0);
    for (size_t i = 0; i < RUNS; i++)
        assert_true(r.score[i] < 1);
    roxi_ranking_free(&r);
}

/* Sets of what peers have in common. */
static void test_together(void **state)
{
    (void)state;
    add_group(0, 1, 30);
    add_group(1, 1, 0);
    struct roxi_durations *d = roxi_durations_new(profiles);
    struct roxi_together t;
    assert_int_equal(roxi_together_make(&t, d), 0);
    size_t in_sets = 0;
    for (uint32_t item = 0; item < d->items.n; item++) {
        if (t.of[item] == ROXI_NONE)
            continue;
        in_sets++;
        const uint32_t set = t.of[item];
        bool found = false;
        for (size_t i = t.first[set]; i < t.first[set + 1]; i++) {
            found |= t.items[i] == item;
            assert_int_equal(roxi_durations_counterpart(d, item, roxi_durations_of(d, t.items[i])),
                             t.items[i]);
        }
        assert_true(found);
    }
    /* Lead and write by two servers, follow by three; what only server 2 does is in no set. */
    assert_int_equal(in_sets, 7);
    roxi_together_free(&t);
    roxi_durations_free(d);
}

static void test_stems(void **state)
{
    (void)state;
    assert_int_equal(roxi_role_stem("Server 12"), 7);
    assert_int_equal(roxi_role_stem("Server A"), 7);
    assert_int_equal(roxi_role_stem("broker-3"), 7);
    assert_int_equal(roxi_role_stem("Server"), 0);
    assert_int_equal(roxi_role_stem("ServerA"), 0);
    assert_int_equal(roxi_role_stem("7"), 0);
    assert_int_equal(roxi_role_stem(""), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, profiles_set_up, profiles_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_role_swap),  TEST(test_no_swap),
        TEST(test_chance),     TEST(test_many),
        TEST(test_moved),      TEST(test_little_chance),
        TEST(test_moved_much), TEST(test_shared),
        TEST(test_together),   cmocka_unit_test(test_stems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
