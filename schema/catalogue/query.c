/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/catalogue/query.h"

#include <string.h>

/* Takes an unused prepared statement with this text; NULL: there is none. */
static sqlite3_stmt *take_kept(struct ix_catalogue *c, const char *sql)
{
    for (size_t i = 0; i < IX_QUERIES_KEPT && c->queries[i]; i++) {
        sqlite3_stmt *s = c->queries[i];
        if (strcmp(sqlite3_sql(s), sql) != 0)
            continue;
        memmove(&c->queries[i], &c->queries[i + 1], (IX_QUERIES_KEPT - 1 - i) * sizeof *c->queries);
        c->queries[IX_QUERIES_KEPT - 1] = NULL;
        return s;
    }
    return NULL;
}

/* The oldest one makes room. */
static void keep(struct ix_catalogue *c, sqlite3_stmt *s)
{
    sqlite3_reset(s); /* repeats the last step's failure, which has been reported */
    sqlite3_finalize(c->queries[IX_QUERIES_KEPT - 1]);
    memmove(&c->queries[1], &c->queries[0], (IX_QUERIES_KEPT - 1) * sizeof *c->queries);
    c->queries[0] = s;
}

struct ix_query ix_query_begin(struct ix_catalogue *c, const char *sql, const int64_t *values,
                               int count, struct ix_error *err)
{
    sqlite3_stmt *s = take_kept(c, sql);
    if (c->queries_open == 0) /* queries of a row's callback are part of the listing */
        c->steps = 0;
    int rc = s ? SQLITE_OK : sqlite3_prepare_v2(c->db, sql, -1, &s, NULL);
    for (int i = 0; rc == SQLITE_OK && i < count; i++)
        rc = sqlite3_bind_int64(s, i + 1, values[i]);
    if (rc == SQLITE_OK) {
        c->queries_open++;
        return (struct ix_query){.c = c, .row = s, .step = SQLITE_DONE};
    }
    ix_catalogue_fail(c, "read it", err);
    sqlite3_finalize(s);
    return (struct ix_query){.c = c};
}

bool ix_query_row(struct ix_query *q, int rc)
{
    if (!q->row || rc != 0)
        return false;
    q->step = sqlite3_step(q->row);
    return q->step == SQLITE_ROW;
}

int ix_query_end(struct ix_query *q, int rc, struct ix_error *err)
{
    if (!q->row)
        return -1;
    if (rc == 0 && q->step != SQLITE_DONE && q->step != SQLITE_ROW)
        rc = ix_catalogue_fail(q->c, "read it", err);
    keep(q->c, q->row);
    q->c->queries_open--;
    return rc;
}

int ix_query_number(struct ix_catalogue *c, const char *sql, const int64_t *values, int count,
                    int64_t *number, struct ix_error *err)
{
    struct ix_query q = ix_query_begin(c, sql, values, count, err);
    if (ix_query_row(&q, 0))
        *number = ix_query_int(&q, 0);
    return ix_query_end(&q, 0, err);
}
