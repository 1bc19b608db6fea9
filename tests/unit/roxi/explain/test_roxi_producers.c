/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what the ranking does not look at, in hand-made runs: growth, exceptions, peers. */
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
#include "roxi/explain/common.h"
#include "roxi/explain/usual.h"
#include "roxi/explain/words.h"
#include "roxi/rank/ranking.h"

enum { NORMAL = 9, PACKETS = 100 };
#define WORK "a.A.run()V:1;a.B.work()V:2"
#define IDLE "java.util.TimerThread.run()V:1;java.lang.Object.wait(J)V:-3"

static struct roxi_profiles *p;
static struct ix_error err;

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

static uint32_t stack(const char *text)
{
    uint32_t number;
    assert_int_equal(roxi_stack_parse(p->symbols, text, &number, NULL), 0);
    return number;
}

static uint32_t group(const char *role, const char *template)
{
    return roxi_profiles_group(p, string(role), string(template));
}

/* Threads of a role and a template that stay in a call stack, one more at each of these packets. */
struct did {
    const char *role, *template, *stack;
    uint64_t begins[12]; /* up to a 0 */
};

static struct roxi_profile *add_run(const char *name, const struct did *did, size_t count)
{
    struct roxi_tally t = {0};
    struct roxi_history h = {0};
    struct roxi_use use = {0};
    for (size_t i = 0; i < count; i++) {
        struct roxi_span span = {.group = group(did[i].role, did[i].template),
                                 .stack = stack(did[i].stack),
                                 .last = PACKETS};
        for (; did[i].begins[span.thread]; span.thread++) {
            span.first = did[i].begins[span.thread];
            span.packets = PACKETS + 1 - span.first;
            assert_int_equal(roxi_history_add_span(&h, span), 0);
            assert_int_not_equal(
                roxi_tally_add(&t, roxi_pair(span.group, span.stack), span.packets), ROXI_NONE);
        }
        const struct roxi_most most = {.group = span.group, .threads = span.thread};
        assert_int_equal(roxi_use_add_most(&use, most), 0);
    }
    for (uint64_t packet = 1; packet <= PACKETS; packet++)
        assert_int_equal(
            roxi_history_add_moment(&h, (struct roxi_moment){packet, (int64_t)packet * 50}), 0);
    roxi_history_order(&h);
    roxi_use_order(&use);
    assert_int_equal(roxi_profiles_add(p, name, &t, NULL), 0);
    roxi_tally_free(&t);
    struct roxi_profile *run = &p->executions[p->count - 1];
    run->history = h;
    run->use = use;
    run->roles = calloc(2, sizeof *run->roles);
    assert_non_null(run->roles);
    run->roles[0] = (struct roxi_participation){.role = string("x"), .answered = PACKETS};
    run->roles[1] = (struct roxi_participation){.role = string("y"), .answered = PACKETS};
    run->role_count = 2;
    return run;
}

static const struct did usual[] = {
    {"x", "worker-*", WORK, {1, 1}}, {"x", "Timer-*", IDLE, {1}}, {"y", "worker-*", WORK, {1, 1}}};

static void add_normal(void)
{
    for (size_t i = 0; i < NORMAL; i++)
        add_run("normal", usual, 3);
}

static void use_process(struct roxi_profile *run, const char *role, uint64_t megabytes,
                        uint64_t files, uint64_t collecting)
{
    const struct roxi_process_use use = {string(role), megabytes, files, collecting};
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

static void make(struct roxi_profile *run, const char *role, const char *class_name,
                 const char *place, uint64_t packet, uint32_t serial)
{
    const struct roxi_first first = {.role = string(role),
                                     .class_name = string(class_name),
                                     .stack = stack(place),
                                     .group = group(role, "worker-*"),
                                     .packet = packet,
                                     .serial = serial};
    assert_int_equal(roxi_use_add_first(&run->use, &first), 0);
    roxi_use_order(&run->use);
}

static struct roxi_ranking rank(void)
{
    struct roxi_ranking r;
    const struct roxi_ranking_options o = {0};
    if (roxi_ranking_make(&r, p, &o, NULL, &err) != 0)
        fail_msg("%s", err.text);
    return r;
}

/* Of the last run, whose only unusual thing it is. */
static struct roxi_findings explain(struct roxi_ranking *r)
{
    struct roxi_findings f;
    bool normal[NORMAL + 1];
    memset(normal, 1, sizeof normal);
    *r = rank();
    assert_int_equal(roxi_findings_make(&f, r, NORMAL, normal, NULL, &err), 0);
    return f;
}

static void assert_says(const struct roxi_finding *f, bool simple, const char *want)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say(t.out, p->symbols, f, 9, simple);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
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
    roxi_findings_free(&f);
    for (size_t i = 0; i < run->use.started_count; i++)
        run->use.started[i].stack = stack(elsewhere); /* nor does this tell more */
    f = explain(&r);
    assert_false(f.list->started);
    assert_int_equal(f.list->stack, stack(IDLE));
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
            assert_true(f.list->share == 0);
            assert_says(f.list, true, rows[i].says);
        }
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
        roxi_profile_release(&p->executions[--p->count]);
    }
}

#define PLACE "a.B.work()V:7"

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

/* First exceptions of the runs so far are known; there are none yet. */
static void tell_firsts(void)
{
    for (size_t i = 0; i < NORMAL; i++)
        p->executions[i].use.tells_firsts = true;
}

/* Normal runs that were recorded without exceptions do not tell. */
static void test_firsts_unknown(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    make(add_run("odd", usual, 3), "x", "a.Late", PLACE, 60, 0);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Only what no normal run has made; of what comes at one packet, the first one that is not merely
 * the ancestor of another. */
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
    make(run, "y", "a.Parent", PLACE, 44, 1);
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
    struct roxi_profile *run = add_run("odd", usual, 3);
    for (size_t i = 0; i < run->history.count; i++)
        if (run->history.spans[i].group == group("y", "worker-*"))
            run->history.spans[i].last = run->history.spans[i].packets = 40;
    run->roles[1].answered = 40;
    run->roles[1].early = 60;
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

static const struct did read_by[] = {
    {"x", "worker-*", WORK, {1, 1}}, {"x", "reader", WORK, {1}}, {"y", "worker-*", WORK, {1, 1}}};

/* A run whose reader of x is over after this packet. */
static struct roxi_profile *add_reading(const char *name, uint64_t last)
{
    struct roxi_profile *run = add_run(name, read_by, 3);
    const uint32_t reader = group("x", "reader");
    for (size_t i = 0; i < run->history.count; i++)
        if (run->history.spans[i].group == reader)
            run->history.spans[i].last = run->history.spans[i].packets = last;
    for (size_t i = 0; i < run->use.most_count; i++)
        if (run->use.most[i].group == reader)
            run->use.most[i].gone = (uint32_t)(PACKETS - last);
    return run;
}

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

/* The exception with which it ends is told, too, although normal runs make one of its class
 * elsewhere; not what another thread makes then. */
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
    assert_string_equal(roxi_finding_kind(&f.list[0]), "threads-ended");
    assert_says(&f.list[1], true, "made an exception of class Common, right before it ended");
    assert_int_equal(f.list[1].stack, stack(PLACE));
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
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
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    p->executions[0].use.most[0].gone = p->executions[0].use.most[1].gone =
        p->executions[0].use.most[2].gone = 0;
    f = explain(&r);
    assert_int_equal(f.count, 1);
    roxi_findings_free(&f);
    bool normal[NORMAL + 1];
    memset(normal, 1, sizeof normal);
    const struct roxi_role_swap swap = {.run = NORMAL, .a = 0, .b = 1};
    assert_int_equal(roxi_role_swaps_add(&r.swaps, &swap), 0);
    assert_int_equal(roxi_findings_make(&f, &r, NORMAL, normal, NULL, &err), 0);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    r.swaps.list[0].chance = true; /* all runs are like that */
    assert_int_equal(roxi_findings_make(&f, &r, NORMAL, normal, NULL, &err), 0);
    assert_int_equal(f.count, 1);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    for (size_t i = 0; i < 2; i++) /* two of nine: it is not always there */
        p->executions[i].use.most_count = 0;
    f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* A JVM that is killed before anything departs comes first, whatever weighs more then. */
static void test_bad_end_first(void **state)
{
    const struct did spins[] = {
        usual[0], usual[1], usual[2], {"x", "spinner", "a.C.spin()V:1", {41, 41, 41, 41, 41, 41}}};
    (void)state;
    for (uint64_t last = 40; last <= 50; last += 10) {
        struct roxi_ranking r;
        add_normal();
        struct roxi_profile *run = add_run("odd", spins, 4);
        for (size_t i = 0; i < run->history.count; i++)
            if (run->history.spans[i].group == group("y", "worker-*"))
                run->history.spans[i].last = run->history.spans[i].packets = last;
        run->roles[1].answered = last;
        run->roles[1].bad_ends = 1;
        struct roxi_findings f = explain(&r);
        assert_string_equal(roxi_finding_kind(f.list), last == 40 ? "ended-badly" : "only-here");
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
        roxi_profiles_free(p);
        p = roxi_profiles_new();
        assert_non_null(p);
    }
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
    f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
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
    assert_int_equal(roxi_common_make(&c, &r, failed, passed, NULL, 0, &err), 0);
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
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_siblings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_end_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gone_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_starter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pools, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exceptions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exceptions_at_one_packet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_firsts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_at_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_beside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_firsts_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_at_threads_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gone_is_usual, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stood_still_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_common, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
