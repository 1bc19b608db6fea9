/* SPDX-License-Identifier: Apache-2.0 */
/* How long runs are in calls, and what is typical: small numbers worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "roxi/rank/peers.h"
#include "roxi/rank/model.h"
#include "tests/support/profiles_fixture.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* ---- durations ---- */

static uint32_t packets_of(const struct roxi_durations *d, size_t run, const char *method,
                           const char *called)
{
    for (size_t i = d->first[run]; i < d->first[run + 1]; i++) {
        if ((uint32_t)roxi_tally_key(&d->items, d->all[i].item) < ROXI_DURATION_KINDS)
            continue;
        const struct roxi_call c = roxi_durations_call(d, d->all[i].item);
        if (c.method == name_number(method) &&
            c.called == (called ? name_number(called) : ROXI_NONE))
            return d->all[i].packets;
    }
    return 0;
}

/* Recursion counts once, the platform only as what is called, and threads by what they do. */
static void test_calls(void **state)
{
    (void)state;
    const struct seen run[] = {
        {"A", "t", "java.lang.Thread.run()V:1;a.B.run()V:2;a.B.f()V:3;a.B.f()V:3;a.B.f()V:4", 5},
        {"A", "u", "a.B.run()V:7;java.lang.Object.wait()V:-3", 2},
        {"A", "v", "a.B$Inner.g()V:1;a.B.run()V:9;java.lang.Object.wait()V:-3", 4},
        {"A", "w", "java.lang.Thread.sleep(J)V:-3", 8},
    };
    add_seen(run, 4);
    struct roxi_durations *d = roxi_durations_new(profiles);
    assert_non_null(d);
    assert_int_equal(packets_of(d, 0, "run", "f"), 5);
    assert_int_equal(packets_of(d, 0, "f", "f"), 5);
    assert_int_equal(packets_of(d, 0, "f", NULL), 5);
    assert_int_equal(packets_of(d, 0, "run", "wait"), 2 + 4);
    assert_int_equal(packets_of(d, 0, "g", "run"), 4);
    assert_int_equal(d->items.n, 5 + 1);
    assert_int_equal(d->loci.n, 1 + 1); /* nested classes are at their class's place */
    const struct roxi_duration asleep = d->all[5];
    assert_int_equal(roxi_durations_template(d, asleep.item), name_number("w"));
    assert_int_equal(asleep.packets, 8 / roxi_traits[ROXI_OUTSIDE].of_packet);
    roxi_durations_free(d);
}

/* Of the threads in a call no more count than it lasts packets. */
static void test_at_once(void **state)
{
    static const struct {
        uint32_t packets, duration;
    } rows[] = {{0, 16}, {1, 1}, {3, 9}, {4, 16}, {5, 16}, {16, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", 16}, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        profiles->executions[i].items[0].packets = rows[i].packets;
    struct roxi_durations *d = roxi_durations_new(profiles);
    assert_non_null(d);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(packets_of(d, i, "run", NULL), rows[i].duration);
    roxi_durations_free(d);
}

/* A node is a member of its own; the JVM is the role's. */
static void test_nodes(void **state)
{
    (void)state;
    const struct seen run[] = {{"A", "n-1/worker", "a.B.run()V:1", 5},
                               {"A", "n-2/worker", "a.B.run()V:1", 7}};
    const struct roxi_node nodes[] = {
        {name_number("n-1/worker"), name_number("n-1"), name_number("worker")},
        {name_number("n-2/worker"), name_number("n-2"), name_number("worker")}};
    add_seen(run, 2);
    add_role("A", 9, 0, 0);
    assert_int_equal(roxi_profiles_nodes(profiles, nodes, 2), 0);
    struct roxi_durations *d = roxi_durations_new(profiles);
    assert_non_null(d);
    assert_int_equal(d->members.n, 3);
    assert_int_equal(d->all[0].packets + d->all[1].packets, 12);
    assert_true(roxi_are_peers(d, 0, 1));
    assert_false(roxi_are_peers(d, 0, 2)); /* the role as a whole */
    assert_int_equal(roxi_durations_counterpart(d, d->all[0].item, 1), d->all[1].item);
    assert_int_equal(roxi_durations_counterpart(d, d->all[0].item, 2), ROXI_NONE);
    roxi_durations_free(d);
}

/* So many classes for a role, from a.C0 or a.C<from> on. */
static void add_classes(const char *role, int from, int to)
{
    for (int i = from; i < to; i++) {
        char stack[32];
        snprintf(stack, sizeof stack, "a.C%d.run()V:1", i);
        add_seen(&(struct seen){role, "t", stack, 5}, 1);
    }
}

/* Roles with other names are peers if they are in the same classes, over all runs; six of seven are
 * enough, five of six are not, nor are two that are in few. */
static void test_peers(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool peers;
    } rows[] = {{"ash", "elm", true},
                {"ash", "oak", false},
                {"few", "less", false},
                {"web-1", "web-2", true},
                {"ash", "nobody", false}};
    add_classes("ash", 0, 6);
    add_classes("elm", 0, 7);
    add_classes("oak", 1, 6);
    add_classes("few", 10, 14);
    add_classes("less", 10, 14);
    add_classes("web-1", 20, 21);
    add_classes("web-2", 21, 22);
    struct roxi_durations *d = roxi_durations_new(profiles);
    assert_non_null(d);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t a = name_number(rows[i].a), b = name_number(rows[i].b);
        assert_int_equal(roxi_roles_are_peers(d, a, b), rows[i].peers);
        assert_int_equal(roxi_roles_are_peers(d, b, a), rows[i].peers);
    }
    roxi_durations_free(d);
}

/* ---- typical ---- */

/* Centre 2 sqrt(9), deviations 0 2 0 2 and that of the run without it, 6: median 2. */
static void test_typical(void **state)
{
    (void)state;
    static const uint64_t counts[] = {9, 16, 9, 4, 0};
    struct roxi_columns columns;
    struct roxi_model t;
    struct roxi_departures far = {0};
    const struct roxi_score_constants constants = {.resolution = 0.5, .quiet = 0.6};
    for (size_t i = 0; i < 5; i++)
        add_seen(&(struct seen){"A", "t", "a.B.run()V:1", counts[i]}, counts[i] > 0);
    struct roxi_durations *d = roxi_durations_new(profiles);
    assert_int_equal(roxi_columns_make(&columns, d), 0);
    assert_int_equal(roxi_model_make(&t, d, &columns, NULL, NULL, &constants, &far), 0);
    assert_near(t.centre[0], 6);
    assert_near(t.unit[0], 1.4826 * 2 + 0.5);
    assert_int_equal(t.common_count, 1);
    assert_int_equal(roxi_model_find(&far, &t, 0, NULL, 0), 0); /* it lacks what is common */
    assert_int_equal(far.count, 1);
    assert_near(far.list[0].z, 6 / t.unit[0]);
    assert_int_equal(roxi_model_find(&far, &t, 0, d->all, 1), 0);
    assert_int_equal(far.count, 0);
    roxi_model_free(&t);
    /* Only the last two: median 2, deviations 2 and 2. */
    const bool of[5] = {false, false, false, true, true};
    assert_int_equal(roxi_model_make(&t, d, &columns, NULL, of, &constants, &far), 0);
    assert_near(t.centre[0], 2);
    assert_near(t.unit[0], 1.4826 * 2 + 0.5);
    roxi_model_free(&t);
    roxi_columns_free(&columns);
    roxi_departures_free(&far);
    roxi_durations_free(d);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, profiles_set_up, profiles_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_calls), TEST(test_at_once), TEST(test_nodes),
        TEST(test_peers), TEST(test_typical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
