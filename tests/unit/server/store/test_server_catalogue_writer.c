/* SPDX-License-Identifier: Apache-2.0 */
/* The writer on disks that fail: what was put down is in the catalogue, or the writer says what is
 * missing; and the loop never waits for it. WRITER_EVERY=N: each Nth call fails, in all tests;
 * the default is each one, with a sanitizer every 4th, while opening every 7th or 28th. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/base/loop.h"
#include "server/base/units.h"
#include "server/store/catalogue_writer.h"
#include "tests/support/rounds.h"
#include "tests/support/tempdir.h"
#include "tests/support/vfs_double.h"

#define ROUNDS 3

static struct event_base *base;
static struct ix_catalogue *catalogue;
static struct ixor_writer *writer;
static struct ixor_writer_vm *vm;
static int64_t execution;
static unsigned lines; /* that the writer said */
static char last_line[600];
static bool dropped; /* it said that something is dropped, perhaps not in its last line */

static void on_line(void *user, const char *text)
{
    (void)user;
    lines++;
    dropped = dropped || strstr(text, "is dropped");
    snprintf(last_line, sizeof last_line, "%s", text);
}

/* ---- a writer ---- */

static int begin(struct ix_error *err)
{
    base = ixor_loop_new();
    lines = 0;
    dropped = false;
    last_line[0] = '\0';
    catalogue = ix_catalogue_open(tempdir, IX_CATALOGUE_CREATE, err);
    writer = catalogue ? ixor_writer_new(base, catalogue, on_line, NULL, err) : NULL;
    return writer ? 0 : -1;
}

static void end(void)
{
    ixor_writer_free(writer);
    ix_catalogue_close(catalogue);
    event_base_free(base);
    writer = NULL;
    catalogue = NULL;
}

static void add_vm(void)
{
    const struct ix_vm row = {.execution = execution,
                              .role = "r",
                              .host = "h",
                              .jvm = "j",
                              .pid = 1,
                              .started_ns = 1,
                              .log = in_tempdir("a.ixl")};
    vm = ixor_writer_add_vm(writer, &row);
    assert_non_null(vm);
}

static void put_round(int64_t number)
{
    const struct ix_packet_row packet = {execution, number, 1, 1, 0, 0, "clock"};
    const struct ix_snapshot_row snapshot = {.packet = number, .begin_ns = 1};
    ixor_writer_packet(writer, &packet);
    ixor_writer_count_request(vm);
    ixor_writer_snapshot(writer, vm, &snapshot);
    ixor_writer_outcome(writer, &(struct ix_packet_outcome){execution, number, 1, 0, 0, 0});
}

static void put_end(void)
{
    ixor_writer_mark(writer, &(struct ix_mark){.execution = execution, .text = "note"});
    ixor_writer_end_vm(writer, vm, "orderly", 2, "bye");
    const struct ixor_execution_end over = {
        .execution = execution, .end_ns = 3, .verdict = IX_VERDICT_PASSED, .verdict_by = "exit"};
    ixor_writer_end_execution(writer, &over);
}

static int64_t ask(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(
        sqlite3_open_v2(in_tempdir("campaign.db"), &db, SQLITE_OPEN_READWRITE, faults.real->zName),
        SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const int64_t number = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return number;
}

/* All that was put down, once. */
static void assert_whole(void)
{
    assert_int_equal(ask("SELECT count(*) FROM execution WHERE name = 'e' AND end_ns = 3 "
                         "AND verdict = 'passed'"),
                     1);
    assert_int_equal(ask("SELECT count(*) FROM vm WHERE ended = 'orderly' AND requests = 3 "
                         "AND execution = (SELECT id FROM execution)"),
                     1);
    assert_int_equal(ask("SELECT count(*) FROM packet WHERE taken = 1"), ROUNDS);
    assert_int_equal(ask("SELECT count(*) FROM snapshot"), ROUNDS);
    assert_int_equal(ask("SELECT count(*) FROM mark"), 1);
    assert_int_equal(
        ask("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
}

static int empty_tempdir(void **state)
{
    if (catalogue)
        end(); /* of a test that failed */
    vfs_arm(0, false, VFS_BROKEN);
    faults.write_ms = 0;
    tempdir_remove(state); /* which many a test has done */
    return 0;
}

static unsigned long every(unsigned long usual)
{
    const char *text = getenv("WRITER_EVERY");
    return text ? strtoul(text, NULL, 10) : usual * (rounds(4) == 1 ? 4 : 1);
}

/* ---- one call fails ---- */

/* A transaction after the other, while call number `at` fails once: false if there are not so many.
 */
static bool once(unsigned long at, enum vfs_trouble trouble)
{
    struct ix_error err = {""};
    assert_int_equal(tempdir_make(NULL), 0);
    assert_int_equal(begin(&err), 0);
    vfs_arm(at, false, trouble);
    execution = ixor_writer_add_execution(writer, "e", "command", 1);
    assert_true(execution < 0);
    add_vm();
    for (int64_t i = 1; i <= ROUNDS; i++) {
        put_round(i);
        if (ixor_writer_flush(writer, &err) != 0)
            fail_msg("call %lu: %s", at, err.text);
    }
    assert_true(ixor_writer_execution_id(writer, execution) > 0);
    assert_true(ixor_writer_vm_id(vm) > 0);
    put_end();
    if (ixor_writer_flush(writer, &err) != 0)
        fail_msg("call %lu: %s", at, err.text);
    const bool failed = faults.failed;
    end();
    vfs_arm(0, false, trouble);
    assert_whole();
    tempdir_remove(NULL);
    return failed;
}

static void any_call_may_fail_once(void **state)
{
    (void)state;
    unsigned long points[2] = {0, 0};
    for (int trouble = VFS_BROKEN; trouble <= VFS_FULL; trouble++) {
        for (unsigned long at = 1; once(at, trouble); at += every(1))
            points[trouble]++;
        assert_true(points[trouble] > 20 / every(1));
    }
    printf("# %lu and %lu calls failed once\n", points[0], points[1]);
}

/* ---- all calls fail from one on, until the disk is well again ---- */

static bool from(unsigned long at, enum vfs_trouble trouble)
{
    struct ix_error err = {""};
    assert_int_equal(tempdir_make(NULL), 0);
    assert_int_equal(begin(&err), 0);
    ixor_writer_flush_for(writer, 20);
    vfs_arm(at, true, trouble);
    execution = ixor_writer_add_execution(writer, "e", "command", 1);
    add_vm();
    for (int64_t i = 1; i <= ROUNDS; i++)
        put_round(i);
    put_end();
    const int bad = ixor_writer_flush(writer, &err);
    const bool failed = faults.failed;
    if (bad) {
        assert_non_null(strstr(err.text, "3 snapshots, 3 packets, 1 JVM and "));
        assert_int_equal(ask("SELECT count(*) FROM vm"), 0);
    }
    vfs_arm(0, false, trouble);
    ixor_writer_flush_for(writer, IXOR_WRITER_LAST_MS);
    if (ixor_writer_flush(writer, &err) != 0)
        fail_msg("from call %lu: %s", at, err.text);
    end();
    assert_whole();
    tempdir_remove(NULL);
    return failed;
}

static void all_calls_may_fail_for_a_while(void **state)
{
    (void)state;
    unsigned long points = 0;
    for (int trouble = VFS_BROKEN; trouble <= VFS_FULL; trouble++) {
        for (unsigned long at = 1; from(at, trouble); at += every(1))
            points++;
    }
    assert_true(points > 20 / every(1));
    printf("# all calls failed from one of %lu on\n", points);
}

/* ---- from the start ---- */

static unsigned refused;

/* Opening fails with a message, or all is well. */
static bool from_the_start(unsigned long at, enum vfs_trouble trouble)
{
    struct ix_error err = {""};
    bool whole = true;
    assert_int_equal(tempdir_make(NULL), 0);
    vfs_arm(at, false, trouble);
    if (begin(&err) == 0) {
        execution = ixor_writer_add_execution(writer, "e", "command", 1);
        add_vm();
        for (int64_t i = 1; i <= ROUNDS; i++)
            put_round(i);
        put_end();
        if (ixor_writer_flush(writer, &err) != 0)
            fail_msg("call %lu: %s", at, err.text);
        end();
    } else {
        assert_true(err.text[0]);
        refused++;
        end();
        whole = false;
    }
    const bool failed = faults.failed;
    vfs_arm(0, false, trouble);
    if (whole)
        assert_whole();
    tempdir_remove(NULL);
    return failed;
}

static void opening_fails_or_all_is_well(void **state)
{
    (void)state;
    unsigned long points = 0;
    refused = 0;
    for (int trouble = VFS_BROKEN; trouble <= VFS_FULL; trouble++) {
        for (unsigned long at = 1; from_the_start(at, trouble); at += every(7))
            points++;
    }
    assert_true(refused > 0 && points > refused);
    printf("# %lu calls failed from the start, at %u the campaign did not open\n", points, refused);
}

/* ---- other programs ---- */

static sqlite3 *other_program(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(in_tempdir("campaign.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void put_all(void)
{
    execution = ixor_writer_add_execution(writer, "e", "command", 1);
    add_vm();
    for (int64_t i = 1; i <= ROUNDS; i++)
        put_round(i);
    put_end();
}

/* Lets the loop work until it has said so many lines; how long it was away at most. */
static uint64_t work_until(unsigned count)
{
    const uint64_t deadline = ixor_mono_ns() + UINT64_C(300000000000);
    uint64_t longest = 0;
    while (lines < count) {
        const uint64_t before = ixor_mono_ns();
        event_base_loop(base, EVLOOP_NONBLOCK);
        const uint64_t took = ixor_mono_ns() - before;
        longest = took > longest ? took : longest;
        assert_true(ixor_mono_ns() < deadline);
        sqlite3_sleep(5);
    }
    return longest;
}

static void a_lock_stops_nothing(void **state)
{
    struct ix_error err = {""};
    assert_int_equal(tempdir_make(state), 0);
    assert_int_equal(begin(&err), 0);
    sqlite3 *other = other_program("BEGIN IMMEDIATE");
    put_all();
    const uint64_t longest = work_until(1);
    assert_true(longest < IXOR_WRITER_LOCK_MS * UINT64_C(1000000) / 2);
    assert_non_null(strstr(last_line, "campaign.db': cannot begin a transaction"));
    assert_non_null(strstr(last_line, "waits in memory (up to 128 MiB)"));
    assert_int_equal(ixor_writer_flush_briefly(writer, true, &err), -1);
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    work_until(2);
    assert_non_null(strstr(last_line, "nothing is missing"));
    assert_int_equal(ixor_writer_flush(writer, &err), 0);
    assert_int_equal(lines, 2);
    end();
    assert_whole();
}

/* What only takes its time is waited for. */
static void a_slow_disk_loses_nothing(void **state)
{
    struct ix_error err = {""};
    assert_int_equal(tempdir_make(state), 0);
    assert_int_equal(begin(&err), 0);
    ixor_writer_flush_for(writer, 1);
    faults.write_ms = 20;
    put_all();
    if (ixor_writer_flush(writer, &err) != 0)
        fail_msg("%s", err.text);
    faults.write_ms = 0;
    assert_int_equal(lines, 0);
    end();
    assert_whole();
}

static void what_never_fits_is_left_out(void **state)
{
    struct ix_error err = {""};
    assert_int_equal(tempdir_make(state), 0);
    assert_int_equal(begin(&err), 0);
    sqlite3_close(other_program("DROP TABLE snapshot"));
    put_all();
    assert_int_equal(ixor_writer_flush(writer, &err), -1);
    assert_string_equal(strtok(err.text, ":"), "3 snapshots missing in the catalogue");
    assert_int_equal(lines, 1);
    end();
    assert_int_equal(ask("SELECT count(*) FROM packet WHERE taken = 1"), ROUNDS);
    assert_int_equal(ask("SELECT count(*) FROM vm WHERE ended = 'orderly'"), 1);
}

static void a_catalogue_that_is_gone_is_noticed(void **state)
{
    struct ix_error err = {""};
    assert_int_equal(tempdir_make(state), 0);
    assert_int_equal(begin(&err), 0);
    ixor_writer_flush_for(writer, 100);
    assert_int_equal(rename(in_tempdir("campaign.db"), in_tempdir("away")), 0);
    put_all();
    assert_int_equal(ixor_writer_flush(writer, &err), -1);
    assert_non_null(strstr(err.text, "was removed, or something else is in its place"));
    assert_int_equal(rename(in_tempdir("away"), in_tempdir("campaign.db")), 0);
    ixor_writer_flush_for(writer, IXOR_WRITER_LAST_MS);
    assert_int_equal(ixor_writer_flush(writer, &err), 0);
    end();
    assert_whole();
}

/* As much as fits, and no more; JVMs still find room. */
static void what_waits_is_bounded(void **state)
{
    struct ix_error err = {""};
    const struct ix_snapshot_row snapshot = {.packet = 1};
    unsigned long put = 0, missing = 0;
    const uint64_t deadline = ixor_mono_ns() + UINT64_C(300000000000);
    assert_int_equal(tempdir_make(state), 0);
    assert_int_equal(begin(&err), 0);
    ixor_writer_flush_for(writer, 20);
    sqlite3 *other = other_program("BEGIN IMMEDIATE");
    execution = ixor_writer_add_execution(writer, "e", NULL, 1);
    add_vm();
    for (; !dropped; put++) {
        ixor_writer_snapshot(writer, vm, &snapshot);
        if (put % 10000 == 0)
            event_base_loop(base, EVLOOP_NONBLOCK);
        assert_true(ixor_mono_ns() < deadline);
    }
    assert_true(put > 500000);
    struct ixor_writer_vm *first = vm;
    add_vm();
    ixor_writer_end_vm(writer, first, "orderly", 1, NULL);
    ixor_writer_end_vm(writer, vm, "orderly", 1, NULL);
    assert_int_equal(ixor_writer_flush(writer, &err), -1);
    assert_int_equal(sscanf(err.text, "%lu snapshots, 2 JVMs and ", &missing), 1);
    assert_int_equal(missing, put);
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(other);
    end();
}

int main(void)
{
    vfs_double();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_lock_stops_nothing, empty_tempdir),
        cmocka_unit_test_teardown(a_slow_disk_loses_nothing, empty_tempdir),
        cmocka_unit_test_teardown(what_never_fits_is_left_out, empty_tempdir),
        cmocka_unit_test_teardown(a_catalogue_that_is_gone_is_noticed, empty_tempdir),
        cmocka_unit_test_teardown(what_waits_is_bounded, empty_tempdir),
        cmocka_unit_test_teardown(any_call_may_fail_once, empty_tempdir),
        cmocka_unit_test_teardown(all_calls_may_fail_for_a_while, empty_tempdir),
        cmocka_unit_test_teardown(opening_fails_or_all_is_well, empty_tempdir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
