/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogues of other versions: parts of the schema are applied in order, once, and whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "schema/catalogue/catalogue.h"
#include "tests/support/catalogue_fixture.h"
#include "tests/support/tempdir.h"

static const char two_parts[] = "-- A catalogue of fruit.\n"
                                "CREATE TABLE never (x);\n"
                                "-- version 1\n"
                                "CREATE TABLE fruit (name TEXT);\n"
                                "INSERT INTO fruit VALUES ('apple');\n"
                                "-- version 2\n"
                                "ALTER TABLE fruit ADD COLUMN colour TEXT;\n"
                                "UPDATE fruit SET colour = 'red';";

static void parts_are_applied_in_order_and_once(void **state)
{
    (void)state;
    sqlite3 *db = raw("fruit.db");
    must(ix_catalogue_migrate(db, two_parts, 1, &err));
    assert_string_equal(value(db, "PRAGMA user_version"), "1");
    assert_string_equal(value(db, "SELECT count(*) FROM sqlite_schema"), "1");
    must(ix_catalogue_migrate(db, two_parts, 2, &err));
    must(ix_catalogue_migrate(db, two_parts, 2, &err));
    assert_string_equal(value(db, "SELECT group_concat(name || colour) FROM fruit"), "applered");
    assert_string_equal(value(db, "PRAGMA user_version"), "2");
    assert_int_equal(ix_catalogue_migrate(db, two_parts, 1, &err), -1);
    says("version 2, and this program knows versions up to 1");
    says("upgrade");
    sqlite3_close(db);

    db = raw("fruit-2.db");
    must(ix_catalogue_migrate(db, two_parts, 2, &err));
    assert_string_equal(value(db, "SELECT group_concat(name || colour) FROM fruit"), "applered");
    sqlite3_close(db);
}

static void a_part_that_fails_leaves_no_trace(void **state)
{
    (void)state;
    static const char broken[] = "-- version 1\nCREATE TABLE a (x);\n"
                                 "-- version 2\nCREATE TABLE b (x);\nCREATE TABLE a (y);\n";
    sqlite3 *db = raw("broken.db");
    assert_int_equal(ix_catalogue_migrate(db, broken, 2, &err), -1);
    says("to version 2: table a already exists");
    assert_string_equal(value(db, "PRAGMA user_version"), "1");
    assert_string_equal(value(db, "SELECT group_concat(name) FROM sqlite_schema"), "a");
    assert_true(sqlite3_get_autocommit(db));
    assert_int_equal(ix_catalogue_migrate(db, two_parts, 3, &err), -1);
    says("fruit"); /* version 2 of it does not fit this database */
    sqlite3_close(db);

    db = raw("missing.db");
    assert_int_equal(ix_catalogue_migrate(db, two_parts, 3, &err), -1);
    says("to version 3: there is no such part");
    assert_string_equal(value(db, "PRAGMA user_version"), "2");
    sqlite3_close(db);
}

static int commit_the_other(void *other, int count)
{
    run_sql(other, "COMMIT");
    return count == 0; /* try again once */
}

static void a_part_that_another_process_applied_meanwhile_is_left_out(void **state)
{
    (void)state;
    sqlite3 *first = raw("fruit.db"), *second = raw("fruit.db");
    run_sql(first, "BEGIN IMMEDIATE; CREATE TABLE fruit (name TEXT); PRAGMA user_version = 1");
    sqlite3_busy_handler(second, commit_the_other, first);
    must(ix_catalogue_migrate(second, two_parts, 2, &err));
    assert_string_equal(value(second, "SELECT count(*) FROM fruit"), "0");
    assert_string_equal(value(second, "PRAGMA user_version"), "2");
    sqlite3_close(first);
    sqlite3_close(second);
}

static void a_new_catalogue_has_every_part(void **state)
{
    (void)state;
    static const char text[] =
#include "catalogue_sql.h"
        ;
    int parts = 0;
    for (const char *at = text; (at = strstr(at, "\n-- version ")); at++)
        parts++;
    ix_catalogue_close(opened("camp", IX_CATALOGUE_CREATE));
    sqlite3 *db = raw("camp/campaign.db");
    assert_int_equal(strtol(value(db, "PRAGMA user_version"), NULL, 10), parts);
    sqlite3_close(db);
}

static void a_catalogue_takes_a_later_part(void **state)
{
    (void)state;
    static const char later[] = "-- version 4\nALTER TABLE execution ADD COLUMN weather TEXT;\n";
    struct ix_catalogue *c = opened("camp", IX_CATALOGUE_CREATE);
    add_run(c, "one");
    ix_catalogue_close(c);
    sqlite3 *db = raw("camp/campaign.db");
    must(ix_catalogue_migrate(db, later, 4, &err));
    assert_string_equal(value(db, "SELECT name || ifnull(weather, '?') FROM execution"), "one?");
    sqlite3_close(db);
    for (int mode = IX_CATALOGUE_READ; mode <= IX_CATALOGUE_CREATE; mode++)
        not_opened("camp", mode, "upgrade");
}

static int disturbed(void *user, const struct ix_execution *e)
{
    snprintf(user, 64, "%s", e->disturbed ? e->disturbed : "-");
    return 0;
}

/* A campaign of version 2 can be read as it is, and becomes one of this version when written to. */
static void an_older_catalogue(void **state)
{
    (void)state;
    char how[64] = "";
    struct ix_catalogue *c = opened("camp", IX_CATALOGUE_CREATE);
    add_run(c, "one");
    ix_catalogue_close(c);
    sqlite3 *db = raw("camp/campaign.db");
    run_sql(db, "ALTER TABLE execution DROP COLUMN disturbed; PRAGMA user_version = 2");
    sqlite3_close(db);
    c = opened("camp", IX_CATALOGUE_READ);
    must(ix_catalogue_executions(c, disturbed, how, &err));
    assert_string_equal(how, "-");
    ix_catalogue_close(c);
    db = raw("camp/campaign.db");
    assert_string_equal(value(db, "PRAGMA user_version"), "2");
    sqlite3_close(db);

    c = opened("camp", IX_CATALOGUE_WRITE);
    must(ix_catalogue_disturb(c, 1, "hogs=4,pause", &err));
    must(ix_catalogue_executions(c, disturbed, how, &err));
    assert_string_equal(how, "hogs=4,pause");
    must(ix_catalogue_disturb(c, 1, NULL, &err));
    must(ix_catalogue_executions(c, disturbed, how, &err));
    assert_string_equal(how, "-");
    ix_catalogue_close(c);

    db = raw("camp/campaign.db");
    run_sql(db, "PRAGMA user_version = 1");
    sqlite3_close(db);
    not_opened("camp", IX_CATALOGUE_READ, "written by an older release");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        TEST(parts_are_applied_in_order_and_once),
        TEST(a_part_that_fails_leaves_no_trace),
        TEST(a_part_that_another_process_applied_meanwhile_is_left_out),
        TEST(a_new_catalogue_has_every_part),
        TEST(a_catalogue_takes_a_later_part),
        TEST(an_older_catalogue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
