/* What a viewer asks the catalogue for again and again: the newest rows, and single packets. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/catalogue_internal.h"

/* ---- packets ---- */

#define SELECT_PACKET                                                                              \
    "SELECT number, sent_ns, vms, ifnull(taken, -1), ifnull(skew_ns, -1), "                        \
    "ifnull(skew_error_ns, -1) FROM packet WHERE execution = ?1 "

static struct ix_recent_packet packet_of(sqlite3_stmt *s)
{
    return (struct ix_recent_packet){
        .number = sqlite3_column_int64(s, 0),
        .sent_ns = sqlite3_column_int64(s, 1),
        .vms = sqlite3_column_int64(s, 2),
        .taken = sqlite3_column_int64(s, 3),
        .skew_ns = sqlite3_column_int64(s, 4),
        .skew_error_ns = sqlite3_column_int64(s, 5),
    };
}

int ix_catalogue_recent_packets(struct ix_catalogue *c, int64_t execution, int64_t above,
                                int64_t limit,
                                int (*each)(void *user, const struct ix_recent_packet *row),
                                void *user, struct ix_error *err)
{
    const int64_t values[] = {execution, above, limit};
    sqlite3_stmt *s = ix_catalogue_ask(
        c, SELECT_PACKET "AND number > ?2 ORDER BY number DESC LIMIT ?3", values, 3, err);
    if (!s)
        return -1;
    int step, rc = 0;
    while (rc == 0 && (step = sqlite3_step(s)) == SQLITE_ROW) {
        const struct ix_recent_packet row = packet_of(s);
        rc = each(user, &row);
    }
    return ix_catalogue_answered(c, s, step, rc, err);
}

int ix_catalogue_packets_above(struct ix_catalogue *c, int64_t execution, int64_t above,
                               int64_t *count, struct ix_error *err)
{
    const int64_t values[] = {execution, above};
    return ix_catalogue_ask_number(
        c, "SELECT count(*) FROM packet WHERE execution = ?1 AND number > ?2", values, 2, count,
        err);
}

int ix_catalogue_packet(struct ix_catalogue *c, int64_t execution, int64_t number,
                        struct ix_recent_packet *row, int64_t *previous, int64_t *next,
                        struct ix_error *err)
{
    const int64_t values[] = {execution, number};
    if (ix_catalogue_ask_number(c,
                                "SELECT ifnull(max(number), 0) FROM packet WHERE execution = ?1 "
                                "AND number < ?2",
                                values, 2, previous, err) != 0 ||
        ix_catalogue_ask_number(c,
                                "SELECT ifnull(min(number), 0) FROM packet WHERE execution = ?1 "
                                "AND number > ?2",
                                values, 2, next, err) != 0)
        return -1;
    sqlite3_stmt *s = ix_catalogue_ask(c, SELECT_PACKET "AND number = ?2", values, 2, err);
    if (!s)
        return -1;
    int step = sqlite3_step(s), found = step == SQLITE_ROW;
    if (found) {
        *row = packet_of(s);
        step = SQLITE_DONE;
    }
    return ix_catalogue_answered(c, s, step, 0, err) == 0 ? found : -1;
}

/* ---- snapshots ---- */

#define SNAPSHOT_COLUMNS                                                                           \
    "s.vm, s.packet, s.begin_ns, s.begin_mono_ns, s.stop_ns, s.threads, s.frames, s.missed "

static int each_snapshot(struct ix_catalogue *c, sqlite3_stmt *s,
                         int (*each)(void *user, const struct ix_snapshot_row *row), void *user,
                         struct ix_error *err)
{
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

int ix_catalogue_recent_snapshots(struct ix_catalogue *c, int64_t vm, int64_t above, int64_t limit,
                                  int (*each)(void *user, const struct ix_snapshot_row *row),
                                  void *user, struct ix_error *err)
{
    const int64_t values[] = {vm, above, limit};
    sqlite3_stmt *s =
        ix_catalogue_ask(c,
                         "SELECT " SNAPSHOT_COLUMNS "FROM snapshot AS s WHERE s.vm = ?1 "
                         "AND s.packet > ?2 ORDER BY s.packet DESC LIMIT ?3",
                         values, 3, err);
    return s ? each_snapshot(c, s, each, user, err) : -1;
}

int ix_catalogue_packet_snapshots(struct ix_catalogue *c, int64_t execution, int64_t packet,
                                  int (*each)(void *user, const struct ix_snapshot_row *row),
                                  void *user, struct ix_error *err)
{
    const int64_t values[] = {execution, packet};
    sqlite3_stmt *s =
        ix_catalogue_ask(c,
                         "SELECT " SNAPSHOT_COLUMNS "FROM vm CROSS JOIN snapshot AS s "
                         "ON s.vm = vm.id AND s.packet = ?2 WHERE vm.execution = ?1 "
                         "ORDER BY s.vm",
                         values, 2, err);
    return s ? each_snapshot(c, s, each, user, err) : -1;
}

int ix_catalogue_snapshots_above(struct ix_catalogue *c, int64_t vm, int64_t above, int64_t *count,
                                 struct ix_error *err)
{
    const int64_t values[] = {vm, above};
    return ix_catalogue_ask_number(c, "SELECT count(*) FROM snapshot WHERE vm = ?1 AND packet > ?2",
                                   values, 2, count, err);
}

/* ---- where a log is ---- */

/* A path that cannot lead out of the campaign's directory by its words alone. */
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

/* A stored path as one that can be opened, if it leads into the directory; *path stays as it is if
 * it does not, or if it must be there and is not. */
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
    sqlite3_stmt *s = ix_catalogue_ask(
        c, "SELECT log, log_copy, log_state = 'collected' FROM vm WHERE id = ?1", &vm, 1, err);
    if (!s)
        return -1;
    int step = sqlite3_step(s), rc = 0;
    if (step == SQLITE_ROW) {
        const char *log = (const char *)sqlite3_column_text(s, 0);
        const char *copy = (const char *)sqlite3_column_text(s, 1);
        const bool home = sqlite3_column_int(s, 2);
        if ((!home && take_log(c, log, true, path, err) != 0) ||
            take_log(c, copy, false, path, err) != 0 || take_log(c, log, false, path, err) != 0)
            rc = -1;
        step = SQLITE_DONE;
    }
    return ix_catalogue_answered(c, s, step, rc, err);
}
