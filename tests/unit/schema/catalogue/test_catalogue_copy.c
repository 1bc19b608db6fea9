/* SPDX-License-Identifier: Apache-2.0 */
/* A copied catalogue says all that the catalogue says: every column of every table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "schema/catalogue/copy.h"
#include "tests/support/catalogue_fixture.h"
#include "tests/support/tempdir.h"

static sqlite3 *database_of(const char *camp)
{
    char file[128];
    snprintf(file, sizeof file, "%s/campaign.db", camp);
    return raw(file);
}

static void execute(const char *camp, const char *sql)
{
    sqlite3 *db = database_of(camp);
    run_sql(db, sql);
    sqlite3_close(db);
}

/* What a query of one column gives, a line for each row; valid until the next call but one. */
static const char *answer(const char *camp, const char *sql)
{
    static char texts[2][8192];
    static unsigned turn;
    char *text = texts[turn++ % 2];
    sqlite3 *db = database_of(camp);
    sqlite3_stmt *s;
    size_t used = 0;
    text[0] = '\0';
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(s) == SQLITE_ROW)
        used += (size_t)snprintf(text + used, sizeof texts[0] - used, "%s\n",
                                 (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    sqlite3_close(db);
    return text;
}

/* Two runs, two JVMs, and values of their own in every column of every table. */
static const char everything[] =
    "INSERT INTO execution VALUES (3, 'one', 'failed', 'exit', 'make', 11, 12, 13, 14, 'pause'),"
    "  (8, 'two', 'unknown', NULL, NULL, NULL, NULL, NULL, NULL, NULL);"
    "INSERT INTO vm VALUES (5, 3, 'r', 'h', 21, 'j', 22, 'runs/one/a', 23, 'orderly', 24, 't', 25,"
    "  26, 27, 28, 29, 30, 31, 'collected', 'runs/one/b', 1),"
    "  (9, 8, 'r', 'h', 21, 'j', 22, '/c', 23, 'silent', NULL, NULL, 25,"
    "  26, 27, 28, NULL, NULL, 31, 'lost', NULL, NULL);"
    "INSERT INTO packet VALUES (3, 41, 42, 43, 44, 'burst', 45, 46, 47, 48),"
    "  (8, 41, 42, 43, 44, 'user', NULL, NULL, NULL, NULL);"
    "INSERT INTO snapshot VALUES (5, 51, 52, 53, 54, 55, 56, 57), (9, 51, 52, 53, 54, 55, 56, 57);"
    "INSERT INTO clock VALUES (5, 61, 62, 63, 64), (9, 61, 62, 63, 64);"
    "INSERT INTO mark VALUES (7, 3, 71, 72, 'm'), (8, NULL, 73, 74, 'n');";

static char *new_run(void *user, const char *name, struct ix_error *e)
{
    char *text;
    (void)e;
    assert_true(asprintf(&text, "%s%s", (const char *)user, name) > 0);
    return text;
}

static char *new_log(void *user, int64_t run, const char *stored, struct ix_error *e)
{
    char *text;
    (void)e;
    assert_true(asprintf(&text, "%s%lld:%s", (const char *)user, (long long)run, stored) > 0);
    return text;
}

static void make(const char *camp, const char *sql)
{
    ix_catalogue_close(opened(camp, IX_CATALOGUE_CREATE));
    execute(camp, sql);
}

static int copy(const char *from_camp, const char *prefix)
{
    const struct ix_catalogue_renaming renaming = {new_run, new_log, (void *)prefix};
    struct ix_catalogue *to = opened("to", IX_CATALOGUE_CREATE);
    struct ix_catalogue *from = opened(from_camp, IX_CATALOGUE_READ);
    must(ix_catalogue_begin(to, &err));
    const int rc = ix_catalogue_copy(to, from, &renaming, &err);
    if (rc == 0)
        must(ix_catalogue_commit(to, &err));
    else
        ix_catalogue_rollback(to);
    ix_catalogue_close(from);
    ix_catalogue_close(to);
    return rc;
}

/* Every table but `campaign`, and none that the test knows nothing of. */
static void all_tables_are_known(void **state)
{
    (void)state;
    make("c", "");
    assert_string_equal(answer("c", "SELECT name FROM sqlite_schema WHERE type = 'table' AND "
                                    "name NOT LIKE 'sqlite_%' ORDER BY name"),
                        "campaign\nclock\nexecution\nmark\npacket\nsnapshot\nvm\n");
}

static void every_column_is_copied(void **state)
{
    static const char *const queries[] = {
        /* columns that stay, and each row's number as its place */
        ("SELECT concat_all FROM (SELECT verdict || ifnull(verdict_by, '-') || ifnull(command, "
         "'-') "
         "|| ifnull(begin_ns, '-') || ifnull(end_ns, '-') || ifnull(exit_status, '-') || "
         "ifnull(exit_signal, '-') || ifnull(disturbed, '-') AS concat_all FROM execution ORDER BY "
         "id)"),
        ("SELECT role || host || pid || jvm || started_ns || '-' || clock_offset_ns || ended || "
         "ifnull(ended_ns, '-') || ifnull(ended_text, '-') || requests || stale || superseded || "
         "foreign_count || ifnull(clock_error_ns, '-') || ifnull(clock_drift_ppb, '-') || late || "
         "log_state || ifnull(log_whole, '-') FROM vm ORDER BY id"),
        ("SELECT number || '-' || sent_ns || vms || lead_ns || asked || ifnull(spread_ns, '-') || "
         "ifnull(taken, '-') || ifnull(skew_ns, '-') || ifnull(skew_error_ns, '-') FROM packet "
         "ORDER BY execution"),
        ("SELECT packet || '-' || begin_ns || begin_mono_ns || stop_ns || threads || frames || "
         "missed FROM snapshot ORDER BY vm"),
        "SELECT mono_ns || '-' || offset_ns || error_ns || drift_ppb FROM clock ORDER BY vm",
        "SELECT packet || '-' || at_ns || text FROM mark ORDER BY id",
    };
    (void)state;
    make("c", everything);
    must(copy("c", ""));
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(answer("c", queries[i]), answer("to", queries[i]));
}

/* What an older catalogue does not have is left as it is by default. */
static void from_an_older_one(void **state)
{
    (void)state;
    make("c", everything);
    execute("c", "ALTER TABLE execution DROP COLUMN disturbed; PRAGMA user_version = 2");
    must(copy("c", ""));
    assert_string_equal(answer("to", "SELECT name || verdict || ifnull(disturbed, '-') FROM "
                                     "execution ORDER BY id"),
                        "onefailed-\ntwounknown-\n");
}

static void numbers_continue(void **state)
{
    (void)state;
    make("c", everything);
    must(copy("c", "x-"));
    must(copy("c", "y-"));
    assert_string_equal(answer("to", "SELECT id || name FROM execution ORDER BY id"),
                        "3x-one\n8x-two\n11y-one\n16y-two\n");
    assert_string_equal(answer("to", "SELECT id || '>' || execution FROM vm ORDER BY id"),
                        "5>3\n9>8\n14>11\n18>16\n");
    assert_string_equal(answer("to", "SELECT log || ' ' || ifnull(log_copy, '-') FROM vm "
                                     "ORDER BY id"),
                        "x-3:runs/one/a x-3:runs/one/b\nx-8:/c -\n"
                        "y-3:runs/one/a y-3:runs/one/b\ny-8:/c -\n");
    assert_string_equal(answer("to", "SELECT execution FROM packet ORDER BY execution"),
                        "3\n8\n11\n16\n");
    assert_string_equal(answer("to", "SELECT vm FROM snapshot ORDER BY vm"), "5\n9\n14\n18\n");
    assert_string_equal(answer("to", "SELECT vm FROM clock ORDER BY vm"), "5\n9\n14\n18\n");
    assert_string_equal(answer("to", "SELECT id || '>' || ifnull(execution, '-') FROM mark "
                                     "ORDER BY id"),
                        "7>3\n8>-\n15>11\n16>-\n");
}

static void a_name_that_is_taken(void **state)
{
    (void)state;
    make("c", everything);
    must(copy("c", ""));
    assert_int_equal(copy("c", ""), -1);
    says("the table execution of '");
    says("UNIQUE constraint failed");
    assert_string_equal(answer("to", "SELECT count(*) FROM vm"), "2\n");
}

static void impossible_numbers(void **state)
{
    static const char *const numbers[] = {"9223372036854775807", "-1", "'x'"};
    (void)state;
    make("first", everything);
    must(copy("first", ""));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char camp[8], sql[160];
        snprintf(camp, sizeof camp, "c%zu", i);
        snprintf(sql, sizeof sql, "INSERT INTO snapshot VALUES (%s, 1, 1, 1, 1, 1, 1, 1)",
                 numbers[i]);
        make(camp, sql);
        assert_int_equal(copy(camp, "z-"), -1);
        says("is damaged: a row of its table snapshot has an impossible number");
    }
    make("other", "INSERT INTO snapshot VALUES (1, 1, 1, 1, 1, 1, 1, 1)");
    assert_int_equal(copy("other", "z-"), -1);
    says("FOREIGN KEY constraint failed");
}

static void when_it_was_created(void **state)
{
    (void)state;
    make("c", "UPDATE campaign SET created_ns = 77");
    int64_t created = 0;
    struct ix_catalogue *c = opened("c", IX_CATALOGUE_READ);
    must(ix_catalogue_created(c, &created, &err));
    assert_int_equal(created, 77);
    ix_catalogue_close(c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_tables_are_known), TEST(every_column_is_copied), TEST(from_an_older_one),
        TEST(numbers_continue),     TEST(a_name_that_is_taken),   TEST(impossible_numbers),
        TEST(when_it_was_created),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
