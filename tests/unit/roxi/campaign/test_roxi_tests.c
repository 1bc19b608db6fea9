/* SPDX-License-Identifier: Apache-2.0 */
/* Which test's runs are loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/campaign/tests.h"
#include "tests/support/tempdir.h"

static struct ix_catalogue *catalogue;

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    catalogue = ix_catalogue_open(in_tempdir("c"), IX_CATALOGUE_CREATE, NULL);
    return catalogue ? 0 : -1;
}

static int tear_down(void **state)
{
    ix_catalogue_close(catalogue);
    return tempdir_remove(state);
}

static void add(const char *name, const char *command)
{
    int64_t id;
    assert_int_equal(ix_catalogue_add_execution(catalogue, name, command, 0, &id, NULL), 0);
}

/* What is chosen, NULL: all; or fails with a message that has these words. */
static void assert_chosen(const char *wanted, const char *run, const char *test)
{
    struct ix_error err = {""};
    char *got;
    if (roxi_test_choose(catalogue, wanted, run, &got, &err) != 0)
        fail_msg("%s", err.text);
    if (test)
        assert_string_equal(got, test);
    else
        assert_null(got);
    free(got);
}

static void assert_refused(const char *wanted, const char *run, const char *words)
{
    struct ix_error err = {""};
    char *got;
    assert_int_equal(roxi_test_choose(catalogue, wanted, run, &got, &err), -1);
    assert_null(got);
    if (!strstr(err.text, words))
        fail_msg("'%s' lacks '%s'", err.text, words);
}

static void without_tests_all_runs_count(void **state)
{
    (void)state;
    assert_chosen(NULL, NULL, NULL);
    add("run0001", "./junit:test");
    add("serve0001", NULL);
    assert_chosen(NULL, NULL, NULL);
    assert_chosen(NULL, "serve0001", NULL);
    assert_chosen(NULL, "not there", NULL); /* others say so */
    assert_refused("a.B.c", NULL, "has no runs of a test 'a.B.c'");
}

static void the_only_test_need_not_be_named(void **state)
{
    (void)state;
    add("a.B.c", IX_TEST_COMMAND "a.B.c");
    add("a.B.c#2", IX_TEST_COMMAND "a.B.c");
    assert_chosen(NULL, NULL, "a.B.c");
    assert_chosen("a.B.c", NULL, "a.B.c");
    assert_chosen("B.c", NULL, "a.B.c");
    assert_chosen("c", NULL, "a.B.c");
    assert_refused(".c", NULL, "no runs of a test");
    assert_refused("a.B.c#2", NULL, "no runs of a test");
    assert_refused("", NULL, "no runs of a test");
}

static void one_of_several(void **state)
{
    (void)state;
    add("a.B.c", IX_TEST_COMMAND "a.B.c");
    add("a.B.d", IX_TEST_COMMAND "a.B.d");
    add("a.B.d#2", IX_TEST_COMMAND "a.B.d");
    add("x.B.d", IX_TEST_COMMAND "x.B.d");
    add("other", "command");
    assert_refused(NULL, NULL,
                   "runs of 3 tests, which cannot be compared with each other; choose "
                   "one with --test: 'a.B.d' (2), 'a.B.c' (1), 'x.B.d' (1)");
    assert_refused("B.d", NULL, "runs of 2 tests");
    assert_chosen("x.B.d", NULL, "x.B.d");
    assert_chosen("B.c", "x.B.d", "a.B.c");
    assert_chosen(NULL, "a.B.d#2", "a.B.d");
    assert_refused(NULL, "a.B.x", "nearest");
}

static void a_full_name_is_never_ambiguous(void **state)
{
    (void)state;
    add("B.c", IX_TEST_COMMAND "B.c");
    add("a.B.c", IX_TEST_COMMAND "a.B.c");
    assert_chosen("B.c", NULL, "B.c");
    assert_chosen("a.B.c", NULL, "a.B.c");
}

static void whose_runs(void **state)
{
    (void)state;
    const struct ix_execution of = {.command = IX_TEST_COMMAND "a.B.c"}, none = {.command = NULL};
    assert_true(roxi_test_has("a.B.c", &of) && roxi_test_has(NULL, &of));
    assert_true(roxi_test_has(NULL, &none));
    assert_false(roxi_test_has("a.B", &of) || roxi_test_has("a.B.c", &none));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(without_tests_all_runs_count),
        TEST(the_only_test_need_not_be_named),
        TEST(one_of_several),
        TEST(a_full_name_is_never_ambiguous),
        TEST(whose_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
