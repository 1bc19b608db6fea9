/* SPDX-License-Identifier: Apache-2.0 */
/* Changing the catalogue. Every function is one statement, kept prepared: a server writes thousands
 * of rows a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/catalogue/catalogue.h"
#include "schema/catalogue/dir.h"
#include "schema/catalogue/handle.h"
#include "schema/catalogue/suggest.h"

static const char *const statement_sql[IX_STATEMENTS] = {
    [IX_ADD_EXECUTION] = "INSERT INTO execution (name, command, begin_ns) VALUES (?1, ?2, ?3) "
                         "ON CONFLICT (name) DO NOTHING RETURNING id",
    [IX_END_EXECUTION] = /* a wall clock may have been set back meanwhile */
    "UPDATE execution SET end_ns = max(ifnull(begin_ns, 0), ?2), "
    "exit_status = ?3, exit_signal = ?4, "
    "verdict = CASE WHEN ?6 IS NULL OR verdict_by = 'user' THEN verdict "
    "ELSE ?5 END, verdict_by = CASE WHEN verdict_by = 'user' THEN verdict_by "
    "ELSE coalesce(?6, verdict_by) END WHERE id = ?1",
    [IX_DISTURB_EXECUTION] = "UPDATE execution SET disturbed = ?2 WHERE id = ?1",
    [IX_LABEL_EXECUTION] = "UPDATE execution SET verdict = ?2, verdict_by = "
                           "CASE ?2 WHEN 'unknown' THEN NULL ELSE 'user' END WHERE name = ?1",
    [IX_REMOVE_EXECUTION] = "DELETE FROM execution WHERE id = ?1",
    [IX_ADD_VM] = "INSERT INTO vm (execution, role, host, pid, jvm, started_ns, log, "
                  "clock_offset_ns, ended) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
                  "ON CONFLICT (execution, host, pid, started_ns, log) DO UPDATE SET "
                  "clock_offset_ns = excluded.clock_offset_ns, clock_error_ns = NULL, "
                  "clock_drift_ppb = NULL, ended = excluded.ended, ended_ns = NULL, "
                  "ended_text = NULL RETURNING id",
    [IX_COUNT_VM] = "UPDATE vm SET requests = requests + ?2, stale = ?3, superseded = ?4, "
                    "foreign_count = ?5 WHERE id = ?1",
    [IX_END_VM] = "UPDATE vm SET ended = ?2, ended_ns = ?3, ended_text = ?4 WHERE id = ?1",
    [IX_COUNT_LATE] = "UPDATE vm SET late = late + ?2 WHERE id = ?1",
    [IX_ADD_CLOCK] = "INSERT OR REPLACE INTO clock (vm, mono_ns, offset_ns, error_ns, drift_ppb) "
                     "VALUES (?1, ?2, ?3, ?4, ?5)",
    [IX_SET_CLOCK] = "UPDATE vm SET clock_offset_ns = ?2, clock_error_ns = ?3, "
                     "clock_drift_ppb = ?4 WHERE id = ?1",
    [IX_END_RUNNING_VMS] = "UPDATE vm SET ended = ?1, ended_ns = ?2 WHERE ended = 'running'",
    [IX_MARK_OPEN_COMMANDS] =
        "INSERT INTO mark (execution, packet, at_ns, text) SELECT e.id, ifnull(max(p.number), 0), "
        "coalesce(max(p.sent_ns), e.begin_ns, 0), '" IX_INTERRUPTED "' FROM execution e "
        "LEFT JOIN packet p ON p.execution = e.id WHERE e.end_ns IS NULL AND e.command IS NOT NULL "
        "GROUP BY e.id",
    [IX_END_OPEN_COMMANDS] =
        "UPDATE execution SET end_ns = coalesce((SELECT max(sent_ns) FROM packet WHERE execution = "
        "execution.id), begin_ns) WHERE end_ns IS NULL AND command IS NOT NULL",
    [IX_SET_LOG] = "UPDATE vm SET log_state = ?2, log_copy = coalesce(?3, log_copy), "
                   "log_whole = coalesce(?4, log_whole) WHERE id = ?1",
    [IX_ADD_PACKET] =
        "INSERT INTO packet (execution, number, sent_ns, vms, lead_ns, spread_ns, asked) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [IX_CLOSE_PACKET] = "UPDATE packet SET taken = ?3, skew_ns = ?4, skew_error_ns = ?5 "
                        "WHERE execution = ?1 AND number = ?2",
    [IX_ADD_SNAPSHOT] = "INSERT INTO snapshot (vm, packet, begin_ns, begin_mono_ns, stop_ns, "
                        "threads, frames, missed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
                        "ON CONFLICT (vm, packet) DO NOTHING",
    [IX_ADD_MARK] = "INSERT INTO mark (execution, packet, at_ns, text) SELECT ?1, ?2, ?3, ?4 "
                    "WHERE NOT EXISTS (SELECT 1 FROM mark WHERE execution IS ?1 AND packet = ?2 "
                    "AND text = ?4)",
};

/* ---- running a statement ---- */

struct value {
    enum { VALUE_NULL, VALUE_NUMBER, VALUE_TEXT } kind;
    int64_t number;
    const char *text;
};

static struct value number(int64_t v)
{
    return (struct value){.kind = VALUE_NUMBER, .number = v};
}

static struct value number_unless(int64_t unknown, int64_t v)
{
    return v == unknown ? (struct value){0} : number(v);
}

static struct value text(const char *v)
{
    return (struct value){.kind = v ? VALUE_TEXT : VALUE_NULL, .text = v};
}

static int bind(sqlite3_stmt *s, int at, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NUMBER:
        return sqlite3_bind_int64(s, at, v->number);
    case VALUE_TEXT:
        /* STATIC: the value outlives the statement's run, see run(). */
        return sqlite3_bind_text(s, at, v->text, -1, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(s, at);
    }
}

/* Runs a statement with ?1, ?2 ... set to the values; `id`, if not NULL, receives what RETURNING
 * gives. 1 if it changed a row, 0 if none, -1 on failure. `doing` is for the message. */
static int run(struct ix_catalogue *c, enum ix_statement which, const struct value *values,
               int count, int64_t *id, const char *doing, struct ix_error *err)
{
    sqlite3_stmt **slot = &c->statements[which];
    int rc = SQLITE_OK;
    if (!*slot)
        rc = sqlite3_prepare_v3(c->db, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT, slot,
                                NULL);
    for (int i = 0; rc == SQLITE_OK && i < count; i++)
        rc = bind(*slot, i + 1, &values[i]);
    bool changed = false;
    if (rc == SQLITE_OK) {
        sqlite3_int64 before = sqlite3_total_changes64(c->db);
        rc = sqlite3_step(*slot);
        if (rc == SQLITE_ROW) {
            if (id)
                *id = sqlite3_column_int64(*slot, 0);
            rc = sqlite3_step(*slot);
        }
        changed = sqlite3_total_changes64(c->db) != before;
    }
    if (rc != SQLITE_DONE)
        ix_catalogue_fail(c, doing, err);
    if (*slot) {
        sqlite3_reset(*slot);
        sqlite3_clear_bindings(*slot);
    }
    return rc != SQLITE_DONE ? -1 : changed;
}

#define RUN(c, which, id, doing, err, ...)                                                         \
    run(c, which, (const struct value[]){__VA_ARGS__},                                             \
        (int)(sizeof(struct value[]){__VA_ARGS__} / sizeof(struct value)), id, doing, err)

/* The result of an update by id: a row that is not there is an error. */
static int must_exist(struct ix_catalogue *c, int changed, const char *kind, int64_t id,
                      struct ix_error *err)
{
    if (changed == 0)
        return ix_fail(err, "'%s': there is no %s number %lld", c->file, kind, (long long)id);
    return changed < 0 ? -1 : 0;
}

/* ---- executions ---- */

int ix_catalogue_check_name(const char *name, struct ix_error *err)
{
    size_t len = strlen(name);
    if (len == 0)
        return ix_fail(err, "a run's name must not be empty");
    if (len > IX_EXECUTION_NAME_MAX)
        return ix_fail(err, "the run's name '%.40s...' has %zu bytes; %d are allowed", name, len,
                       IX_EXECUTION_NAME_MAX);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return ix_fail(err, "a run's name has a control character (code %d, byte %zu)", name[i],
                           i + 1);
    if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return ix_fail(err, "the run's name '%s' cannot be used as a file name", name);
    return 0;
}

int ix_catalogue_add_execution(struct ix_catalogue *c, const char *name, const char *command,
                               int64_t begin_ns, int64_t *id, struct ix_error *err)
{
    if (ix_catalogue_check_name(name, err) != 0)
        return -1;
    int rc = RUN(c, IX_ADD_EXECUTION, id, "add a run", err, text(name), text(command),
                 number_unless(0, begin_ns));
    if (rc == 0)
        return ix_fail(err, "'%s': there is a run '%s' already", c->file, name);
    return rc < 0 ? -1 : 0;
}

int ix_catalogue_end_execution(struct ix_catalogue *c, int64_t id, int64_t end_ns, int exit_status,
                               int exit_signal, enum ix_verdict verdict, const char *verdict_by,
                               struct ix_error *err)
{
    int rc = RUN(c, IX_END_EXECUTION, NULL, "end a run", err, number(id), number_unless(0, end_ns),
                 number_unless(-1, exit_status), number_unless(0, exit_signal),
                 text(ix_verdict_name(verdict)), text(verdict_by));
    return must_exist(c, rc, "run", id, err);
}

int ix_catalogue_disturb(struct ix_catalogue *c, int64_t id, const char *disturbed,
                         struct ix_error *err)
{
    const struct value values[] = {number(id), text(disturbed)};
    return run(c, IX_DISTURB_EXECUTION, values, 2, NULL, "write a run", err) < 0 ? -1 : 0;
}

int ix_catalogue_label(struct ix_catalogue *c, const char *name, enum ix_verdict verdict,
                       struct ix_error *err)
{
    int rc = RUN(c, IX_LABEL_EXECUTION, NULL, "label a run", err, text(name),
                 text(ix_verdict_name(verdict)));
    if (rc == 0)
        return ix_catalogue_fail_unknown(c, name, err);
    return rc < 0 ? -1 : 0;
}

int ix_catalogue_remove_execution(struct ix_catalogue *c, int64_t id, struct ix_error *err)
{
    int rc = RUN(c, IX_REMOVE_EXECUTION, NULL, "remove a run", err, number(id));
    return must_exist(c, rc, "run", id, err);
}

/* ---- JVMs ---- */

int ix_catalogue_add_vm(struct ix_catalogue *c, const struct ix_vm *vm, int64_t *id,
                        struct ix_error *err)
{
    char *log = ix_catalogue_stored_log(c, vm->log, err);
    if (!log)
        return -1;
    int rc = RUN(c, IX_ADD_VM, id, "add a JVM", err, number(vm->execution), text(vm->role),
                 text(vm->host), number(vm->pid), text(vm->jvm), number(vm->started_ns), text(log),
                 number(vm->clock_offset_ns), text(vm->ended ? vm->ended : "running"));
    free(log);
    return rc < 0 ? -1 : 0;
}

int ix_catalogue_count_vm(struct ix_catalogue *c, int64_t id, int64_t more_requests, int64_t stale,
                          int64_t superseded, int64_t foreign_count, struct ix_error *err)
{
    int rc = RUN(c, IX_COUNT_VM, NULL, "count a JVM's requests", err, number(id),
                 number(more_requests), number(stale), number(superseded), number(foreign_count));
    return must_exist(c, rc, "JVM", id, err);
}

int ix_catalogue_end_vm(struct ix_catalogue *c, int64_t id, const char *ended, int64_t ended_ns,
                        const char *why, struct ix_error *err)
{
    int rc = RUN(c, IX_END_VM, NULL, "end a JVM", err, number(id), text(ended),
                 number_unless(0, ended_ns), text(why));
    return must_exist(c, rc, "JVM", id, err);
}

int ix_catalogue_count_late(struct ix_catalogue *c, int64_t id, int64_t more, struct ix_error *err)
{
    int rc = RUN(c, IX_COUNT_LATE, NULL, "count a JVM's late stops", err, number(id), number(more));
    return must_exist(c, rc, "JVM", id, err);
}

int ix_catalogue_add_clock(struct ix_catalogue *c, const struct ix_clock_row *row,
                           struct ix_error *err)
{
    static const char doing[] = "record a JVM's clock";
    int rc = RUN(c, IX_ADD_CLOCK, NULL, doing, err, number(row->vm), number(row->mono_ns),
                 number(row->offset_ns), number(row->error_ns), number(row->drift_ppb));
    if (rc < 0)
        return -1;
    rc = RUN(c, IX_SET_CLOCK, NULL, doing, err, number(row->vm), number(row->offset_ns),
             number(row->error_ns), number(row->drift_ppb));
    return must_exist(c, rc, "JVM", row->vm, err);
}

int ix_catalogue_end_running_vms(struct ix_catalogue *c, const char *ended, int64_t ended_ns,
                                 struct ix_error *err)
{
    int rc = RUN(c, IX_END_RUNNING_VMS, NULL, "end the running JVMs", err, text(ended),
                 number_unless(0, ended_ns));
    return rc < 0 ? -1 : 0;
}

int ix_catalogue_end_open_commands(struct ix_catalogue *c, struct ix_error *err)
{
    int rc = RUN(c, IX_MARK_OPEN_COMMANDS, NULL, "mark the open runs", err);
    if (rc >= 0)
        rc = RUN(c, IX_END_OPEN_COMMANDS, NULL, "end the open runs", err);
    return rc < 0 ? -1 : 0;
}

int ix_catalogue_set_log(struct ix_catalogue *c, int64_t id, const char *state, const char *copy,
                         int whole, struct ix_error *err)
{
    int rc = RUN(c, IX_SET_LOG, NULL, "say where a log is", err, number(id), text(state),
                 text(copy), number_unless(-1, whole));
    return must_exist(c, rc, "JVM", id, err);
}

/* ---- packets and snapshots ---- */

int ix_catalogue_add_packet(struct ix_catalogue *c, const struct ix_packet_row *row,
                            struct ix_error *err)
{
    int rc = RUN(c, IX_ADD_PACKET, NULL, "add a packet", err, number(row->execution),
                 number(row->number), number(row->sent_ns), number(row->vms), number(row->lead_ns),
                 number_unless(-1, row->spread_ns), text(row->asked));
    return rc < 0 ? -1 : 0;
}

/* A packet that was removed with its run needs no outcome. */
int ix_catalogue_close_packet(struct ix_catalogue *c, const struct ix_packet_outcome *outcome,
                              struct ix_error *err)
{
    int rc = RUN(c, IX_CLOSE_PACKET, NULL, "close a packet", err, number(outcome->execution),
                 number(outcome->number), number(outcome->taken),
                 number_unless(-1, outcome->skew_ns), number_unless(-1, outcome->skew_error_ns));
    return rc < 0 ? -1 : 0;
}

int ix_catalogue_add_snapshot(struct ix_catalogue *c, const struct ix_snapshot_row *row,
                              struct ix_error *err)
{
    int rc =
        RUN(c, IX_ADD_SNAPSHOT, NULL, "add a snapshot", err, number(row->vm), number(row->packet),
            number(row->begin_ns), number(row->begin_mono_ns), number(row->stop_ns),
            number(row->threads), number(row->frames), number(row->missed));
    return rc < 0 ? -1 : 0;
}

int ix_catalogue_add_mark(struct ix_catalogue *c, const struct ix_mark *mark, struct ix_error *err)
{
    int rc = RUN(c, IX_ADD_MARK, NULL, "add a mark", err, number_unless(0, mark->execution),
                 number(mark->packet), number(mark->at_ns), text(mark->text));
    return rc < 0 ? -1 : 0;
}
