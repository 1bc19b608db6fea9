/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer's other queries: one packet of a run, a JVM's packets, its log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/protocol/protocol.h"
#include "server/base/json.h"
#include "server/store/listing.h"
#include "server/viewer/live.h"

/* ---- one packet ---- */

/* JVMs that took the packet. */
struct takers {
    struct ix_snapshot_row *rows;
    size_t count, room;
};

static int take_taker(void *user, const struct ix_snapshot_row *row)
{
    struct takers *t = user;
    if (t->count == t->room)
        return 0; /* a JVM that joined after the list was read */
    t->rows[t->count++] = *row;
    return 0;
}

static const struct ix_snapshot_row *taken_by(const struct takers *t, int64_t vm)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->rows[i].vm == vm)
            return &t->rows[i];
    }
    return NULL;
}

static json_t *taker_json(const struct ix_vm *vm, const struct ix_snapshot_row *row,
                          int64_t first_ns)
{
    if (!row)
        return json_pack("{sI sb}", "vm", (json_int_t)vm->id, "taken", 0);
    return IXOR_JSON_OBJECT(
        {"vm", json_integer((json_int_t)vm->id)}, {"taken", json_boolean(1)},
        {"after_ns",
         json_integer((json_int_t)(row->begin_mono_ns + vm->clock_offset_ns - first_ns))},
        {"stop_ns", json_integer((json_int_t)row->stop_ns)},
        {"threads", json_integer((json_int_t)row->threads)},
        {"frames", json_integer((json_int_t)row->frames)});
}

static json_t *takers_json(const struct ixor_vm_list *vms, const struct takers *t, int64_t *skew_ns)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    json_t *array = json_array();
    for (size_t i = 0; i < vms->count; i++) {
        const struct ix_snapshot_row *row = taken_by(t, vms->at[i].id);
        const int64_t at_ns = row ? row->begin_mono_ns + vms->at[i].clock_offset_ns : 0;
        if (row && at_ns < first_ns)
            first_ns = at_ns;
        if (row && at_ns > last_ns)
            last_ns = at_ns;
    }
    for (size_t i = 0; i < vms->count && i < IXOR_LIVE_SHOWN; i++)
        json_array_append_new(array, taker_json(&vms->at[i], taken_by(t, vms->at[i].id), first_ns));
    *skew_ns = t->count > 1 ? last_ns - first_ns : -1;
    return array;
}

static enum ixor_found moment_of(struct ixor_live *l, int64_t execution, int64_t packet,
                                 struct ixor_vm_list *vms, struct takers *t, json_t **out,
                                 struct ix_error *err)
{
    struct ix_recent_packet row = {.taken = -1, .skew_ns = -1};
    int64_t previous = 0, next = 0, skew = -1;
    const int found =
        ix_catalogue_packet(ixor_live_catalogue(l), execution, packet, &row, &previous, &next, err);
    if (found < 0 || ixor_list_vms(vms, ixor_live_catalogue(l), execution, err) != 0)
        return IXOR_BROKEN;
    t->rows = calloc(vms->count + 1, sizeof *t->rows);
    t->room = vms->count;
    if (!t->rows)
        return (enum ixor_found)ix_fail(err, "out of memory");
    if (ix_catalogue_packet_snapshots(ixor_live_catalogue(l), execution, packet, take_taker, t,
                                      err) != 0)
        return IXOR_BROKEN;
    if (!found && t->count == 0) {
        ix_fail(err, "run %lld has no packet %lld; the nearest are %lld and %lld",
                (long long)execution, (long long)packet, (long long)previous, (long long)next);
        return IXOR_NOT_THERE;
    }
    json_t *takers = takers_json(vms, t, &skew);
    if (row.skew_ns >= 0)
        skew = row.skew_ns;
    return ixor_live_answer(
        IXOR_JSON_OBJECT({"execution", json_integer((json_int_t)execution)},
                         {"packet", json_integer((json_int_t)packet)},
                         {"sent_ns", ixor_live_number(found ? row.sent_ns : -1)},
                         {"previous", ixor_live_number(previous ? previous : -1)},
                         {"next", ixor_live_number(next ? next : -1)},
                         {"sent", ixor_live_number(found ? row.vms : -1)},
                         {"taken", json_integer((json_int_t)t->count)},
                         {"skew_ns", ixor_live_number(skew)}, {"vms", takers}),
        out, err);
}

enum ixor_found ixor_live_moment(struct ixor_live *l, int64_t execution, int64_t packet,
                                 json_t **out, struct ix_error *err)
{
    struct ixor_vm_list vms = {0};
    struct takers takers = {0};
    if (ix_catalogue_begin(ixor_live_catalogue(l), err) != 0)
        return IXOR_BROKEN;
    const enum ixor_found found = moment_of(l, execution, packet, &vms, &takers, out, err);
    ix_catalogue_rollback(ixor_live_catalogue(l));
    free(takers.rows);
    ixor_vm_list_free(&vms);
    return found;
}

/* ---- one JVM ---- */

static int same_vm(void *user, const struct ix_vm *vm)
{
    (void)vm;
    *(bool *)user = true;
    return 0;
}

static int add_packet(void *user, const struct ix_snapshot_row *row)
{
    return json_array_append_new(
               user, IXOR_JSON_OBJECT({"packet", json_integer((json_int_t)row->packet)},
                                      {"begin_ns", json_integer((json_int_t)row->begin_ns)},
                                      {"stop_ns", json_integer((json_int_t)row->stop_ns)},
                                      {"threads", json_integer((json_int_t)row->threads)},
                                      {"frames", json_integer((json_int_t)row->frames)})) == 0
               ? 0
               : IXOR_BUSY; /* stops the listing; out of memory */
}

enum ixor_found ixor_live_packets(struct ixor_live *l, int64_t vm, json_t **out,
                                  struct ix_error *err)
{
    bool there = false;
    if (ix_catalogue_vm(ixor_live_catalogue(l), vm, same_vm, &there, err) != 0)
        return IXOR_BROKEN;
    if (!there) {
        ix_fail(err, "there is no JVM %lld", (long long)vm);
        return IXOR_NOT_THERE;
    }
    json_t *array = json_array();
    const int listed = array
                           ? ix_catalogue_recent_snapshots(ixor_live_catalogue(l), vm, 0,
                                                           IXOR_LIVE_LISTED, add_packet, array, err)
                           : IXOR_BUSY;
    if (listed == 0)
        return ixor_live_answer(json_pack("{sI so}", "vm", (json_int_t)vm, "packets", array), out,
                                err);
    json_decref(array);
    return listed < 0 ? IXOR_BROKEN : (enum ixor_found)ix_fail(err, "out of memory");
}

/* ---- where its log is ---- */

struct whereabouts {
    bool there;
    char host[IX_NAME_MAX + 1], log[512];
};

static int note_log(void *user, const struct ix_vm *vm)
{
    struct whereabouts *w = user;
    w->there = true;
    snprintf(w->host, sizeof w->host, "%s", vm->host);
    snprintf(w->log, sizeof w->log, "%s", vm->log);
    return 0;
}

enum ixor_found ixor_live_log(struct ixor_live *l, int64_t vm, char **path, struct ix_error *err)
{
    struct whereabouts w = {0};
    char here[IX_NAME_MAX + 1] = "";
    *path = NULL;
    if (ix_catalogue_vm(ixor_live_catalogue(l), vm, note_log, &w, err) != 0 ||
        ix_catalogue_vm_log(ixor_live_catalogue(l), vm, path, err) != 0)
        return IXOR_BROKEN;
    if (!w.there) {
        ix_fail(err, "there is no JVM %lld", (long long)vm);
        return IXOR_NOT_THERE;
    }
    gethostname(here, sizeof here - 1);
    const bool elsewhere = strcmp(here, w.host) != 0;
    if (*path && access(*path, F_OK) != 0 && elsewhere) {
        free(*path);
        *path = NULL;
    }
    if (*path)
        return IXOR_FOUND;
    if (elsewhere)
        ix_fail(err,
                "the trace log is on the host '%s', as '%s'; it can be seen here when it has "
                "been collected",
                w.host, w.log);
    else
        ix_fail(err,
                "the trace log is '%s', which is not in the campaign's directory and is not "
                "opened for that reason; let the JVM's option log= name a file there",
                w.log);
    return IXOR_NOT_THERE;
}
