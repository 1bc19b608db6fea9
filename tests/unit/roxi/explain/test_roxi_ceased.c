/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the code that a run ceases to execute first, in hand-made runs. */
#include <math.h>
#include <stdio.h>

#include "tests/support/findings_fixture.h"

/* Five classes. */
static const char *const places[] = {"a.A.a()V:1", "a.B.b()V:2", "a.C.c()V:3", "a.D.d()V:4",
                                     "a.E.e()V:5"};
enum { PLACES = sizeof places / sizeof *places };

/* A block of a role that is not executed for so many packets from `from` on, and otherwise again
 * after so many; `missed` of the former its method does other things. */
struct ceasing {
    const char *role;
    size_t place;
    uint32_t active, longest, from, resumed, missed;
};

static void execute(struct roxi_profile *run, const struct ceasing *c)
{
    const struct roxi_executed x = {.role = string(c->role),
                                    .stack = stack(places[c->place]),
                                    .block = 1,
                                    .active = c->active,
                                    .missed = c->missed,
                                    .missed_from = c->missed ? c->from : 0,
                                    .longest = c->longest,
                                    .longest_from = c->from,
                                    .resumed = c->resumed};
    const struct roxi_covered covered = {.role = x.role, .stack = x.stack, .block = 1, .packet = 1};
    assert_int_equal(roxi_use_add_covered(&run->use, &covered), 0);
    assert_int_equal(roxi_use_add_executed(&run->use, &x), 0);
    run->use.tells_covered = run->use.tells_pauses = true;
    roxi_use_order(&run->use);
}

static struct roxi_profile *add(const char *name, const struct ceasing *c, size_t count)
{
    struct roxi_profile *run = add_run(name, usual, 3);
    for (size_t i = 0; i < count; i++)
        execute(run, &c[i]);
    return run;
}

/* Normal runs in which both roles execute all of it in so many packets, and do so for the last time
 * so many packets before their end. */
static void add_ceasing(uint32_t active, uint32_t longest, uint32_t resumed)
{
    struct ceasing c[2 * PLACES];
    for (size_t i = 0; i < 2 * PLACES; i++)
        c[i] = (struct ceasing){i % 2 ? "x" : "y", i / 2, active, longest, 90, resumed, 0};
    for (size_t i = 0; i < NORMAL; i++)
        add("normal", c, 2 * PLACES);
}

static size_t count_ceased(const struct roxi_findings *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        count += f->list[i].about == ROXI_ABOUT_CEASED;
    return count;
}

/* How many findings of ceased code there are, if x does not execute one block for so long. */
static size_t found(uint32_t longest)
{
    struct roxi_ranking r;
    add("odd", &(struct ceasing){"x", 0, 20, longest, 40, 0, 0}, 1);
    struct roxi_findings f = explain(&r);
    const size_t count = count_ceased(&f);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return count;
}

static void restart(void)
{
    tear_down(NULL);
    set_up(NULL);
}

/* What ceases first is told, and what ceases at the next packet; not what ceases then. */
static void test_first(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_ceasing(80, 0, 0);
    const struct ceasing c[] = {
        {"x", 2, 20, 40, 42, 0, 0}, {"x", 1, 20, 41, 41, 0, 0}, {"x", 0, 20, 42, 40, 0, 0}};
    add("odd", c, 3);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(roxi_finding_kind(&f.list[i]), "ceased");
        assert_string_equal(roxi_symbols_text(p->symbols, f.list[i].who.role), "x");
        assert_int_equal(f.list[i].stack, stack(places[i]));
        assert_int_equal(f.list[i].packet, 40 + i);
        assert_int_equal(f.list[i].here, 42 - i);
        assert_int_equal(f.list[i].like, 0);
        assert_int_equal(f.list[i].compared, NORMAL);
        assert_true(roxi_finding_is_of_code(&f.list[i]));
    }
    assert_float_equal(f.list[0].weight, 4, 1e-9);
    assert_says(&f.list[0], true,
                "stopped executing a part of A.a, before anything else: 42 packets without it, "
                "typically 0");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* When it did is known as well as after how long it is executed again in normal runs. */
static void test_moment(void **state)
{
    (void)state;
    for (uint32_t resumed = 0; resumed <= 12; resumed += 4) {
        struct roxi_ranking r;
        restart();
        add_ceasing(80, resumed, resumed);
        add("odd", &(struct ceasing){"x", 0, 20, 60, 40, 0, 0}, 1);
        struct roxi_findings f = explain(&r);
        assert_int_equal(f.count, 1);
        assert_int_equal(f.list[0].packet, 40 + resumed / 2);
        assert_int_equal(f.list[0].latest, 40 + resumed);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* Twice as long as is common, and ten packets more; common are half of those in which it is
 * executed at most, or it ceases in each run, and in a longer one for longer. */
static void test_how_long(void **state)
{
    static const struct {
        uint32_t usual, longest;
        size_t found;
    } cases[] = {{0, 9, 0},   {0, 10, 1},  {7, 23, 0},   {7, 24, 1},
                 {40, 89, 0}, {40, 90, 1}, {41, 200, 0}, {60, 300, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        restart();
        add_ceasing(80, cases[i].usual, 0);
        assert_int_equal(found(cases[i].longest), cases[i].found);
    }
}

/* Code has done its work that is executed as much as in normal runs, and not again. */
static void test_done(void **state)
{
    static const struct {
        uint32_t active, resumed;
        size_t found;
    } cases[] = {{79, 0, 1}, {80, 0, 0}, {81, 0, 0}, {80, 49, 0}, {80, 50, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roxi_ranking r;
        restart();
        add_ceasing(80, 0, 0);
        add("odd", &(struct ceasing){"x", 0, cases[i].active, 50, 40, cases[i].resumed, 0}, 1);
        struct roxi_findings f = explain(&r);
        assert_int_equal(count_ceased(&f), cases[i].found);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* When code has ceased that is executed every now and then is not known. */
static void test_sharp(void **state)
{
    (void)state;
    for (uint32_t resumed = 11; resumed <= 13; resumed++) {
        restart();
        add_ceasing(80, resumed, resumed);
        assert_int_equal(found(60), resumed <= 12);
    }
}

/* By half of the time after which it is common to be executed again. */
static void test_when(void **state)
{
    (void)state;
    struct roxi_ranking r;
    struct ceasing usually[] = {{"x", 0, 80, 12, 20, 12, 0}, {"x", 1, 80, 0, 0, 0, 0}};
    const struct ceasing odd[] = {{"x", 0, 20, 60, 40, 0, 0}, {"x", 1, 20, 56, 44, 0, 0}};
    for (size_t i = 0; i < NORMAL; i++)
        add("normal", usually, 2);
    add("odd", odd, 2);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1); /* by 46, and by 44 */
    assert_int_equal(f.list[0].stack, stack(places[1]));
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Where more than three classes cease at once, they count as much as three. */
static void test_many(void **state)
{
    (void)state;
    for (size_t n = 1; n <= PLACES; n++) {
        struct roxi_ranking r;
        struct ceasing c[PLACES];
        restart();
        add_ceasing(80, 0, 0);
        for (size_t i = 0; i < n; i++)
            c[i] = (struct ceasing){"x", i, 20, 50, 40, 0, 0};
        add("odd", c, n);
        struct roxi_findings f = explain(&r);
        assert_int_equal(count_ceased(&f), n);
        for (size_t i = 0; i < n; i++)
            assert_float_equal(f.list[i].weight, n > 3 ? 12.0 / (double)n : 4, 1e-9);
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* If two roles cease to execute the same, it is mostly for what another one did. */
static void test_both_roles(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_ceasing(80, 0, 0);
    const struct ceasing c[] = {{"x", 0, 20, 50, 40, 0, 0}, {"y", 0, 20, 50, 41, 0, 0}};
    add("odd", c, 2);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_float_equal(f.list[0].weight, 2, 1e-9);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Classes in which a thread stands still for what it has called, or in the network, count three
 * tenths. */
static void test_standing(void **state)
{
    static const struct {
        const char *stack;
        double a, b;
    } rows[] = {{"a.A.a()V:1;a.B.b()V:2;java.lang.Object.wait()V:-3", 0.3, 1},
                {"a.A.a()V:1;a.B.b()V:2;java.net.SocketInputStream.read()I:-3", 0.3, 0.3},
                {"a.A.a()V:1;a.C.c()V:2;java.lang.Object.wait()V:-3", 0.3, 1},
                {"a.D.d()V:1;java.lang.Object.wait()V:-3", 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        restart();
        struct roxi_ranking r;
        const struct ceasing c[] = {{"x", 0, 20, 50, 40, 0, 0}, {"x", 1, 20, 50, 40, 0, 0}};
        add_ceasing(80, 0, 0);
        struct roxi_profile *run = add("odd", c, 2);
        const struct roxi_span span = {.group = group("x", "worker-*"),
                                       .stack = stack(rows[i].stack),
                                       .first = 41,
                                       .last = 89,
                                       .packets = 49};
        assert_int_equal(roxi_history_add_span(&run->history, span), 0);
        roxi_history_order(&run->history);
        struct roxi_findings f = explain(&r);
        assert_int_equal(count_ceased(&f), 2);
        for (size_t k = 0; k < f.count; k++) {
            if (f.list[k].about != ROXI_ABOUT_CEASED)
                continue;
            const bool a = f.list[k].stack == stack(places[0]);
            assert_float_equal(f.list[k].weight, 4 * (a ? rows[i].a : rows[i].b), 1e-9);
        }
        roxi_findings_free(&f);
        roxi_ranking_free(&r);
    }
}

/* Of a class that has a finding of missed code there is no other one; it counts as much as either.
 * What is missed later counts three tenths. */
static void test_missed(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_ceasing(80, 0, 0);
    const struct ceasing c[] = {{"x", 0, 20, 50, 40, 0, 30}, {"y", 1, 20, 48, 42, 0, 30}};
    add("odd", c, 2);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.list[0].about, ROXI_ABOUT_MISSED);
    assert_int_equal(f.list[0].stack, stack(places[0]));
    assert_int_equal(f.list[1].about, ROXI_ABOUT_MISSED);
    assert_float_equal(f.list[0].weight, 4, 1e-9);
    assert_true(f.list[1].weight <= 0.3 * 4);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Nothing is said of runs that do not tell. */
static void test_some_tell(void **state)
{
    (void)state;
    add_ceasing(80, 0, 0);
    add("odd", &(struct ceasing){"x", 0, 20, 50, 40, 0, 0}, 1)->use.tells_pauses = false;
    assert_nothing();
    p->executions[NORMAL].use.tells_pauses = true;
    for (size_t i = 0; i < NORMAL; i++)
        p->executions[i].use.tells_pauses = false;
    assert_nothing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_how_long, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sharp, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_when, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_both_roles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_some_tell, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
