/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/chains.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/tally.h"
#include "roxi/waits/run.h"
#include "schema/base/grow.h"
#include "schema/waits/build.h"

struct reading {
    struct waits_chains *out;
    const struct roxi_listed_execution *run;
    struct waits_jvms jvms;
    struct waits_build build;
    struct roxi_tally latest; /* by JVM and thread: a number */
    size_t *latest_chain;     /* by that number: its latest chain; owned */
    size_t latest_cap;
    uint64_t before; /* the packet before this one; 0: there is none */
};

static uint32_t jvm_of(const struct reading *r, size_t node)
{
    const struct waits_jvm *jvm = &r->jvms.list[r->build.graph.nodes[node].jvm];
    return (uint32_t)jvm->place;
}

/* The thread's number in its log; 0: the node is not a thread. */
static uint32_t thread_of(const struct reading *r, size_t node)
{
    const size_t j = r->build.graph.nodes[node].jvm;
    if (r->build.graph.nodes[node].kind != WAITS_THREAD)
        return 0;
    return r->jvms.list[j].snapshot.entries[node - r->build.first[j]].thread;
}

static size_t end_of(const struct waits_graph *g, size_t node)
{
    while (g->nodes[node].next != WAITS_NONE && !g->nodes[node].in_ring)
        node = g->nodes[node].next;
    return node;
}

static bool continues(const struct waits_chain *a, const struct waits_chain *b, uint64_t before)
{
    return before && a->last == before && a->end_jvm == b->end_jvm &&
           a->end_thread == b->end_thread && a->ring == b->ring && a->owner == b->owner;
}

static int take(struct reading *r, const struct waits_chain *chain)
{
    struct waits_chains *out = r->out;
    const size_t known = r->latest.n;
    const uint32_t n = roxi_tally_add(&r->latest, roxi_pair(chain->jvm, chain->thread), 1);
    if (n == ROXI_NONE)
        return -1;
    size_t *latest = ix_grow(r->latest_chain, &r->latest_cap, n + 1, sizeof *latest);
    if (!latest)
        return -1;
    r->latest_chain = latest;
    if (n < known && continues(&out->list[latest[n]], chain, r->before)) {
        out->list[latest[n]].last = chain->last;
        return 0;
    }
    struct waits_chain *list = ix_grow(out->list, &out->cap, out->count + 1, sizeof *list);
    if (!list)
        return -1;
    out->list = list;
    latest[n] = out->count;
    list[out->count++] = *chain;
    return 0;
}

/* Of the monitor that a node waits for; 0: it waits for something else. */
static uint32_t owner_of(const struct reading *r, size_t node)
{
    const struct waits_node *n = &r->build.graph.nodes[node];
    return strcmp(n->why, "monitor") == 0 ? thread_of(r, n->next) : 0;
}

static int take_node(struct reading *r, size_t node)
{
    const struct waits_graph *g = &r->build.graph;
    const size_t end = end_of(g, node);
    if (g->nodes[end].kind == WAITS_OUTSIDE)
        return 0;
    const struct waits_chain chain = {
        .jvm = jvm_of(r, node),
        .thread = thread_of(r, node),
        .end_jvm = jvm_of(r, end),
        .end_thread = thread_of(r, end),
        .owner = owner_of(r, node),
        .ring = g->nodes[end].in_ring,
        .first = r->jvms.packet,
        .last = r->jvms.packet,
    };
    return take(r, &chain);
}

static int take_packet(struct reading *r)
{
    if (waits_build(&r->build, &r->jvms) != 0)
        return -1;
    const struct waits_graph *g = &r->build.graph;
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i].kind == WAITS_THREAD && g->nodes[i].next != WAITS_NONE &&
            take_node(r, i) != 0)
            return -1;
    r->before = r->jvms.packet;
    return 0;
}

static int by_thread(const void *a, const void *b)
{
    const struct waits_chain *x = a, *y = b;
    if (x->jvm != y->jvm)
        return x->jvm < y->jvm ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

int waits_chains_read(struct waits_chains *c, const struct roxi_listed_execution *run,
                      struct ix_error *err)
{
    struct reading r = {.out = c, .run = run};
    *c = (struct waits_chains){0};
    int more, result = waits_jvms_open(&r.jvms, run, true, err);
    while (result == 0 && (more = waits_jvms_next(&r.jvms, err)) != 0) {
        if (more < 0)
            result = -1;
        else if (take_packet(&r) != 0)
            result = ix_fail(err, "out of memory");
    }
    if (c->count)
        qsort(c->list, c->count, sizeof *c->list, by_thread);
    waits_build_free(&r.build);
    waits_jvms_free(&r.jvms);
    roxi_tally_free(&r.latest);
    free(r.latest_chain);
    if (result != 0)
        waits_chains_free(c);
    return result;
}

size_t waits_chains_first(const struct waits_chains *c, uint32_t jvm, uint32_t thread)
{
    size_t low = 0;
    for (size_t high = c->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const struct waits_chain *at = &c->list[middle];
        if (at->jvm < jvm || (at->jvm == jvm && at->thread < thread))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void waits_chains_free(struct waits_chains *c)
{
    free(c->list);
    *c = (struct waits_chains){0};
}
