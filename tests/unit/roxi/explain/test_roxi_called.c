/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of how often methods were called, in hand-made runs. */
#include "roxi/explain/called.h"
#include "roxi/explain/finder.h"
#include "tests/support/findings_fixture.h"

#define TAKE "a.Pool.take()V:-1"
#define GIVE "a.Pool$Entry.giveBack()V:-1"
#define TICK "a.Pool.tick()V:-1"
#define SEND "a.Net.send()V:-1"

/* A method that was called so often in x: `count` times up to packet 50, and `later` times until
 * the end. */
static void call(struct roxi_profile *run, const char *method, uint64_t count, uint64_t later)
{
    const uint32_t x = string("x"), m = stack(method);
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

/* Pairs whatever the load; tick is called as often only because time goes by as fast. */
static void add_calling(void)
{
    add_normal();
    for (uint64_t i = 0; i < NORMAL; i++) {
        struct roxi_profile *run = &p->executions[i];
        call(run, TAKE, 100 + 10 * i, 100);
        call(run, GIVE, 100 + 10 * i, 100);
        call(run, TICK, 150, 150);
        call(run, SEND, 40, 40);
    }
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
    assert_int_equal(x->stack, stack(GIVE));
    assert_says(
        x, true,
        "called Pool.take 200 times and Pool$Entry.giveBack 150 times, typically the one as "
        "often as the other");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Twice as much of both is no evidence, nor are two calls under way. */
static void test_load(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    add_calling_run(110, 108, 40);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* A pair only if the one follows the other at any time. */
static void test_not_a_pair(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_normal();
    for (size_t i = 0; i < NORMAL; i++) {
        call(&p->executions[i], TAKE, 200, 0);
        call(&p->executions[i], GIVE, 0, 200);
    }
    struct roxi_profile *run = add_run("run", usual, 3);
    call(run, TAKE, 200, 0);
    call(run, GIVE, 0, 100);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
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
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    for (size_t i = 0; i < run->use.called_count; i++)
        run->use.called[i].at_least = run->use.called[i].stack == stack(TAKE);
    f = explain(&r);
    assert_int_equal(f.count, 1);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    for (size_t k = 0; k < NORMAL; k++) /* nothing is known of what is typical */
        for (size_t i = 0; i < p->executions[k].use.called_count; i++)
            p->executions[k].use.called[i].at_least = true;
    f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
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

/* If everything is called more often there is more to do. */
static void test_busy(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    struct roxi_profile *run = add_run("run", usual, 3);
    call(run, TAKE, 1000, 1000);
    call(run, GIVE, 1000, 1000);
    call(run, TICK, 1500, 1500);
    call(run, SEND, 400, 400);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Not recorded in this run, or in no other. */
static void test_not_recorded(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_calling();
    add_run("run", usual, 3);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    for (size_t i = 0; i < NORMAL; i++)
        p->executions[i].use.tells_called = false;
    call(&p->executions[NORMAL], TAKE, 1000, 1000);
    f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pair, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_load, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_a_pair, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_at_least, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_often, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_busy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_recorded, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
