/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking, and alarms learnt from it: small numbers worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/distance/stack_string.h"
#include "roxi/rank/calibrate.h"
#include "roxi/rank/likeness.h"
#include "roxi/rank/median.h"
#include "roxi/rank/ranking.h"
#include "roxi/rank/role_swap.h"
#include "roxi/rank/typical.h"
#include "roxi/rank/words.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* ---- runs ---- */

static struct roxi_profiles *p;

static int set_up(void **state)
{
    (void)state;
    p = roxi_profiles_new();
    return p ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    roxi_profiles_free(p);
    return 0;
}

static uint32_t string(const char *text)
{
    return roxi_symbols_string(p->symbols, text, strlen(text));
}

/* Adds a run; for role, thread, stack and count of each seen[i] there is a line in it. */
struct seen {
    const char *role, *thread, *stack;
    uint64_t count;
};
static void add_run(const struct seen *seen, size_t count)
{
    struct roxi_tally t = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t stack;
        assert_int_equal(roxi_stack_parse(p->symbols, seen[i].stack, &stack, NULL), 0);
        const uint32_t group = roxi_profiles_group(p, string(seen[i].role), string(seen[i].thread));
        assert_int_not_equal(roxi_tally_add(&t, roxi_pair(group, stack), seen[i].count), ROXI_NONE);
    }
    assert_int_equal(roxi_profiles_add(p, "run", &t, NULL), 0);
    roxi_tally_free(&t);
}

/* The last run's JVMs of a role. */
static void add_role(const char *role, uint64_t answered, uint64_t early, uint32_t bad_ends)
{
    struct roxi_profile *x = &p->executions[p->count - 1];
    x->roles = reallocarray(x->roles, x->role_count + 1, sizeof *x->roles);
    assert_non_null(x->roles);
    x->roles[x->role_count++] = (struct roxi_participation){
        .role = string(role), .answered = answered, .early = early, .bad_ends = bad_ends};
    x->role_count = roxi_participation_merge(x->roles, x->role_count);
}

static struct roxi_ranking rank_all(const bool *reference)
{
    struct roxi_ranking r;
    struct ix_error err = {""};
    const struct roxi_ranking_options o = {0};
    if (roxi_ranking_make(&r, p, &o, reference, &err) != 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < r.n; i++) {
        double sum = 0;
        for (size_t k = r.first[i]; k < r.first[i + 1]; k++) {
            assert_true(r.parts[k].part > 0);
            assert_true(k == r.first[i] || r.parts[k].part <= r.parts[k - 1].part);
            sum += r.parts[k].part;
        }
        assert_near(sum, r.score[i]);
    }
    return r;
}

static const char *explained(const struct roxi_ranking *r, size_t run)
{
    static char text[2000];
    text[0] = '\0';
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    roxi_rank_explain(out, r, run);
    fclose(out);
    return text;
}

/* ---- durations ---- */

static uint32_t packets_of(const struct roxi_durations *d, size_t run, const char *method,
                           const char *called)
{
    for (size_t i = d->first[run]; i < d->first[run + 1]; i++) {
        if ((uint32_t)roxi_tally_key(&d->items, d->all[i].item) < ROXI_DURATION_KINDS)
            continue;
        const struct roxi_call c = roxi_durations_call(d, d->all[i].item);
        if (c.method == string(method) && c.called == (called ? string(called) : ROXI_NONE))
            return d->all[i].packets;
    }
    return 0;
}

/* Recursion counts once, the platform only as what is called, and threads by what they do. */
static void test_calls(void **state)
{
    (void)state;
    const struct seen run[] = {
        {"A", "t", "java.lang.Thread.run()V:1;a.B.run()V:2;a.B.f()V:3;a.B.f()V:3;a.B.f()V:4", 5},
        {"A", "u", "a.B.run()V:7;java.lang.Object.wait()V:-3", 2},
        {"A", "v", "a.B$Inner.g()V:1;a.B.run()V:9;java.lang.Object.wait()V:-3", 4},
        {"A", "w", "java.lang.Thread.sleep(J)V:-3", 8},
    };
    add_run(run, 4);
    struct roxi_durations *d = roxi_durations_new(p);
    assert_non_null(d);
    assert_int_equal(packets_of(d, 0, "run", "f"), 5);
    assert_int_equal(packets_of(d, 0, "f", "f"), 5);
    assert_int_equal(packets_of(d, 0, "f", NULL), 5);
    assert_int_equal(packets_of(d, 0, "run", "wait"), 2 + 4);
    assert_int_equal(packets_of(d, 0, "g", "run"), 4);
    assert_int_equal(d->items.n, 5 + 1);
    assert_int_equal(d->loci.n, 1 + 1); /* nested classes are at their class's place */
    const struct roxi_duration asleep = d->all[5];
    assert_int_equal(roxi_durations_template(d, asleep.item), string("w"));
    assert_int_equal(asleep.packets, 8 / ROXI_OUTSIDE_PACKETS);
    roxi_durations_free(d);
}

/* A node is a member of its own; the JVM is the role's. */
static void test_nodes(void **state)
{
    (void)state;
    const struct seen run[] = {{"A", "n-1/worker", "a.B.run()V:1", 5},
                               {"A", "n-2/worker", "a.B.run()V:1", 7}};
    const struct roxi_node nodes[] = {{string("n-1/worker"), string("n-1"), string("worker")},
                                      {string("n-2/worker"), string("n-2"), string("worker")}};
    add_run(run, 2);
    add_role("A", 9, 0, 0);
    assert_int_equal(roxi_profiles_nodes(p, nodes, 2), 0);
    struct roxi_durations *d = roxi_durations_new(p);
    assert_non_null(d);
    assert_int_equal(d->members.n, 3);
    assert_int_equal(d->all[0].packets + d->all[1].packets, 12);
    assert_true(roxi_are_peers(d, 0, 1));
    assert_false(roxi_are_peers(d, 0, 2)); /* the role as a whole */
    assert_int_equal(roxi_durations_counterpart(d, d->all[0].item, 1), d->all[1].item);
    assert_int_equal(roxi_durations_counterpart(d, d->all[0].item, 2), ROXI_NONE);
    roxi_durations_free(d);
}

/* ---- typical ---- */

/* Centre 2 sqrt(9), deviations 0 2 0 2 and that of the run without it, 6: median 2. */
static void test_typical(void **state)
{
    (void)state;
    static const uint64_t counts[] = {9, 16, 9, 4, 0};
    struct roxi_columns columns;
    struct roxi_typical t;
    for (size_t i = 0; i < 5; i++)
        add_run(&(struct seen){"A", "t", "a.B.run()V:1", counts[i]}, counts[i] > 0);
    struct roxi_durations *d = roxi_durations_new(p);
    assert_int_equal(roxi_columns_make(&columns, d), 0);
    assert_int_equal(roxi_typical_make(&t, d, &columns, NULL, 0.5), 0);
    assert_near(t.centre[0], 6);
    assert_near(t.unit[0], 1.4826 * 2 + 0.5);
    assert_int_equal(t.common_count, 1);
    struct roxi_departures far = {0};
    assert_int_equal(roxi_departures_find(&far, &t, NULL, 0, 0), 0); /* it lacks what is common */
    assert_int_equal(far.count, 1);
    assert_near(far.list[0].z, 6 / t.unit[0]);
    assert_int_equal(roxi_departures_find(&far, &t, d->all, 1, 0), 0);
    assert_int_equal(far.count, 0);
    roxi_typical_free(&t);
    /* Only the last two: median 2, deviations 2 and 2. */
    const bool of[5] = {false, false, false, true, true};
    assert_int_equal(roxi_typical_make(&t, d, &columns, of, 0.5), 0);
    assert_near(t.centre[0], 2);
    assert_near(t.unit[0], 1.4826 * 2 + 0.5);
    roxi_typical_free(&t);
    roxi_columns_free(&columns);
    roxi_departures_free(&far);
    roxi_durations_free(d);
}

static void test_median(void **state)
{
    (void)state;
    double values[] = {3, 1, 2, 4};
    assert_near(roxi_median(values, 4, 4), 2.5);
    assert_near(roxi_median(values, 4, 5), 2);
    assert_near(roxi_median(values, 4, 9), 0);
    assert_near(roxi_median(NULL, 0, 0), 0);
}

/* ---- scores ---- */

/* Five quiet runs, and one that is in a call for 100 packets that no other makes: z is 20 / 4. */
static void test_new_call(void **state)
{
    (void)state;
    const struct seen quiet = {"A", "t", "a.B.run()V:1;a.B.f()V:1", 40};
    const struct seen odd[] = {quiet, {"A", "t", "a.C.spin()V:1", 100}};
    for (size_t i = 0; i < 5; i++)
        add_run(&quiet, 1);
    add_run(odd, 2);
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
        add_run(&(struct seen){"A", "t", "a.B.run()V:1", 40 + i % 2}, 1);
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
        add_run(&(struct seen){"A", "t", "a.B.run()V:1", 40}, 1);
        add_role("A", i == 5 ? 400 : 40, i == 4 ? 60 : 1, i == 3);
    }
    struct roxi_ranking r = rank_all(NULL);
    assert_true(r.score[0] == 0 && r.score[3] > 1 && r.score[4] > 1.5 && r.score[5] == 0);
    assert_string_equal(explained(&r, 3), "A: did not end orderly");
    assert_string_equal(explained(&r, 4),
                        "A: 60 packets of others after its last one (typically 1)");
    roxi_ranking_free(&r);
}

/* The last run's threads stayed on each of their call stacks for that long at most. */
static void set_longest(uint32_t packets)
{
    struct roxi_profile *x = &p->executions[p->count - 1];
    for (size_t i = 0; i < x->count; i++)
        x->items[i].longest = packets;
}

/* One thread of a pool is stuck: nothing takes longer in all, but it stays where others pass by. A
 * stay of 4 packets is typical, so one of 100 is (20 - 4) / (2 * 4) units off, in two classes. That
 * no thread stays for long is no evidence, nor is a stay that a slower machine explains. */
static void test_stays(void **state)
{
    (void)state;
    static const uint32_t longest[] = {4, 4, 4, 4, 4, 4, 100, 1, 16};
    const struct seen pool = {"A", "w-*", "a.B.run()V:1;a.C.ask()V:2;java.X.read()V:3", 400};
    for (size_t i = 0; i < 9; i++) {
        struct seen seen = pool;
        seen.count = i == 8 ? 4 * pool.count : pool.count;
        add_run(&seen, 1);
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
        add_run(&(struct seen){"A", "timer-*", waits, 400}, 1);
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
    assert_int_equal(stay.template, string("timer-*"));
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
        add_run(seen, 2);
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

/* A run that is slower as a whole is not unusual; one of the same length in which a thread was
 * stuck is. */
static void test_slow_machine(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 12; i++) {
        const uint64_t slower = i == 10 ? 9 : 1, stuck = i == 11 ? 800 : 0;
        const struct seen seen[] = {
            {"A", "t", "a.B.run()V:1", 100 * slower + i + stuck},
            {"A", "t", "a.C.work()V:1", 30 * slower + i},
            {"A", "t", "a.D.lock()V:1", 10 * slower + stuck},
        };
        add_run(seen, 3);
        add_role("A", 100 * slower + i + stuck, 0, 0);
    }
    struct roxi_ranking r = rank_all(NULL);
    assert_true(r.score[10] == 0 && r.score[11] > 1);
    assert_string_equal(explained(&r, 11), "A: 810 packets in a.D.lock (typically 10)");
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
            add_run(seen, 3);
        }
        struct roxi_ranking r = rank_all(NULL);
        for (size_t i = 0; i < 12; i++) {
            if (round)
                assert_near(r.score[11 - i], forward[i]);
            else
                forward[i] = r.score[i];
        }
        roxi_ranking_free(&r);
        roxi_profiles_free(p);
        p = roxi_profiles_new();
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
        add_run(seen, i < 3 ? 2 : 1);
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

/* ---- a reference ---- */

/* Good runs say what is typical, also if there are fewer of them than of others; and a good one is
 * compared with the others of them. */
static void test_reference(void **state)
{
    (void)state;
    bool good[12];
    for (uint64_t i = 0; i < 12; i++) {
        good[i] = i < 4;
        add_run(&(struct seen){"A", "t", "a.B.f()V:1", i < 4 ? 10 + i : 300}, 1);
    }
    struct roxi_ranking r = rank_all(good), all = rank_all(NULL);
    assert_true(r.score[0] == 0 && r.score[11] > 2.5);
    assert_true(all.score[0] > 2.5 && all.score[11] == 0);
    roxi_ranking_free(&r);
    roxi_ranking_free(&all);
    roxi_profiles_free(p);
    p = roxi_profiles_new();
    for (uint64_t i = 0; i < 12; i++) /* the last good one is as odd as the new ones */
        add_run(&(struct seen){"A", "t", "a.B.f()V:1", i < 3 ? 10 : 300}, 1);
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
        add_run(&(struct seen){"A", "t", "a.B.f()V:1", packets[i]}, 1);
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
    add_run(&(struct seen){"A", "t", "a.B.f()V:1", 1}, 1);
    assert_int_equal(roxi_ranking_make(&r, p, &o, NULL, &err), -1);
    assert_non_null(strstr(err.text, "one run has nothing to compare it with"));
}

/* ---- role swaps ---- */

static void add_servers(const char *leader, const char *follower, uint64_t noise)
{
    const struct seen seen[] = {
        {leader, "t", "a.Leader.lead()V:1", 90 + noise},
        {leader, "t", "a.Log.write()V:1", 50 + noise},
        {follower, "t", "a.Follower.follow()V:1", 95 + noise},
    };
    add_run(seen, 3);
}

static double last_score(bool no_role_swap, char *text)
{
    struct roxi_ranking r;
    struct ix_error err = {""};
    const struct roxi_ranking_options o = {no_role_swap};
    assert_int_equal(roxi_ranking_make(&r, p, &o, NULL, &err), 0);
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
    add_run(&(struct seen){"S 2", "t", "a.Leader.lead()V:1", 400}, 1);
    assert_true(last_score(false, text) > 0);
    for (uint64_t i = 0; i < 9; i++)
        add_servers("S 1", "S 2", i % 3);
    const struct seen more[] = {
        {"S 2", "t", "a.Leader.lead()V:1", 91},
        {"S 2", "t", "a.Log.write()V:1", 51},
        {"S 1", "t", "a.Follower.follow()V:1", 95},
        {"S 2", "t", "a.Odd.spin()V:1", 30},
    };
    add_run(more, 4);
    assert_true(last_score(false, text) > 0);
    assert_string_equal(text, "S 2: 30 packets in a.Odd.spin (typically 0)");
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
    add_run(both, 6);
    const double named = last_score(true, text);
    assert_near(last_score(false, text), named);
    assert_true(named > 2);
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
    add_run(seen, n);
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
    assert_int_equal(roxi_ranking_make(&r, p, &(struct roxi_ranking_options){true}, NULL, &err), 0);
    for (size_t i = 0; i < 12; i++)
        assert_true(r.score[i] > 1);
    roxi_ranking_free(&r);
    assert_int_equal(roxi_ranking_make(&r, p, &(struct roxi_ranking_options){0}, NULL, &err), 0);
    for (size_t i = 0; i < 12; i++)
        assert_near(r.score[i], 0);
    assert_true(r.score[12] > 1);
    snprintf(text, sizeof text, "%.499s", explained(&r, 12));
    assert_string_equal(text, "S 2: 30 packets in a.Odd.spin (typically 0)");
    for (size_t i = 0; i < r.swaps.count; i++)
        assert_true(r.swaps.list[i].chance);
    roxi_ranking_free(&r);
    /* So are new runs, compared with good ones. */
    bool good[14];
    add_group(2, 3, 0);
    for (size_t i = 0; i < 14; i++)
        good[i] = i < 12;
    assert_int_equal(roxi_ranking_make(&r, p, &(struct roxi_ranking_options){0}, good, &err), 0);
    assert_true(r.score[12] > 1);
    assert_near(r.score[13], 0);
    roxi_ranking_free(&r);
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_calls),
        TEST(test_nodes),
        TEST(test_typical),
        TEST(test_new_call),
        TEST(test_resolution),
        TEST(test_jvms),
        TEST(test_slow_machine),
        TEST(test_stays),
        TEST(test_idle),
        TEST(test_masking),
        TEST(test_order),
        TEST(test_likeness),
        TEST(test_reference),
        TEST(test_one_reference),
        TEST(test_too_few),
        TEST(test_role_swap),
        TEST(test_no_swap),
        TEST(test_chance),
        cmocka_unit_test(test_stems),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_calibrate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
