/* SPDX-License-Identifier: Apache-2.0 */
/* What is written to a catalogue is what is read from it; its rules hold. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "schema/catalogue/catalogue.h"
#include "tests/support/catalogue_fixture.h"
#include "tests/support/tempdir.h"

static struct ix_catalogue *c;

static int open_new(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    c = ix_catalogue_open(in_tempdir("camp"), IX_CATALOGUE_CREATE, &err);
    return c ? 0 : -1;
}

static int close_it(void **state)
{
    ix_catalogue_close(c);
    return tempdir_remove(state);
}

static int64_t execution(const char *name)
{
    int64_t id = 0;
    must(ix_catalogue_add_execution(c, name, NULL, 0, &id, &err));
    assert_true(id > 0);
    return id;
}

static int64_t vm(int64_t in_execution, const char *role, int64_t pid)
{
    int64_t id = 0;
    struct ix_vm v = {.execution = in_execution,
                      .role = role,
                      .host = "h",
                      .jvm = "j",
                      .pid = pid,
                      .started_ns = 5,
                      .log = "/elsewhere/x.ixl"};
    must(ix_catalogue_add_vm(c, &v, &id, &err));
    return id;
}

/* ---- what listings gave, as text ---- */

static char listed[4096];

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    size_t used = strlen(listed);
    va_list args;
    va_start(args, format);
    vsnprintf(listed + used, sizeof listed - used, format, args);
    va_end(args);
}

static const char *or_null(const char *text)
{
    return text ? text : "NULL";
}

static int note_execution(void *user, const struct ix_execution *e)
{
    (void)user;
    note("%lld %s %s %s %s %lld %lld %d %d\n", (long long)e->id, e->name,
         ix_verdict_name(e->verdict), or_null(e->verdict_by), or_null(e->command),
         (long long)e->begin_ns, (long long)e->end_ns, e->exit_status, e->exit_signal);
    return 0;
}

static int note_vm(void *user, const struct ix_vm *v)
{
    (void)user;
    note("%lld %lld %s %s %s %lld %lld %s %lld %s %lld %s %lld %lld %lld %lld\n", (long long)v->id,
         (long long)v->execution, v->role, v->host, v->jvm, (long long)v->pid,
         (long long)v->started_ns, v->log, (long long)v->clock_offset_ns, v->ended,
         (long long)v->ended_ns, or_null(v->ended_text), (long long)v->requests,
         (long long)v->stale, (long long)v->superseded, (long long)v->foreign_count);
    return 0;
}

static int note_snapshot(void *user, const struct ix_snapshot_row *r)
{
    (void)user;
    note("%lld %lld %lld %lld %lld %lld %lld %lld\n", (long long)r->vm, (long long)r->packet,
         (long long)r->begin_ns, (long long)r->begin_mono_ns, (long long)r->stop_ns,
         (long long)r->threads, (long long)r->frames, (long long)r->missed);
    return 0;
}

static const char *executions(void)
{
    listed[0] = '\0';
    must(ix_catalogue_executions(c, note_execution, NULL, &err));
    return listed;
}

static const char *vms(int64_t of)
{
    listed[0] = '\0';
    must(ix_catalogue_vms(c, of, note_vm, NULL, &err));
    return listed;
}

static const char *snapshots(int64_t of)
{
    listed[0] = '\0';
    must(ix_catalogue_snapshots(c, of, note_snapshot, NULL, &err));
    return listed;
}

/* ---- executions ---- */

static void executions_come_back(void **state)
{
    (void)state;
    int64_t id;
    must(ix_catalogue_add_execution(c, "b", "sh -c 'x; y'", 100, &id, &err));
    assert_int_equal(id, 1);
    execution("a");
    int64_t third = execution("c");
    assert_string_equal(executions(), "1 b unknown NULL sh -c 'x; y' 100 0 -1 0\n"
                                      "2 a unknown NULL NULL 0 0 -1 0\n"
                                      "3 c unknown NULL NULL 0 0 -1 0\n");

    must(ix_catalogue_end_execution(c, 1, 200, 0, 0, IX_VERDICT_PASSED, "exit", &err));
    must(ix_catalogue_end_execution(c, 2, 300, -1, 9, IX_VERDICT_FAILED, "timeout", &err));
    must(ix_catalogue_label(c, "c", IX_VERDICT_FAILED, &err));
    must(ix_catalogue_end_execution(c, third, 400, 3, 0, IX_VERDICT_PASSED, NULL, &err));
    assert_string_equal(executions(), "1 b passed exit sh -c 'x; y' 100 200 0 0\n"
                                      "2 a failed timeout NULL 0 300 -1 9\n"
                                      "3 c failed user NULL 0 400 3 0\n");
    must(ix_catalogue_end_execution(c, third, 400, 0, 0, IX_VERDICT_PASSED, "exit", &err));
    assert_non_null(strstr(executions(), "3 c failed user NULL 0 400 0 0\n"));

    assert_int_equal(ix_catalogue_find_execution(c, "a", &id, &err), 1);
    assert_int_equal(id, 2);
    assert_int_equal(ix_catalogue_find_execution(c, "A", &id, &err), 0);
}

static int count_row(void *user, const struct ix_execution *e)
{
    (void)e;
    ++*(int *)user;
    return 0;
}

/* Asks the same question while it is being answered; stops at the second row. */
static int ask_again(void *user, const struct ix_execution *e)
{
    int *rows = user;
    must(ix_catalogue_executions(c, count_row, rows, &err));
    return e->id == 2 ? 7 : 0;
}

static void questions_do_not_mind_each_other(void **state)
{
    (void)state;
    int rows = 0;
    execution("a");
    execution("b");
    execution("c");
    assert_int_equal(ix_catalogue_executions(c, ask_again, &rows, &err), 7);
    assert_int_equal(rows, 6);
    assert_string_equal(executions(), "1 a unknown NULL NULL 0 0 -1 0\n"
                                      "2 b unknown NULL NULL 0 0 -1 0\n"
                                      "3 c unknown NULL NULL 0 0 -1 0\n");
    must(ix_catalogue_end_execution(c, 1, 5, 0, 0, IX_VERDICT_PASSED, "exit", &err));
    int64_t id;
    must(ix_catalogue_add_execution(c, "d", NULL, 100, &id, &err));
    must(ix_catalogue_end_execution(c, id, 50, 0, 0, IX_VERDICT_PASSED, "exit", &err));
    assert_non_null(strstr(executions(), " 100 100 0 0\n")); /* a clock was set back */
}

static void executions_that_break_rules_are_refused(void **state)
{
    (void)state;
    int64_t id;
    char long_name[202];
    memset(long_name, 'x', 201);
    long_name[201] = '\0';
    static const char *const bad[] = {"", "a/b", "..", ".", "a\nb", "\x7f"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(ix_catalogue_add_execution(c, bad[i], NULL, 0, &id, &err), -1);
    assert_int_equal(ix_catalogue_add_execution(c, long_name, NULL, 0, &id, &err), -1);
    says("201 bytes");
    long_name[200] = '\0';
    execution(long_name);
    execution("'; DROP TABLE vm; --");

    execution("a");
    assert_int_equal(ix_catalogue_add_execution(c, "a", NULL, 0, &id, &err), -1);
    says("a run 'a' already");
    assert_int_equal(ix_catalogue_end_execution(c, 99, 1, 0, 0, IX_VERDICT_PASSED, "exit", &err),
                     -1);
    says("no run number 99");
    assert_int_equal(ix_catalogue_end_execution(c, 1, 1, 0, 0, IX_VERDICT_PASSED, "fortune", &err),
                     -1);
    says("CHECK");
    assert_int_equal(ix_catalogue_remove_execution(c, 99, &err), -1);
}

static void unknown_names_get_the_nearest(void **state)
{
    (void)state;
    assert_int_equal(ix_catalogue_label(c, "run-7", IX_VERDICT_PASSED, &err), -1);
    says("has none yet");
    execution("nightly");
    assert_int_equal(ix_catalogue_label(c, "run-7", IX_VERDICT_PASSED, &err), -1);
    says("nearest names are nightly");
    /* distances from run-7: night 7, run-17 1, run-8 1, rum-78 2, run-17x 2, lunch 4 */
    execution("rum-78");
    execution("lunch");
    execution("run-17");
    execution("run-8");
    execution("run-17x");
    assert_int_equal(ix_catalogue_label(c, "run-7", IX_VERDICT_PASSED, &err), -1);
    const char *names = strstr(err.text, "names are ");
    assert_string_equal(names ? names : err.text, "names are run-17, run-8, rum-78");

    /* from saturday: sunday 3 (the textbook's example), saturn 3, saturated 3, said 5 */
    execution("said");
    execution("sunday");
    execution("saturn");
    execution("saturated");
    assert_int_equal(ix_catalogue_label(c, "saturday", IX_VERDICT_PASSED, &err), -1);
    says("names are sunday, saturn, saturated");

    char long_name[1000];
    memset(long_name, 'y', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(ix_catalogue_label(c, long_name, IX_VERDICT_PASSED, &err), -1);
    says("no run 'yyy");
}

static int stop_at_second(void *user, const struct ix_execution *e)
{
    int *seen = user;
    (void)e;
    return ++*seen == 2 ? 42 : 0;
}

static int list_inside(void *user, const struct ix_execution *e)
{
    int *seen = user;
    (void)e;
    int inner = 0;
    assert_int_equal(ix_catalogue_executions(c, stop_at_second, &inner, &err), 42);
    *seen += inner;
    return 0;
}

static void a_callback_can_stop_or_list_again(void **state)
{
    (void)state;
    execution("a");
    execution("b");
    execution("c");
    int seen = 0;
    assert_int_equal(ix_catalogue_executions(c, stop_at_second, &seen, &err), 42);
    assert_int_equal(seen, 2);
    seen = 0;
    must(ix_catalogue_executions(c, list_inside, &seen, &err));
    assert_int_equal(seen, 6);
}

/* ---- VMs ---- */

static void vms_come_back_and_are_found_again(void **state)
{
    (void)state;
    int64_t e = execution("a"), id, again;
    struct ix_vm v = {.execution = e,
                      .role = "client",
                      .host = "h",
                      .jvm = "17",
                      .pid = 8,
                      .started_ns = 9,
                      .log = "/elsewhere/x.ixl",
                      .clock_offset_ns = -4};
    must(ix_catalogue_add_vm(c, &v, &id, &err));
    must(ix_catalogue_count_vm(c, id, 10, 1, 2, 3, &err));
    must(ix_catalogue_count_vm(c, id, 5, 1, 4, 3, &err));
    must(ix_catalogue_end_vm(c, id, "vanished", 77, "gone", &err));
    assert_string_equal(vms(e),
                        "1 1 client h 17 8 9 /elsewhere/x.ixl -4 vanished 77 gone 15 1 4 3\n");

    v.clock_offset_ns = 6;
    must(ix_catalogue_add_vm(c, &v, &again, &err));
    assert_int_equal(again, id);
    assert_string_equal(vms(e), "1 1 client h 17 8 9 /elsewhere/x.ixl 6 running 0 NULL 15 1 4 3\n");

    v.started_ns = 10; /* the process id was used again */
    v.ended = "imported";
    must(ix_catalogue_add_vm(c, &v, &again, &err));
    assert_true(again != id);
    assert_non_null(strstr(vms(0), "imported"));

    v.ended = "asleep";
    v.pid = 9;
    assert_int_equal(ix_catalogue_add_vm(c, &v, &again, &err), -1);
    says("CHECK");
    assert_int_equal(ix_catalogue_end_vm(c, 99, "silent", 1, NULL, &err), -1);
    assert_int_equal(ix_catalogue_count_vm(c, 99, 1, 0, 0, 0, &err), -1);
}

static void vms_are_ordered_and_filtered(void **state)
{
    (void)state;
    int64_t a = execution("a"), b = execution("b");
    vm(b, "x", 1);
    vm(a, "z", 2);
    vm(a, "y", 3);
    vm(a, "y", 4);
    vms(0);
    char ids[5] = "";
    size_t count = 0;
    for (const char *line = listed; *line && count < 4; line = strchr(line, '\n') + 1)
        ids[count++] = line[0];
    assert_string_equal(ids, "3421");
    assert_null(strstr(vms(b), " z "));
    assert_non_null(strstr(vms(b), "1 2 x "));
    assert_string_equal(vms(99), "");
}

static void only_running_vms_are_ended(void **state)
{
    (void)state;
    int64_t e = execution("a"), first = vm(e, "r", 1);
    vm(e, "r", 2);
    must(ix_catalogue_end_vm(c, first, "orderly", 5, NULL, &err));
    must(ix_catalogue_end_running_vms(c, "server-stopped", 6, &err));
    assert_string_equal(vms(e), "1 1 r h j 1 5 /elsewhere/x.ixl 0 orderly 5 NULL 0 0 0 0\n"
                                "2 1 r h j 2 5 /elsewhere/x.ixl 0 server-stopped 6 NULL 0 0 0 0\n");
}

static int copy_log(void *user, const struct ix_vm *v)
{
    snprintf(user, PATH_MAX, "%s", v->log);
    return 0;
}

static void logs_inside_the_campaign_move_with_it(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_tempdir("camp/run 1"), 0777), 0);
    assert_int_equal(symlink("camp", in_tempdir("link")), 0);
    int64_t e = execution("a"), id;
    struct ix_vm v = {.execution = e, .role = "r", .host = "h", .jvm = "j"};
    v.log = in_tempdir("link/../camp/run 1/x.ixl"); /* it does not exist */
    must(ix_catalogue_add_vm(c, &v, &id, &err));
    ix_catalogue_close(c);
    assert_int_equal(rename(in_tempdir("camp"), in_tempdir("moved")), 0);
    c = ix_catalogue_open(in_tempdir("moved"), IX_CATALOGUE_WRITE, &err);
    assert_non_null(c);
    char log[PATH_MAX] = "";
    must(ix_catalogue_vms(c, e, copy_log, log, &err));
    assert_string_equal(log, in_tempdir("moved/run 1/x.ixl"));

    /* A sibling whose name begins like the campaign's is not inside it. */
    assert_int_equal(mkdir(in_tempdir("moved-2"), 0777), 0);
    v.log = in_tempdir("moved-2/x.ixl");
    must(ix_catalogue_remove_execution(c, e, &err));
    v.execution = execution("b");
    must(ix_catalogue_add_vm(c, &v, &id, &err));
    must(ix_catalogue_vms(c, 0, copy_log, log, &err));
    assert_string_equal(log, in_tempdir("moved-2/x.ixl"));

    v.log = "no/such/directory/x.ixl";
    assert_int_equal(ix_catalogue_add_vm(c, &v, &id, &err), -1);
    says("does not exist");
}

/* ---- packets and snapshots ---- */

static void add_snapshot(int64_t of_vm, int64_t packet, int64_t begin)
{
    struct ix_snapshot_row row = {of_vm, packet, begin, 2, 3, 4, 5, 6};
    must(ix_catalogue_add_snapshot(c, &row, &err));
}

static void snapshots_come_back_once_and_in_order(void **state)
{
    (void)state;
    int64_t a = execution("a"), b = execution("b");
    int64_t b1 = vm(b, "r", 1), a1 = vm(a, "r", 1), a2 = vm(a, "r", 2);
    add_snapshot(b1, 3, 1);
    add_snapshot(a2, 8, 1);
    add_snapshot(a2, 6, 1);
    add_snapshot(a1, 8, 1);
    add_snapshot(a1, 7, 1);
    add_snapshot(a1, 7, 999); /* reported twice: the first stays */
    static const char in_a[] = "3 6 1 2 3 4 5 6\n"
                               "2 7 1 2 3 4 5 6\n"
                               "2 8 1 2 3 4 5 6\n"
                               "3 8 1 2 3 4 5 6\n";
    assert_string_equal(snapshots(a), in_a);
    snapshots(0);
    assert_memory_equal(listed, in_a, strlen(in_a));
    assert_string_equal(listed + strlen(in_a), "1 3 1 2 3 4 5 6\n");
}

static int add_packet(struct ix_catalogue *to, int64_t e, int64_t number)
{
    return ix_catalogue_add_packet(
        to,
        &(struct ix_packet_row){
            .execution = e, .number = number, .sent_ns = 1, .vms = 1, .asked = "clock"},
        &err);
}

static void the_last_packet_is_of_either_table(void **state)
{
    (void)state;
    int64_t last = -1;
    must(ix_catalogue_last_packet(c, INT64_MAX, &last, &err));
    assert_int_equal(last, 0);
    int64_t e = execution("a"), v = vm(e, "r", 1);
    must(add_packet(c, e, 5));
    add_snapshot(v, 4, 1);
    must(ix_catalogue_last_packet(c, INT64_MAX, &last, &err));
    assert_int_equal(last, 5);
    add_snapshot(v, 9, 1);
    must(ix_catalogue_last_packet(c, INT64_MAX, &last, &err));
    assert_int_equal(last, 9);
    must(ix_catalogue_last_packet(c, 8, &last, &err));
    assert_int_equal(last, 5);
    assert_int_equal(add_packet(c, e, 5), -1); /* one number, one packet */
}

static int one_mark(void *user, const struct ix_mark *m)
{
    char **at = user;
    *at += sprintf(*at, "%lld %lld %lld %s\n", (long long)m->execution, (long long)m->packet,
                   (long long)m->at_ns, m->text);
    return 0;
}

static void marks_are_kept_in_order(void **state)
{
    (void)state;
    char all[256] = "", *at = all;
    const int64_t e = execution("a");
    must(ix_catalogue_add_mark(c, &(struct ix_mark){.packet = 7, .at_ns = 9, .text = "b"}, &err));
    must(ix_catalogue_add_mark(
        c, &(struct ix_mark){.execution = e, .packet = 3, .at_ns = 5, .text = "a'\"%s"}, &err));
    must(ix_catalogue_add_mark(c, &(struct ix_mark){.packet = 7, .at_ns = 11, .text = "b"}, &err));
    must(ix_catalogue_add_mark(
        c, &(struct ix_mark){.execution = e, .packet = 3, .at_ns = 6, .text = "a'\"%s"}, &err));
    must(ix_catalogue_marks(c, one_mark, &at, &err));
    assert_string_equal(all, "0 7 9 b\n1 3 5 a'\"%s\n");
    must(ix_catalogue_remove_execution(c, e, &err));
    at = all;
    must(ix_catalogue_marks(c, one_mark, &at, &err));
    assert_string_equal(all, "0 7 9 b\n");
}

static void foreign_keys_hold(void **state)
{
    (void)state;
    int64_t id;
    struct ix_vm v = {.execution = 99, .role = "r", .host = "h", .jvm = "j", .log = "/x.ixl"};
    assert_int_equal(ix_catalogue_add_vm(c, &v, &id, &err), -1);
    says("FOREIGN KEY");
    assert_int_equal(add_packet(c, 99, 1), -1);
    struct ix_snapshot_row row = {.vm = 99, .packet = 1};
    assert_int_equal(ix_catalogue_add_snapshot(c, &row, &err), -1);
    says("FOREIGN KEY");
}

static void removing_an_execution_removes_what_is_in_it(void **state)
{
    (void)state;
    int64_t a = execution("a"), b = execution("b");
    int64_t va = vm(a, "r", 1), vb = vm(b, "r", 1), last;
    must(add_packet(c, a, 50));
    add_snapshot(va, 51, 1);
    add_snapshot(vb, 2, 1);
    must(ix_catalogue_remove_execution(c, a, &err));
    assert_string_equal(vms(a), "");
    assert_string_equal(snapshots(0), "2 2 1 2 3 4 5 6\n");
    must(ix_catalogue_last_packet(c, INT64_MAX, &last, &err));
    assert_int_equal(last, 2);
    assert_int_equal(ix_catalogue_find_execution(c, "a", &a, &err), 0);
}

/* Whoever copies the catalogue's file before it is closed has all of it. */
static void thinning_leaves_all_in_one_file(void **state)
{
    (void)state;
    char wal[PATH_MAX];
    struct stat st;
    const int64_t a = execution("a"), va = vm(a, "r", 1);
    must(add_packet(c, a, 50));
    add_snapshot(va, 8, 1);
    add_snapshot(va, 7, 1);
    snprintf(wal, sizeof wal, "%s-wal", ix_catalogue_file(c));
    assert_int_equal(stat(wal, &st), 0);
    assert_true(st.st_size > 0);
    must(ix_catalogue_thin(c, &err));
    assert_string_equal(snapshots(0), "1 7 1 2 3 4 5 6\n");
    assert_int_equal(stat(wal, &st), 0);
    assert_int_equal(st.st_size, 0);
}

/* ---- transactions ---- */

static void a_rollback_gives_everything_up(void **state)
{
    (void)state;
    execution("kept");
    must(ix_catalogue_begin(c, &err));
    execution("given up");
    vm(2, "r", 1);
    ix_catalogue_rollback(c);
    ix_catalogue_rollback(c); /* harmless without a transaction */
    assert_string_equal(executions(), "1 kept unknown NULL NULL 0 0 -1 0\n");
    assert_string_equal(vms(0), "");
}

static void a_commit_keeps_what_failed_statements_left(void **state)
{
    (void)state;
    must(ix_catalogue_begin(c, &err));
    execution("a");
    int64_t id;
    assert_int_equal(ix_catalogue_add_execution(c, "a", NULL, 0, &id, &err), -1);
    execution("b");
    assert_int_equal(ix_catalogue_begin(c, &err), -1); /* not nested */
    must(ix_catalogue_commit(c, &err));
    assert_int_equal(ix_catalogue_commit(c, &err), -1);
    assert_int_equal(ix_catalogue_find_execution(c, "b", &id, &err), 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_new, close_it)
    const struct CMUnitTest tests[] = {
        TEST(executions_come_back),
        TEST(questions_do_not_mind_each_other),
        TEST(executions_that_break_rules_are_refused),
        TEST(unknown_names_get_the_nearest),
        TEST(a_callback_can_stop_or_list_again),
        TEST(vms_come_back_and_are_found_again),
        TEST(vms_are_ordered_and_filtered),
        TEST(only_running_vms_are_ended),
        TEST(logs_inside_the_campaign_move_with_it),
        TEST(snapshots_come_back_once_and_in_order),
        TEST(the_last_packet_is_of_either_table),
        TEST(foreign_keys_hold),
        TEST(marks_are_kept_in_order),
        TEST(removing_an_execution_removes_what_is_in_it),
        TEST(thinning_leaves_all_in_one_file),
        TEST(a_rollback_gives_everything_up),
        TEST(a_commit_keeps_what_failed_statements_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
