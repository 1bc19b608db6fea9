/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/catalogue_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/tempdir.h"

struct ix_error err;

void must(int result)
{
    if (result != 0)
        fail_msg("%d: %s", result, err.text);
}

void says(const char *words)
{
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

struct ix_catalogue *opened(const char *name, enum ix_catalogue_mode mode)
{
    struct ix_catalogue *c = ix_catalogue_open(in_tempdir(name), mode, &err);
    if (!c)
        fail_msg("%s", err.text);
    return c;
}

void not_opened(const char *name, enum ix_catalogue_mode mode, const char *why)
{
    err.text[0] = '\0';
    assert_null(ix_catalogue_open(in_tempdir(name), mode, &err));
    says(why);
    says(in_tempdir(name));
}

void add_run(struct ix_catalogue *c, const char *name)
{
    int64_t id;
    must(ix_catalogue_add_execution(c, name, NULL, 0, &id, &err));
}

int count_run(void *count, const struct ix_execution *e)
{
    (void)e;
    ++*(int *)count;
    return 0;
}

int count_runs(struct ix_catalogue *c)
{
    int count = 0;
    must(ix_catalogue_executions(c, count_run, &count, &err));
    return count;
}

sqlite3 *raw(const char *name)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(in_tempdir(name), &db), SQLITE_OK);
    return db;
}

void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

const char *value(sqlite3 *db, const char *sql)
{
    static char text[256];
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    const bool row = sqlite3_step(s) == SQLITE_ROW;
    snprintf(text, sizeof text, "%s", row ? (const char *)sqlite3_column_text(s, 0) : "");
    sqlite3_finalize(s);
    return text;
}
