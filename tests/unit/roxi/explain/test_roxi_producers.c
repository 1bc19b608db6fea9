/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what the ranking looks at little or not at all, in hand-made runs: growth,
 * exceptions, peers. */
#include <math.h>
#include <stdio.h>

#include "roxi/explain/common.h"
#include "roxi/explain/usual.h"
#include "tests/support/findings_fixture.h"

static void use_process(struct roxi_profile *run, const char *role, uint64_t megabytes,
                        uint64_t files, uint64_t collecting)
{
    const struct roxi_process_use use = {string(role), megabytes, files, collecting,
                                         5000000 * collecting};
    assert_int_equal(roxi_use_add_process(&run->use, &use), 0);
}

static void throw(struct roxi_profile * run, const char *role, const char *class_name,
                  const char *place, uint64_t packet, uint64_t count)
{
    const struct roxi_thrown thrown = {.role = string(role),
                                       .class_name = string(class_name),
                                       .stack = stack(place),
                                       .group = group(role, "worker-*"),
                                       .packet = packet,
                                       .count = count};
    assert_int_equal(roxi_use_add_thrown(&run->use, &thrown), 0);
    roxi_use_order(&run->use);
}

static void test_usual(void **state)
{
    (void)state;
    double numbers[] = {4, 1, 3, 2, 9, 3, 3}; /* median 3, deviations 1 2 0 1 6 0 0: median 1 */
    const struct roxi_usual u = roxi_usual_of(numbers, 7, 9);
    assert_true(u.centre == 3);
    assert_true(u.unit == 1.4826);
    assert_int_equal(u.like, 1);
    assert_true(roxi_usual_evidence(&u, 7, 9, 1) == 0); /* 1 of 7 is not rare */
    assert_true(roxi_usual_evidence(&(struct roxi_usual){.centre = 3, .unit = 1}, 7, 9, 1) ==
                log1p(4)); /* 3 units from it */
    assert_true(roxi_usual_evidence(&(struct roxi_usual){.centre = 3, .unit = 1}, 7, 5, 1) == 0);
    assert_true(roxi_usual_evidence(&(struct roxi_usual){0}, 0, 9, 1) == 0);
    assert_true(roxi_usual_evidence(&(struct roxi_usual){.centre = 3, .unit = 1, .edge = 7}, 7, 9,
                                    1) == log1p(1)); /* 1 unit from what others do */
}

/* Of 40 numbers two may be greater. */
static void test_edge(void **state)
{
    (void)state;
    double numbers[40];
    for (int i = 0; i < 40; i++)
        numbers[i] = i * 7 % 40;
    assert_true(roxi_usual_edge(numbers, 40) == 37);
    assert_true(roxi_usual_edge((double[]){4, 9, 3}, 3) == 9);
}

static void test_is_common(void **state)
{
    (void)state;
    assert_false(roxi_usual_is_common(0, 0));
    assert_false(roxi_usual_is_common(1, 20));
    assert_true(roxi_usual_is_common(1, 19));
    assert_true(roxi_usual_is_common(2, 39));
    assert_false(roxi_usual_is_common(2, 40));
}

/* Timers that nobody ends, one more every ten packets. */
static void test_threads(void **state)
{
    (void)state;
    const struct did did[] = {
        usual[0], {"x", "Timer-*", IDLE, {1, 10, 20, 30, 40, 50, 60, 70, 80, 90}}, usual[2]};
    struct roxi_ranking r;
    add_normal();
    add_run("leak", did, 3);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    const struct roxi_finding *x = f.list;
    assert_string_equal(roxi_finding_kind(x), "growth");
    assert_string_equal(roxi_symbols_text(p->symbols, x->who.role), "x");
    assert_string_equal(roxi_symbols_text(p->symbols, x->thread), "Timer-*");
    assert_int_equal(x->stack, stack(IDLE));
    assert_int_equal(x->here, 10);
    assert_int_equal(x->like, 0);
    assert_int_equal(x->packet, 30); /* the fourth is more than 1 + 2 and a tenth of 1 */
    assert_says(x, true, "10 threads at once, typically 1");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Threads with three names that do the same are one finding, of those that there are most of. */
static void test_siblings(void **state)
{
    (void)state;
    const struct did did[] = {usual[0],
                              {"x", "expiry-ann", IDLE, {1, 10, 20, 30, 40}},
                              {"x", "expiry-bob", IDLE, {1, 10, 20, 30, 40, 50, 60, 70, 80, 90}},
                              {"x", "expiry-cid", IDLE, {1, 10, 20, 30, 40, 50}},
                              usual[1],
                              usual[2]};
    struct roxi_ranking r;
    add_normal();
    add_run("leak", did, 6);
    struct roxi_findings f = explain(&r);
    size_t found = 0;
    for (size_t i = 0; i < f.count; i++) {
        if (f.list[i].about != ROXI_ABOUT_GROWTH)
            continue;
        found++;
        assert_string_equal(roxi_symbols_text(p->symbols, f.list[i].thread), "expiry-bob");
        assert_says(
            &f.list[i], true,
            "10 threads at once, typically 0, and more of 2 other kinds on the same call stack");
    }
    assert_int_equal(found, 1);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Threads outside of the application: the call stack that started most of them tells more. */
static void test_starter(void **state)
{
    static const char open_session[] = "a.B.open()V:7;java.lang.Thread.start()V:9";
    static const char elsewhere[] = "java.lang.Thread.start()V:9";
    const struct did did[] = {
        usual[0], {"x", "expiry", IDLE, {1, 10, 20, 30, 40, 50}}, usual[1], usual[2]};
    (void)state;
    struct roxi_ranking r;
    add_normal();
    struct roxi_profile *run = add_run("leak", did, 4);
    const uint32_t expiry = group("x", "expiry");
    const struct roxi_started started[] = {{expiry, stack(elsewhere), 1},
                                           {expiry, stack(open_session), 5},
                                           {group("x", "Timer-*"), stack(WORK), 9}};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(roxi_use_add_started(&run->use, &started[i]), 0);
    roxi_use_order(&run->use);
    struct roxi_findings f = explain(&r);
    assert_string_equal(roxi_finding_kind(f.list), "growth");
    assert_true(f.list->started);
    assert_int_equal(f.list->stack, stack(open_session));
    assert_int_equal(f.list->doing, ROXI_WAITING);
    assert_says(f.list, true, "6 threads at once, typically 0, started in B.open");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    for (size_t i = 0; i < run->use.started_count; i++)
        run->use.started[i].stack = stack(elsewhere); /* nor does this tell more */
    f = explain(&r);
    assert_false(f.list->started);
    assert_int_equal(f.list->stack, stack(IDLE));
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void threads_ran(struct roxi_profile *run, const char *template, uint64_t turns)
{
    for (size_t i = 0; i < run->use.most_count; i++)
        if (run->use.most[i].group == group("x", template))
            run->use.most[i].turns = turns;
}

static void ran(struct roxi_profile *run, uint64_t turns)
{
    threads_ran(run, "worker-*", turns);
}

/* Threads that are at every packet where they always are, and run ten times as often from packet 40
 * on; not such as run less often. */
static void test_turns(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    for (size_t i = 0; i < NORMAL; i++)
        ran(&p->executions[i], 200);
    struct roxi_profile *run = add_run("storm", usual, 3);
    ran(run, 1400);
    for (uint64_t packet = 2; packet <= PACKETS; packet += 2) {
        const struct roxi_turned turned = {group("x", "worker-*"), packet, packet < 42 ? 4 : 44};
        const struct roxi_turned other = {group("y", "worker-*"), packet, 90};
        assert_int_equal(roxi_history_add_turned(&run->history, turned), 0);
        assert_int_equal(roxi_history_add_turned(&run->history, other), 0);
    }
    roxi_history_order(&run->history);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(f.list), "ran-more-often");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->who.role), "x");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->thread), "worker-*");
    assert_int_equal(f.list->stack, stack(WORK));
    assert_int_equal(f.list->packet, 40);
    assert_int_equal(f.list->here, 1400);
    assert_int_equal(f.list->like, 0);
    assert_says(f.list, true, "ran 1400 times in B.work, typically 200");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    ran(run, 4);
    assert_nothing();
}

/* After a start in which they sleep they run more often than in the mean, as normal runs do: that
 * is not since when they run too often. */
static void test_turns_after_a_start(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    for (size_t i = 0; i < NORMAL; i++)
        ran(&p->executions[i], 280);
    struct roxi_profile *run = add_run("storm", usual, 3);
    uint64_t all = 0;
    for (uint64_t packet = 32; packet <= PACKETS; packet += 2) {
        const struct roxi_turned turned = {group("x", "worker-*"), packet, packet <= 70 ? 8 : 160};
        assert_int_equal(roxi_history_add_turned(&run->history, turned), 0);
        all += turned.turns;
    }
    roxi_history_order(&run->history);
    ran(run, all);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(f.list), "ran-more-often");
    assert_in_range(f.list->packet, 69, 72);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Threads of the platform alone run the most times as often, because some of the application's do
 * so much more often, too. Those are named. */
static void test_turns_of_code(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    for (size_t i = 0; i < NORMAL; i++) {
        threads_ran(&p->executions[i], "Timer-*", 200);
        ran(&p->executions[i], 200);
    }
    struct roxi_profile *run = add_run("storm", usual, 3);
    threads_ran(run, "Timer-*", 5000);
    ran(run, 300); /* not much more */
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->thread), "Timer-*");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    ran(run, 1400);
    f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(f.list), "ran-more-often");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->thread), "worker-*");
    assert_int_equal(f.list->stack, stack(WORK));
    assert_int_equal(f.list->here, 1400);
    assert_int_equal(f.list->like, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* If both are in code of the application, both are. */
static void test_turns_beside(void **state)
{
    (void)state;
    static const struct did did[] = {
        {"x", "worker-*", WORK, {1, 1}},
        {"x", "loop", "a.Loop.run()V:1;java.lang.Object.wait(J)V:-3", {1}},
        {"y", "worker-*", WORK, {1, 1}}};
    struct roxi_ranking r;
    for (size_t i = 0; i < NORMAL; i++) {
        struct roxi_profile *normal = add_run("normal", did, 3);
        threads_ran(normal, "loop", 200);
        ran(normal, 200);
    }
    struct roxi_profile *run = add_run("storm", did, 3);
    threads_ran(run, "loop", 5000);
    ran(run, 1400);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[0].thread), "loop");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[1].thread), "worker-*");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Two threads more are a pool that has grown; and threads that pile up in code of the application
 * are told of by the time that they spend there. */
static void test_pools(void **state)
{
    (void)state;
    const struct did grown[] = {usual[0], {"x", "Timer-*", IDLE, {1, 1, 1}}, usual[2]};
    const struct did piled[] = {
        {"x", "worker-*", WORK, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, usual[1], usual[2]};
    struct roxi_ranking r;
    add_normal();
    add_run("grown", grown, 3);
    struct roxi_findings f = explain(&r);
    for (size_t i = 0; i < f.count; i++)
        assert_string_not_equal(roxi_finding_kind(&f.list[i]), "growth");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    roxi_profile_release(&p->executions[--p->count]);
    add_run("piled", piled, 3);
    f = explain(&r);
    assert_true(f.count > 0);
    for (size_t i = 0; i < f.count; i++)
        assert_string_not_equal(roxi_finding_kind(&f.list[i]), "growth");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void test_process(void **state)
{
    static const struct {
        uint64_t megabytes, files, collecting;
        const char *says;
    } rows[] = {
        {100, 20, 10, NULL},
        {130, 20, 10, NULL}, /* a tenth and 32 MB more are not worth noticing */
        {500, 20, 10, "500 MB of memory, typically 100"},
        {100, 60, 10, "60 open files, typically 20"},
        {100, 20, 400, "40.0 % of the time collecting garbage, typically 1.0 %"},
    };
    (void)state;
    add_normal();
    for (size_t i = 0; i < NORMAL; i++)
        use_process(&p->executions[i], "y", 100, 20, 10);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct roxi_ranking r;
        use_process(add_run("odd", usual, 3), "y", rows[i].megabytes, rows[i].files,
                    rows[i].collecting);
        struct roxi_findings f = explain(&r);
        assert_int_equal(f.count, rows[i].says ? 1 : 0);
        if (rows[i].says) {
            assert_string_equal(roxi_finding_kind(f.list), "growth");
            assert_string_equal(roxi_symbols_text(p->symbols, f.list->who.role), "y");
            assert_true(f.list->share == (rows[i].collecting > 10 ? 1 : 0));
            assert_says(f.list, true, rows[i].says);
        }
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
        roxi_profile_release(&p->executions[--p->count]);
    }
}

/* What y uses, packet after packet: more files for a moment at packet 10, and more of all from 41
 * on. In the same role another JVM, which uses little. */
static void use_more_from_41(struct roxi_profile *run)
{
    struct roxi_used used = {.role = string("y"), .megabytes = 90, .files = 18};
    for (used.packet = 1; used.packet <= PACKETS; used.packet++) {
        const bool more = used.packet > 40;
        used.ns += 50000000;
        used.collecting_ns += more ? 40000000 : 500000;
        used.megabytes = more ? 10 * used.packet : 90;
        used.files = more ? used.packet : used.packet == 10 ? 40 : 18;
        assert_int_equal(roxi_history_add_used(&run->history, used), 0);
    }
    used = (struct roxi_used){.role = string("y"), .jvm = 1, .megabytes = 50, .files = 5};
    for (used.packet = 1; used.packet <= PACKETS; used.packet++)
        assert_int_equal(roxi_history_add_used(&run->history, used), 0);
}

static void test_process_since(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    for (size_t i = 0; i < NORMAL; i++)
        use_process(&p->executions[i], "y", 100, 20, 10);
    struct roxi_profile *run = add_run("odd", usual, 3);
    use_process(run, "y", 1000, 100, 480);
    use_more_from_41(run);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 3);
    for (size_t i = 0; i < f.count; i++) /* garbage is collected between two packets */
        assert_int_equal(f.list[i].packet, f.list[i].resource == ROXI_COLLECTING ? 40 : 41);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* What normal runs throw as well is no finding; what two roles throw is one of the first. */
static void test_exceptions(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    throw(&p->executions[3], "x", "java.io.IOException", PLACE, 5, 1);
    struct roxi_profile *run = add_run("odd", usual, 3);
    throw(run, "x", "java.io.IOException", PLACE, 30, 4);
    throw(run, "x", "a.Odd", PLACE, 50, 4);
    throw(run, "y", "a.Odd", PLACE, 44, 3);
    throw(run, "y", "a.Odd", PLACE, 40, 1);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(f.list), "exception");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->who.role), "y");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->thread), "worker-*");
    assert_int_equal(f.list->packet, 40);
    assert_int_equal(f.list->stack, stack(PLACE));
    assert_int_equal(f.list->here, 8);
    assert_says(f.list, true, "Odd thrown 8 times in 2 roles, first here, typically 0");
    assert_says(f.list, false, "a.Odd thrown 8 times in 2 roles, first here, typically 0");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Packets do not tell who of two was first; one role alone needs no words. */
static void test_exceptions_at_one_packet(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    struct roxi_profile *run = add_run("odd", usual, 3);
    throw(run, "x", "a.Odd", PLACE, 40, 4);
    throw(run, "y", "a.Odd", PLACE, 40, 3);
    throw(run, "z", "a.Odd", PLACE, 41, 1);
    throw(run, "x", "a.Rare", PLACE, 60, 1);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_says(&f.list[0], true,
                "Odd thrown 8 times in 3 roles, first in 2 of them at one packet, "
                "typically 0");
    assert_says(&f.list[1], true, "Rare thrown 1 time, typically 0");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

#define SPIN "a.A.run()V:1;a.D.spin()V:4"

/* Three peers spin, for as long as the load of the run has it: the same for all three. */
static void add_peers(const char *name, uint64_t one, uint64_t two, uint64_t three)
{
    const struct did did[] = {{"peer 1", "t", SPIN, {PACKETS + 1 - one}},
                              {"peer 2", "t", SPIN, {PACKETS + 1 - two}},
                              {"peer 3", "t", SPIN, {PACKETS + 1 - three}}};
    add_run(name, did, 3);
}

/* Peer 2 spins as long as in some normal runs, but not as long as its peers. */
static void test_peers(void **state)
{
    (void)state;
    struct roxi_ranking r;
    for (size_t i = 0; i < NORMAL; i++)
        add_peers("normal", 10 + 10 * i, 10 + 10 * i, 10 + 10 * i);
    add_peers("odd", 20, 80, 20);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(f.list), "unlike-peers");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list->who.role), "peer 2");
    assert_int_equal(f.list->stack, stack(SPIN));
    assert_int_equal(f.list->here, 80);
    assert_true(f.list->elsewhere == 20);
    assert_int_equal(f.list->like, 0);
    assert_says(f.list, true, "80 packets in D.spin, its peers 20");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    roxi_profile_release(&p->executions[--p->count]);
    add_peers("even", 80, 80, 80);
    assert_nothing();
}

/* Two runs that throw the same, each in another role first, have that in common. */
static void test_common(void **state)
{
    (void)state;
    struct roxi_common c;
    bool failed[NORMAL + 2] = {false}, passed[NORMAL + 2] = {false};
    add_normal();
    throw(add_run("odd", usual, 3), "x", "a.Odd", PLACE, 50, 1);
    throw(add_run("odd too", usual, 3), "y", "a.Odd", PLACE, 20, 1);
    struct roxi_ranking r = rank();
    for (size_t i = 0; i < NORMAL + 2; i++) {
        failed[i] = i >= NORMAL;
        passed[i] = i < NORMAL;
    }
    assert_int_equal(roxi_common_make(&c, &r, failed, passed, NULL, NULL, 0, &err), 0);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.list[0].in, 2);
    assert_int_equal(c.list[0].in_others, 0);
    roxi_common_free(&c);
    roxi_ranking_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual),
        cmocka_unit_test(test_is_common),
        cmocka_unit_test(test_edge),
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_siblings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turns_after_a_start, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turns_of_code, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turns_beside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_starter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pools, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_process_since, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exceptions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exceptions_at_one_packet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_common, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
