/* SPDX-License-Identifier: Apache-2.0 */
/* Queries whose parameters are numbers, row by row:
 *
 *   struct ix_query q = ix_query_begin(c, "SELECT ... WHERE id = ?1", &id, 1, err);
 *   int rc = 0;
 *   while (ix_query_row(&q, rc))
 *       rc = ... q.row ...;
 *   return ix_query_end(&q, rc, err);
 *
 * Each has its own statement, so another query, even the same one, can begin while rows are
 * read. */
#ifndef IX_SCHEMA_CATALOGUE_QUERY_H
#define IX_SCHEMA_CATALOGUE_QUERY_H

#include "schema/catalogue/handle.h"

struct ix_query {
    struct ix_catalogue *c;
    sqlite3_stmt *row; /* NULL: it could not begin */
    int step;          /* result of the last sqlite3_step */
};

/* Begins a query with ?1, ?2, ... set to `values`. A failure is in *err, and ix_query_end returns
 * it. */
struct ix_query ix_query_begin(struct ix_catalogue *c, const char *sql, const int64_t *values,
                               int count, struct ix_error *err);
/* Goes to the next row, unless `rc` is not 0. False: there is none, or reading failed. */
bool ix_query_row(struct ix_query *q, int rc);
/* `rc` if that is not 0; else 0, or -1 if reading failed. May be called before the last row. */
int ix_query_end(struct ix_query *q, int rc, struct ix_error *err);

/* Runs a query that gives one number; *number is unchanged if there is no row. 0 or -1. */
int ix_query_number(struct ix_catalogue *c, const char *sql, const int64_t *values, int count,
                    int64_t *number, struct ix_error *err);

/* The text of a column that may be NULL, and of one that is never NULL. NULL in the latter means
 * that memory ran out, which the next step reports; it reads as "". */
static inline const char *ix_query_text_or_null(const struct ix_query *q, int column)
{
    return (const char *)sqlite3_column_text(q->row, column);
}
static inline const char *ix_query_text(const struct ix_query *q, int column)
{
    const char *text = ix_query_text_or_null(q, column);
    return text ? text : "";
}
static inline int64_t ix_query_int(const struct ix_query *q, int column)
{
    return sqlite3_column_int64(q->row, column);
}

#endif
