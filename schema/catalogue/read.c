/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the catalogue. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/catalogue/catalogue.h"
#include "schema/catalogue/dir.h"
#include "schema/catalogue/query.h"

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

/* A listing: of what belongs to `key`, or of everything if that is 0 and `sql` has no ?1. */
static struct ix_query list(struct ix_catalogue *c, const char *sql, int64_t key,
                            struct ix_error *err)
{
    return ix_query_begin(c, sql, &key, key != 0, err);
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
        ix_catalogue_fail(c, "look for a run", err);
    sqlite3_finalize(s);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : -1;
}

int ix_catalogue_has_command(struct ix_catalogue *c, int64_t id, int64_t *has, struct ix_error *err)
{
    return ix_query_number(c, "SELECT command IS NOT NULL FROM execution WHERE id = ?1", &id, 1,
                           has, err);
}

const char *ix_execution_test(const struct ix_execution *e)
{
    const size_t len = strlen(IX_TEST_COMMAND);
    return e->command && strncmp(e->command, IX_TEST_COMMAND, len) == 0 ? e->command + len : NULL;
}

int ix_catalogue_executions(struct ix_catalogue *c,
                            int (*each)(void *user, const struct ix_execution *e), void *user,
                            struct ix_error *err)
{
#define SELECT_EXECUTION                                                                           \
    "SELECT id, name, verdict, verdict_by, command, begin_ns, end_ns, ifnull(exit_status, -1), "   \
    "exit_signal, "
#define INTERRUPTED                                                                                \
    "EXISTS (SELECT 1 FROM mark WHERE mark.execution = execution.id AND text = '" IX_INTERRUPTED   \
    "')"
    struct ix_query q = list(c,
                             c->version < 3 ? SELECT_EXECUTION "NULL, 0 FROM execution ORDER BY id"
                                            : SELECT_EXECUTION "disturbed, " INTERRUPTED
                                                               " FROM execution ORDER BY id",
                             0, err);
    int rc = 0;
    while (ix_query_row(&q, rc)) {
        rc = each(user, &(struct ix_execution){
                            .id = ix_query_int(&q, 0),
                            .name = ix_query_text(&q, 1),
                            .verdict = verdict_of(ix_query_text(&q, 2)),
                            .verdict_by = ix_query_text_or_null(&q, 3),
                            .command = ix_query_text_or_null(&q, 4),
                            .begin_ns = ix_query_int(&q, 5),
                            .end_ns = ix_query_int(&q, 6),
                            .exit_status = (int)ix_query_int(&q, 7),
                            .exit_signal = (int)ix_query_int(&q, 8),
                            .disturbed = ix_query_text_or_null(&q, 9),
                            .interrupted = ix_query_int(&q, 10) != 0,
                        });
    }
    return ix_query_end(&q, rc, err);
}

/* ---- JVMs ---- */

#define SELECT_VM                                                                                  \
    "SELECT id, execution, role, host, jvm, pid, started_ns, log, clock_offset_ns, ended, "        \
    "ended_ns, ended_text, requests, stale, superseded, foreign_count, "                           \
    "ifnull(clock_error_ns, -1), clock_drift_ppb, late, log_state, log_copy, "                     \
    "ifnull(log_whole, -1) FROM vm "
#define ORDER_VM "ORDER BY execution, role, id"

/* An uploaded log is read from its copy: the file at its old path on this host may be another one.
 * A part of a log is better than nothing. */
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

static int vm_row(struct ix_catalogue *c, const struct ix_query *q,
                  int (*each)(void *user, const struct ix_vm *vm), void *user, struct ix_error *err)
{
    const char *state = ix_query_text(q, 19), *copy = ix_query_text_or_null(q, 20);
    char *there = ix_catalogue_absolute_log(c, ix_query_text(q, 7), err);
    char *log = there ? readable_log(c, ix_query_text(q, 7), state, copy, err) : NULL;
    if (!log) {
        free(there);
        return -1;
    }
    int rc = each(user, &(struct ix_vm){
                            .id = ix_query_int(q, 0),
                            .execution = ix_query_int(q, 1),
                            .role = ix_query_text(q, 2),
                            .host = ix_query_text(q, 3),
                            .jvm = ix_query_text(q, 4),
                            .pid = ix_query_int(q, 5),
                            .started_ns = ix_query_int(q, 6),
                            .log = log,
                            .clock_offset_ns = ix_query_int(q, 8),
                            .ended = ix_query_text(q, 9),
                            .ended_ns = ix_query_int(q, 10),
                            .ended_text = ix_query_text_or_null(q, 11),
                            .requests = ix_query_int(q, 12),
                            .stale = ix_query_int(q, 13),
                            .superseded = ix_query_int(q, 14),
                            .foreign_count = ix_query_int(q, 15),
                            .clock_error_ns = ix_query_int(q, 16),
                            .clock_drift_ppb = ix_query_int(q, 17),
                            .late = ix_query_int(q, 18),
                            .log_there = there,
                            .log_state = state,
                            .log_copy = copy,
                            .log_whole = (int)ix_query_int(q, 21),
                        });
    free(log);
    free(there);
    return rc;
}

/* Calls back for each row of a query of SELECT_VM, and ends it. */
static int each_vm(struct ix_query q, int (*each)(void *user, const struct ix_vm *vm), void *user,
                   struct ix_error *err)
{
    int rc = 0;
    while (ix_query_row(&q, rc))
        rc = vm_row(q.c, &q, each, user, err);
    return ix_query_end(&q, rc, err);
}

int ix_catalogue_vms(struct ix_catalogue *c, int64_t execution,
                     int (*each)(void *user, const struct ix_vm *vm), void *user,
                     struct ix_error *err)
{
    /* Two statements, because "?1 = 0 OR ..." would not use the index. */
    const char *sql = execution ? SELECT_VM "WHERE execution = ?1 " ORDER_VM : SELECT_VM ORDER_VM;
    return each_vm(list(c, sql, execution, err), each, user, err);
}

int ix_catalogue_vm(struct ix_catalogue *c, int64_t id,
                    int (*each)(void *user, const struct ix_vm *vm), void *user,
                    struct ix_error *err)
{
    return each_vm(list(c, SELECT_VM "WHERE id = ?1", id, err), each, user, err);
}

/* ---- packets and snapshots ---- */

int ix_catalogue_vm_reported(struct ix_catalogue *c, int64_t vm, int64_t *packet,
                             struct ix_error *err)
{
    return ix_query_number(c, "SELECT ifnull(max(packet), 0) FROM snapshot WHERE vm = ?1", &vm, 1,
                           packet, err);
}

int ix_catalogue_last_packet(struct ix_catalogue *c, int64_t most, int64_t *number,
                             struct ix_error *err)
{
    return ix_query_number(
        c,
        "SELECT max(ifnull((SELECT max(number) FROM packet WHERE number <= ?1), 0), "
        "ifnull((SELECT max(packet) FROM snapshot WHERE packet <= ?1), 0))",
        &most, 1, number, err);
}

int ix_catalogue_last_sent(struct ix_catalogue *c, int64_t most, int64_t *sent_ns,
                           struct ix_error *err)
{
    return ix_query_number(
        c, "SELECT sent_ns FROM packet WHERE number <= ?1 ORDER BY number DESC LIMIT 1", &most, 1,
        sent_ns, err);
}

int ix_catalogue_packet_count(struct ix_catalogue *c, int64_t execution, int64_t *count,
                              struct ix_error *err)
{
    return ix_query_number(c,
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
    struct ix_query q = list(c,
                             execution ? SELECT_OUTCOME "WHERE execution = ?1 " ORDER_OUTCOME
                                       : SELECT_OUTCOME ORDER_OUTCOME,
                             execution, err);
    int rc = 0;
    while (ix_query_row(&q, rc)) {
        rc = each(user, &(struct ix_packet_outcome){
                            .execution = ix_query_int(&q, 0),
                            .number = ix_query_int(&q, 1),
                            .taken = ix_query_int(&q, 2),
                            .skew_ns = ix_query_int(&q, 3),
                            .skew_error_ns = ix_query_int(&q, 4),
                            .lead_ns = ix_query_int(&q, 5),
                        });
    }
    return ix_query_end(&q, rc, err);
}

#define SNAPSHOT_COLUMNS                                                                           \
    "s.vm, s.packet, s.begin_ns, s.begin_mono_ns, s.stop_ns, s.threads, s.frames, s.missed "
#define SELECT_SNAPSHOT "SELECT " SNAPSHOT_COLUMNS "FROM vm JOIN snapshot AS s ON s.vm = vm.id "
#define ORDER_SNAPSHOT "ORDER BY vm.execution, s.packet, s.vm"

/* Calls back for each row of a query of SNAPSHOT_COLUMNS, and ends it. */
static int each_snapshot(struct ix_query q,
                         int (*each)(void *user, const struct ix_snapshot_row *row), void *user,
                         struct ix_error *err)
{
    int rc = 0;
    while (ix_query_row(&q, rc)) {
        rc = each(user, &(struct ix_snapshot_row){
                            .vm = ix_query_int(&q, 0),
                            .packet = ix_query_int(&q, 1),
                            .begin_ns = ix_query_int(&q, 2),
                            .begin_mono_ns = ix_query_int(&q, 3),
                            .stop_ns = ix_query_int(&q, 4),
                            .threads = ix_query_int(&q, 5),
                            .frames = ix_query_int(&q, 6),
                            .missed = ix_query_int(&q, 7),
                        });
    }
    return ix_query_end(&q, rc, err);
}

int ix_catalogue_snapshots(struct ix_catalogue *c, int64_t execution,
                           int (*each)(void *user, const struct ix_snapshot_row *row), void *user,
                           struct ix_error *err)
{
    return each_snapshot(list(c,
                              execution ? SELECT_SNAPSHOT "WHERE vm.execution = ?1 " ORDER_SNAPSHOT
                                        : SELECT_SNAPSHOT ORDER_SNAPSHOT,
                              execution, err),
                         each, user, err);
}

int ix_catalogue_recent_snapshots(struct ix_catalogue *c, int64_t vm, int64_t above, int64_t limit,
                                  int (*each)(void *user, const struct ix_snapshot_row *row),
                                  void *user, struct ix_error *err)
{
    const int64_t values[] = {vm, above, limit};
    struct ix_query q =
        ix_query_begin(c,
                       "SELECT " SNAPSHOT_COLUMNS "FROM snapshot AS s WHERE s.vm = ?1 "
                       "AND s.packet > ?2 ORDER BY s.packet DESC LIMIT ?3",
                       values, 3, err);
    return each_snapshot(q, each, user, err);
}

int ix_catalogue_packet_snapshots(struct ix_catalogue *c, int64_t execution, int64_t packet,
                                  int (*each)(void *user, const struct ix_snapshot_row *row),
                                  void *user, struct ix_error *err)
{
    const int64_t values[] = {execution, packet};
    struct ix_query q =
        ix_query_begin(c,
                       "SELECT " SNAPSHOT_COLUMNS "FROM vm CROSS JOIN snapshot AS s "
                       "ON s.vm = vm.id AND s.packet = ?2 WHERE vm.execution = ?1 "
                       "ORDER BY s.vm",
                       values, 2, err);
    return each_snapshot(q, each, user, err);
}

int ix_catalogue_snapshots_above(struct ix_catalogue *c, int64_t vm, int64_t above, int64_t *count,
                                 struct ix_error *err)
{
    const int64_t values[] = {vm, above};
    return ix_query_number(c, "SELECT count(*) FROM snapshot WHERE vm = ?1 AND packet > ?2", values,
                           2, count, err);
}

/* ---- marks ---- */

int ix_catalogue_marks(struct ix_catalogue *c, int (*each)(void *user, const struct ix_mark *mark),
                       void *user, struct ix_error *err)
{
    struct ix_query q = list(
        c, "SELECT id, ifnull(execution, 0), packet, at_ns, text FROM mark ORDER BY id", 0, err);
    int rc = 0;
    while (ix_query_row(&q, rc)) {
        rc = each(user, &(struct ix_mark){
                            .id = ix_query_int(&q, 0),
                            .execution = ix_query_int(&q, 1),
                            .packet = ix_query_int(&q, 2),
                            .at_ns = ix_query_int(&q, 3),
                            .text = ix_query_text(&q, 4),
                        });
    }
    return ix_query_end(&q, rc, err);
}

/* ---- what is new: packets ---- */

#define SELECT_PACKET                                                                              \
    "SELECT number, sent_ns, vms, ifnull(taken, -1), ifnull(skew_ns, -1), "                        \
    "ifnull(skew_error_ns, -1) FROM packet WHERE execution = ?1 "

static struct ix_recent_packet packet_of(const struct ix_query *q)
{
    return (struct ix_recent_packet){
        .number = ix_query_int(q, 0),
        .sent_ns = ix_query_int(q, 1),
        .vms = ix_query_int(q, 2),
        .taken = ix_query_int(q, 3),
        .skew_ns = ix_query_int(q, 4),
        .skew_error_ns = ix_query_int(q, 5),
    };
}

int ix_catalogue_recent_packets(struct ix_catalogue *c, int64_t execution, int64_t above,
                                int64_t limit,
                                int (*each)(void *user, const struct ix_recent_packet *row),
                                void *user, struct ix_error *err)
{
    const int64_t values[] = {execution, above, limit};
    struct ix_query q = ix_query_begin(
        c, SELECT_PACKET "AND number > ?2 ORDER BY number DESC LIMIT ?3", values, 3, err);
    int rc = 0;
    while (ix_query_row(&q, rc)) {
        const struct ix_recent_packet row = packet_of(&q);
        rc = each(user, &row);
    }
    return ix_query_end(&q, rc, err);
}

int ix_catalogue_packets_above(struct ix_catalogue *c, int64_t execution, int64_t above,
                               int64_t *count, struct ix_error *err)
{
    const int64_t values[] = {execution, above};
    return ix_query_number(c, "SELECT count(*) FROM packet WHERE execution = ?1 AND number > ?2",
                           values, 2, count, err);
}

int ix_catalogue_packet(struct ix_catalogue *c, int64_t execution, int64_t number,
                        struct ix_recent_packet *row, int64_t *previous, int64_t *next,
                        struct ix_error *err)
{
    const int64_t values[] = {execution, number};
    if (ix_query_number(c,
                        "SELECT ifnull(max(number), 0) FROM packet WHERE execution = ?1 "
                        "AND number < ?2",
                        values, 2, previous, err) != 0 ||
        ix_query_number(c,
                        "SELECT ifnull(min(number), 0) FROM packet WHERE execution = ?1 "
                        "AND number > ?2",
                        values, 2, next, err) != 0)
        return -1;
    struct ix_query q = ix_query_begin(c, SELECT_PACKET "AND number = ?2", values, 2, err);
    const bool found = ix_query_row(&q, 0);
    if (found)
        *row = packet_of(&q);
    return ix_query_end(&q, 0, err) == 0 ? found : -1;
}

/* ---- where a log is ---- */

/* Whether the path, as text, stays inside the campaign's directory. */
static bool inside(const char *stored)
{
    if (stored[0] == '\0' || stored[0] == '/')
        return false;
    for (const char *at = stored; at; at = strchr(at, '/')) {
        at += at[0] == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return false;
    }
    return true;
}

/* Turns a stored path into one that can be opened, if it is inside the directory; *path is
 * unchanged if not, or if the file must exist and does not. */
static int take_log(struct ix_catalogue *c, const char *stored, bool must_be_there, char **path,
                    struct ix_error *err)
{
    if (*path || !stored || !inside(stored))
        return 0;
    *path = ix_catalogue_openable_log(c, stored, err);
    if (!*path)
        return -1;
    if (must_be_there && access(*path, R_OK) != 0) {
        free(*path);
        *path = NULL;
    }
    return 0;
}

int ix_catalogue_vm_log(struct ix_catalogue *c, int64_t vm, char **path, struct ix_error *err)
{
    *path = NULL;
    struct ix_query q = ix_query_begin(
        c, "SELECT log, log_copy, log_state = 'collected' FROM vm WHERE id = ?1", &vm, 1, err);
    int rc = 0;
    if (ix_query_row(&q, 0)) {
        const char *log = ix_query_text_or_null(&q, 0), *copy = ix_query_text_or_null(&q, 1);
        const bool home = ix_query_int(&q, 2);
        if ((!home && take_log(c, log, true, path, err) != 0) ||
            take_log(c, copy, false, path, err) != 0 || take_log(c, log, false, path, err) != 0)
            rc = -1;
    }
    return ix_query_end(&q, rc, err);
}
