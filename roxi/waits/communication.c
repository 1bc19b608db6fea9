/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/communication.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/rank/median.h"
#include "schema/base/grow.h"

/* What one of the other runs has on an edge. */
struct waits_cell {
    size_t edge;
    struct waits_amount amount;
    double pace;
};

/* A thread of the run that waited on an edge at packets in a row. */
struct waits_stretch {
    size_t edge, first, last;
};

/* ---- parties and edges ---- */

/* WAITS_NONE: out of memory; so too below. */
static size_t party_of(struct waits_communication *g, const char *text, size_t length, bool outside)
{
    if (!g->names && !(g->names = roxi_symbols_new()))
        return WAITS_NONE;
    const uint32_t name = roxi_symbols_string(g->names, text, length);
    if (name == ROXI_NONE)
        return WAITS_NONE;
    const uint32_t number = ix_idmap_get(&g->party_of[outside], name);
    if (number)
        return number - 1;
    struct waits_party *parties =
        ix_grow(g->parties, &g->party_cap, g->party_count + 1, sizeof *parties);
    if (!parties)
        return WAITS_NONE;
    g->parties = parties;
    if (ix_idmap_put(&g->party_of[outside], name, (uint32_t)g->party_count + 1) != 0)
        return WAITS_NONE;
    parties[g->party_count] =
        (struct waits_party){.name = roxi_symbols_text(g->names, name), .outside = outside};
    return g->party_count++;
}

static size_t role_of(struct waits_communication *g, const struct waits_connections *run,
                      size_t jvm)
{
    const char *role = run->jvms.list[jvm].role;
    return party_of(g, role, strlen(role), false);
}

/* Who has the other end. */
static size_t other_of(struct waits_communication *g, const struct waits_connections *run,
                       const struct waits_connection *at)
{
    if (at->found != WAITS_FOUND_OUTSIDE)
        return role_of(g, run, at->end.jvm);
    const char *address = *at->remote ? at->remote : at->local;
    return party_of(g, address, waits_ends_outside(address, at->accepted), true);
}

static size_t edge_of(struct waits_communication *g, size_t from, size_t to)
{
    if (from == WAITS_NONE || to == WAITS_NONE)
        return WAITS_NONE;
    const uint64_t key = (uint64_t)from << 32 | to;
    const uint32_t number = ix_idmap_get(&g->edge_of, key);
    if (number)
        return number - 1;
    struct waits_edge *edges = ix_grow(g->edges, &g->edge_cap, g->edge_count + 1, sizeof *edges);
    if (!edges)
        return WAITS_NONE;
    g->edges = edges;
    if (ix_idmap_put(&g->edge_of, key, (uint32_t)g->edge_count + 1) != 0)
        return WAITS_NONE;
    edges[g->edge_count] = (struct waits_edge){.from = from, .to = to};
    return g->edge_count++;
}

/* ---- a run ---- */

/* A connection between two JVMs is counted at the end that has made it. */
static int count_connection(struct waits_communication *g, const struct waits_connections *run,
                            const struct waits_connection *at)
{
    if (at->listens || !at->open || (at->accepted && at->found != WAITS_FOUND_OUTSIDE))
        return 0;
    if (at->found == WAITS_FOUND_SEVERAL) {
        g->unknown++;
        return 0;
    }
    const size_t here = role_of(g, run, at->jvm), there = other_of(g, run, at);
    const size_t edge = at->accepted ? edge_of(g, there, here) : edge_of(g, here, there);
    if (edge == WAITS_NONE)
        return -1;
    g->edges[edge].here.connections++;
    g->edges[edge].here.messages += (double)at->messages;
    g->told_here = g->told_here || at->messages;
    return 0;
}

/* One that has been connected to reads the next request: that is nobody's fault. */
static int count_span(struct waits_communication *g, const struct waits_connections *run,
                      const struct waits_span *span, bool keep)
{
    const struct waits_connection *at = &run->list[span->connection];
    if ((at->accepted && span->reads) || at->found == WAITS_FOUND_SEVERAL)
        return 0;
    const size_t edge = edge_of(g, role_of(g, run, at->jvm), other_of(g, run, at));
    if (edge == WAITS_NONE)
        return -1;
    g->edges[edge].here.waits += (double)(span->last - span->first + 1);
    if (!keep)
        return 0;
    return ix_append(g->stretches, g->stretch_count, g->stretch_cap,
                     (struct waits_stretch){edge, span->first, span->last});
}

static int count_jvms(struct waits_communication *g, const struct waits_connections *run)
{
    size_t result = 0;
    size_t *jvms = calloc(run->jvms.count + 1, sizeof *jvms); /* of the same role, up to each */
    for (size_t i = 0; jvms && i < run->jvms.count && result != WAITS_NONE; i++) {
        result = role_of(g, run, i);
        /* The list is ordered by role. */
        jvms[i] = i && strcmp(run->jvms.list[i].role, run->jvms.list[i - 1].role) == 0
                      ? jvms[i - 1] + 1
                      : 1;
        if (result != WAITS_NONE && g->parties[result].jvms < jvms[i])
            g->parties[result].jvms = jvms[i];
    }
    g->jvms += run->jvms.count;
    g->telling += run->telling;
    result = jvms ? result : WAITS_NONE;
    free(jvms);
    return result == WAITS_NONE ? -1 : 0;
}

/* Adds up the run's amounts in `here` of the edges. */
static int count_run(struct waits_communication *g, const struct waits_connections *run, bool keep)
{
    if (count_jvms(g, run) != 0)
        return -1;
    for (size_t i = 0; i < run->count; i++)
        if (count_connection(g, run, &run->list[i]) != 0)
            return -1;
    for (size_t i = 0; i < run->span_count; i++)
        if (count_span(g, run, &run->spans[i], keep) != 0)
            return -1;
    return 0;
}

int waits_communication_add(struct waits_communication *g, const struct waits_connections *run)
{
    if (count_run(g, run, false) != 0)
        return -1;
    for (size_t i = 0; i < g->edge_count; i++) {
        struct waits_amount *amount = &g->edges[i].here;
        if (amount->connections == 0 && amount->waits == 0)
            continue;
        struct waits_cell *cells =
            ix_grow(g->cells, &g->cell_cap, g->cell_count + 1, sizeof *cells);
        if (!cells)
            return -1;
        g->cells = cells;
        cells[g->cell_count++] =
            (struct waits_cell){i, *amount, amount->waits / (double)run->packet_count};
        *amount = (struct waits_amount){0};
    }
    g->runs++;
    g->messages_told += g->told_here;
    g->told_here = false;
    return 0;
}

int waits_communication_add_here(struct waits_communication *g, const struct waits_connections *run)
{
    g->packets = malloc((run->packet_count + 1) * sizeof *g->packets);
    if (!g->packets)
        return -1;
    if (run->packet_count)
        memcpy(g->packets, run->packets, run->packet_count * sizeof *g->packets);
    g->packet_count = run->packet_count;
    return count_run(g, run, true);
}

/* ---- against the other runs ---- */

static int by_edge(const void *a, const void *b)
{
    const struct waits_cell *x = a, *y = b;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Sets what an edge's messages are beside those of the runs that tell any. `values` has room for
 * the number of its cells. */
static void compare_messages(const struct waits_communication *g, struct waits_edge *edge,
                             const struct waits_cell *cells, size_t count, double *values)
{
    const double here = edge->here.messages;
    const size_t runs = g->messages_told;
    size_t some = 0, as_many = 0;
    for (size_t i = 0; i < count; i++) {
        if (cells[i].amount.messages > 0)
            values[some++] = cells[i].amount.messages;
        as_many += cells[i].amount.messages >= here;
    }
    edge->typical.messages = roxi_median(values, some, runs);
    edge->more = runs && (double)(runs - as_many) >= WAITS_GROWN_SHARE * (double)runs && here > 0 &&
                 here >= WAITS_MORE_TIMES * edge->typical.messages &&
                 here >= edge->typical.messages + WAITS_MORE_MESSAGES;
}

/* Compares an edge with its cells. `values` has room for their number. */
static void compare(const struct waits_communication *g, struct waits_edge *edge,
                    const struct waits_cell *cells, size_t count, double *values)
{
    size_t less = edge->here.waits > 0 ? g->runs - count : 0;
    for (size_t i = 0; i < count; i++)
        values[i] = cells[i].amount.connections;
    edge->typical.connections = roxi_median(values, count, g->runs);
    for (size_t i = 0; i < count; i++)
        values[i] = cells[i].pace;
    edge->pace = roxi_median(values, count, g->runs);
    for (size_t i = 0; i < count; i++) {
        values[i] = cells[i].amount.waits;
        less += values[i] < edge->here.waits;
    }
    edge->typical.waits = roxi_median(values, count, g->runs);
    compare_messages(g, edge, cells, count, values);
    edge->longer = g->runs ? (double)less / (double)g->runs : 0;
    edge->grown = edge->longer >= WAITS_GROWN_SHARE &&
                  edge->here.waits >= WAITS_GROWN_TIMES * edge->typical.waits &&
                  edge->here.waits >= edge->typical.waits + WAITS_GROWN_PACKETS;
}

/* How many threads of the run wait at each packet. */
static void spread(const struct waits_communication *g, size_t edge, double *waiting)
{
    memset(waiting, 0, (g->packet_count + 1) * sizeof *waiting);
    for (size_t i = 0; i < g->stretch_count; i++)
        if (g->stretches[i].edge == edge) {
            waiting[g->stretches[i].first]++;
            waiting[g->stretches[i].last + 1]--;
        }
    for (size_t i = 1; i < g->packet_count; i++)
        waiting[i] += waiting[i - 1];
}

/* The packet since which more threads have waited than in a typical run: the start of the series
 * with the largest cumulative sum (Page, Continuous Inspection Schemes, Biometrika 41, 1954) above
 * half a thread more than typical. 0 if that series explains less than half of what is longer:
 * then the waits are spread over the run. */
static uint64_t since(const struct waits_communication *g, const struct waits_edge *edge,
                      const double *waiting)
{
    double sum = 0, best = 0, more = 0, best_more = 0;
    size_t first = 0, best_first = 0;
    for (size_t i = 0; i < g->packet_count; i++) {
        if (sum <= 0) {
            sum = more = 0;
            first = i;
        }
        sum += waiting[i] - edge->pace - 0.5;
        more += waiting[i] - edge->pace;
        if (sum > best) {
            best = sum;
            best_more = more;
            best_first = first;
        }
    }
    return 2 * best_more >= edge->here.waits - edge->typical.waits && best > 0
               ? g->packets[best_first]
               : 0;
}

static int find_since(struct waits_communication *g)
{
    double *waiting = malloc((g->packet_count + 1) * sizeof *waiting);
    if (!waiting)
        return -1;
    for (size_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].grown) {
            spread(g, i, waiting);
            g->edges[i].since = since(g, &g->edges[i], waiting);
        }
    free(waiting);
    return 0;
}

static int by_waits(const void *a, const void *b, void *graph)
{
    const struct waits_communication *g = graph;
    const struct waits_edge *x = a, *y = b;
    if (x->here.waits != y->here.waits)
        return x->here.waits > y->here.waits ? -1 : 1;
    if (x->typical.waits != y->typical.waits)
        return x->typical.waits > y->typical.waits ? -1 : 1;
    const int order = strcmp(g->parties[x->from].name, g->parties[y->from].name);
    return order ? order : strcmp(g->parties[x->to].name, g->parties[y->to].name);
}

int waits_communication_finish(struct waits_communication *g)
{
    double *values = malloc((g->cell_count + 1) * sizeof *values);
    if (!values)
        return -1;
    if (g->cell_count)
        qsort(g->cells, g->cell_count, sizeof *g->cells, by_edge);
    for (size_t i = 0, from = 0, to = 0; i < g->edge_count; i++, from = to) {
        while (to < g->cell_count && g->cells[to].edge == i)
            to++;
        compare(g, &g->edges[i], g->cells + from, to - from, values);
    }
    free(values);
    if (find_since(g) != 0)
        return -1;
    if (g->edge_count)
        qsort_r(g->edges, g->edge_count, sizeof *g->edges, by_waits, g);
    return 0;
}

void waits_communication_free(struct waits_communication *g)
{
    free(g->parties);
    free(g->edges);
    free(g->cells);
    free(g->stretches);
    free(g->packets);
    roxi_symbols_free(g->names);
    ix_idmap_free(&g->party_of[0]);
    ix_idmap_free(&g->party_of[1]);
    ix_idmap_free(&g->edge_of);
    *g = (struct waits_communication){0};
}
