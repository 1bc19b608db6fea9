/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of how often methods were called, in hand-made runs. */
#include "roxi/explain/called.h"
#include "roxi/explain/finder.h"
#include "tests/support/findings_fixture.h"

#define TAKE "a.Pool.take()V:-1"
#define GIVE "a.Pool$Entry.giveBack()V:-1"
#define TICK "a.Pool.tick()V:-1"
#define SEND "a.Net.send()V:-1"
#define WRITE "a.Log.write()V:-1"
#define FLUSH "a.Log.flush()V:-1"
#define APPEND "a.Log.append()V:-1"
#define NOW "a.Clock.now()V:-1"
#define READ "a.File.read()V:-1"

/* A method that was called so often in a role: `count` times up to packet 50, and `later` times
 * until the end. */
static void call_of(struct roxi_profile *run, const char *role, const char *method, uint64_t count,
                    uint64_t later)
{
    const uint32_t x = string(role), m = stack(method);
    const struct roxi_called called = {.role = x, .stack = m, .count = count + later};
    assert_int_equal(roxi_use_add_called(&run->use, &called), 0);
    for (uint64_t packet = 5; packet <= PACKETS; packet += 5) {
        const struct roxi_told told = {x, m, packet, (packet <= 50 ? count : later) / 10};
        if (told.count)
            assert_int_equal(roxi_history_add_told(&run->history, told), 0);
    }
    run->use.tells_called = true;
    roxi_use_order(&run->use);
    roxi_history_order(&run->history);
}

static void call(struct roxi_profile *run, const char *method, uint64_t count, uint64_t later)
{
    call_of(run, "x", method, count, later);
}

/* Pairs whatever the load; tick is called as often only because time goes by as fast. */
static void call_usual(void)
{
    for (uint64_t i = 0; i < NORMAL; i++) {
        struct roxi_profile *run = &p->executions[i];
        call(run, TAKE, 100 + 10 * i, 100);
        call(run, GIVE, 100 + 10 * i, 100);
        call(run, TICK, 150, 150);
        call(run, SEND, 40, 40);
    }
}

static void add_calling(void)
{
    add_normal();
    call_usual();
}

static struct roxi_profile *add_calling_run(uint64_t take, uint64_t give, uint64_t send)
{
    struct roxi_profile *run = add_run("run", usual, 3);
    call(run, TAKE, 100, take);
    call(run, GIVE, 100, give);
    call(run, TICK, 150, 150);
    call(run, SEND, 40, send);
    return run;
}

static const struct roxi_finding *find(const struct roxi_findings *f, const char *kind)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(roxi_finding_kind(&f->list[i]), kind) == 0)
            return &f->list[i];
    return NULL;
}

/* x calls a method far too often, and y is killed: that is the cause, though the former began
 * earlier as far as that is known. */
static void test_killed(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    struct roxi_profile *run = add_calling_run(100, 100, 100000);
    run->roles[1].bad_ends = 1;
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_string_equal(roxi_finding_kind(&f.list[0]), "ended-badly");
    assert_string_equal(roxi_finding_kind(&f.list[1]), "called-more-often");
    assert_true(f.list[1].weight > f.list[0].weight);
    assert_true(f.list[1].packet < f.list[0].packet);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* The weight of x's far too many calls of a method, if its program begins in another one. */
static double weight_of(const char *method, const char *begins)
{
    struct roxi_ranking r;
    const struct did did[] = {{"x", "main", begins, {1}}, {"y", "reader", WORK, {1}}};
    tear_down(NULL);
    set_up(NULL);
    for (size_t i = 0; i <= NORMAL; i++) {
        struct roxi_profile *run = add_run(i < NORMAL ? "normal" : "run", did, 2);
        call(run, TAKE, 100, 100);
        call(run, TICK, 150, 150);
        call(run, method, 40, i < NORMAL ? 40 : 100000);
    }
    struct roxi_findings f = explain(&r);
    const struct roxi_finding *x = find(&f, "called-more-often");
    assert_non_null(x);
    const double weight = x->weight;
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return weight;
}

/* Calls of a library's method say less, unless the program is the library's. */
static void test_library(void **state)
{
    (void)state;
    const double own = weight_of("a.Net.send()V:-1", "a.Main.main()V:1");
    assert_float_equal(weight_of("io.netty.Net.send()V:-1", "a.Main.main()V:1"), 0.1 * own, 1e-9);
    assert_float_equal(weight_of("org.apache.zoo.Net.send()V:-1", "org.apache.zoo.Main.main()V:1"),
                       own, 1e-9);
    assert_float_equal(weight_of("io.netty.Net.send()V:-1", "org.apache.zoo.Main.main()V:1"),
                       0.1 * own, 1e-9);
    assert_float_equal(weight_of("iona.Net.send()V:-1", "org.apache.zoo.Main.main()V:1"), own,
                       1e-9);
}

static void test_pair(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    add_calling_run(100, 50, 40);
    struct roxi_findings f = explain(&r);
    const struct roxi_finding *x = find(&f, "unpaired-calls");
    assert_int_equal(f.count, 1);
    assert_non_null(x);
    assert_string_equal(roxi_symbols_text(p->symbols, x->who.role), "x");
    assert_string_equal(roxi_symbols_text(p->symbols, x->call.method), "giveBack");
    assert_true(x->less);
    assert_int_equal(x->here, 150);
    assert_int_equal(x->elsewhere, 200);
    assert_int_equal(x->like, 0);
    assert_int_equal(x->packet, 55);
    assert_float_equal(x->weight, 1.22, 0.01); /* nothing else departs, and so not earlier */
    assert_int_equal(x->stack, stack(GIVE));
    assert_says(
        x, true,
        "called Pool.take 200 times and Pool$Entry.giveBack 150 times, typically as often as "
        "each other");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void tell_calls(struct roxi_profile *run, const char *method, uint64_t packet,
                       uint64_t count)
{
    const struct roxi_told told = {string("x"), stack(method), packet, count};
    assert_int_equal(roxi_history_add_told(&run->history, told), 0);
}

/* Eight are under way from the beginning, and a tenth is not given back later. What is given back
 * is told first. */
static void test_pair_moment(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    struct roxi_profile *run = add_run("run", usual, 3);
    for (uint64_t packet = 5; packet <= PACKETS; packet += 5) {
        tell_calls(run, GIVE, packet, packet <= 50 ? 20 : 16);
        tell_calls(run, TAKE, packet, packet == 5 ? 28 : 20);
    }
    const struct roxi_called called[] = {{string("x"), stack(GIVE), false, 360},
                                         {string("x"), stack(TAKE), false, 408}};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(roxi_use_add_called(&run->use, &called[i]), 0);
    run->use.tells_called = true;
    roxi_use_order(&run->use);
    roxi_history_order(&run->history);
    struct roxi_findings f = explain(&r);
    const struct roxi_finding *x = find(&f, "unpaired-calls");
    assert_non_null(x);
    assert_in_range(x->packet, 55, 60);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Twice as much of both is no evidence, nor are two calls under way. */
static void test_load(void **state)
{
    (void)state;
    add_calling();
    add_calling_run(110, 108, 40);
    assert_nothing();
}

/* No pair is broken if a third method makes up for the difference: write is called by flush, and in
 * this run by append as well. */
static void test_made_up(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    for (size_t i = 0; i < NORMAL; i++) {
        call(&p->executions[i], WRITE, 40, 40);
        call(&p->executions[i], FLUSH, 40, 40);
    }
    struct roxi_profile *run = add_calling_run(100, 100, 40);
    call(run, WRITE, 40, 70);
    call(run, FLUSH, 40, 40);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(&f.list[0]), "unpaired-calls");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    call(run, APPEND, 0, 30);
    f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(&f.list[0]), "called-more-often");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[0].call.method), "append");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* A pair only if the one follows the other at any time. */
static void test_not_a_pair(void **state)
{
    (void)state;
    add_normal();
    for (size_t i = 0; i < NORMAL; i++) {
        call(&p->executions[i], TAKE, 200, 0);
        call(&p->executions[i], GIVE, 0, 200);
    }
    struct roxi_profile *run = add_run("run", usual, 3);
    call(run, TAKE, 200, 0);
    call(run, GIVE, 0, 100);
    assert_nothing();
}

/* Where the JVM does not count all calls, too few are no evidence; too many are. */
static void test_at_least(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    struct roxi_profile *run = add_calling_run(100, 50, 40);
    for (size_t i = 0; i < run->use.called_count; i++)
        run->use.called[i].at_least = run->use.called[i].stack == stack(GIVE);
    assert_nothing();
    for (size_t i = 0; i < run->use.called_count; i++)
        run->use.called[i].at_least = run->use.called[i].stack == stack(TAKE);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    for (size_t k = 0; k < NORMAL; k++) /* nothing is known of what is typical */
        for (size_t i = 0; i < p->executions[k].use.called_count; i++)
            p->executions[k].use.called[i].at_least = true;
    assert_nothing();
}

static void test_often(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    add_calling_run(100, 100, 2000);
    struct roxi_findings f = explain(&r);
    const struct roxi_finding *x = find(&f, "called-more-often");
    assert_int_equal(f.count, 1);
    assert_non_null(x);
    assert_string_equal(roxi_symbols_text(p->symbols, x->call.method), "send");
    assert_int_equal(x->here, 2040);
    assert_int_equal(x->elsewhere, 80);
    assert_in_range(x->packet, 45, 55);
    assert_says(x, true, "called Net.send 2040 times, typically 80");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* After a start in which it is not called it is called more often than in the mean, as normal runs
 * do: that is not since when it is called too often. */
static void test_often_after_a_start(void **state)
{
    (void)state;
    struct roxi_ranking r;
    const uint32_t x = string("x"), m = stack(SEND);
    add_normal();
    for (size_t i = 0; i <= NORMAL; i++) {
        struct roxi_profile *run = i < NORMAL ? &p->executions[i] : add_run("run", usual, 3);
        const uint64_t late = i < NORMAL ? 5 : 400;
        struct roxi_called called = {.role = x, .stack = m};
        for (uint64_t packet = 20; packet <= PACKETS; packet += 5) {
            const struct roxi_told told = {x, m, packet, packet <= 80 ? 5 : late};
            called.count += told.count;
            assert_int_equal(roxi_history_add_told(&run->history, told), 0);
        }
        assert_int_equal(roxi_use_add_called(&run->use, &called), 0);
        call(run, TAKE, 100, 100);
        call(run, GIVE, 100, 100);
        call(run, TICK, 150, 150);
    }
    struct roxi_findings f = explain(&r);
    const struct roxi_finding *often = find(&f, "called-more-often");
    assert_non_null(often);
    assert_in_range(often->packet, 75, 85);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void call_in(struct roxi_profile *run, const char *role, uint64_t sends)
{
    const char *const steady[] = {TAKE, GIVE, TICK};
    struct roxi_called called = {.role = string(role), .stack = stack(SEND), .count = sends};
    assert_int_equal(roxi_use_add_called(&run->use, &called), 0);
    for (size_t i = 0; i < 3; i++) {
        called.stack = stack(steady[i]);
        called.count = 100;
        assert_int_equal(roxi_use_add_called(&run->use, &called), 0);
    }
    run->use.tells_called = true;
    roxi_use_order(&run->use);
}

/* Which of two like roles does the work is chance, so it is no news that the other one does. */
static void test_often_of_peers(void **state)
{
    static const struct {
        const char *other; /* that does the work in normal runs */
        uint64_t calls;    /* in this one */
        size_t found;
    } cases[] = {{"S 2", 400, 0}, {"S 2", 4000, 1}, {"T 2", 400, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tear_down(state);
        set_up(state);
        for (size_t i = 0; i <= NORMAL; i++) {
            const struct did did[] = {{"S 1", "t", WORK, {1, 1 + i % 3}},
                                      {cases[k].other, "t", WORK, {1, 1 + i % 3}}};
            struct roxi_profile *run = add_run(i < NORMAL ? "normal" : "run", did, 2);
            run->roles[0].role = string("S 1");
            run->roles[1].role = string(cases[k].other);
            call_in(run, "S 1", i < NORMAL ? 10 : cases[k].calls);
            call_in(run, cases[k].other, i < NORMAL ? 400 : 10);
        }
        struct roxi_ranking r;
        struct roxi_findings f = explain(&r);
        size_t often = 0;
        for (size_t i = 0; i < f.count; i++)
            often += f.list[i].about == ROXI_ABOUT_OFTEN && f.list[i].who.role == string("S 1");
        assert_int_equal(often, cases[k].found);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* The weight of a pair that is none in "S 1" any longer, nor, if that is `unlike`, too, in the
 * other role. */
static double weight_of_pair(const char *other, bool unlike)
{
    struct roxi_ranking r;
    tear_down(NULL);
    set_up(NULL);
    for (size_t i = 0; i <= NORMAL; i++) {
        const struct did did[] = {{"S 1", "t", WORK, {1}}, {other, "t", WORK, {1}}};
        struct roxi_profile *run = add_run(i < NORMAL ? "normal" : "run", did, 2);
        for (size_t k = 0; k < 2; k++) {
            run->roles[k].role = string(k ? other : "S 1");
            call_of(run, k ? other : "S 1", TAKE, 100, 100);
            call_of(run, k ? other : "S 1", GIVE, 100, i == NORMAL && (!k || unlike) ? 50 : 100);
        }
    }
    struct roxi_findings f = explain(&r);
    double weight = 0;
    for (size_t i = 0; i < f.count; i++)
        if (f.list[i].about == ROXI_ABOUT_PAIR && f.list[i].who.role == string("S 1"))
            weight = f.list[i].weight;
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return weight;
}

/* What peers do alike counts once, not for each of them. */
static void test_pair_of_peers(void **state)
{
    (void)state;
    const double alone = weight_of_pair("S 2", false);
    assert_true(alone > 0);
    assert_float_equal(weight_of_pair("S 2", true), alone / 2, 1e-9);
    assert_float_equal(weight_of_pair("T", true), alone, 1e-9);
}

/* Of a role the two classes that have grown most. */
static void test_second(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    for (size_t i = 0; i < NORMAL; i++) {
        call(&p->executions[i], WRITE, 40, 40);
        call(&p->executions[i], FLUSH, 40, 50);
        call(&p->executions[i], NOW, 60, 60);
        call(&p->executions[i], READ, 70, 70);
    }
    struct roxi_profile *run = add_calling_run(100, 100, 2000);
    call(run, WRITE, 40, 4000);
    call(run, FLUSH, 40, 8000);
    call(run, NOW, 60, 60);
    call(run, READ, 70, 70);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_string_equal(roxi_finding_kind(&f.list[0]), "called-more-often");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[0].call.method), "flush");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[1].call.method), "send");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Explains the last run, of which it is unusual that send is not called for so long. */
static void assert_pause(uint64_t packet, uint32_t here, const char *says)
{
    struct roxi_ranking r;
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(roxi_finding_kind(&f.list[0]), "not-called");
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[0].call.method), "send");
    assert_int_equal(f.list[0].packet, packet);
    assert_int_equal(f.list[0].here, here);
    assert_int_equal(f.list[0].like, 0);
    assert_int_equal(f.list[0].compared, NORMAL);
    assert_says(&f.list[0], true, says);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void test_pause(void **state)
{
    (void)state;
    add_calling();
    struct roxi_profile *run = add_calling_run(100, 100, 0);
    assert_pause(51, 50, "no call of Net.send for 50 packets, typically for 4 at most");
    for (size_t i = 0; i < run->use.called_count; i++) /* it may have been called */
        run->use.called[i].at_least = true;
    assert_nothing();
}

static void test_never_called(void **state)
{
    (void)state;
    add_calling();
    struct roxi_profile *run = add_run("run", usual, 3);
    call(run, TAKE, 100, 100);
    call(run, GIVE, 100, 100);
    call(run, TICK, 150, 150);
    assert_pause(0, 96, "no call of Net.send at all, for 96 packets, typically for 4 at most");
}

/* Most methods of the JVM are not called then: it has less to do, or stands still. */
static void test_little_to_do(void **state)
{
    (void)state;
    add_calling();
    add_calling_run(0, 0, 0);
    assert_nothing();
}

/* None is called any more. */
static void test_nothing_to_do(void **state)
{
    (void)state;
    add_calling();
    struct roxi_profile *run = add_calling_run(0, 0, 0);
    while (run->history.told[run->history.told_count - 1].packet > 50)
        run->history.told_count--;
    assert_nothing();
}

/* In normal runs it is not called for as long, or hardly ever. */
static void test_usual_pause(void **state)
{
    (void)state;
    add_normal();
    for (size_t i = 0; i < NORMAL; i++) {
        call(&p->executions[i], TICK, 150, 150);
        call(&p->executions[i], SEND, 40, i == 3 ? 0 : 40);
        if (i == 5)
            call(&p->executions[i], READ, 40, 40);
    }
    struct roxi_profile *run = add_run("run", usual, 3);
    call(run, TICK, 150, 150);
    call(run, SEND, 40, 0);
    call(run, READ, 40, 0);
    assert_nothing();
}

/* ---- nodes ---- */

/* Runs of one JVM with two nodes; in the last one send is called far too often. */
static void add_nodes(const char *stack_of_n2)
{
    const struct did nodes[] = {{"x", "n1/worker", WORK, {1}}, {"x", "n2/worker", WORK, {1}}};
    const struct did seen[] = {nodes[0], nodes[1], {"x", "n2/worker", stack_of_n2, {51}}};
    for (size_t i = 0; i <= NORMAL; i++) {
        struct roxi_profile *run =
            i < NORMAL ? add_run("normal", nodes, 2) : add_run("run", seen, stack_of_n2 ? 3 : 2);
        run->role_count = 1;
        call(run, TAKE, 100, 100);
        call(run, GIVE, 100, 100);
        call(run, TICK, 150, 150);
        call(run, SEND, 40, i < NORMAL ? 40 : 100000);
    }
}

/* The weight of the finding that send was called too often, which is of this node. */
static double weight_at(const char *node)
{
    struct roxi_ranking r;
    struct roxi_findings f = explain(&r);
    const struct roxi_finding *x = find(&f, "called-more-often");
    assert_non_null(x);
    assert_string_equal(roxi_symbols_text(p->symbols, x->who.node), node);
    const double weight = x->weight;
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return weight;
}

static void test_of_no_node(void **state)
{
    (void)state;
    add_nodes(NULL);
    const double weight = weight_at("");
    name_nodes();
    assert_float_equal(weight_at(""), weight / 20, 1e-9);
}

static void test_of_a_node(void **state)
{
    (void)state;
    add_nodes("a.User.ask()V:4;a.Net.send()V:9");
    const double weight = weight_at("");
    name_nodes();
    assert_float_equal(weight_at("n2"), weight, 1e-9);
}

/* ---- callers ---- */

static const struct did asks[] = {
    {"x", "worker-*", WORK, {1, 1}},
    {"x", "Timer-*", IDLE, {1}},
    {"y", "worker-*", WORK, {1, 1}},
    {"x", "asker", "a.User.ask()V:4;a.Net.send()V:9;b.C.d()V:1", {95}},
    {"y", "asker", "a.Other.ask()V:4;a.Net.send()V:9", {5}}};

/* A method that is on no call stack of this run may be on one of a normal run; of the same role. */
static void test_caller(void **state)
{
    (void)state;
    struct roxi_ranking r;
    for (size_t i = 0; i < NORMAL; i++)
        add_run("normal", i == 1 ? asks : usual, i == 1 ? 5 : 3);
    call_usual();
    add_calling_run(100, 100, 2000);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].stack, stack("a.User.ask()V:4;a.Net.send()V:9"));
    assert_says(&f.list[0], true, "called Net.send 2040 times, typically 80, from User.ask");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* All methods are called so many times for 100 in normal runs. */
static void add_load(uint64_t times)
{
    struct roxi_profile *run = add_run("run", usual, 3);
    call(run, TAKE, times, times);
    call(run, GIVE, times, times);
    call(run, TICK, times * 3 / 2, times * 3 / 2);
    call(run, SEND, times * 2 / 5, times * 2 / 5);
}

/* If everything is called more often there is more to do, and if less often, less. */
static void test_busy(void **state)
{
    (void)state;
    add_calling();
    add_load(1000);
    assert_nothing();
}

static void test_idle(void **state)
{
    (void)state;
    add_calling();
    add_load(30);
    assert_nothing();
}

/* Not recorded in this run, or in no other. */
static void test_not_recorded(void **state)
{
    (void)state;
    add_calling();
    add_run("run", usual, 3);
    assert_nothing();
    for (size_t i = 0; i < NORMAL; i++)
        p->executions[i].use.tells_called = false;
    call(&p->executions[NORMAL], TAKE, 1000, 1000);
    assert_nothing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_library, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pair, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pair_moment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pair_of_peers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_load, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_made_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_a_pair, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_at_least, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_often, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_often_after_a_start, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_often_of_peers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_second, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pause, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_never_called, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_little_to_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_to_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_usual_pause, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_of_no_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_of_a_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_idle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_caller, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_busy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_recorded, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
