/* What reads the catalogue. Listings prepare their own statement, so that a callback may start
 * another listing, even the same one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/catalogue_internal.h"

static const char *const verdict_names[] = {
    [IX_VERDICT_UNKNOWN] = "unknown",
    [IX_VERDICT_PASSED] = "passed",
    [IX_VERDICT_FAILED] = "failed",
};

const char *ix_verdict_name(enum ix_verdict v)
{
    return verdict_names[v];
}

static enum ix_verdict verdict_of(const char *name)
{
    if (strcmp(name, verdict_names[IX_VERDICT_PASSED]) == 0)
        return IX_VERDICT_PASSED;
    return strcmp(name, verdict_names[IX_VERDICT_FAILED]) == 0 ? IX_VERDICT_FAILED
                                                               : IX_VERDICT_UNKNOWN;
}

static const char *text_or_null(sqlite3_stmt *s, int column)
{
    return (const char *)sqlite3_column_text(s, column);
}

/* A column that is never NULL; what sqlite3_column_text gives then means that memory ran out, which
 * the next step reports. */
static const char *text(sqlite3_stmt *s, int column)
{
    const char *t = text_or_null(s, column);
    return t ? t : "";
}

/* A prepared one that nobody uses, which is the caller's then; NULL: there is none. */
static sqlite3_stmt *asked_before(struct ix_catalogue *c, const char *sql)
{
    for (size_t i = 0; i < IX_ASKED && c->asked[i]; i++) {
        sqlite3_stmt *s = c->asked[i];
        if (strcmp(sqlite3_sql(s), sql) != 0)
            continue;
        memmove(&c->asked[i], &c->asked[i + 1], (IX_ASKED - 1 - i) * sizeof *c->asked);
        c->asked[IX_ASKED - 1] = NULL;
        return s;
    }
    return NULL;
}

/* The one that was kept longest makes room. */
static void keep(struct ix_catalogue *c, sqlite3_stmt *s)
{
    sqlite3_reset(s); /* it fails as its last step did, which has been told */
    sqlite3_finalize(c->asked[IX_ASKED - 1]);
    memmove(&c->asked[1], &c->asked[0], (IX_ASKED - 1) * sizeof *c->asked);
    c->asked[0] = s;
}

sqlite3_stmt *ix_catalogue_ask(struct ix_catalogue *c, const char *sql, const int64_t *values,
                               int count, struct ix_error *err)
{
    sqlite3_stmt *s = asked_before(c, sql);
    int rc = s ? SQLITE_OK : sqlite3_prepare_v2(c->db, sql, -1, &s, NULL);
    for (int i = 0; rc == SQLITE_OK && i < count; i++)
        rc = sqlite3_bind_int64(s, i + 1, values[i]);
    if (rc == SQLITE_OK)
        return s;
    ix_catalogue_fail(c, "read it", err);
    sqlite3_finalize(s);
    return NULL;
}

int ix_catalogue_answered(struct ix_catalogue *c, sqlite3_stmt *s, int step, int given,
                          struct ix_error *err)
{
    int rc = given;
    if (given == 0 && step != SQLITE_DONE)
        rc = ix_catalogue_fail(c, "read it", err);
    keep(c, s);
    return rc;
}

int ix_catalogue_ask_number(struct ix_catalogue *c, const char *sql, const int64_t *values,
                            int count, int64_t *number, struct ix_error *err)
{
    sqlite3_stmt *s = ix_catalogue_ask(c, sql, values, count, err);
    if (!s)
        return -1;
    int step = sqlite3_step(s);
    if (step == SQLITE_ROW) {
        *number = sqlite3_column_int64(s, 0);
        step = SQLITE_DONE;
    }
    return ix_catalogue_answered(c, s, step, 0, err);
}

/* A listing: of what belongs to `key`, or of everything if that is 0 and `sql` has no ?1. */
static sqlite3_stmt *list(struct ix_catalogue *c, const char *sql, int64_t key,
                          struct ix_error *err)
{
    return ix_catalogue_ask(c, sql, &key, key != 0, err);
}

/* ---- executions ---- */

int ix_catalogue_find_execution(struct ix_catalogue *c, const char *name, int64_t *id,
                                struct ix_error *err)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(c->db, "SELECT id FROM execution WHERE name = ?1", -1, &s, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s);
    if (rc == SQLITE_ROW)
        *id = sqlite3_column_int64(s, 0);
    else if (rc != SQLITE_DONE)
        ix_catalogue_fail(c, "look for an execution", err);
    sqlite3_finalize(s);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : -1;
}

int ix_catalogue_executions(struct ix_catalogue *c,
                            int (*each)(void *user, const struct ix_execution *e), void *user,
                            struct ix_error *err)
{
    sqlite3_stmt *s = list(c,
                           "SELECT id, name, verdict, verdict_by, command, begin_ns, end_ns, "
                           "ifnull(exit_status, -1), exit_signal FROM execution ORDER BY id",
                           0, err);
    if (!s)
        return -1;
    int step, rc = 0;
    while (rc == 0 && (step = sqlite3_step(s)) == SQLITE_ROW) {
        rc = each(user, &(struct ix_execution){
                            .id = sqlite3_column_int64(s, 0),
                            .name = text(s, 1),
                            .verdict = verdict_of(text(s, 2)),
                            .verdict_by = text_or_null(s, 3),
                            .command = text_or_null(s, 4),
                            .begin_ns = sqlite3_column_int64(s, 5),
                            .end_ns = sqlite3_column_int64(s, 6),
                            .exit_status = sqlite3_column_int(s, 7),
                            .exit_signal = sqlite3_column_int(s, 8),
                        });
    }
    return ix_catalogue_answered(c, s, step, rc, err);
}

/* ---- suggestions for an unknown name ---- */

enum { SUGGESTIONS = 3 };

struct suggestions {
    const char *wanted;
    size_t count;
    size_t distance[SUGGESTIONS]; /* ascending */
    char name[SUGGESTIONS][IX_EXECUTION_NAME_MAX + 1];
};

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein's distance of bytes (Wagner and Fischer 1974), both at most IX_EXECUTION_NAME_MAX. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[IX_EXECUTION_NAME_MAX + 1], len_b = strlen(b);
    for (size_t j = 0; j <= len_b; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= len_b; j++) {
            size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[len_b];
}

static int suggest(void *user, const struct ix_execution *e)
{
    struct suggestions *s = user;
    if (strlen(e->name) > IX_EXECUTION_NAME_MAX)
        return 0;
    size_t distance = edit_distance(s->wanted, e->name), at = s->count;
    while (at > 0 && s->distance[at - 1] > distance)
        at--;
    if (at == SUGGESTIONS)
        return 0;
    size_t kept = s->count < SUGGESTIONS ? s->count : SUGGESTIONS - 1;
    memmove(&s->distance[at + 1], &s->distance[at], (kept - at) * sizeof s->distance[0]);
    memmove(&s->name[at + 1], &s->name[at], (kept - at) * sizeof s->name[0]);
    s->distance[at] = distance;
    memcpy(s->name[at], e->name, strlen(e->name) + 1);
    s->count = kept + 1;
    return 0;
}

int ix_catalogue_fail_unknown(struct ix_catalogue *c, const char *name, struct ix_error *err)
{
    struct suggestions s = {.wanted = name};
    if (strlen(name) > IX_EXECUTION_NAME_MAX)
        return ix_fail(err, "'%s' has no execution '%.40s...'", c->dir, name);
    if (ix_catalogue_executions(c, suggest, &s, err) != 0)
        return -1;
    if (s.count == 0)
        return ix_fail(err, "'%s' has no execution '%s'; it has none at all yet", c->dir, name);
    return ix_fail(err, "'%s' has no execution '%s'; the nearest names are %s%s%s%s%s", c->dir,
                   name, s.name[0], s.count > 1 ? ", " : "", s.name[1], s.count > 2 ? ", " : "",
                   s.name[2]);
}

/* ---- VMs ---- */

#define SELECT_VM                                                                                  \
    "SELECT id, execution, role, host, jvm, pid, started_ns, log, clock_offset_ns, ended, "        \
    "ended_ns, ended_text, requests, stale, superseded, foreign_count, "                           \
    "ifnull(clock_error_ns, -1), clock_drift_ppb, late, log_state, log_copy, "              \
    "ifnull(log_whole, -1) FROM vm "
#define ORDER_VM "ORDER BY execution, role, id"

/* A log that came home is read there: what lies at its old path on this host may be another one. A
 * part of a log is better than nothing. */
static char *readable_log(struct ix_catalogue *c, const char *stored, const char *state,
                          const char *copy, struct ix_error *err)
{
    char *log = ix_catalogue_openable_log(c, stored, err);
    const bool home = strcmp(state, "collected") == 0;
    if (!log || !copy || (!home && access(log, R_OK) == 0))
        return log;
    free(log);
    return ix_catalogue_openable_log(c, copy, err);
}

static int each_vm(struct ix_catalogue *c, sqlite3_stmt *s,
                   int (*each)(void *user, const struct ix_vm *vm), void *user,
                   struct ix_error *err)
{
    const char *state = text(s, 19), *copy = text_or_null(s, 20);
    char *there = ix_catalogue_absolute_log(c, text(s, 7), err);
    char *log = there ? readable_log(c, text(s, 7), state, copy, err) : NULL;
    if (!log) {
        free(there);
        return -1;
    }
    int rc = each(user, &(struct ix_vm){
                            .id = sqlite3_column_int64(s, 0),
                            .execution = sqlite3_column_int64(s, 1),
                            .role = text(s, 2),
                            .host = text(s, 3),
                            .jvm = text(s, 4),
                            .pid = sqlite3_column_int64(s, 5),
                            .started_ns = sqlite3_column_int64(s, 6),
                            .log = log,
                            .clock_offset_ns = sqlite3_column_int64(s, 8),
                            .ended = text(s, 9),
                            .ended_ns = sqlite3_column_int64(s, 10),
                            .ended_text = text_or_null(s, 11),
                            .requests = sqlite3_column_int64(s, 12),
                            .stale = sqlite3_column_int64(s, 13),
                            .superseded = sqlite3_column_int64(s, 14),
                            .foreign_count = sqlite3_column_int64(s, 15),
                            .clock_error_ns = sqlite3_column_int64(s, 16),
                            .clock_drift_ppb = sqlite3_column_int64(s, 17),
                            .late = sqlite3_column_int64(s, 18),
                            .log_there = there,
                            .log_state = state,
                            .log_copy = copy,
                            .log_whole = sqlite3_column_int(s, 21),
                        });
    free(log);
    free(there);
    return rc;
}

int ix_catalogue_vms(struct ix_catalogue *c, int64_t execution,
                     int (*each)(void *user, const struct ix_vm *vm), void *user,
                     struct ix_error *err)
{
    /* Two statements, because "?1 = 0 OR ..." would not use the index. */
    sqlite3_stmt *s =
        list(c, execution ? SELECT_VM "WHERE execution = ?1 " ORDER_VM : SELECT_VM ORDER_VM,
             execution, err);
    if (!s)
        return -1;
    int step, rc = 0;
    while (rc == 0 && (step = sqlite3_step(s)) == SQLITE_ROW)
        rc = each_vm(c, s, each, user, err);
    return ix_catalogue_answered(c, s, step, rc, err);
}

int ix_catalogue_vm(struct ix_catalogue *c, int64_t id,
                    int (*each)(void *user, const struct ix_vm *vm), void *user,
                    struct ix_error *err)
{
    sqlite3_stmt *s = list(c, SELECT_VM "WHERE id = ?1", id, err);
    if (!s)
        return -1;
    int step, rc = 0;
    while (rc == 0 && (step = sqlite3_step(s)) == SQLITE_ROW)
        rc = each_vm(c, s, each, user, err);
    return ix_catalogue_answered(c, s, step, rc, err);
}

/* ---- packets and snapshots ---- */

int ix_catalogue_last_packet(struct ix_catalogue *c, int64_t *number, struct ix_error *err)
{
    return ix_catalogue_ask_number(c,
                                   "SELECT max(ifnull((SELECT max(number) FROM packet), 0), "
                                   "ifnull((SELECT max(packet) FROM snapshot), 0))",
                                   NULL, 0, number, err);
}

int ix_catalogue_packet_count(struct ix_catalogue *c, int64_t execution, int64_t *count,
                              struct ix_error *err)
{
    return ix_catalogue_ask_number(c,
                                   execution ? "SELECT count(*) FROM packet WHERE execution = ?1"
                                             : "SELECT count(*) FROM packet",
                                   &execution, execution != 0, count, err);
}

#define SELECT_OUTCOME                                                                             \
    "SELECT execution, number, ifnull(taken, -1), ifnull(skew_ns, -1), "                           \
    "ifnull(skew_error_ns, -1), lead_ns FROM packet "
#define ORDER_OUTCOME "ORDER BY execution, number"

int ix_catalogue_outcomes(struct ix_catalogue *c, int64_t execution,
                          int (*each)(void *user, const struct ix_packet_outcome *outcome),
                          void *user, struct ix_error *err)
{
    sqlite3_stmt *s = list(c,
                           execution ? SELECT_OUTCOME "WHERE execution = ?1 " ORDER_OUTCOME
                                     : SELECT_OUTCOME ORDER_OUTCOME,
                           execution, err);
    if (!s)
        return -1;
    int step, rc = 0;
    while (rc == 0 && (step = sqlite3_step(s)) == SQLITE_ROW) {
        rc = each(user, &(struct ix_packet_outcome){
                            .execution = sqlite3_column_int64(s, 0),
                            .number = sqlite3_column_int64(s, 1),
                            .taken = sqlite3_column_int64(s, 2),
                            .skew_ns = sqlite3_column_int64(s, 3),
                            .skew_error_ns = sqlite3_column_int64(s, 4),
                            .lead_ns = sqlite3_column_int64(s, 5),
                        });
    }
    return ix_catalogue_answered(c, s, step, rc, err);
}

#define SELECT_SNAPSHOT                                                                            \
    "SELECT s.vm, s.packet, s.begin_ns, s.begin_mono_ns, s.stop_ns, s.threads, s.frames, "         \
    "s.missed FROM vm JOIN snapshot AS s ON s.vm = vm.id "
#define ORDER_SNAPSHOT "ORDER BY vm.execution, s.packet, s.vm"

int ix_catalogue_snapshots(struct ix_catalogue *c, int64_t execution,
                           int (*each)(void *user, const struct ix_snapshot_row *row), void *user,
                           struct ix_error *err)
{
    sqlite3_stmt *s = list(c,
                           execution ? SELECT_SNAPSHOT "WHERE vm.execution = ?1 " ORDER_SNAPSHOT
                                     : SELECT_SNAPSHOT ORDER_SNAPSHOT,
                           execution, err);
    if (!s)
        return -1;
    int step, rc = 0;
    while (rc == 0 && (step = sqlite3_step(s)) == SQLITE_ROW) {
        rc = each(user, &(struct ix_snapshot_row){
                            .vm = sqlite3_column_int64(s, 0),
                            .packet = sqlite3_column_int64(s, 1),
                            .begin_ns = sqlite3_column_int64(s, 2),
                            .begin_mono_ns = sqlite3_column_int64(s, 3),
                            .stop_ns = sqlite3_column_int64(s, 4),
                            .threads = sqlite3_column_int64(s, 5),
                            .frames = sqlite3_column_int64(s, 6),
                            .missed = sqlite3_column_int64(s, 7),
                        });
    }
    return ix_catalogue_answered(c, s, step, rc, err);
}

/* ---- marks ---- */

int ix_catalogue_marks(struct ix_catalogue *c, int (*each)(void *user, const struct ix_mark *mark),
                       void *user, struct ix_error *err)
{
    sqlite3_stmt *s = list(
        c, "SELECT id, ifnull(execution, 0), packet, at_ns, text FROM mark ORDER BY id", 0, err);
    if (!s)
        return -1;
    int step, rc = 0;
    while (rc == 0 && (step = sqlite3_step(s)) == SQLITE_ROW) {
        rc = each(user, &(struct ix_mark){
                            .id = sqlite3_column_int64(s, 0),
                            .execution = sqlite3_column_int64(s, 1),
                            .packet = sqlite3_column_int64(s, 2),
                            .at_ns = sqlite3_column_int64(s, 3),
                            .text = text(s, 4),
                        });
    }
    return ix_catalogue_answered(c, s, step, rc, err);
}
