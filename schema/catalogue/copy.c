/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/catalogue/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/catalogue/handle.h"
#include "schema/catalogue/query.h"

/* In this order, rows only refer to rows that exist. */
static const char *const tables[] = {"execution", "vm", "packet", "snapshot", "clock", "mark"};

/* What a column holds; numbers of other rows become others in the copy. */
enum meaning { RUN, VM, MARK, NAME, LOG, PLAIN };
enum { NUMBERS = MARK + 1 };

static const struct {
    const char *table, *column;
    enum meaning meaning;
} special[] = {
    {"execution", "id", RUN},     {"execution", "name", NAME}, {"vm", "id", VM},
    {"vm", "execution", RUN},     {"vm", "log", LOG},          {"vm", "log_copy", LOG},
    {"packet", "execution", RUN}, {"snapshot", "vm", VM},      {"clock", "vm", VM},
    {"mark", "id", MARK},         {"mark", "execution", RUN},
};

enum { COLUMNS_MAX = 32, SQL_MAX = 2048 };

struct copy {
    struct ix_catalogue *to, *from;
    const struct ix_catalogue_renaming *renaming;
    int64_t above[NUMBERS]; /* what is added to numbers */
    struct ix_error *err;
};

/* One table; its columns are those that it has in `to`, whose schema is this program's own, without
 * those that are newer than `from`. */
struct table {
    const char *name;
    int columns, run; /* run: the column with the number of the row's run; -1: none */
    enum meaning meaning[COLUMNS_MAX];
    char list[SQL_MAX / 4]; /* names, separated by commas */
    sqlite3_stmt *insert;
};

static enum meaning meaning_of(const char *table, const char *column)
{
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (strcmp(special[i].table, table) == 0 && strcmp(special[i].column, column) == 0)
            return special[i].meaning;
    return PLAIN;
}

static bool has_column(struct ix_catalogue *c, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(c->db, "main", table, column, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* Reads the columns and prepares the statement that inserts a row. */
static int describe(struct copy *c, struct table *t)
{
    char sql[SQL_MAX], places[2 * COLUMNS_MAX] = "";
    snprintf(sql, sizeof sql, "SELECT * FROM %s LIMIT 0", t->name);
    struct ix_query q = ix_query_begin(c->to, sql, NULL, 0, c->err);
    t->columns = q.row ? sqlite3_column_count(q.row) : 0;
    t->run = -1;
    int rc = 0;
    if (t->columns > COLUMNS_MAX)
        rc = ix_fail(c->err, "'%s': the table %s has too many columns", c->to->file, t->name);
    const int all = t->columns;
    t->columns = 0;
    for (int at = 0; rc == 0 && at < all; at++) {
        const char *name = sqlite3_column_name(q.row, at);
        const size_t used = strlen(t->list);
        const int i = t->columns;
        if (name && !has_column(c->from, t->name, name))
            continue;
        if (!name || used + strlen(name) + 2 > sizeof t->list) {
            rc = ix_fail(c->err, "out of memory");
            break;
        }
        t->meaning[i] = meaning_of(t->name, name);
        if (t->meaning[i] == RUN)
            t->run = i;
        snprintf(t->list + used, sizeof t->list - used, "%s%s", i ? "," : "", name);
        places[2 * i] = '?';
        places[2 * i + 1] = '\0';
        if (i > 0)
            places[2 * i - 1] = ',';
        t->columns++;
    }
    if (rc == 0 && q.row && t->columns == 0) /* a view, too, has none */
        rc = ix_fail(c->err, "'%s': cannot read it: no table '%s'", c->from->file, t->name);
    if (ix_query_end(&q, rc, c->err) != 0)
        return -1;
    snprintf(sql, sizeof sql, "INSERT INTO %s (%s) VALUES (%s)", t->name, t->list, places);
    if (sqlite3_prepare_v2(c->to->db, sql, -1, &t->insert, NULL) != SQLITE_OK)
        return ix_catalogue_fail(c->to, "copy into it", c->err);
    return 0;
}

static int damaged(const struct copy *c, const struct table *t)
{
    return ix_fail(c->err, "'%s' is damaged: a row of its table %s has an impossible number",
                   c->from->file, t->name);
}

static int bound(struct copy *c, int rc)
{
    return rc == SQLITE_OK ? 0 : ix_catalogue_fail(c->to, "copy into it", c->err);
}

static int bind_number(struct copy *c, const struct table *t, const struct ix_query *q, int column)
{
    int64_t number;
    if (sqlite3_column_type(q->row, column) == SQLITE_NULL)
        return bound(c, sqlite3_bind_null(t->insert, column + 1));
    if (sqlite3_column_type(q->row, column) != SQLITE_INTEGER || ix_query_int(q, column) < 0 ||
        __builtin_add_overflow(ix_query_int(q, column), c->above[t->meaning[column]], &number))
        return damaged(c, t);
    return bound(c, sqlite3_bind_int64(t->insert, column + 1, number));
}

static int bind_text(struct copy *c, const struct table *t, const struct ix_query *q, int column)
{
    const struct ix_catalogue_renaming *r = c->renaming;
    const char *old = ix_query_text_or_null(q, column);
    if (!old)
        return bound(c, sqlite3_bind_null(t->insert, column + 1));
    char *text = t->meaning[column] == NAME ? r->run(r->user, old, c->err)
                                            : r->log(r->user, ix_query_int(q, t->run), old, c->err);
    if (!text)
        return -1;
    return bound(c, sqlite3_bind_text(t->insert, column + 1, text, -1, free));
}

static int bind_one(struct copy *c, const struct table *t, const struct ix_query *q, int column)
{
    switch (t->meaning[column]) {
    case RUN:
    case VM:
    case MARK:
        return bind_number(c, t, q, column);
    case NAME:
    case LOG:
        return bind_text(c, t, q, column);
    case PLAIN:
        break;
    }
    return bound(c,
                 sqlite3_bind_value(t->insert, column + 1, sqlite3_column_value(q->row, column)));
}

static int copy_row(struct copy *c, const struct table *t, const struct ix_query *q)
{
    for (int i = 0; i < t->columns; i++)
        if (bind_one(c, t, q, i) != 0)
            return -1;
    if (sqlite3_step(t->insert) != SQLITE_DONE) {
        ix_catalogue_fail(c->to, "copy into it", c->err);
        sqlite3_reset(t->insert);
        return ix_fail_in(c->err, "the table %s of '%s'", t->name, c->from->file);
    }
    sqlite3_reset(t->insert);
    return 0;
}

static int copy_rows(struct copy *c, const struct table *t)
{
    char sql[SQL_MAX];
    snprintf(sql, sizeof sql, "SELECT %s FROM %s", t->list, t->name);
    struct ix_query q = ix_query_begin(c->from, sql, NULL, 0, c->err);
    int rc = 0;
    while (ix_query_row(&q, rc))
        rc = copy_row(c, t, &q);
    return ix_query_end(&q, rc, c->err);
}

static int copy_table(struct copy *c, const char *name)
{
    struct table t = {.name = name};
    int rc = describe(c, &t);
    if (rc == 0)
        rc = copy_rows(c, &t);
    sqlite3_finalize(t.insert);
    return rc;
}

int ix_catalogue_copy(struct ix_catalogue *to, struct ix_catalogue *from,
                      const struct ix_catalogue_renaming *renaming, struct ix_error *err)
{
    static const char *const highest[NUMBERS] = {
        [RUN] = "SELECT ifnull(max(id), 0) FROM execution",
        [VM] = "SELECT ifnull(max(id), 0) FROM vm",
        [MARK] = "SELECT ifnull(max(id), 0) FROM mark",
    };
    struct copy c = {.to = to, .from = from, .renaming = renaming, .err = err};
    for (int i = 0; i < NUMBERS; i++)
        if (ix_query_number(to, highest[i], NULL, 0, &c.above[i], err) != 0)
            return -1;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (copy_table(&c, tables[i]) != 0)
            return -1;
    return 0;
}

int ix_catalogue_created(struct ix_catalogue *c, int64_t *created_ns, struct ix_error *err)
{
    *created_ns = 0;
    return ix_query_number(c, "SELECT created_ns FROM campaign", NULL, 0, created_ns, err);
}
