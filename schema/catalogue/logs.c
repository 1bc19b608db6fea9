/* SPDX-License-Identifier: Apache-2.0 */
/* Which JVM a trace log belongs to, and whose logs are still to be uploaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/catalogue/catalogue.h"
#include "schema/catalogue/dir.h"
#include "schema/catalogue/handle.h"

#define SELECT_OWNER                                                                               \
    "SELECT vm.id, vm.pid, vm.started_ns, execution.name, role, host, log, ended, log_state "      \
    "FROM vm JOIN execution ON execution.id = vm.execution "

static void take_text(sqlite3_stmt *s, int column, char *to, size_t size)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    snprintf(to, size, "%s", text ? text : "");
}

static int take_owner(struct ix_catalogue *c, sqlite3_stmt *s, struct ix_log_owner *out,
                      struct ix_error *err)
{
    const char *stored = (const char *)sqlite3_column_text(s, 6);
    char *log = ix_catalogue_absolute_log(c, stored ? stored : "", err);
    if (!log)
        return -1;
    *out = (struct ix_log_owner){
        .vm = sqlite3_column_int64(s, 0),
        .pid = sqlite3_column_int64(s, 1),
        .started_ns = sqlite3_column_int64(s, 2),
    };
    take_text(s, 3, out->execution, sizeof out->execution);
    take_text(s, 4, out->role, sizeof out->role);
    take_text(s, 5, out->host, sizeof out->host);
    take_text(s, 7, out->ended, sizeof out->ended);
    take_text(s, 8, out->log_state, sizeof out->log_state);
    snprintf(out->log, sizeof out->log, "%s", log);
    free(log);
    return 1;
}

static int failed(struct ix_catalogue *c, sqlite3_stmt *s, struct ix_error *err)
{
    ix_catalogue_fail(c, "look for a log's JVM", err);
    sqlite3_finalize(s);
    return -1;
}

int ix_catalogue_log_owner(struct ix_catalogue *c, const char *execution, const char *host,
                           int64_t pid, int64_t started_ns, const char *log,
                           struct ix_log_owner *out, struct ix_error *err)
{
    char *stored = ix_catalogue_stored_log(c, log, err);
    if (!stored)
        return -1;
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(c->db,
                                SELECT_OWNER
                                "WHERE host = ?1 AND pid = ?2 AND started_ns = ?3 AND "
                                "(log = ?4 OR substr(log, -length(?6)) = ?6) AND "
                                "(?5 = '' OR name = ?5) ORDER BY log = ?4 DESC, vm.id DESC LIMIT 1",
                                -1, &s, NULL);
    if (rc != SQLITE_OK || sqlite3_bind_text(s, 1, host, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_int64(s, 2, pid) != SQLITE_OK ||
        sqlite3_bind_int64(s, 3, started_ns) != SQLITE_OK ||
        sqlite3_bind_text(s, 4, stored, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_text(s, 5, execution, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_text(s, 6, strrchr(log, '/'), -1, SQLITE_STATIC) != SQLITE_OK) {
        free(stored);
        return failed(c, s, err);
    }
    rc = sqlite3_step(s);
    int found = rc == SQLITE_ROW ? take_owner(c, s, out, err) : 0;
    free(stored);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return failed(c, s, err);
    sqlite3_finalize(s);
    return found;
}

static bool same_directory(const char *a, const char *b)
{
    const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
    return end_a && end_b && end_a - a == end_b - b && memcmp(a, b, (size_t)(end_a - a)) == 0;
}

int ix_catalogue_log_missing(struct ix_catalogue *c, const char *host, const char *log,
                             int64_t after, struct ix_log_owner *out, struct ix_error *err)
{
    sqlite3_stmt *s = NULL;
    char *stored = ix_catalogue_stored_log(c, log, err);
    char *there = stored ? ix_catalogue_absolute_log(c, stored, err) : NULL;
    free(stored);
    if (!there)
        return -1;
    int rc =
        sqlite3_prepare_v2(c->db,
                           SELECT_OWNER "WHERE vm.id > ?1 AND host = ?2 AND log_state IN ('there', "
                                        "'partial') AND ended NOT IN ('running', 'imported') "
                                        "ORDER BY vm.id",
                           -1, &s, NULL);
    if (rc != SQLITE_OK || sqlite3_bind_int64(s, 1, after) != SQLITE_OK ||
        sqlite3_bind_text(s, 2, host, -1, SQLITE_STATIC) != SQLITE_OK) {
        free(there);
        return failed(c, s, err);
    }
    int found = 0;
    while (found == 0 && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        found = take_owner(c, s, out, err);
        if (found == 1 && !same_directory(out->log, there))
            found = 0;
    }
    free(there);
    if (found == 0 && rc != SQLITE_DONE)
        return failed(c, s, err);
    sqlite3_finalize(s);
    return found;
}
