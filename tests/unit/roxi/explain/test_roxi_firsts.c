/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of exceptions, the first of their class or at their place, in hand-made runs. */
#include "tests/support/findings_fixture.h"

/* Normal runs that were recorded without exceptions do not tell. */
static void test_firsts_unknown(void **state)
{
    (void)state;
    add_normal();
    make(add_run("odd", usual, 3), "x", "a.Late", PLACE, 60, 0);
    assert_nothing();
}

/* Only what no normal run has made; of what comes at one packet, the first one. */
static void test_firsts(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    make(&p->executions[3], "x", "java.io.IOException", PLACE, 5, 0);
    struct roxi_profile *run = add_run("odd", usual, 3);
    make(run, "x", "java.io.IOException", WORK, 30, 0);
    make(run, "y", "a.Wrapped", WORK, 44, 4);
    make(run, "y", "a.Child", PLACE, 44, 2);
    make(run, "x", "a.Late", PLACE, 60, 0);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_string_equal(roxi_finding_kind(f.list), "first-exception");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->who.role), "y");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->thread), "worker-*");
    assert_int_equal(f.list->packet, 44);
    assert_int_equal(f.list->stack, stack(PLACE));
    assert_int_equal(f.list->here, 2);
    assert_says(&f.list[0], true, "made its first Child, and exceptions of 1 more class");
    assert_says(&f.list[0], false, "made its first a.Child, and exceptions of 1 more class");
    assert_says(&f.list[1], true, "made its first Late");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Of a class that a role has made before, another one is not its first, and several of one class
 * are not exceptions of more classes. */
static void test_first_again(void **state)
{
    static const char other[] = "a.A.run()V:1;a.B.other()V:2";
    (void)state;
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    struct roxi_profile *run = add_run("odd", usual, 3);
    run->use.tells_places = true;
    make(run, "x", "a.Late", PLACE, 40, 0);
    make(run, "x", "a.Late", WORK, 40, 1);
    make(run, "x", "a.Wrapped", WORK, 40, 2);
    make(run, "x", "a.Late", other, 60, 3);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_says(&f.list[0], true, "made its first Late, and exceptions of 1 more class");
    assert_says(&f.list[1], true, "made an exception of class Late");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Where logs have an exception on each call stack, one of a common class is a finding if it is made
 * where normal runs make none, and not if only its line is another one. */
static void test_first_there(void **state)
{
    static const char other_line[] = "a.A.run()V:1;a.B.work()V:99";
    (void)state;
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    for (size_t i = 0; i < NORMAL; i++) {
        make(&p->executions[i], "x", "java.lang.Common", WORK, 5, 0);
        p->executions[i].use.tells_places = true;
    }
    struct roxi_profile *run = add_run("odd", usual, 3);
    make(run, "x", "java.lang.Common", other_line, 30, 0);
    make(run, "y", "java.lang.Common", "a.A.run()V:1;a.B.other()V:2", 60, 1);
    make(run, "y", "java.lang.Common", "a.X.f()V:1;java.lang.invoke.L.link()V:2", 70, 2);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0); /* of this run only the first one of each class is known */
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    run->use.tells_places = true;
    f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_true(f.list->there);
    assert_int_equal(f.list->packet, 60);
    assert_int_equal(f.list->like, 0);
    assert_says(f.list, true, "made an exception of class Common");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* What is made before anything departs comes first if it tells of an error of the program, else
 * second. */
static void test_first_before(void **state)
{
    static const struct {
        const char *class_name;
        uint64_t packet;
        size_t place;
    } cases[] = {
        {"java.lang.NullPointerException", 30, 0}, {"java.util.NoSuchElementException", 30, 0},
        {"java.io.EOFException", 30, 1},           {"java.util.concurrent.TimeoutException", 30, 1},
        {"java.lang.InterruptedException", 30, 1}, {"java.lang.NullPointerException", 70, 2}};
    const struct did spins[] = {usual[0],
                                usual[1],
                                usual[2],
                                {"x", "spinner", "a.C.spin()V:1", {40, 40, 40}},
                                {"y", "spinner", "a.D.spin()V:1", {41, 41, 41}}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roxi_ranking r;
        add_normal();
        tell_firsts();
        make(add_run("odd", spins, 5), "y", cases[i].class_name, PLACE, cases[i].packet, 0);
        struct roxi_findings f = explain(&r);
        assert_true(f.count > cases[i].place);
        assert_string_equal(roxi_finding_kind(&f.list[cases[i].place]), "first-exception");
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
        roxi_profiles_free(p);
        p = roxi_profiles_new();
        assert_non_null(p);
    }
}

/* In a run that ends early all else is less than typical: then any exception comes first. */
static void test_first_of_short(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    struct roxi_profile *run = add_run("odd", usual, 1);
    make(run, "y", "java.net.ConnectException", PLACE, 30, 0);
    struct roxi_findings f = explain(&r);
    assert_true(f.count > 1);
    assert_string_equal(roxi_finding_kind(&f.list[0]), "first-exception");
    for (size_t i = 1; i < f.count; i++)
        assert_true(f.list[i].less && f.list[i].weight > f.list[0].weight);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* What a thread makes as it departs comes right behind that, before what weighs more elsewhere. */
static void test_first_beside(void **state)
{
    (void)state;
    static const struct did spins[] = {{"x", "worker-*", WORK, {1, 1}},
                                       {"x", "Timer-*", IDLE, {1}},
                                       {"y", "worker-*", WORK, {1, 1}},
                                       {"x", "worker-*", "a.C.spin()V:1", {40, 40, 40}}};
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    struct roxi_profile *run = add_run("odd", spins, 4);
    make(run, "x", "a.Why", PLACE, 42, 0);
    make(run, "y", "a.Else", PLACE, 41, 0);
    make(run, "x", "a.Later", PLACE, 60, 0);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 4);
    assert_string_equal(roxi_finding_kind(&f.list[0]), "only-here");
    assert_int_equal(f.list[0].packet, 40);
    assert_says(&f.list[1], true, "made its first Why");
    assert_says(&f.list[2], true, "made its first Else");
    assert_says(&f.list[3], true, "made its first Later");
    assert_true(f.list[1].weight > 10 * f.list[2].weight);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* A run in which y ends at packet 40. */
static struct roxi_profile *add_ended(void)
{
    struct roxi_profile *run = add_run("odd", usual, 3);
    for (size_t i = 0; i < run->history.count; i++)
        if (run->history.spans[i].group == group("y", "worker-*"))
            run->history.spans[i].last = run->history.spans[i].packets = 40;
    run->roles[1].answered = 40;
    run->roles[1].early = 60;
    return run;
}

/* y is killed at packet 40. Before that it makes an exception of a class that normal runs make, but
 * on another call stack; x makes one, too, and lives on. */
static void test_first_at_end(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    for (size_t i = 0; i < NORMAL; i++) {
        make(&p->executions[i], "x", "a.Common", WORK, 5, 0);
        make(&p->executions[i], "y", "a.Usual", WORK, 100, 0);
    }
    struct roxi_profile *run = add_ended();
    run->roles[1].bad_ends = 1;
    make(run, "x", "a.Common", PLACE, 40, 0);
    make(run, "y", "a.Common", PLACE, 40, 7);
    make(run, "y", "a.Usual", WORK, 40, 9);
    struct roxi_findings f = explain(&r);
    size_t ends = 0;
    while (ends < f.count && roxi_finding_is_end(&f.list[ends]))
        ends++;
    assert_true(ends > 0 && ends < f.count);
    const struct roxi_finding *why = &f.list[ends];
    assert_string_equal(roxi_finding_kind(why), "first-exception");
    assert_string_equal(roxi_symbols_text(p->symbols, why->who.role), "y");
    assert_int_equal(why->stack, stack(PLACE));
    assert_true(why->at_end);
    assert_int_equal(why->like, 0);
    assert_true(why->share == 0);
    assert_says(why, true, "made an exception of class Common, right before it ended");
    for (size_t i = ends + 1; i < f.count; i++)
        assert_string_not_equal(roxi_finding_kind(&f.list[i]), "first-exception");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* y is killed at packet 40, and x made an exception before: that is not why. */
static void test_first_elsewhere(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    struct roxi_profile *run = add_ended();
    run->roles[1].bad_ends = 1;
    make(run, "x", "java.lang.IllegalStateException", PLACE, 20, 0);
    struct roxi_findings f = explain(&r);
    assert_string_equal(roxi_finding_kind(&f.list[0]), "ended-badly");
    assert_string_equal(roxi_finding_kind(&f.list[1]), "first-exception");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Of a run that took no packet it is all there is to say; when is not known. */
static void test_first_of_none(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    struct roxi_profile *run = add_run("odd", NULL, 0);
    run->roles[0].answered = run->roles[1].answered = 0;
    make(run, "y", "java.net.BindException", PLACE, 0, 0);
    struct roxi_findings f = explain(&r);
    assert_int_equal(run->total, 0);
    assert_true(f.count > 1);
    assert_says(&f.list[0], true, "made its first BindException");
    assert_int_equal(f.list[0].packet, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* If y was not killed, but ended, the exception comes first, because it says why. */
static void test_first_of_end(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    tell_firsts();
    struct roxi_profile *run = add_ended();
    make(run, "y", "java.net.BindException", PLACE, 40, 0);
    struct roxi_findings f = explain(&r);
    assert_true(f.count > 1);
    assert_says(&f.list[0], true, "made its first BindException, right before it ended");
    assert_string_equal(roxi_finding_kind(&f.list[1]), "ended-early");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* The exception with which threads end comes first, although normal runs make one of its class
 * elsewhere; what another thread makes then is not told. */
static void test_first_at_threads_end(void **state)
{
    (void)state;
    struct roxi_ranking r;
    for (size_t i = 0; i < NORMAL; i++) {
        add_reading("normal", PACKETS);
        make(&p->executions[i], "y", "a.Common", WORK, 5, 0);
        make(&p->executions[i], "y", "a.Other", WORK, 5, 1);
    }
    tell_firsts();
    struct roxi_profile *run = add_reading("odd", 30);
    make(run, "x", "a.Common", PLACE, 31, 0);
    run->use.firsts[0].group = group("x", "reader");
    make(run, "x", "a.Other", PLACE, 31, 4);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_says(&f.list[0], true, "made an exception of class Common, right before it ended");
    assert_int_equal(f.list[0].stack, stack(PLACE));
    assert_string_equal(roxi_finding_kind(&f.list[1]), "threads-ended");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_firsts_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_firsts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_of_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_beside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_at_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_elsewhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_of_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_of_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_at_threads_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
