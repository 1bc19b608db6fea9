/* SPDX-License-Identifier: Apache-2.0 */
/* Which runs count as interrupted, and that these are not compared with the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "roxi/campaign/load.h"
#include "schema/catalogue/catalogue.h"
#include "tests/support/tempdir.h"
#include "tests/support/tracelog_fixture.h"

struct run {
    const char *name, *command;
    bool ended, marked;
    enum ix_verdict label;
};

static void write_log(void)
{
    struct ix_error err = {""};
    const struct ix_thread t = {1, 1, 1, "main", "main", "system", 5, 0};
    struct ix_log_writer *w = ix_log_create(in_tempdir("a.ixl"), &err);
    if (!w)
        fail_msg("%s", err.text);
    assert_int_equal(ix_log_thread(w, &t), 0);
    const uint32_t run = ix_log_method(w, ix_log_class(w, "p.M", ""), "run", "()V");
    struct ix_entry entry = {1, 5, ix_log_stack(w, IX_STACK_EMPTY, ix_log_frame(w, run, 7))};
    const struct ix_snapshot s = {.packet = 1, .entries = &entry, .count = 1};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    assert_int_equal(ix_log_writer_close(w), 0);
}

static struct ix_catalogue *open_campaign(void)
{
    struct ix_error err = {""};
    struct ix_catalogue *c = ix_catalogue_open(in_tempdir("c"), IX_CATALOGUE_CREATE, &err);
    if (!c)
        fail_msg("%s", err.text);
    return c;
}

static void add(const struct run *r)
{
    int64_t run, vm;
    struct ix_catalogue *c = open_campaign();
    assert_int_equal(ix_catalogue_add_execution(c, r->name, r->command, 5, &run, NULL), 0);
    const struct ix_vm jvm = {.execution = run,
                              .role = "A",
                              .host = "h",
                              .jvm = "j",
                              .pid = 1,
                              .log = in_tempdir("a.ixl"),
                              .ended = "orderly"};
    assert_int_equal(ix_catalogue_add_vm(c, &jvm, &vm, NULL), 0);
    if (r->ended)
        assert_int_equal(
            ix_catalogue_end_execution(c, run, 9, 0, 0, IX_VERDICT_UNKNOWN, NULL, NULL), 0);
    if (r->marked)
        assert_int_equal(ix_catalogue_add_mark(
                             c, &(struct ix_mark){.execution = run, .text = IX_INTERRUPTED}, NULL),
                         0);
    if (r->label != IX_VERDICT_UNKNOWN)
        assert_int_equal(ix_catalogue_label(c, r->name, r->label, NULL), 0);
    ix_catalogue_close(c);
}

/* The runs that are compared, those that were interrupted in brackets. `asked`: one that is
 * explained. */
static void assert_compared(const char *asked, const char *want)
{
    struct ix_error err = {""};
    const char *const histories[] = {asked, NULL};
    char text[256] = "";
    struct roxi_profiles *p = roxi_load(
        in_tempdir("c"), &(struct roxi_load_options){.min_vms = 1, .histories = histories}, &err);
    if (!p)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < p->count; i++) {
        const struct roxi_profile *x = &p->executions[i];
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, x->interrupted ? "[%s] " : "%s ", x->name);
    }
    assert_string_equal(text, want);
    roxi_profiles_free(p);
}

static const struct run runs[] = {
    {"whole", "x", true, false, IX_VERDICT_PASSED},
    {"ctrl-c", "x", true, true, IX_VERDICT_UNKNOWN},
    {"labelled", "x", true, true, IX_VERDICT_FAILED},
    {"unlabelled", "x", true, false, IX_VERDICT_UNKNOWN},
    {"killed", "x", false, false, IX_VERDICT_UNKNOWN},
    {"labelled too", "x", false, false, IX_VERDICT_FAILED},
    {"imported or served", NULL, false, false, IX_VERDICT_UNKNOWN},
};

static void make_campaign(void)
{
    write_log();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        add(&runs[i]);
}

static void test_left_out(void **state)
{
    (void)state;
    make_campaign();
    assert_compared(NULL, "whole labelled unlabelled labelled too imported or served ");
    assert_compared("whole", "whole labelled unlabelled labelled too imported or served ");
}

static void test_asked_for(void **state)
{
    (void)state;
    make_campaign();
    assert_compared("killed",
                    "whole labelled unlabelled [killed] labelled too imported or served ");
}

static void test_all(void **state)
{
    (void)state;
    write_log();
    add(&runs[1]);
    add(&runs[4]);
    assert_compared(NULL, "[ctrl-c] [killed] ");
}

static int marked(void *user, const struct ix_mark *mark)
{
    size_t *count = user;
    *count += strcmp(mark->text, IX_INTERRUPTED) == 0;
    return 0;
}

/* As the next server does that opens the campaign; and a baseline, which has few marks, knows it.
 */
static void test_next_server(void **state)
{
    size_t marks = 0;
    (void)state;
    make_campaign();
    struct ix_catalogue *c = open_campaign();
    assert_int_equal(ix_catalogue_end_open_commands(c, NULL), 0);
    assert_int_equal(ix_catalogue_end_open_commands(c, NULL), 0);
    assert_int_equal(ix_catalogue_marks(c, marked, &marks, NULL), 0);
    assert_int_equal(marks, 4);
    assert_int_equal(ix_catalogue_thin(c, NULL), 0);
    ix_catalogue_close(c);
    assert_compared(NULL, "whole labelled unlabelled labelled too imported or served ");
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(test_left_out),
        IN_TEMPDIR(test_asked_for),
        IN_TEMPDIR(test_all),
        IN_TEMPDIR(test_next_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
