/* SPDX-License-Identifier: Apache-2.0 */
/* Threads at a packet by name, with numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/page/head_counts.h"

static struct roxi_profiles *p;
static uint32_t role, worker, helper;

static uint32_t string(const char *text)
{
    return roxi_symbols_string(p->symbols, text, strlen(text));
}

/* A run whose JVM answered so many packets, with so many snapshots of threads of both names. */
static void add_run(const char *name, uint64_t packets, uint64_t workers, uint64_t helpers)
{
    struct roxi_tally t = {0};
    struct ix_error err;
    roxi_tally_add(&t, roxi_pair(worker, 0), workers);
    if (helpers)
        roxi_tally_add(&t, roxi_pair(helper, 0), helpers);
    assert_int_equal(roxi_profiles_add(p, name, &t, &err), 0);
    roxi_tally_free(&t);
    struct roxi_profile *run = &p->executions[p->count - 1];
    run->roles = calloc(1, sizeof *run->roles);
    assert_non_null(run->roles);
    run->role_count = 1;
    run->roles[0] = (struct roxi_participation){.role = role, .answered = packets};
}

static void near(double a, double b)
{
    assert_true(a > b - 1e-9 && a < b + 1e-9);
}

static void check(const struct roxi_head_count *x, uint32_t group, double here, double elsewhere,
                  double most)
{
    assert_int_equal(x->group, group);
    near(x->here, here);
    near(x->elsewhere, elsewhere);
    near(x->most, most);
}

/* The number is the run. */
static void compare_with(size_t run, const double workers[3], const double helpers[3])
{
    bool normal[] = {true, true, false, true};
    const struct roxi_sheet s = {.profiles = p, .normal = normal};
    struct roxi_head_counts c;
    size_t count;
    assert_int_equal(roxi_head_counts_make(&c, &s), 0);
    struct roxi_head_count *list = roxi_head_counts_of(&c, &s, run, &count);
    assert_non_null(list);
    assert_int_equal(count, 2);
    check(&list[0], worker, workers[0], workers[1], workers[2]);
    check(&list[1], helper, helpers[0], helpers[1], helpers[2]);
    free(list);
    roxi_head_counts_free(&c);
}

static void averages_are_compared(void **state)
{
    (void)state;
    p = roxi_profiles_new();
    assert_non_null(p);
    role = string("server");
    worker = roxi_profiles_group(p, role, string("worker-*"));
    helper = roxi_profiles_group(p, role, string("helper"));
    add_run("a", 10, 20, 0);   /* 2 workers */
    add_run("b", 20, 60, 20);  /* 3, 1 helper */
    add_run("odd", 10, 90, 5); /* 9, 0.5 */
    add_run("d", 10, 100, 10); /* 10, 1 */
    /* The odd run: of the others 180 workers in 40 packets, 30 helpers. */
    compare_with(2, (double[]){9, 4.5, 10}, (double[]){0.5, 0.75, 1});
    /* A normal one is not compared with itself: 80 in 30, and the most is 3. */
    compare_with(3, (double[]){10, 80.0 / 30, 3}, (double[]){1, 20.0 / 30, 1});
    roxi_profiles_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(averages_are_compared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
