/* SPDX-License-Identifier: Apache-2.0 */
/* What hand-made findings are evidence of, and groups of runs by them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/explain/groups.h"
#include "tests/support/profiles_fixture.h"

enum { MOST = 8 };

static struct ix_error err;
static struct roxi_symbols *names;
static struct roxi_run_evidence evidence[MOST]; /* by run */
static struct roxi_groups groups;

static int set_up(void **state)
{
    names = roxi_symbols_new();
    return names ? profiles_set_up(state) : -1;
}

static int tear_down(void **state)
{
    for (size_t i = 0; i < MOST; i++)
        roxi_evidence_free(&evidence[i]);
    roxi_groups_free(&groups);
    roxi_symbols_free(names);
    return profiles_tear_down(state);
}

/* ---- findings ---- */

static struct roxi_finding in_call(const char *role, const char *class_name, const char *method,
                                   double weight)
{
    return (struct roxi_finding){.kind = ROXI_IN_CALL,
                                 .who = {.role = name_number(role)},
                                 .thread = name_number("worker-*"),
                                 .call = {.class_name = name_number(class_name),
                                          .method = name_number(method),
                                          .called_class = ROXI_NONE,
                                          .called = ROXI_NONE},
                                 .weight = weight};
}

/* Of threads whose call stack, if any, is `stack`. */
static struct roxi_finding growth(const char *role, const char *thread, uint32_t stack,
                                  double weight)
{
    return (struct roxi_finding){.about = ROXI_ABOUT_GROWTH,
                                 .kind = ROXI_DURATION_KINDS,
                                 .resource = ROXI_THREADS,
                                 .who = {.role = name_number(role)},
                                 .thread = name_number(thread),
                                 .stack = stack,
                                 .weight = weight};
}

static struct roxi_finding exception(enum roxi_about about, const char *thrown, uint32_t stack)
{
    struct roxi_finding x = growth("x", "worker-*", stack, 1);
    x.about = about;
    x.resource = 0;
    x.thrown = name_number(thrown);
    return x;
}

static void add_run(const char *name, const struct roxi_finding *list, size_t count)
{
    struct roxi_tally t = {0};
    const struct roxi_findings f = {.list = (struct roxi_finding *)list, .count = count};
    assert_true(profiles->count < MOST);
    assert_int_equal(roxi_profiles_add(profiles, name, &t, NULL), 0);
    assert_int_equal(roxi_evidence_gather(&evidence[profiles->count - 1], names, profiles, &f), 0);
}

static void sort(void)
{
    assert_int_equal(roxi_evidence_sort(evidence, profiles->count, names), 0);
}

static void make_groups(void)
{
    sort();
    assert_int_equal(roxi_groups_make(&groups, profiles, evidence, &err), 0);
}

static const char *text(uint32_t number)
{
    return roxi_symbols_text(profiles->symbols, number);
}

/* ---- evidence ---- */

/* The share that two runs of one finding each have in common. */
static double shared_by(struct roxi_finding a, struct roxi_finding b)
{
    struct roxi_run_evidence runs[2] = {{0}};
    const struct roxi_findings x = {.list = &a, .count = 1}, y = {.list = &b, .count = 1};
    assert_int_equal(roxi_evidence_gather(&runs[0], names, profiles, &x), 0);
    assert_int_equal(roxi_evidence_gather(&runs[1], names, profiles, &y), 0);
    assert_int_equal(roxi_evidence_sort(runs, 2, names), 0);
    const double shared = roxi_evidence_shared(&runs[0], &runs[1]);
    assert_true(fabs(shared - roxi_evidence_shared(&runs[1], &runs[0])) < 1e-12);
    roxi_evidence_free(&runs[0]);
    roxi_evidence_free(&runs[1]);
    return shared;
}

#define assert_shared(a, b, share) assert_float_equal(shared_by(a, b), share, 1e-12)

static void test_shared(void **state)
{
    (void)state;
    const struct roxi_finding spin = in_call("Server 1", "a.D", "spin", 1);
    struct roxi_finding other = in_call("Server 2", "a.D", "spin", 7);
    assert_shared(spin, spin, 1);
    assert_shared(spin, other, 1); /* whichever peer, and however much */
    assert_shared(spin, in_call("x", "a.D", "spin", 1), 1);
    assert_shared(spin, in_call("Server 1", "a.D$Inner", "turn", 1), 0.5); /* only the class */
    assert_shared(spin, in_call("Server 1", "a.Dd", "spin", 1), 0);
    other.less = true;
    assert_shared(spin, other, 0.5);
    other = spin;
    other.about = ROXI_ABOUT_PEERS;
    assert_shared(spin, other, 1);
    other = spin; /* of a call into the application, the class that is called */
    other.call.called_class = name_number("a.E");
    other.call.called = name_number("get");
    assert_shared(other, in_call("x", "a.E", "put", 1), 0.5);
    other.weight = 0;
    assert_shared(spin, other, 0); /* no evidence, and no division by it */
}

static void test_shared_outside(void **state)
{
    (void)state;
    const uint32_t idle = stack_number("java.util.TimerThread.run()V:1"),
                   place = stack_number("a.A.run()V:1;java.lang.Object.wait(J)V:-3"),
                   elsewhere = stack_number("a.B.run()V:1");
    const struct roxi_finding timers = growth("Server 1", "Timer-*", idle, 1);
    assert_shared(timers, growth("Server 2", "Timer-*", idle, 1), 1);
    assert_shared(timers, growth("Server 1", "pool-*", idle, 1), 0);
    assert_shared(timers, growth("Client", "Timer-*", idle, 1), 0);
    assert_shared(timers, growth("Server 1", "Timer-*", place, 1), 0);
    assert_shared(growth("x", "a", place, 1), growth("y", "b", place, 1), 1);
    assert_shared(growth("x", "a", place, 1), in_call("x", "a.A", "run", 1), 0.5);
    for (enum roxi_about about = ROXI_ABOUT_EXCEPTION; about <= ROXI_ABOUT_FIRST; about++) {
        const struct roxi_finding odd = exception(about, "a.Odd", place);
        assert_shared(odd, odd, 1);
        assert_shared(odd, exception(about, "a.Even", place), 0.5);
        assert_shared(odd, exception(about, "a.Odd", elsewhere), 0);
    }
    struct roxi_finding ended = {.kind = ROXI_EARLY,
                                 .who = {.role = name_number("Server 1")},
                                 .thread = ROXI_NONE,
                                 .weight = 1},
                        stood = ended;
    stood.kind = ROXI_LOST;
    assert_shared(ended, stood, 0.5); /* the role, but not what it did */
}

/* Weights of the same thing add up: 3 of 4 parts of one run's evidence, 1 of 4 of the other's. */
static void test_shared_weights(void **state)
{
    (void)state;
    const struct roxi_finding a[] = {in_call("Server 1", "a.D", "spin", 2),
                                     in_call("Server 2", "a.D", "spin", 1),
                                     in_call("x", "a.E", "wait", 1)};
    const struct roxi_finding b[] = {in_call("x", "a.D", "spin", 1), in_call("x", "a.F", "run", 3)};
    add_run("a", a, 3);
    add_run("b", b, 2);
    sort();
    assert_int_equal(evidence[0].count, 4); /* of two classes, and what departs there */
    assert_float_equal(roxi_evidence_shared(&evidence[0], &evidence[1]), sqrt(3.0 / 4 * 1 / 4),
                       1e-12);
    assert_float_equal(evidence[0].weight, 8, 1e-12); /* each finding is evidence of two things */
}

/* What is less counts half: it follows from any cause. */
static void test_shared_less(void **state)
{
    (void)state;
    struct roxi_finding a[] = {in_call("x", "a.D", "spin", 1), in_call("x", "a.E", "serve", 4)};
    a[1].less = true;
    const struct roxi_finding b[] = {in_call("x", "a.F", "run", 1), a[1]};
    add_run("a", a, 2);
    add_run("b", b, 2);
    add_run("c", a, 1);
    sort();
    assert_float_equal(evidence[0].weight, 2 * (1 + 2), 1e-12);
    assert_float_equal(roxi_evidence_shared(&evidence[0], &evidence[1]), 2.0 / 3, 1e-12);
    assert_float_equal(roxi_evidence_shared(&evidence[0], &evidence[2]), sqrt(1.0 / 3), 1e-12);
}

/* ---- groups ---- */

/* Everybody waits for the same, whatever the cause; names are not in the order of the runs. */
static const struct {
    const char *name, *cause;
} failed[] = {
    {"run7", "leak"}, {"run1", "spin"}, {"run2", NULL},   {"run6", "lock"},
    {"run3", "spin"}, {"run4", "lock"}, {"run5", "spin"},
};
enum { FAILED = sizeof failed / sizeof *failed };

/* Adds them from the `first` one on, and then those before it. */
static void add_failed(size_t first)
{
    for (size_t i = 0; i < FAILED; i++) {
        const char *cause = failed[(first + i) % FAILED].cause;
        const struct roxi_finding list[] = {in_call("Client", "a.Client", "ask", 2),
                                            in_call(i % 2 ? "Server 1" : "Server 2",
                                                    cause ? cause : "", "work",
                                                    3 + (double)(i % 3))};
        add_run(failed[(first + i) % FAILED].name, list, cause ? 2 : 0);
    }
}

static void test_groups(void **state)
{
    (void)state;
    add_failed(0);
    make_groups();
    assert_int_equal(groups.runs, 6);
    assert_int_equal(groups.count, 3);
    const size_t of[FAILED] = {3, 1, 0, 2, 1, 2, 1};
    for (size_t i = 0; i < FAILED; i++)
        assert_int_equal(groups.of[i], of[i]);
    static const char *const causes[] = {"spin", "lock", "leak"};
    for (size_t i = 0; i < 3; i++) {
        const struct roxi_group *g = &groups.list[i];
        assert_int_equal(g->runs, 3 - i);
        assert_string_equal(text(g->finding.call.class_name), causes[i]);
        assert_int_equal(g->in, 3 - i);
        assert_int_equal(g->in_others, 0);
    }
    assert_float_equal(groups.list[0].finding.weight, 4, 1e-12); /* of 3 + 1, 3 + 1, 3 + 0 */
}

/* The same runs are together, in whatever order they come. */
static void test_order(void **state)
{
    for (size_t first = 1; first < FAILED; first++) {
        tear_down(state);
        assert_int_equal(set_up(state), 0);
        add_failed(first);
        make_groups();
        assert_int_equal(groups.count, 3);
        for (size_t i = 0; i < FAILED; i++)
            for (size_t k = 0; k < FAILED; k++) {
                const char *a = failed[(first + i) % FAILED].cause,
                           *b = failed[(first + k) % FAILED].cause;
                assert_int_equal(groups.of[i] == groups.of[k],
                                 a == b || (a && b && strcmp(a, b) == 0));
            }
    }
}

/* Each run is like the next one, but the first is not like the last. */
static void test_chain(void **state)
{
    (void)state;
    const struct roxi_finding list[] = {in_call("x", "a.A", "a", 1), in_call("x", "a.B", "b", 1),
                                        in_call("x", "a.C", "c", 1), in_call("x", "a.D", "d", 1)};
    add_run("run1", list, 2);
    add_run("run2", list + 1, 2);
    add_run("run3", list + 2, 2);
    make_groups();
    assert_int_equal(groups.count, 2); /* of two pairs that are as alike, by name the first */
    assert_int_equal(groups.of[0], 1);
    assert_int_equal(groups.of[1], 1);
    assert_int_equal(groups.of[2], 2);
    assert_string_equal(text(groups.list[0].finding.call.class_name), "a.B");
    assert_int_equal(groups.list[0].in, 2);
    assert_int_equal(groups.list[0].in_others, 0);
    assert_string_equal(text(groups.list[1].finding.call.class_name), "a.D");
    assert_int_equal(groups.list[1].in, 1);
}

/* What all have tells nothing, even if it is most of what is unusual. */
static void test_apart(void **state)
{
    (void)state;
    const struct roxi_finding all = in_call("x", "a.All", "a", 8);
    const struct roxi_finding one[] = {all, in_call("x", "a.B", "b", 4),
                                       in_call("x", "a.C", "c", 3), in_call("x", "a.D", "d", 3)};
    const struct roxi_finding other[] = {all, in_call("x", "a.E", "e", 4),
                                         in_call("x", "a.F", "f", 3), in_call("x", "a.G", "g", 3)};
    add_run("run1", one, 4);
    add_run("run2", one, 4);
    add_run("run3", other, 4);
    add_run("run4", other, 4);
    make_groups();
    assert_int_equal(groups.count, 2);
    assert_string_equal(text(groups.list[0].finding.call.class_name), "a.B");
    assert_int_equal(groups.list[0].in_others, 0);
    assert_string_equal(text(groups.list[1].finding.call.class_name), "a.E");
}

static void test_none(void **state)
{
    (void)state;
    make_groups();
    assert_int_equal(groups.count, 0);
    roxi_groups_free(&groups);
    add_run("run1", NULL, 0);
    make_groups();
    assert_int_equal(groups.count, 0);
    assert_int_equal(groups.runs, 0);
    assert_int_equal(groups.of[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shared_outside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shared_weights, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shared_less, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_groups, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_chain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
