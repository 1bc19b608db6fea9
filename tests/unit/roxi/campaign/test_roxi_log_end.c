/* SPDX-License-Identifier: Apache-2.0 */
/* A log that is cut anywhere, also between two records, is told from a whole one, by what its JVM
 * has reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "roxi/campaign/load.h"
#include "roxi/campaign/log_end.h"
#include "tests/support/capture.h"
#include "tests/support/tempdir.h"
#include "tests/support/tracelog_fixture.h"

#define LAST 11 /* the example's last packet; the others are 7, 9 and 10 */

/* The log's first `size` bytes. */
static void write_log(const struct ix_out *log, size_t size)
{
    FILE *f = fopen(in_tempdir("a.ixl"), "w");
    assert_non_null(f);
    assert_int_equal(fwrite(log->data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* A run whose JVM has reported the packets up to `reported`, and ended like that. */
static void add_run(int64_t reported, const char *ended)
{
    struct ix_error err = {""};
    int64_t execution, id;
    struct ix_catalogue *c = ix_catalogue_open(in_tempdir("c"), IX_CATALOGUE_CREATE, &err);
    if (!c)
        fail_msg("%s", err.text);
    assert_int_equal(ix_catalogue_add_execution(c, "run", NULL, 0, &execution, &err), 0);
    const struct ix_vm vm = {.execution = execution,
                             .role = "A",
                             .host = "h",
                             .jvm = "j",
                             .pid = 1,
                             .log = in_tempdir("a.ixl"),
                             .ended = ended};
    assert_int_equal(ix_catalogue_add_vm(c, &vm, &id, &err), 0);
    for (int64_t packet = 7; packet <= reported; packet++)
        assert_int_equal(
            ix_catalogue_add_snapshot(
                c, &(struct ix_snapshot_row){.vm = id, .packet = packet, .threads = 1}, &err),
            0);
    ix_catalogue_close(c);
}

/* What is wrong with the log's end, if its JVM has reported packets up to `reported`; "": nothing.
 */
static const char *end_of(uint64_t reported)
{
    static char text[2048];
    struct ix_error err = {""};
    uint64_t packet, last = 0;
    char *problem;
    struct ix_log_reader *log = ix_log_open(in_tempdir("a.ixl"), &err);
    assert_non_null(log);
    while (ix_log_next_packet(log, &packet, &err) == 1)
        last = packet;
    assert_int_equal(roxi_log_end(log, "a.ixl", last, reported, &problem), 0);
    snprintf(text, sizeof text, "%s", problem ? problem : "");
    free(problem);
    ix_log_reader_close(log);
    return text;
}

static void a_cut_log_is_told_from_a_whole_one(void **state)
{
    (void)state;
    size_t ends[64], between = 0;
    struct ix_out log = example_log();
    const size_t count = record_ends(&log, ends, 64);
    for (size_t size = ends[0], i = 0; size < log.len; size++) {
        const bool whole = size == ends[i];
        i += whole && i + 1 < count;
        between += whole;
        write_log(&log, size);
        const char *const torn = "ends in the middle of";
        assert_non_null(
            strstr(end_of(LAST), whole ? ", but its JVM has reported packets up to 11: " : torn));
        if (whole)
            assert_string_equal(end_of(0), "");
        else
            assert_non_null(strstr(end_of(0), torn));
    }
    assert_true(between > 4);
    write_log(&log, log.len);
    assert_string_equal(end_of(LAST), "");
    assert_string_equal(end_of(LAST - 4), "");
    assert_string_equal(end_of(LAST + 1), "'a.ixl' ends with packet 11, but its JVM has reported "
                                          "packets up to 12: the end of the log is missing");
    write_log(&log, ends[0]);
    assert_string_equal(end_of(LAST), "'a.ixl' has no packets, but its JVM has reported packets up "
                                      "to 11: the end of the log is missing");
    ix_out_free(&log);
}

/* Loads the run without its log's last record; the number of JVMs that did not end well. */
static uint32_t load_cut(char *warnings, size_t size)
{
    struct ix_error err = {""};
    size_t ends[64];
    const int before = capture_begin();
    struct ix_out log = example_log();
    const size_t count = record_ends(&log, ends, 64);
    write_log(&log, ends[count - 2]);
    ix_out_free(&log);
    struct roxi_profiles *p =
        roxi_load(in_tempdir("c"), &(struct roxi_load_options){.min_vms = 1}, &err);
    capture_end(before, warnings, size);
    if (!p)
        fail_msg("%s", err.text);
    const uint32_t bad_ends = p->executions[0].roles[0].bad_ends;
    roxi_profiles_free(p);
    return bad_ends;
}

static void it_is_said_once_and_counted(void **state)
{
    (void)state;
    char warnings[4096];
    add_run(LAST, "orderly");
    assert_int_equal(load_cut(warnings, sizeof warnings), 1);
    const char *said = strstr(warnings, "run run: '");
    assert_non_null(said);
    assert_non_null(strstr(said, "a.ixl' ends with packet 10, but its JVM has reported packets up "
                                 "to 11: the end of the log is missing\n"));
    assert_null(strstr(said + 1, "run run: "));
}

/* Also if nothing more is known of how the JVM ended: an import writes what it puts into logs. */
static void or_of_an_import(void **state)
{
    (void)state;
    char warnings[4096];
    add_run(LAST, "imported");
    assert_int_equal(load_cut(warnings, sizeof warnings), 1);
    assert_non_null(strstr(warnings, "the end of the log is missing"));
}

static void a_running_jvm_may_be_ahead_of_its_log(void **state)
{
    (void)state;
    char warnings[4096];
    add_run(LAST, "running");
    assert_int_equal(load_cut(warnings, sizeof warnings), 0);
    assert_string_equal(warnings, "");
}

/* The JVM was killed after the snapshot was in its log and before it was reported. */
static void a_log_may_be_ahead_of_the_reports(void **state)
{
    (void)state;
    char warnings[4096];
    add_run(10, "server-stopped");
    assert_int_equal(load_cut(warnings, sizeof warnings), 0);
    assert_string_equal(warnings, "");
}

int main(void)
{
#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(a_cut_log_is_told_from_a_whole_one),
        IN_TEMPDIR(it_is_said_once_and_counted),
        IN_TEMPDIR(or_of_an_import),
        IN_TEMPDIR(a_running_jvm_may_be_ahead_of_its_log),
        IN_TEMPDIR(a_log_may_be_ahead_of_the_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
