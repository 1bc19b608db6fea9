/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of code that a run no longer executes, in hand-made runs. */
#include <math.h>
#include <stdio.h>

#include "tests/support/findings_fixture.h"

#define FIX "a.B.fix()V:9"
#define RETRY "a.C.retry()V:12"

/* A block of a role: executed in so many packets, and missed for so many from `from` on. */
struct missing {
    const char *role, *place;
    uint32_t active, missed, from;
};

static void execute(struct roxi_profile *run, const struct missing *m)
{
    const struct roxi_executed x = {.role = string(m->role),
                                    .stack = stack(m->place),
                                    .block = 1,
                                    .active = m->active,
                                    .missed = m->missed,
                                    .missed_from = m->from};
    const struct roxi_covered covered = {.role = x.role, .stack = x.stack, .block = 1, .packet = 1};
    assert_int_equal(roxi_use_add_covered(&run->use, &covered), 0);
    assert_int_equal(roxi_use_add_executed(&run->use, &x), 0);
    run->use.tells_covered = run->use.tells_pauses = true;
    roxi_use_order(&run->use);
}

static struct roxi_profile *add(const char *name, const struct missing *m, size_t count)
{
    struct roxi_profile *run = add_run(name, usual, 3);
    for (size_t i = 0; i < count; i++)
        execute(run, &m[i]);
    return run;
}

/* Normal runs that execute both blocks in both roles often, and miss them for so long. */
static void add_missing(size_t count, uint32_t missed)
{
    const struct missing m[] = {{"x", FIX, 50, missed, 5},
                                {"y", FIX, 50, missed, 5},
                                {"x", RETRY, 50, missed, 5},
                                {"y", RETRY, 50, missed, 5}};
    for (size_t i = 0; i < count; i++)
        add("normal", m, 4);
}

static void assert_missed(const struct roxi_finding *f, const char *role, const char *place,
                          uint64_t packet, uint32_t here)
{
    assert_string_equal(roxi_finding_kind(f), "not-executed");
    assert_string_equal(roxi_symbols_text(p->symbols, f->who.role), role);
    assert_int_equal(f->stack, stack(place));
    assert_int_equal(f->packet, packet);
    assert_int_equal(f->here, here);
}

/* How many findings of missed code a run has, that misses x's block for so long, against all runs
 * before. */
static size_t found(uint32_t active, uint32_t missed)
{
    enum { MOST = 32 };
    bool normal[MOST];
    size_t count = 0;
    struct roxi_findings f;
    const size_t odd = p->count;
    assert_true(odd < MOST);
    memset(normal, 1, sizeof normal);
    add("odd", &(struct missing){"x", FIX, active, missed, 60}, 1);
    struct roxi_ranking r = rank();
    assert_int_equal(roxi_findings_make(&f, &r, odd, normal, NULL, &err), 0);
    for (size_t i = 0; i < f.count; i++)
        count += f.list[i].about == ROXI_ABOUT_MISSED;
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return count;
}

static void test_missed(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_missing(NORMAL, 2);
    add("odd", &(struct missing){"x", FIX, 20, 30, 60}, 1);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_missed(&f.list[0], "x", FIX, 61, 30); /* two packets are common */
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[0].call.method), "fix");
    assert_int_equal(f.list[0].like, 0);
    assert_int_equal(f.list[0].compared, NORMAL);
    assert_int_equal(f.list[0].locus, ROXI_NONE);
    assert_float_equal(f.list[0].elsewhere, 2, 1e-9);
    assert_float_equal(f.list[0].weight, 4, 1e-9);
    assert_false(f.list[0].less);
    assert_says(&f.list[0], true,
                "did not reach a part of B.fix for 30 packets in which it executed other parts, "
                "typically 2");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Twice as long as is common, and ten packets more. */
static void test_how_long(void **state)
{
    static const struct {
        uint32_t usual, missed;
        size_t found;
    } cases[] = {{0, 9, 0}, {0, 10, 1}, {7, 23, 0}, {7, 24, 1}, {30, 69, 0}, {30, 70, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tear_down(state);
        set_up(state);
        add_missing(NORMAL, cases[i].usual);
        assert_int_equal(found(20, cases[i].missed), cases[i].found);
    }
}

/* At least nine of ten normal runs execute it in ten packets, in that role. */
static void test_regular(void **state)
{
    static const struct {
        size_t rarely, of, found;
    } cases[] = {{0, 10, 1}, {1, 10, 1}, {2, 10, 0}, {2, 20, 1}, {3, 20, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tear_down(state);
        set_up(state);
        add_missing(cases[i].of - cases[i].rarely, 0);
        for (size_t k = 0; k < cases[i].rarely; k++) {
            const struct missing m[] = {{"x", FIX, 9, 0, 0}, {"y", FIX, 50, 0, 0}};
            add("rarely", m, 2);
        }
        assert_int_equal(found(1, 30), cases[i].found);
    }
}

/* A run may miss in one role what others miss in another: peers change their work. */
static void test_other_role(void **state)
{
    (void)state;
    for (size_t i = 0; i < NORMAL; i++) {
        const struct missing m[] = {{"x", FIX, 50, 0, 0}, {"y", FIX, 50, 30, 0}};
        add("normal", m, 2);
    }
    assert_int_equal(found(20, 60), 0);
    tear_down(state);
    set_up(state);
    for (size_t i = 0; i < NORMAL; i++) { /* one of nine is common */
        const struct missing m[] = {{"x", FIX, 50, 0, 0}, {"y", FIX, 50, i ? 0 : 30, 0}};
        add("normal", m, 2);
    }
    assert_int_equal(found(20, 60), 0);
}

/* Only runs whose logs tell count, and only such a run is looked at. */
static void test_some_tell(void **state)
{
    (void)state;
    add_missing(NORMAL, 2);
    p->executions[0].use.tells_pauses = false;
    struct roxi_ranking r;
    add("odd", &(struct missing){"x", FIX, 20, 30, 60}, 1);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].compared, NORMAL - 1);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    p->executions[NORMAL].use.tells_pauses = false;
    assert_nothing();
    p->executions[NORMAL].use.tells_pauses = true;
    for (size_t i = 0; i < NORMAL; i++)
        p->executions[i].use.tells_pauses = false;
    assert_nothing();
}

/* Of a class the block that departs first; of a role the class that does, and what does so at the
 * next packet. What departs later counts little. */
static void test_first(void **state)
{
    static const struct {
        uint32_t later;
        double weight;
    } cases[] = {{0, 4}, {1, 4}, {2, 0.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roxi_ranking r;
        tear_down(state);
        set_up(state);
        add_missing(NORMAL, 0);
        const struct missing m[] = {{"x", RETRY, 20, 30, 60 + cases[i].later},
                                    {"x", FIX, 20, 30, 60}};
        add("odd", m, 2);
        struct roxi_findings f = explain(&r);
        assert_int_equal(f.count, 2);
        assert_missed(&f.list[0], "x", FIX, 60, 30);
        assert_missed(&f.list[1], "x", RETRY, 60 + cases[i].later, 30);
        assert_float_equal(f.list[1].weight, cases[i].weight * exp2(-(double)cases[i].later / 8),
                           1e-9);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* If a role no longer executes code of many classes, it has nothing to do. */
static void test_many(void **state)
{
    enum { MANY = 6 };
    for (size_t count = 3; count <= MANY; count++) {
        struct missing usually[MANY], odd[MANY];
        char places[MANY][16];
        struct roxi_ranking r;
        tear_down(state);
        set_up(state);
        for (size_t i = 0; i < count; i++) {
            snprintf(places[i], sizeof places[i], "a.C%zu.f()V:1", i);
            usually[i] = (struct missing){"x", places[i], 50, 0, 5};
            odd[i] = (struct missing){"x", places[i], 20, 30, 60};
        }
        for (size_t i = 0; i < NORMAL; i++)
            add("normal", usually, count);
        add("odd", odd, count);
        struct roxi_findings f = explain(&r);
        assert_int_equal(f.count, count);
        for (size_t i = 0; i < count; i++)
            assert_float_equal(f.list[i].weight, count > 4 ? 4 * 4.0 / (double)count : 4, 1e-9);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* What a JVM no longer executes that only opens connections counts half. */
static void test_asker(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_missing(NORMAL, 0);
    const struct missing m[] = {{"x", FIX, 20, 30, 60}, {"y", RETRY, 20, 30, 60}};
    struct roxi_profile *run = add("odd", m, 2);
    const struct roxi_talk asks = {.role = string("x"), .peer = string("y")};
    const struct roxi_talk answers = {.role = string("y"), .peer = string("x"), .accepted = true};
    assert_int_equal(roxi_use_add_talk(&run->use, &asks), 0);
    assert_int_equal(roxi_use_add_talk(&run->use, &answers), 0);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_missed(&f.list[0], "y", RETRY, 60, 30);
    assert_missed(&f.list[1], "x", FIX, 60, 30);
    assert_float_equal(f.list[0].weight, 4, 1e-9);
    assert_float_equal(f.list[1].weight, 2, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* The weight of what x misses from packet 60 on, if y sends it ten messages a packet up to then,
 * and so many afterwards; for 40 packets it may leave y without an answer. */
static double weight_asked(uint64_t later, bool owes)
{
    struct roxi_ranking r;
    double weight = 0;
    tear_down(NULL);
    set_up(NULL);
    add_missing(NORMAL, 0);
    struct roxi_profile *run = add("odd", &(struct missing){"x", FIX, 20, 30, 60}, 1);
    for (uint64_t packet = 1; packet <= PACKETS; packet++) {
        const struct roxi_sent sent = {.role = string("y"),
                                       .peer = string("x"),
                                       .packet = packet,
                                       .sent = packet <= 60 ? 10 : later};
        assert_int_equal(roxi_history_add_sent(&run->history, sent), 0);
    }
    roxi_history_order(&run->history);
    const struct roxi_talk talk = {.role = string("y"),
                                   .peer = string("x"),
                                   .sent = 1000,
                                   .waits = owes ? 40 : 0,
                                   .waits_from = 60};
    const struct roxi_talk usual_talk = {.role = string("y"), .peer = string("x"), .sent = 1000};
    const struct roxi_talk answer = {
        .role = string("x"), .peer = string("y"), .accepted = true, .sent = 1000};
    for (size_t i = 0; i <= NORMAL; i++) {
        struct roxi_use *use = &p->executions[i].use;
        assert_int_equal(roxi_use_add_talk(use, i < NORMAL ? &usual_talk : &talk), 0);
        assert_int_equal(roxi_use_add_talk(use, &answer), 0);
    }
    struct roxi_findings f = explain(&r);
    bool owed = false;
    for (size_t i = 0; i < f.count; i++) {
        owed |= f.list[i].kind == ROXI_OWED;
        if (f.list[i].about == ROXI_ABOUT_MISSED)
            weight = f.list[i].weight;
    }
    assert_int_equal(owed, owes);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return weight;
}

/* Who is asked less has less to do, unless others wait for it. */
static void test_asked_less(void **state)
{
    (void)state;
    assert_float_equal(weight_asked(10, false), 4, 1e-9);
    assert_float_equal(weight_asked(3, false), 4, 1e-9);
    assert_float_equal(weight_asked(2, false), 0.3 * 4, 1e-9);
    assert_float_equal(weight_asked(0, false), 0.3 * 4, 1e-9);
    assert_true(weight_asked(0, true) > 3);
}

/* It counts nine tenths of the strongest finding, and half of that eight packets after what
 * departed first. */
static void test_weight(void **state)
{
    static const struct did did[] = {{"x", "worker-*", WORK, {1, 1}},
                                     {"x", "Timer-*", IDLE, {1}},
                                     {"y", "worker-*", WORK, {1, 1}},
                                     {"y", "spinner", "a.S.spin()V:1", {10, 10, 10, 10, 10, 10}}};
    for (uint32_t later = 0; later <= 16; later += 8) {
        struct roxi_ranking r;
        double others = 0, missed = 0;
        tear_down(state);
        set_up(state);
        add_missing(NORMAL, 0);
        execute(add_run("odd", did, 4), &(struct missing){"x", FIX, 20, 30, 10 + later});
        struct roxi_findings f = explain(&r);
        for (size_t i = 0; i < f.count; i++) {
            double *of = f.list[i].about == ROXI_ABOUT_MISSED ? &missed : &others;
            *of = fmax(*of, f.list[i].weight);
        }
        assert_true(others > 4 / 0.9);
        assert_float_equal(missed, 0.9 * others * exp2(-(double)later / 8), 1e-9);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* Where threads stay in a call that the method makes, they have not got on to the rest of it: that
 * says more. Not in another role, method or at another time. */
static void test_held_up(void **state)
{
    static const struct {
        const char *role, *stack;
        uint64_t packet;
        bool held_up;
    } cases[] = {{"x", "a.A.run()V:1;a.B.fix()V:8;a.S.spin()V:1", 50, true},
                 {"x", "a.A.run()V:1;a.B.other()V:8;a.S.spin()V:1", 50, false},
                 {"y", "a.A.run()V:1;a.B.fix()V:8;a.S.spin()V:1", 50, false},
                 {"x", "a.A.run()V:1;a.B.fix()V:8;a.S.spin()V:1", 95, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t from = cases[i].packet;
        const struct did did[] = {{"x", "worker-*", WORK, {1, 1}},
                                  {"x", "Timer-*", IDLE, {1}},
                                  {"y", "worker-*", WORK, {1, 1}},
                                  {"y", "spinner", "a.T.spin()V:1", {50, 50, 50, 50, 50, 50}},
                                  {cases[i].role, "held", cases[i].stack, {from}}};
        struct roxi_ranking r;
        double missed = 0, held = 0;
        tear_down(state);
        set_up(state);
        add_missing(NORMAL, 0);
        execute(add_run("odd", did, 5), &(struct missing){"x", FIX, 20, 30, 50});
        struct roxi_findings f = explain(&r);
        for (size_t k = 0; k < f.count; k++) {
            if (f.list[k].about == ROXI_ABOUT_MISSED)
                missed = f.list[k].weight;
            else if (f.list[k].thread == string("held"))
                held = f.list[k].weight;
        }
        assert_true(missed > 0 && held > 0);
        assert_int_equal(missed <= held, cases[i].held_up);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_missed),    TEST(test_how_long), TEST(test_regular),    TEST(test_other_role),
        TEST(test_some_tell), TEST(test_first),    TEST(test_many),       TEST(test_asker),
        TEST(test_weight),    TEST(test_held_up),  TEST(test_asked_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
