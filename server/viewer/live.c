/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/utf8.h"
#include "schema/protocol/protocol.h"
#include "server/base/json.h"
#include "server/base/units.h"
#include "server/store/catalogue_writer.h"
#include "server/store/endings.h"
#include "schema/catalogue/figures.h"
#include "server/store/listing.h"
#include "server/store/report.h"
#include "server/viewer/live_series.h"

/* Packets checked for pending reports: those of the last seconds, one every 5 ms. */
#define PACKETS_SEEN 1000
/* A JVM that has lost this many packets in a row, and all newer ones, is called quiet. */
#define QUIET_AFTER 2

struct ixor_live {
    struct ix_catalogue *catalogue;
    struct ixor_series_set sets[IXOR_LIVE_EXECUTIONS];
    uint64_t uses;
};

struct ixor_live *ixor_live_new(const char *dir, struct ix_error *err)
{
    struct ixor_live *l = calloc(1, sizeof *l);
    if (!l) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    l->catalogue = ix_catalogue_open(dir, IX_CATALOGUE_READ, err);
    if (!l->catalogue) {
        free(l);
        return NULL;
    }
    ix_catalogue_patience(l->catalogue, IXOR_LOOP_LOCK_MS);
    return l;
}

void ixor_live_free(struct ixor_live *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < IXOR_LIVE_EXECUTIONS; i++)
        ixor_series_set_free(&l->sets[i]);
    ix_catalogue_close(l->catalogue);
    free(l);
}

struct ix_catalogue *ixor_live_catalogue(struct ixor_live *l)
{
    return l->catalogue;
}

/* The run's set, or the least recently used one, emptied. */
static struct ixor_series_set *set_of(struct ixor_live *l, int64_t execution)
{
    struct ixor_series_set *set = &l->sets[0];
    for (size_t i = 0; i < IXOR_LIVE_EXECUTIONS && set->execution != execution; i++) {
        if (l->sets[i].execution == execution || l->sets[i].used < set->used)
            set = &l->sets[i];
    }
    if (set->execution != execution) {
        ixor_series_set_free(set);
        set->execution = execution;
    }
    set->used = ++l->uses;
    return set;
}

/* ---- JSON ---- */

json_t *ixor_live_text(const char *text, size_t max)
{
    char *cut = text ? strndup(text, ix_utf8_bounded(text, max)) : strdup("");
    json_t *json = cut ? ixor_report_text(cut) : NULL;
    free(cut);
    return json;
}

json_t *ixor_live_number(int64_t value)
{
    return value >= 0 ? json_integer(value) : json_null();
}

enum ixor_found ixor_live_answer(json_t *root, json_t **out, struct ix_error *err)
{
    *out = root;
    return root ? IXOR_FOUND : (enum ixor_found)ix_fail(err, "out of memory");
}

/* ---- an execution ---- */

/* Data for one answer. */
struct view {
    struct ix_catalogue *catalogue;
    struct ixor_series_set *set;
    int64_t now_ns;                                /* wall clock */
    int64_t pending_ns;                            /* how long to wait for a report */
    struct ix_recent_packet packets[PACKETS_SEEN]; /* the newest ones, ascending */
    size_t packet_count;
    /* For the last IXOR_LIVE_POINTS packets: stops on the server's clock. */
    struct moment {
        int64_t first_ns, last_ns;
        size_t takers;
    } moments[PACKETS_SEEN];
    int64_t requests, taken, lost;
    size_t running;
};

static int take_packet(void *user, const struct ix_recent_packet *row)
{
    struct view *v = user;
    v->packets[v->packet_count++] = *row;
    return 0;
}

static int read_packets(struct view *v, int64_t execution, struct ix_error *err)
{
    if (ix_catalogue_recent_packets(v->catalogue, execution, 0, PACKETS_SEEN, take_packet, v,
                                    err) != 0)
        return -1;
    for (size_t i = 0; i < v->packet_count / 2; i++) {
        const struct ix_recent_packet swap = v->packets[i];
        v->packets[i] = v->packets[v->packet_count - 1 - i];
        v->packets[v->packet_count - 1 - i] = swap;
    }
    return 0;
}

/* Only what is new is counted. */
static int count_packets(struct view *v, int64_t execution, struct ix_error *err)
{
    int64_t more = 0;
    if (v->packet_count == 0)
        return 0;
    if (ix_catalogue_packets_above(v->catalogue, execution, v->set->last_packet, &more, err) != 0)
        return -1;
    v->set->packets += more;
    v->set->last_packet = v->packets[v->packet_count - 1].number;
    return 0;
}

static size_t first_shown(const struct view *v)
{
    return v->packet_count > IXOR_LIVE_POINTS ? v->packet_count - IXOR_LIVE_POINTS : 0;
}

/* Adds a JVM's stops to the packets' moments. Both lists ascend. */
static void add_moments(struct view *v, const struct ixor_series *s, int64_t clock_offset_ns)
{
    size_t at = first_shown(v);
    for (size_t i = 0; s->points && i < s->count; i++) {
        const struct ixor_point *p = &s->points[i];
        const int64_t begin_ns = p->begin_mono_ns + clock_offset_ns;
        while (at < v->packet_count && v->packets[at].number < p->packet)
            at++;
        if (at == v->packet_count)
            return;
        if (v->packets[at].number != p->packet)
            continue;
        struct moment *m = &v->moments[at];
        if (m->takers++ == 0)
            m->first_ns = m->last_ns = begin_ns;
        else if (begin_ns < m->first_ns)
            m->first_ns = begin_ns;
        else if (begin_ns > m->last_ns)
            m->last_ns = begin_ns;
    }
}

/* What became of the requests that a JVM has not answered. */
struct open_requests {
    int64_t pending, lost;
    bool quiet;
};

static struct open_requests open_requests(const struct view *v, const struct ix_vm *vm,
                                          const struct ixor_series *s)
{
    struct open_requests o = {0};
    const bool running = strcmp(vm->ended, "running") == 0;
    int64_t missing = vm->requests > s->taken ? vm->requests - s->taken : 0, old = 0;
    for (size_t i = v->packet_count; running && i-- > 0 && v->packets[i].number > s->last;) {
        if (v->now_ns - v->packets[i].sent_ns < v->pending_ns)
            o.pending++;
        else
            old++;
    }
    if (o.pending > missing)
        o.pending = missing;
    o.lost = missing - o.pending;
    o.quiet = old >= QUIET_AFTER && o.lost >= QUIET_AFTER;
    return o;
}

static void state_words(const struct ix_vm *vm, const struct ixor_series *s, bool quiet, char *text,
                        size_t size)
{
    if (quiet && s->last)
        snprintf(text, size, "silent since packet %lld", (long long)s->last);
    else if (quiet)
        snprintf(text, size, "has taken no packet");
    else
        ixor_ending_words(vm, s->last, text, size);
}

/* Stop lengths of the remembered snapshots, and their percentiles. */
static json_t *stops_json(const struct ixor_series *s)
{
    json_t *packets = json_array(), *stops = json_array();
    struct ix_values values = {0};
    for (size_t i = 0; i < s->count; i++) {
        json_array_append_new(packets, json_integer(s->points[i].packet));
        json_array_append_new(stops, json_integer(s->points[i].stop_ns));
        ix_values_add(&values, s->points[i].stop_ns);
    }
    json_t *json =
        IXOR_JSON_OBJECT({"packet", packets}, {"stop_ns", stops},
                         {"p50_ns", ixor_live_number(ix_values_percentile(&values, 0.5))},
                         {"p99_ns", ixor_live_number(ix_values_percentile(&values, 0.99))},
                         {"max_ns", ixor_live_number(ix_values_percentile(&values, 1))});
    ix_values_free(&values);
    return json;
}

static json_t *vm_json(struct view *v, const struct ix_vm *vm, const struct ixor_series *s,
                       const struct open_requests *o)
{
    char words[IXOR_ENDING_TEXT];
    state_words(vm, s, o->quiet, words, sizeof words);
    return IXOR_JSON_OBJECT(
        {"vm", json_integer(vm->id)}, {"role", ixor_live_text(vm->role, IX_NAME_MAX)},
        {"host", ixor_live_text(vm->host, IX_NAME_MAX)}, {"pid", json_integer(vm->pid)},
        {"jvm", ixor_live_text(vm->jvm, IX_JVM_MAX)},
        {"state", json_string(o->quiet ? "quiet" : vm->ended)},
        {"state_text", ixor_live_text(words, sizeof words)},
        {"ended_text",
         vm->ended_text ? ixor_live_text(vm->ended_text, IX_REASON_MAX) : json_null()},
        {"requests", json_integer(vm->requests)}, {"taken", json_integer(s->taken)},
        {"pending", json_integer(o->pending)}, {"lost", json_integer(o->lost)},
        {"last_packet", json_integer(s->last)},
        {"last_age_ns", s->last ? json_integer(v->now_ns - s->last_begin_ns) : json_null()},
        {"threads", json_integer(s->last_threads)}, {"stops", stops_json(s)},
        {"clock_offset_ns", json_integer(vm->clock_offset_ns)},
        {"started_ns", vm->started_ns > 0 ? json_integer(vm->started_ns) : json_null()});
}

static void await_reports(struct view *v, const struct ixor_vm_list *vms)
{
    for (size_t i = 0; i < vms->count; i++)
        v->running += strcmp(vms->at[i].ended, "running") == 0;
    const int64_t more = (int64_t)v->running * IXOR_LIVE_PENDING_VM_NS;
    v->pending_ns = IXOR_LIVE_PENDING_NS +
                    (more < IXOR_LIVE_PENDING_MORE_NS ? more : IXOR_LIVE_PENDING_MORE_NS);
}

/* Whether to read the i-th JVM, which is not shown: when it is its turn, or if it was never
 * read. */
static bool is_due(const struct view *v, size_t i, int64_t vm)
{
    return (i >= v->set->turn && i - v->set->turn < IXOR_LIVE_LOOKS) ||
           !ixor_series_known(v->set, vm);
}

/* Adds one JVM; *o: its unanswered requests. NULL on failure. */
static const struct ixor_series *count_vm(struct view *v, const struct ix_vm *vm, bool shown,
                                          struct open_requests *o, struct ix_error *err)
{
    struct ixor_series *s = ixor_series_update(v->set, v->catalogue, vm->id, shown, err);
    if (!s)
        return NULL;
    *o = open_requests(v, vm, s);
    s->lost = o->lost;
    add_moments(v, s, vm->clock_offset_ns);
    return s;
}

/* Appends the JVMs, and adds them up. */
static int add_vms(struct view *v, const struct ixor_vm_list *vms, json_t *into,
                   struct ix_error *err)
{
    struct open_requests o = {0};
    if (v->set->turn < IXOR_LIVE_SHOWN || v->set->turn >= vms->count)
        v->set->turn = IXOR_LIVE_SHOWN;
    for (size_t i = 0; i < vms->count; i++) {
        const struct ix_vm *vm = &vms->at[i];
        const bool shown = i < IXOR_LIVE_SHOWN;
        const struct ixor_series *s = shown || is_due(v, i, vm->id)
                                          ? count_vm(v, vm, shown, &o, err)
                                          : ixor_series_known(v->set, vm->id);
        if (!s)
            return -1;
        v->requests += vm->requests;
        v->taken += s->taken;
        v->lost += s->lost;
        if (shown && json_array_append_new(into, vm_json(v, vm, s, &o)) != 0)
            return ix_fail(err, "out of memory");
    }
    v->set->turn += IXOR_LIVE_LOOKS;
    return 0;
}

/* The skew in the catalogue; until it is there, that of the remembered snapshots. */
static int64_t skew_of(const struct view *v, size_t i)
{
    if (v->packets[i].skew_ns >= 0)
        return v->packets[i].skew_ns;
    return v->moments[i].takers > 1 ? v->moments[i].last_ns - v->moments[i].first_ns : -1;
}

static json_t *packets_json(const struct view *v, bool all_shown)
{
    json_t *numbers = json_array(), *sent = json_array(), *taken = json_array();
    json_t *skews = json_array();
    int64_t open_from = -1; /* from this packet on reports may be on their way */
    struct ix_values values = {0};
    for (size_t i = first_shown(v); i < v->packet_count; i++) {
        const struct ix_recent_packet *p = &v->packets[i];
        if (open_from < 0 && v->now_ns - p->sent_ns < v->pending_ns)
            open_from = p->number;
        const int64_t skew = skew_of(v, i);
        const int64_t takers = all_shown ? (int64_t)v->moments[i].takers : -1;
        json_array_append_new(numbers, json_integer(p->number));
        json_array_append_new(sent, json_integer(p->vms));
        json_array_append_new(taken, ixor_live_number(p->taken >= 0 ? p->taken : takers));
        json_array_append_new(skews, ixor_live_number(skew));
        if (skew >= 0)
            ix_values_add(&values, skew);
    }
    json_t *json =
        IXOR_JSON_OBJECT({"packet", numbers}, {"open_from", ixor_live_number(open_from)},
                         {"sent", sent}, {"taken", taken}, {"skew_ns", skews},
                         {"skew_p50_ns", ixor_live_number(ix_values_percentile(&values, 0.5))},
                         {"skew_p99_ns", ixor_live_number(ix_values_percentile(&values, 0.99))},
                         {"skew_max_ns", ixor_live_number(ix_values_percentile(&values, 1))});
    ix_values_free(&values);
    return json;
}

static json_t *head_json(const struct ix_execution *e)
{
    return IXOR_JSON_OBJECT(
        {"execution", json_integer(e->id)}, {"name", ixor_live_text(e->name, IX_NAME_MAX)},
        {"verdict", json_string(ix_verdict_name(e->verdict))},
        {"command", e->command ? ixor_live_text(e->command, 1000) : json_null()},
        {"begin_ns", ixor_live_number(e->begin_ns ? e->begin_ns : -1)},
        {"end_ns", ixor_live_number(e->end_ns ? e->end_ns : -1)});
}

/* A run with its JVMs. */
static json_t *execution_json(struct ixor_live *l, const struct ix_execution *e,
                              struct ix_error *err)
{
    struct view *v = calloc(1, sizeof *v); /* too large for a stack */
    struct ixor_vm_list vms = {0};
    json_t *array = json_array(), *root = NULL, *rest = NULL;
    if (!v || !array) {
        ix_fail(err, "out of memory");
        goto done;
    }
    *v =
        (struct view){.catalogue = l->catalogue, .set = set_of(l, e->id), .now_ns = ixor_wall_ns()};
    if (read_packets(v, e->id, err) != 0 || ixor_list_vms(&vms, l->catalogue, e->id, err) != 0)
        goto done;
    await_reports(v, &vms);
    if (add_vms(v, &vms, array, err) != 0 || count_packets(v, e->id, err) != 0)
        goto done;
    root = head_json(e);
    rest = IXOR_JSON_OBJECT(
        {"packets", json_integer(v->set->packets)},
        {"last_packet", json_integer(v->set->last_packet)}, {"requests", json_integer(v->requests)},
        {"taken", json_integer(v->taken)}, {"lost", json_integer(v->lost)},
        {"vm_count", json_integer((json_int_t)vms.count)},
        {"running", json_integer((json_int_t)v->running)},
        {"series", packets_json(v, vms.count <= IXOR_LIVE_SHOWN)}, {"vms", json_incref(array)});
    if (!root || !rest || json_object_update(root, rest) != 0) {
        json_decref(root);
        root = NULL;
        ix_fail(err, "out of memory");
    }
done:
    json_decref(rest);
    json_decref(array);
    ixor_vm_list_free(&vms);
    free(v);
    return root;
}

/* ---- the state ---- */

/* The latest ones, the latest first. */
static json_t *list_json(const struct ixor_execution_list *list)
{
    json_t *array = json_array();
    for (size_t i = list->count; i-- > 0 && list->count - i <= IXOR_LIVE_LISTED;)
        json_array_append_new(array, head_json(&list->at[i]));
    return array;
}

static enum ixor_found state_of(struct ixor_live *l, const struct ixor_execution_list *list,
                                int64_t execution, json_t **out, struct ix_error *err)
{
    size_t at = list->count;
    while (at > 0 && execution && list->at[at - 1].id != execution)
        at--;
    if (at == 0 && execution) {
        ix_fail(err, "there is no run %lld", (long long)execution);
        return IXOR_NOT_THERE;
    }
    json_t *chosen = at ? execution_json(l, &list->at[at - 1], err) : json_null();
    if (!chosen)
        return IXOR_BROKEN;
    return ixor_live_answer(
        IXOR_JSON_OBJECT({"campaign", ixor_live_text(ix_catalogue_dir(l->catalogue), 4096)},
                         {"now_ns", json_integer((json_int_t)ixor_wall_ns())},
                         {"execution_count", json_integer((json_int_t)list->count)},
                         {"executions", list_json(list)}, {"execution", chosen}),
        out, err);
}

enum ixor_found ixor_live_state(struct ixor_live *l, int64_t execution, json_t **out,
                                struct ix_error *err)
{
    struct ixor_execution_list list = {0};
    enum ixor_found found = IXOR_BROKEN;
    if (ix_catalogue_begin(l->catalogue, err) != 0)
        return IXOR_BROKEN;
    if (ixor_list_executions(&list, l->catalogue, err) == 0)
        found = state_of(l, &list, execution, out, err);
    ix_catalogue_rollback(l->catalogue); /* it only read */
    ixor_execution_list_free(&list);
    return found;
}
