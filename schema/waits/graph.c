/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/waits/graph.h"

#include <stdlib.h>

#include "schema/base/grow.h"

size_t waits_graph_add(struct waits_graph *g, const struct waits_node *node)
{
    struct waits_node *nodes = ix_grow(g->nodes, &g->cap, g->count + 1, sizeof *nodes);
    if (!nodes)
        return WAITS_NONE;
    g->nodes = nodes;
    nodes[g->count] = *node;
    nodes[g->count].next = nodes[g->count].first = nodes[g->count].after = WAITS_NONE;
    nodes[g->count].waiters = 0;
    nodes[g->count].in_ring = false;
    return g->count++;
}

/* Takes the nodes that nobody waits for any more, again and again, and hands on the number of their
 * waiters. What remains are the rings. */
static void count_waiters(struct waits_graph *g, size_t *direct, size_t *queue)
{
    size_t queued = 0;
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i].next != WAITS_NONE)
            direct[g->nodes[i].next]++;
    for (size_t i = 0; i < g->count; i++)
        if (direct[i] == 0)
            queue[queued++] = i;
    for (size_t done = 0; done < queued; done++) {
        const struct waits_node *node = &g->nodes[queue[done]];
        if (node->next == WAITS_NONE)
            continue;
        g->nodes[node->next].waiters += node->waiters + (node->kind == WAITS_THREAD);
        if (--direct[node->next] == 0)
            queue[queued++] = node->next;
    }
    for (size_t i = 0; i < g->count; i++)
        g->nodes[i].in_ring = direct[i] != 0;
}

/* Each node of a ring is waited for by all others, and by those that wait for them. */
static void join_ring(struct waits_graph *g, size_t first, bool *seen)
{
    size_t sum = 0, length = 0;
    for (size_t i = first; !seen[i]; i = g->nodes[i].next) {
        seen[i] = true;
        sum += g->nodes[i].waiters;
        length++;
    }
    size_t at = first;
    do {
        g->nodes[at].waiters = sum + length - 1;
        at = g->nodes[at].next;
    } while (at != first);
}

static void find_rings(struct waits_graph *g, bool *seen)
{
    for (size_t i = 0; i < g->count; i++) {
        if (!g->nodes[i].in_ring || seen[i])
            continue;
        join_ring(g, i, seen);
        g->rings[g->ring_count++] = i;
    }
}

/* Lists those that wait for each node, in order. */
static void link_waiters(struct waits_graph *g)
{
    for (size_t i = g->count; i-- > 0;) {
        struct waits_node *node = &g->nodes[i];
        if (node->next == WAITS_NONE || node->in_ring)
            continue;
        node->after = g->nodes[node->next].first;
        g->nodes[node->next].first = i;
    }
}

static int by_waiters(const void *a, const void *b, void *graph)
{
    const struct waits_node *nodes = ((const struct waits_graph *)graph)->nodes;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (nodes[x].waiters != nodes[y].waiters)
        return nodes[x].waiters > nodes[y].waiters ? -1 : 1;
    return (x > y) - (x < y);
}

int waits_graph_finish(struct waits_graph *g)
{
    size_t *direct = calloc(g->count + 1, sizeof *direct);
    bool *seen = calloc(g->count + 1, sizeof *seen);
    free(g->ends);
    free(g->rings);
    g->ends = calloc(g->count + 1, sizeof *g->ends);
    g->rings = calloc(g->count + 1, sizeof *g->rings);
    g->end_count = g->ring_count = 0;
    const int result = direct && seen && g->ends && g->rings ? 0 : -1;
    if (result == 0) {
        count_waiters(g, direct, g->ends); /* which has room, and is filled in below */
        find_rings(g, seen);
        link_waiters(g);
        for (size_t i = 0; i < g->count; i++)
            if (g->nodes[i].next == WAITS_NONE && g->nodes[i].waiters)
                g->ends[g->end_count++] = i;
        qsort_r(g->ends, g->end_count, sizeof *g->ends, by_waiters, g);
    }
    free(direct);
    free(seen);
    return result;
}

size_t waits_graph_walk(const struct waits_graph *g, size_t root, size_t at, size_t *depth)
{
    if (g->nodes[at].first != WAITS_NONE) {
        ++*depth;
        return g->nodes[at].first;
    }
    for (; at != root; at = g->nodes[at].next, --*depth)
        if (g->nodes[at].after != WAITS_NONE)
            return g->nodes[at].after;
    return WAITS_NONE;
}

void waits_graph_clear(struct waits_graph *g)
{
    g->count = g->end_count = g->ring_count = 0;
}

void waits_graph_free(struct waits_graph *g)
{
    free(g->nodes);
    free(g->ends);
    free(g->rings);
    *g = (struct waits_graph){0};
}
