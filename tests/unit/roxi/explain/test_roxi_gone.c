/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of threads and JVMs that end early, in hand-made runs. */
#include <math.h>

#include "tests/support/findings_fixture.h"

static double evidence_of_gone(double packets)
{
    const double e = 2 * sqrt(packets) / 4 - 1;
    return log1p(e * e);
}

/* The reader ends long before its JVM, which no normal run shows. */
static void test_gone(void **state)
{
    (void)state;
    struct roxi_ranking r;
    for (size_t i = 0; i < NORMAL; i++)
        add_reading("normal", PACKETS);
    add_reading("odd", 30);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(f.list), "threads-ended");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->who.role), "x");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->thread), "reader");
    assert_int_equal(f.list->stack, stack(WORK));
    assert_int_equal(f.list->packet, 30);
    assert_int_equal(f.list->here, 70);
    assert_int_equal(f.list->like, 0);
    assert_float_equal(f.list->weight, evidence_of_gone(70), 1e-9);
    assert_says(f.list, true, "the last such thread ended 70 packets before its JVM, typically 0");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Nor is it one if the JVM goes on for longer than usual, and that is why. */
static void test_gone_at_the_usual_time(void **state)
{
    (void)state;
    for (uint64_t last = 30; last <= 60; last += 30) {
        struct roxi_ranking r;
        for (size_t i = 0; i < NORMAL; i++)
            add_reading("normal", PACKETS)->roles[0].answered = 60;
        add_reading("odd", last);
        struct roxi_findings f = explain(&r);
        size_t gone = 0;
        for (size_t i = 0; i < f.count; i++)
            gone += f.list[i].about == ROXI_ABOUT_GONE;
        assert_int_equal(gone, last == 30);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

/* Threads of one JVM that end at about the same packet are one finding; of another JVM, or 30
 * packets before, they are not. */
static void test_gone_together(void **state)
{
    static const struct did did[] = {{"x", "reader", WORK, {1}},
                                     {"x", "writer", WORK, {1}},
                                     {"x", "early", WORK, {1}},
                                     {"y", "reader", WORK, {1}}};
    static const uint64_t ends[] = {60, 63, 30, 60};
    (void)state;
    struct roxi_ranking r;
    size_t found = 0;
    for (size_t i = 0; i < NORMAL; i++)
        add_run("normal", did, 4);
    struct roxi_profile *run = add_run("odd", did, 4);
    for (size_t k = 0; k < 4; k++) {
        const uint32_t ended = group(did[k].role, did[k].template);
        for (size_t i = 0; i < 4; i++) {
            if (run->history.spans[i].group == ended)
                run->history.spans[i].last = run->history.spans[i].packets = ends[k];
            if (run->use.most[i].group == ended)
                run->use.most[i].gone = (uint32_t)(PACKETS - ends[k]);
        }
    }
    struct roxi_findings f = explain(&r);
    for (size_t i = 0; i < f.count; i++) {
        if (!f.list[i].siblings)
            continue;
        found++;
        assert_string_equal(roxi_symbols_text(p->symbols, f.list[i].thread), "reader");
        assert_says(&f.list[i], true,
                    "the last such thread ended 40 packets before its JVM, typically 0, and those "
                    "of 1 other kind with it");
    }
    assert_int_equal(found, 1);
    assert_int_equal(f.count, 3);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* It is no finding if such threads end early in some normal runs too, or are not in most of them,
 * or if the JVM did a peer's work. */
static void test_gone_is_usual(void **state)
{
    (void)state;
    struct roxi_ranking r;
    for (size_t i = 0; i < NORMAL; i++)
        add_reading("normal", i == 0 ? 30 : PACKETS);
    add_reading("odd", 30);
    assert_nothing();
    p->executions[0].use.most[0].gone = p->executions[0].use.most[1].gone =
        p->executions[0].use.most[2].gone = 0;
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    roxi_findings_free(&f);
    bool normal[NORMAL + 1];
    memset(normal, 1, sizeof normal);
    const struct roxi_lead lead = {.run = NORMAL, .leader = 0, .usual = 1};
    r.leads.list = malloc(sizeof lead);
    assert_non_null(r.leads.list);
    r.leads.list[r.leads.count++] = lead;
    assert_int_equal(roxi_findings_make(&f, &r, NORMAL, normal, NULL, &err), 0);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    r.by_leader = true; /* who leads is chance */
    assert_int_equal(roxi_findings_make(&f, &r, NORMAL, normal, NULL, &err), 0);
    assert_int_equal(f.count, 1);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    for (size_t i = 0; i < 2; i++) /* two of nine: it is not always there */
        p->executions[i].use.most_count = 0;
    assert_nothing();
}

/* The findings of a run in which x spins from packet 41 on, and y is killed after that packet. */
static struct roxi_findings explain_killed(struct roxi_ranking *r, uint64_t last)
{
    const struct did spins[] = {
        usual[0], usual[1], usual[2], {"x", "spinner", "a.C.spin()V:1", {41, 41, 41, 41, 41, 41}}};
    add_normal();
    struct roxi_profile *run = add_run("odd", spins, 4);
    for (size_t i = 0; i < run->history.count; i++)
        if (run->history.spans[i].group == group("y", "worker-*"))
            run->history.spans[i].last = run->history.spans[i].packets = last;
    run->roles[1].answered = last;
    run->roles[1].bad_ends = 1;
    return explain(r);
}

static void forget(struct roxi_findings *f, struct roxi_ranking *r)
{
    roxi_findings_free(f);
    roxi_ranking_free(r);
    roxi_profiles_free(p);
    p = roxi_profiles_new();
    assert_non_null(p);
}

/* A JVM that is killed before anything departs comes first, whatever weighs more then. */
static void test_bad_end_first(void **state)
{
    (void)state;
    for (uint64_t last = 40; last <= 50; last += 10) {
        struct roxi_ranking r;
        struct roxi_findings f = explain_killed(&r, last);
        assert_string_equal(roxi_finding_kind(f.list), last == 40 ? "ended-badly" : "only-here");
        forget(&f, &r);
    }
}

static double weight_of_end(uint64_t last)
{
    struct roxi_ranking r;
    struct roxi_findings f = explain_killed(&r, last);
    double weight = 0;
    for (size_t i = 0; i < f.count; i++)
        if (strcmp(roxi_finding_kind(&f.list[i]), "ended-badly") == 0)
            weight = f.list[i].weight;
    forget(&f, &r);
    return weight;
}

/* A JVM that ends after something else departed mostly does so because of that. */
static void test_bad_end_later(void **state)
{
    (void)state;
    const double beside = weight_of_end(44), later = weight_of_end(50);
    assert_true(beside > 0 && later > 0);
    assert_true(later < 0.6 * beside);
}

/* A JVM that stands still is the first departure, and what ends 50 packets later weighs less. */
static void test_stood_still_first(void **state)
{
    (void)state;
    struct roxi_ranking r;
    bool found = false;
    for (size_t i = 0; i < NORMAL; i++)
        add_reading("normal", PACKETS);
    struct roxi_profile *run = add_reading("odd", 70);
    run->roles[1].lost = 40;
    run->roles[1].lost_from = 20;
    struct roxi_findings f = explain(&r);
    assert_string_equal(roxi_finding_kind(f.list), "stood-still");
    for (size_t i = 0; i < f.count; i++) {
        if (strcmp(roxi_finding_kind(&f.list[i]), "threads-ended") != 0)
            continue;
        found = true;
        assert_float_equal(f.list[i].weight, evidence_of_gone(30) * exp2(-50.0 / 40), 1e-9);
    }
    assert_true(found);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gone_at_the_usual_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gone_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gone_is_usual, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_end_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_end_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stood_still_first, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
