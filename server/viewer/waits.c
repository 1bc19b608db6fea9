/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/waits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/waits/build.h"
#include "server/base/json.h"
#include "server/store/listing.h"
#include "server/viewer/lockstep.h"
#include "server/viewer/stacks.h"
#include "server/viewer/talks.h"

struct ixor_waits {
    struct ixor_lockstep logs;
    json_t *answer; /* of the packet that the logs are at; NULL: not made yet */
    int64_t execution;
    uint64_t packet; /* of the answer */
};

struct ixor_waits *ixor_waits_new(int64_t patience_ns)
{
    struct ixor_waits *w = calloc(1, sizeof *w);
    if (w)
        w->logs.patience_ns = patience_ns;
    return w;
}

void ixor_waits_free(struct ixor_waits *w)
{
    if (!w)
        return;
    ixor_lockstep_free(&w->logs);
    json_decref(w->answer);
    free(w);
}

/* ---- JSON ---- */

struct writing {
    const struct ixor_lockstep *logs;
    const struct waits_graph *graph;
    const struct ixor_talks *talks;
    size_t elements; /* so far */
    bool failed;     /* out of memory */
};

static void append(struct writing *w, json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) != 0)
        w->failed = true;
}

static json_t *text(const char *words)
{
    return words ? ixor_live_text(words, IXOR_STACKS_TEXT) : json_null();
}

static json_t *role_json(const struct writing *w, const struct waits_node *node)
{
    if (node->kind == WAITS_OUTSIDE)
        return node->perhaps ? json_null() : json_string("outside");
    return text(w->logs->jvms.list[node->jvm].role);
}

static json_t *vm_json(const struct writing *w, const struct waits_node *node)
{
    return node->kind == WAITS_OUTSIDE ? json_null() : json_integer(w->logs->of[node->jvm].vm);
}

static json_t *name_json(const struct waits_node *node)
{
    char unnamed[40];
    snprintf(unnamed, sizeof unnamed, "virtual-%llu", (unsigned long long)node->id);
    if (node->kind != WAITS_THREAD)
        return json_null();
    return text(*node->name ? node->name : unnamed);
}

/* "10.0.0.1:4711 -> 10.0.0.2:80", or a class. */
static json_t *via_json(const struct waits_node *node)
{
    char via[2 * IXOR_STACKS_TEXT + 8];
    if (!node->from)
        return text(node->via);
    snprintf(via, sizeof via, "%.*s%s%.*s", (int)IXOR_STACKS_TEXT, node->from,
             node->via ? " -> " : "", (int)IXOR_STACKS_TEXT, node->via ? node->via : "");
    return ixor_live_text(via, sizeof via);
}

/* Nodes are found by roxi in all runs of a campaign (roxi/campaign/nodes.h). One thread's name does
 * not tell: "pool-1-thread-2" has none, and looks as if it had. */
static json_t *node_json(void)
{
    return json_null();
}

static json_t *element_json(struct writing *w, size_t at)
{
    const struct waits_node *node = &w->graph->nodes[at];
    w->elements++;
    return IXOR_JSON_OBJECT({"role", role_json(w, node)}, {"vm", vm_json(w, node)},
                            {"node", node_json()}, {"thread", name_json(node)},
                            {"why", text(node->why)}, {"via", via_json(node)});
}

static json_t *end_json(const struct writing *w, const struct waits_node *node)
{
    return IXOR_JSON_OBJECT({"role", role_json(w, node)}, {"vm", vm_json(w, node)},
                            {"node", node_json()}, {"thread", name_json(node)},
                            {"state", text(node->kind == WAITS_OUTSIDE ? node->name : node->state)},
                            {"waited_for_by", json_integer((json_int_t)node->waiters)});
}

/* From a thread that nobody waits for to the end, or until the chain comes to a ring. */
static json_t *chain_json(struct writing *w, size_t at)
{
    const struct waits_node *nodes = w->graph->nodes;
    json_t *chain = json_array();
    for (; at != WAITS_NONE && !nodes[at].in_ring; at = nodes[at].next)
        append(w, chain, element_json(w, at));
    if (at != WAITS_NONE)
        append(w, chain, element_json(w, at));
    return chain;
}

static json_t *ring_json(struct writing *w, size_t first)
{
    json_t *ring = json_array();
    size_t at = first;
    do {
        append(w, ring, element_json(w, at));
        at = w->graph->nodes[at].next;
    } while (at != first);
    return ring;
}

/* Adds the chains that end at `root`; how many are left out. */
static size_t add_chains(struct writing *w, size_t root, json_t *chains)
{
    size_t depth = 0, at = root, left_out = 0;
    while ((at = waits_graph_walk(w->graph, root, at, &depth)) != WAITS_NONE) {
        if (w->graph->nodes[at].first != WAITS_NONE)
            continue; /* somebody waits for it */
        if (w->elements < IXOR_WAITS_ELEMENTS)
            append(w, chains, chain_json(w, at));
        else
            left_out++;
    }
    return left_out;
}

static json_t *party_json(const struct writing *w, const struct ixor_party *p)
{
    const bool outside = p->jvm == WAITS_NONE;
    char address[IXOR_STACKS_TEXT + 1] = "";
    if (!outside)
        return IXOR_JSON_OBJECT({"role", text(w->logs->jvms.list[p->jvm].role)},
                                {"vm", json_integer(w->logs->of[p->jvm].vm)},
                                {"address", json_null()});
    snprintf(address, sizeof address, "%.*s", (int)p->length, p->address);
    return IXOR_JSON_OBJECT({"role", p->perhaps ? json_null() : json_string("outside")},
                            {"vm", json_null()}, {"address", text(address)});
}

static json_t *talks_json(struct writing *w)
{
    json_t *list = json_array();
    for (size_t i = 0; i < w->talks->count && i < IXOR_WAITS_TALKS; i++) {
        const struct ixor_talk *talk = &w->talks->list[i];
        append(w, list,
               IXOR_JSON_OBJECT({"from", party_json(w, &talk->from)},
                                {"to", party_json(w, &talk->to)},
                                {"connections", json_integer((json_int_t)talk->connections)},
                                {"waiting", json_integer((json_int_t)talk->waiting)}));
    }
    return list;
}

static size_t talks_left_out(const struct ixor_talks *t)
{
    return t->count > IXOR_WAITS_TALKS ? t->count - IXOR_WAITS_TALKS : 0;
}

/* Deadlocks come first: they are what is looked for. */
static json_t *graph_json(struct writing *w)
{
    const struct waits_graph *g = w->graph;
    json_t *ends = json_array(), *chains = json_array(), *rings = json_array();
    size_t left_out = 0, rings_left_out = 0;
    for (size_t i = 0; i < g->ring_count; i++) {
        if (w->elements < IXOR_WAITS_ELEMENTS)
            append(w, rings, ring_json(w, g->rings[i]));
        else
            rings_left_out++;
    }
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i].in_ring)
            left_out += add_chains(w, i, chains);
    for (size_t i = 0; i < g->end_count; i++) {
        if (i < IXOR_WAITS_ENDS)
            append(w, ends, end_json(w, &g->nodes[g->ends[i]]));
        left_out += add_chains(w, g->ends[i], chains);
    }
    json_t *json =
        IXOR_JSON_OBJECT({"execution", json_integer(w->logs->execution)},
                         {"packet", json_integer((json_int_t)w->logs->jvms.packet)},
                         {"jvms", json_integer((json_int_t)w->logs->jvms.count)},
                         {"jvms_left_out", json_integer((json_int_t)w->logs->left_out)},
                         {"least_progressed_count", json_integer((json_int_t)g->end_count)},
                         {"chains_left_out", json_integer((json_int_t)left_out)},
                         {"deadlocks_left_out", json_integer((json_int_t)rings_left_out)},
                         {"talks_left_out", json_integer((json_int_t)talks_left_out(w->talks))},
                         {"connections_left_out", json_integer((json_int_t)w->talks->unknown)},
                         {"least_progressed", ends}, {"chains", chains}, {"deadlocks", rings},
                         {"talks", talks_json(w)});
    if (json && !w->failed)
        return json;
    json_decref(json);
    return NULL;
}

/* ---- the newest packet ---- */

static enum ixor_found too_many(const char *of, struct ix_error *err)
{
    ix_fail(err, "there are too many %s to say at once who waits for whom; 'roxi waits' does it",
            of);
    return IXOR_NOT_THERE;
}

static enum ixor_found check_size(const struct waits_jvms *jvms, struct ix_error *err)
{
    size_t threads = 0, sockets = 0, facts = 0;
    for (size_t i = 0; i < jvms->count; i++) {
        const struct waits_jvm *jvm = &jvms->list[i];
        sockets += jvm->socket_count;
        if (!jvm->here)
            continue;
        const struct ix_facts f = ix_log_facts(jvm->log);
        threads += jvm->snapshot.count;
        facts += f.lock_count + f.connections.wait_count + f.connections.join_count;
    }
    if (threads > IXOR_WAITS_THREADS)
        return too_many("threads", err);
    if (sockets > IXOR_WAITS_SOCKETS)
        return too_many("connections", err);
    return facts > IXOR_WAITS_FACTS ? too_many("locks and waits", err) : IXOR_FOUND;
}

static enum ixor_found make_answer(struct ixor_waits *w, struct ix_error *err)
{
    struct waits_build build = {0};
    struct ixor_talks talks = {0};
    enum ixor_found found = check_size(&w->logs.jvms, err);
    if (found != IXOR_FOUND)
        return found;
    json_decref(w->answer);
    w->answer = NULL;
    if (waits_build(&build, &w->logs.jvms) == 0 && ixor_talks_make(&talks, &build) == 0)
        w->answer =
            graph_json(&(struct writing){.logs = &w->logs, .graph = &build.graph, .talks = &talks});
    ixor_talks_free(&talks);
    waits_build_free(&build);
    w->execution = w->logs.execution;
    w->packet = w->logs.jvms.packet;
    return w->answer ? IXOR_FOUND : (enum ixor_found)ix_fail(err, "out of memory");
}

static enum ixor_found now(struct ixor_waits *w, struct ixor_live *l, int64_t execution,
                           json_t **out, struct ix_error *err)
{
    enum ixor_found found = ixor_lockstep_read(&w->logs, l, execution, err);
    if (found != IXOR_FOUND)
        return found;
    if (!w->logs.jvms.packet) {
        ix_fail(err, "there is no packet yet whose trace logs are here");
        return IXOR_NOT_THERE;
    }
    if (!w->logs.jvms.any_facts) {
        ix_fail(err, "not recorded; give the agent locks=on,connections=on");
        return IXOR_NOT_THERE;
    }
    const bool made = w->answer && w->execution == execution && w->packet == w->logs.jvms.packet;
    if (!made && (found = make_answer(w, err)) != IXOR_FOUND)
        return found;
    *out = json_incref(w->answer);
    return IXOR_FOUND;
}

/* The run, if it goes on; *execution 0: the latest. */
static enum ixor_found find_run(const struct ixor_execution_list *list, int64_t *execution,
                                struct ix_error *err)
{
    size_t at = list->count;
    if (at == 0) {
        ix_fail(err, "there is no run yet");
        return IXOR_NOT_THERE;
    }
    while (at > 0 && *execution && list->at[at - 1].id != *execution)
        at--;
    if (at == 0) {
        ix_fail(err, "there is no run %lld", (long long)*execution);
        return IXOR_NOT_THERE;
    }
    if (list->at[at - 1].end_ns) {
        ix_fail(err, "the run is over; 'roxi waits' shows all of its packets");
        return IXOR_NOT_THERE;
    }
    *execution = list->at[at - 1].id;
    return IXOR_FOUND;
}

enum ixor_found ixor_waits_now(struct ixor_waits *w, struct ixor_live *l, int64_t execution,
                               json_t **out, struct ix_error *err)
{
    struct ixor_execution_list list = {0};
    enum ixor_found found = IXOR_BROKEN;
    if (ixor_list_executions(&list, ixor_live_catalogue(l), err) == 0)
        found = find_run(&list, &execution, err);
    ixor_execution_list_free(&list);
    return found == IXOR_FOUND ? now(w, l, execution, out, err) : found;
}
