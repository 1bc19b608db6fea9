/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of code that hardly a normal run executes, in hand-made runs. */
#include <math.h>
#include <stdio.h>

#include "roxi/explain/common.h"
#include "tests/support/findings_fixture.h"

#define FIX "a.B.fix()V:9"
#define RETRY "a.B.retry()V:12"
#define GIVE_UP "a.C.giveUp()V:3"

/* A block of a role of the run. */
static void cover(struct roxi_profile *run, const char *role, const char *place, uint32_t block,
                  uint32_t packet)
{
    const struct roxi_covered x = {
        .role = string(role), .stack = stack(place), .block = block, .packet = packet};
    assert_int_equal(roxi_use_add_covered(&run->use, &x), 0);
    run->use.tells_covered = true;
    roxi_use_order(&run->use);
}

/* What all runs execute: both roles ten blocks as they start. */
static struct roxi_profile *start(struct roxi_profile *run)
{
    for (uint32_t i = 0; i < 10; i++) {
        cover(run, "x", PLACE, i, 1 + i / 5);
        cover(run, "y", PLACE, i, 1 + i / 5);
    }
    return run;
}

static void add_starting(size_t count)
{
    for (size_t i = 0; i < count; i++)
        start(add_run("normal", usual, 3));
}

static struct roxi_profile *add_odd(void)
{
    return start(add_run("odd", usual, 3));
}

static void assert_covered(const struct roxi_finding *f, const char *role, const char *place,
                           uint64_t packet, uint32_t here)
{
    assert_string_equal(roxi_finding_kind(f), "executed-here");
    assert_string_equal(roxi_symbols_text(p->symbols, f->who.role), role);
    assert_int_equal(f->stack, stack(place));
    assert_int_equal(f->packet, packet);
    assert_int_equal(f->here, here);
}

/* ---- what is found ---- */

static void test_usual_code(void **state)
{
    (void)state;
    add_starting(NORMAL);
    add_odd();
    assert_nothing();
}

/* One finding, of the block that was executed first, with all that the score holds against it. */
static void test_class(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_starting(NORMAL);
    struct roxi_profile *run = add_odd();
    cover(run, "x", FIX, 11, 60);
    cover(run, "x", RETRY, 12, 59);
    cover(run, "x", RETRY, 13, 59);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_covered(&f.list[0], "x", RETRY, 59, 3);
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[0].call.method), "retry");
    assert_int_equal(f.list[0].like, 0);
    assert_int_equal(f.list[0].compared, NORMAL);
    assert_int_equal(f.list[0].locus, ROXI_NONE);
    assert_float_equal(f.list[0].weight, 4, 1e-9);
    assert_float_equal(f.list[0].share, 1, 1e-9);
    assert_says(&f.list[0], true,
                "executed code in B.retry, and 2 more blocks of its class, that normal runs do "
                "not");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* A JVM that stands still by then is no consequence of code that another one executes; one that
 * does so later may be. */
static void test_beside_standstill(void **state)
{
    (void)state;
    add_starting(NORMAL);
    struct roxi_profile *run = add_odd();
    cover(run, "x", FIX, 11, 60);
    cover(run, "x", GIVE_UP, 12, 60);
    run->roles[1].lost = 25;
    for (uint64_t from = 62; from <= 82; from += 20) {
        struct roxi_ranking r;
        run->roles[1].lost_from = from;
        struct roxi_findings f = explain(&r);
        assert_string_equal(roxi_finding_kind(f.list),
                            from == 62 ? "stood-still" : "executed-here");
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* Nor is one the cause that stood still long before, and went on. */
static void test_after_standstill(void **state)
{
    (void)state;
    for (uint64_t lost = 19; lost <= 20; lost++) {
        struct roxi_ranking r;
        tear_down(NULL);
        set_up(NULL);
        add_starting(NORMAL);
        struct roxi_profile *run = add_odd();
        cover(run, "x", FIX, 11, 60);
        cover(run, "x", GIVE_UP, 12, 60);
        run->roles[1].lost = lost;
        run->roles[1].lost_from = 20;
        struct roxi_findings f = explain(&r);
        assert_string_equal(roxi_finding_kind(f.list),
                            lost == 19 ? "executed-here" : "stood-still");
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* The block that is shown is the first on a line of which normal runs execute no part, with other
 * such lines of its method. If there is no such line, it is said to be a part of one. */
static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < NORMAL; i++)
        cover(start(add_run("normal", usual, 3)), "x", "a.B.loop()V:7", 20, 10);
    struct roxi_profile *run = add_odd();
    cover(run, "x", "a.B.loop()V:7", 20, 10);
    cover(run, "x", "a.B.loop()V:7", 21, 59);
    struct roxi_ranking r;
    struct roxi_findings f = explain(&r);
    assert_covered(&f.list[0], "x", "a.B.loop()V:7", 59, 1);
    assert_says(&f.list[0], true, "executed a part of a line in B.loop that normal runs do not");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    cover(run, "x", "a.B.loop()V:9", 22, 60);
    cover(run, "x", "a.B.loop()V:8", 23, 61);
    cover(run, "x", "a.B.loop()V:8", 24, 61);
    cover(run, "x", RETRY, 25, 61);
    f = explain(&r);
    assert_covered(&f.list[0], "x", "a.B.loop()V:9", 59, 5);
    assert_says(&f.list[0], true,
                "executed code in B.loop, lines 8 and 9, and 4 more blocks of its class, that "
                "normal runs do not");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Each role has its own, and each class. Of several the first one has what the score holds. */
static void test_classes(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_starting(NORMAL);
    struct roxi_profile *run = add_odd();
    cover(run, "x", GIVE_UP, 0, 61);
    cover(run, "x", FIX, 11, 60);
    cover(run, "y", "a.D.f()V:1", 0, 62);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 3);
    assert_covered(&f.list[0], "x", FIX, 60, 1);
    assert_covered(&f.list[1], "y", "a.D.f()V:1", 62, 1);
    assert_covered(&f.list[2], "x", GIVE_UP, 61, 1);
    assert_true(f.list[0].share > 0 && f.list[1].share > 0 && !(f.list[2].share > 0));
    assert_float_equal(f.list[0].share + f.list[1].share, 1, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Of a role's classes the first one counts in full, and of several at one packet the one with most
 * blocks; others little, as most are of the same event. */
static void test_first_class(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_starting(NORMAL);
    struct roxi_profile *run = add_odd();
    cover(run, "x", GIVE_UP, 0, 60);
    cover(run, "x", FIX, 11, 60);
    cover(run, "x", RETRY, 12, 64);
    cover(run, "x", "a.D.f()V:1", 0, 61);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 3);
    assert_covered(&f.list[0], "x", FIX, 60, 2);
    assert_covered(&f.list[1], "x", GIVE_UP, 60, 1);
    assert_covered(&f.list[2], "x", "a.D.f()V:1", 61, 1);
    assert_float_equal(f.list[0].weight, 4, 1e-9);
    assert_true(f.list[1].weight < f.list[0].weight / 10);
    assert_true(f.list[2].weight < f.list[1].weight);
    assert_float_equal(f.list[0].share, 1, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* The weight of what x executes. */
static double weight_in_x(void)
{
    struct roxi_ranking r;
    double weight = 0;
    struct roxi_findings f = explain(&r);
    for (size_t i = 0; i < f.count; i++)
        if (f.list[i].about == ROXI_ABOUT_COVERED && f.list[i].who.role == string("x"))
            weight = f.list[i].weight;
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return weight;
}

/* If two roles execute a block at about the same time it counts half in each. */
static void test_two_roles(void **state)
{
    (void)state;
    for (uint32_t later = 0; later < 12; later++) {
        tear_down(NULL);
        set_up(NULL);
        add_starting(NORMAL);
        struct roxi_profile *run = add_odd();
        cover(run, "x", FIX, 11, 60);
        cover(run, "y", FIX, 11, 60 + later);
        assert_float_equal(weight_in_x(), later <= 5 ? 2 : 4, 1e-9);
    }
}

static void talk(struct roxi_profile *run, const char *role, const char *peer, bool accepted)
{
    const struct roxi_talk t = {.role = string(role), .peer = string(peer), .accepted = accepted};
    assert_int_equal(roxi_use_add_talk(&run->use, &t), 0);
    roxi_use_order(&run->use);
}

/* What a JVM executes that only opens connections counts less: others may be at fault. */
static void test_asker(void **state)
{
    (void)state;
    add_starting(NORMAL);
    struct roxi_profile *run = add_odd();
    cover(run, "x", FIX, 11, 60);
    talk(run, "y", "x", false);
    talk(run, "x", "y", true);
    assert_float_equal(weight_in_x(), 4, 1e-9);
    talk(run, "x", "y", false);
    assert_float_equal(weight_in_x(), 4, 1e-9); /* it does both */
    run->use.talk_count = 0;
    talk(run, "y", "x", true);
    talk(run, "x", "y", false);
    assert_float_equal(weight_in_x(), 0.7 * 4, 1e-9);
}

/* The weight in x, which sends y 100 messages over connections that it opens, and y so many to x.
 */
static double weight_asked(uint64_t asked)
{
    tear_down(NULL);
    set_up(NULL);
    add_starting(NORMAL);
    struct roxi_profile *run = add_odd();
    cover(run, "x", FIX, 11, 60);
    const struct roxi_talk out = {.role = string("x"), .peer = string("y"), .sent = 100};
    const struct roxi_talk back = {.role = string("y"), .peer = string("x"), .sent = asked};
    assert_int_equal(roxi_use_add_talk(&run->use, &out), 0);
    assert_int_equal(roxi_use_add_talk(&run->use, &back), 0);
    roxi_use_order(&run->use);
    return weight_in_x();
}

/* Whom others ask five times less mostly asks, too, as a client that servers call back. */
static void test_called_back(void **state)
{
    (void)state;
    assert_float_equal(weight_asked(20), 0.7 * 4, 1e-9);
    assert_float_equal(weight_asked(21), 4, 1e-9);
}

/* The node of what x executes from packet 60 on, if a thread of n2 makes its first exception at
 * that place and packet; the empty string: none. */
static const char *node_beside(const char *place, uint64_t packet)
{
    static const struct did nodes[] = {{"x", "n1/worker", WORK, {1}},
                                       {"x", "n2/worker", WORK, {1}}};
    struct roxi_ranking r;
    uint32_t node = 0;
    tear_down(NULL);
    set_up(NULL);
    for (size_t i = 0; i <= NORMAL; i++) {
        struct roxi_profile *run = add_run(i < NORMAL ? "normal" : "odd", nodes, 2);
        run->role_count = 1;
        for (uint32_t k = 0; k < 10; k++)
            cover(run, "x", PLACE, k, 1 + k / 5);
    }
    tell_firsts();
    name_nodes();
    struct roxi_profile *run = &p->executions[NORMAL];
    cover(run, "x", FIX, 11, 60);
    run->use.tells_firsts = true;
    const struct roxi_first first = {.role = string("x"),
                                     .class_name = string("java.lang.IllegalStateException"),
                                     .stack = stack(place),
                                     .group = group("x", "n2/worker"),
                                     .packet = packet};
    assert_int_equal(roxi_use_add_first(&run->use, &first), 0);
    roxi_use_order(&run->use);
    struct roxi_findings f = explain(&r);
    for (size_t i = 0; i < f.count; i++)
        if (f.list[i].about == ROXI_ABOUT_COVERED)
            node = f.list[i].who.node;
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return roxi_symbols_text(p->symbols, node);
}

/* Of which node the code is, another finding of its class may tell. */
static void test_node(void **state)
{
    (void)state;
    assert_string_equal(node_beside(RETRY, 80), "n2");
    assert_string_equal(node_beside(RETRY, 81), "");
    assert_string_equal(node_beside(GIVE_UP, 60), "");
}

/* What a JVM executes while it has not executed half of its code counts a tenth, and has no share
 * if there is something else. */
static void test_starting(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_starting(NORMAL);
    struct roxi_profile *run = add_odd();
    cover(run, "x", GIVE_UP, 0, 1); /* 0 of 12 were there before */
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_covered(&f.list[0], "x", GIVE_UP, 1, 1);
    assert_float_equal(f.list[0].weight, 0.4, 1e-9);
    assert_float_equal(f.list[0].share, 1, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    cover(run, "x", FIX, 11, 3); /* 11 of 12 */
    f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_covered(&f.list[0], "x", FIX, 3, 1);
    assert_covered(&f.list[1], "x", GIVE_UP, 1, 1);
    assert_true(f.list[1].weight < 0.4 + 1e-9);
    assert_float_equal(f.list[0].weight, 4, 1e-9);
    assert_float_equal(f.list[0].share, 1, 1e-9);
    assert_float_equal(f.list[1].share, 0, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Half of its code is enough. */
static void test_started(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_starting(NORMAL);
    struct roxi_profile *run = add_odd();
    for (uint32_t i = 0; i < 5; i++)
        cover(run, "x", GIVE_UP, i, 2);
    /* Of 15 blocks 5 were there before. */
    struct roxi_findings f = explain(&r);
    assert_float_equal(f.list[0].weight, 0.4, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    cover(run, "x", "a.D.f()V:1", 0, 3); /* of 16 blocks 15 */
    f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_covered(&f.list[0], "x", "a.D.f()V:1", 3, 1);
    assert_covered(&f.list[1], "x", GIVE_UP, 2, 5);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Where each normal run has two classes with such code, one more counts a third. */
static void test_usually_rare(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_starting(NORMAL);
    for (uint32_t i = 0; i < NORMAL; i++) {
        cover(&p->executions[i], "x", "a.D.f()V:1", i, 50);
        cover(&p->executions[i], "y", "a.E.f()V:1", i, 50);
        if (i < 4) /* not in the median */
            cover(&p->executions[i], "y", "a.F.f()V:1", i, 50);
    }
    cover(add_odd(), "x", FIX, 11, 60);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_float_equal(f.list[0].weight, 4.0 / 3, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* What one of nine normal runs does is common, and what one of twenty does is not. */
static void test_like(void **state)
{
    enum { MANY = 20 };
    bool normal[MANY + 1];
    (void)state;
    struct roxi_findings f;
    add_starting(NORMAL);
    cover(&p->executions[3], "y", FIX, 11, 7);
    cover(add_odd(), "x", FIX, 11, 60);
    assert_nothing();
    tear_down(NULL);
    set_up(NULL);
    add_starting(MANY);
    cover(&p->executions[3], "y", FIX, 11, 7); /* in whatever role */
    cover(add_odd(), "x", FIX, 11, 60);
    memset(normal, 1, sizeof normal);
    struct roxi_ranking r = rank();
    assert_int_equal(roxi_findings_make(&f, &r, MANY, normal, NULL, &err), 0);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].like, 1);
    assert_int_equal(f.list[0].compared, MANY);
    assert_says(&f.list[0], true, "executed code in B.fix that few normal runs do");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Normal runs of which no logs tell are none; without any there is no finding. */
static void test_some_tell(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    cover(add_odd(), "x", FIX, 11, 60);
    assert_nothing();
    start(&p->executions[2]);
    start(&p->executions[5]);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_covered(&f.list[0], "x", FIX, 60, 1);
    assert_int_equal(f.list[0].compared, 2);
    assert_float_equal(f.list[0].share, 0, 1e-9); /* of three runs nothing is rare */
    assert_float_equal(f.list[0].weight, 4, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    p->executions[NORMAL].use.tells_covered = false;
    assert_nothing();
}

/* A run whose JVMs took no packet at all. */
static void test_no_packet(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_starting(NORMAL);
    cover(add_run("odd", usual, 0), "x", FIX, 11, 0);
    assert_int_equal(p->executions[NORMAL].total, 0);
    struct roxi_findings f = explain(&r);
    bool found = false;
    for (size_t i = 0; i < f.count; i++)
        found |= strcmp(roxi_finding_kind(&f.list[i]), "executed-here") == 0;
    assert_true(found);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Where two JVMs have done each other's work, what one of them executes is told, and scored, under
 * its true name. */
static void test_swapped(void **state)
{
    static const char lead[] = "a.Leader.lead()V:1", follow[] = "a.Follower.follow()V:1";
    (void)state;
    struct roxi_ranking r;
    for (size_t i = 0; i <= NORMAL; i++) {
        const bool odd = i == NORMAL;
        const struct did did[] = {{odd ? "S 2" : "S 1", "t", lead, {1, 1 + i % 3}},
                                  {odd ? "S 1" : "S 2", "t", follow, {1, 1 + i % 3}}};
        struct roxi_profile *run = add_run(odd ? "odd" : "normal", did, 2);
        run->roles[0].role = string("S 1");
        run->roles[1].role = string("S 2");
        for (uint32_t block = 0; block < 10; block++) {
            cover(run, "S 1", PLACE, block, 1);
            cover(run, "S 2", PLACE, block, 1);
        }
    }
    cover(&p->executions[3], "S 1", "a.D.f()V:1", 0, 60);
    cover(&p->executions[NORMAL], "S 2", FIX, 11, 60);
    struct roxi_findings f = explain(&r);
    assert_int_equal(r.leads.count, 1);
    assert_true(f.count > 0);
    assert_covered(&f.list[0], "S 2", FIX, 60, 1);
    assert_true(f.list[0].share > 0.5);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* ---- order ---- */

static const struct did spins[] = {{"x", "worker-*", WORK, {1, 1}},
                                   {"x", "Timer-*", IDLE, {1}},
                                   {"y", "worker-*", WORK, {1, 1}},
                                   {"y", "spinner", "a.S.spin()V:1", {40, 40, 40}}};

/* The findings' kinds, "executed-here", say, and their packets; of the last run. */
static void assert_kinds(const char *want)
{
    struct roxi_ranking r;
    char text[400] = "";
    struct roxi_findings f = explain(&r);
    for (size_t i = 0; i < f.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %d", i ? ", " : "",
                 roxi_finding_kind(&f.list[i]), (int)f.list[i].packet);
    assert_string_equal(text, want);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* A branch before threads depart comes first, and one long after them does not; of several of one
 * JVM the first one. */
static void test_order(void **state)
{
    static const struct {
        uint32_t packet, later;
        const char *want;
    } cases[] = {
        {39, 0, "executed-here 39, only-here 40"},
        {20, 0, "executed-here 20, only-here 40"},
        {20, 70, "executed-here 20, only-here 40, executed-here 70"},
        {80, 0, "only-here 40, executed-here 80"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tear_down(NULL);
        set_up(NULL);
        add_starting(NORMAL);
        struct roxi_profile *run = start(add_run("odd", spins, 4));
        cover(run, "x", FIX, 11, cases[i].packet);
        if (cases[i].later)
            cover(run, "x", GIVE_UP, 0, cases[i].later);
        assert_kinds(cases[i].want);
    }
}

/* It counts as much as the strongest finding, and half of that eight packets after what departed
 * first. */
static void test_weight(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_starting(NORMAL);
    struct did much[4];
    memcpy(much, spins, sizeof much);
    for (size_t i = 0; i < 11; i++)
        much[3].begins[i] = 10;
    struct roxi_profile *run = start(add_run("odd", much, 4));
    cover(run, "x", FIX, 11, 10);
    cover(run, "y", GIVE_UP, 0, 18);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 3);
    double others = 0;
    for (size_t i = 0; i < 3; i++)
        if (f.list[i].about != ROXI_ABOUT_COVERED)
            others = f.list[i].weight;
    assert_true(others > 4);
    for (size_t i = 0; i < 3; i++)
        if (f.list[i].about == ROXI_ABOUT_COVERED)
            assert_float_equal(f.list[i].weight, f.list[i].packet == 10 ? others : others / 2,
                               1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* ---- few runs, and others to compare with ---- */

/* Explains run `run` against those. */
static struct roxi_findings against(struct roxi_ranking *r, size_t run, const bool *normal)
{
    struct roxi_findings f;
    *r = rank();
    assert_int_equal(roxi_findings_make(&f, r, run, normal, NULL, &err), 0);
    return f;
}

/* Without a normal run there is nothing to tell. */
static void test_no_normal(void **state)
{
    static const bool normal[] = {false, true};
    (void)state;
    struct roxi_ranking r;
    add_starting(1);
    cover(add_odd(), "x", FIX, 11, 60);
    struct roxi_findings f = against(&r, 1, normal); /* a run is never its own */
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void expect_like(const struct roxi_finding *f, size_t normal, const char *want)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say(t.out, p->symbols, f, normal, true);
    fputs("; ", t.out);
    roxi_finding_say_like(t.out, f, normal);
    char *text = ix_text_close(&t);
    assert_string_equal(text, want);
    free(text);
}

/* Whatever the other run does not do; it is not known what is usual. */
static void test_two_runs(void **state)
{
    static const bool normal[] = {true, true};
    (void)state;
    struct roxi_ranking r;
    add_starting(1);
    cover(add_odd(), "x", FIX, 11, 60);
    struct roxi_findings f = against(&r, 1, normal);
    assert_int_equal(f.count, 1);
    assert_covered(&f.list[0], "x", FIX, 60, 1);
    expect_like(&f.list[0], 1,
                "executed code in B.fix that the other run does not; the other run did not");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    f = against(&r, 0, normal); /* what it lacks is no finding */
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Only those count that it is compared with, as with --against. */
static void test_against(void **state)
{
    static const bool normal[] = {false, true, true, false};
    (void)state;
    struct roxi_ranking r;
    add_starting(3);
    cover(add_odd(), "x", FIX, 11, 60);
    cover(&p->executions[0], "x", FIX, 11, 60);
    struct roxi_findings f = against(&r, 3, normal);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].compared, 2);
    expect_like(&f.list[0], 2,
                "executed code in B.fix that normal runs do not; none of 2 normal runs did");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* ---- what runs have in common ---- */

/* Two of three failed runs took the branch, on any number of threads. */
static void test_common(void **state)
{
    enum { FAILED = 3 };
    bool of[NORMAL + FAILED] = {false}, others[NORMAL + FAILED] = {false};
    (void)state;
    add_starting(NORMAL);
    for (size_t i = 0; i < FAILED; i++) {
        struct roxi_profile *run = add_odd();
        if (i < 2)
            cover(run, "x", FIX, 11, 60 + (uint32_t)i);
    }
    for (size_t i = 0; i < NORMAL + FAILED; i++) {
        of[i] = i >= NORMAL;
        others[i] = i < NORMAL;
    }
    struct roxi_ranking r = rank();
    for (unsigned threads = 1; threads < 4; threads++) {
        struct roxi_common c;
        assert_int_equal(roxi_common_make(&c, &r, of, others, NULL, NULL, threads, &err), 0);
        assert_int_equal(c.count, 1);
        assert_covered(&c.list[0].finding, "x", FIX, 60, 1);
        assert_int_equal(c.list[0].run, NORMAL);
        assert_int_equal(c.list[0].in, 2);
        assert_int_equal(c.list[0].in_others, 0);
        assert_float_equal(c.list[0].weight, 4 * 2 / sqrt(3 * 2), 1e-9);
        roxi_common_free(&c);
    }
    roxi_ranking_free(&r);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_usual_code),
        TEST(test_class),
        TEST(test_classes),
        TEST(test_first_class),
        TEST(test_two_roles),
        TEST(test_asker),
        TEST(test_called_back),
        TEST(test_node),
        TEST(test_swapped),
        TEST(test_starting),
        TEST(test_started),
        TEST(test_like),
        TEST(test_some_tell),
        TEST(test_no_packet),
        TEST(test_usually_rare),
        TEST(test_order),
        TEST(test_weight),
        TEST(test_no_normal),
        TEST(test_two_runs),
        TEST(test_against),
        TEST(test_common),
        TEST(test_lines),
        TEST(test_beside_standstill),
        TEST(test_after_standstill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
