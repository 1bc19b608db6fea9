/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/packets.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

void roxi_packets_free(struct roxi_packets *p)
{
    free(p->runs);
    *p = (struct roxi_packets){0};
}

static int append(struct roxi_packets *p, uint64_t first, uint64_t last)
{
    return ix_append(p->runs, p->count, p->cap, (struct roxi_run){first, last});
}

int roxi_packets_add(struct roxi_packets *p, uint64_t packet)
{
    struct roxi_run *end = p->count ? &p->runs[p->count - 1] : NULL;
    if (!end || (packet > end->last && packet - end->last > 1))
        return append(p, packet, packet);
    if (packet > end->last)
        end->last = packet;
    return 0;
}

uint64_t roxi_packets_size(const struct roxi_packets *p)
{
    uint64_t size = 0;
    for (size_t i = 0; i < p->count; i++) {
        const uint64_t more = p->runs[i].last - p->runs[i].first;
        if (more > UINT64_MAX - 1 - size)
            return UINT64_MAX;
        size += more + 1;
    }
    return size;
}

/* The first packet of a range, or its last. */
struct edge {
    uint64_t packet;
    bool ends; /* the edge lies after `packet`, not before it, so that the range can end at the
                  highest number */
};

static int by_place(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (int)x->ends - (int)y->ends;
}

static size_t list_edges(const struct roxi_packets *const *sets, size_t count, struct edge *edges)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sets[i]->count; k++) {
            edges[n++] = (struct edge){sets[i]->runs[k].first, false};
            edges[n++] = (struct edge){sets[i]->runs[k].last, true};
        }
    }
    qsort(edges, n, sizeof *edges, by_place);
    return n;
}

/* Adds a range that may directly follow the last one. */
static int append_joined(struct roxi_packets *p, uint64_t first, uint64_t last)
{
    struct roxi_run *end = p->count ? &p->runs[p->count - 1] : NULL;
    if (!end || first - end->last > 1)
        return append(p, first, last);
    end->last = last;
    return 0;
}

int roxi_packets_choose(const struct roxi_packets *const *sets, size_t count, uint64_t enough,
                        struct roxi_packets *chosen)
{
    size_t runs = 0;
    for (size_t i = 0; i < count; i++)
        runs += sets[i]->count;
    struct edge *edges = calloc(2 * runs + 1, sizeof *edges);
    int result = edges ? 0 : -1;
    const size_t n = edges ? list_edges(sets, count, edges) : 0;
    uint64_t here = 0, first = 0; /* sets that hold the place; where it became enough */
    for (size_t i = 0; i < n && result == 0; i++) {
        if (!edges[i].ends && ++here == enough)
            first = edges[i].packet;
        else if (edges[i].ends && here-- == enough)
            result = append_joined(chosen, first, edges[i].packet);
    }
    free(edges);
    return result;
}

void roxi_packets_from(struct roxi_packets *p, uint64_t first)
{
    size_t below = 0;
    while (below < p->count && p->runs[below].last < first)
        below++;
    p->count -= below;
    memmove(p->runs, p->runs + below, p->count * sizeof *p->runs);
    if (p->count && p->runs[0].first < first)
        p->runs[0].first = first;
}

bool roxi_packets_has(const struct roxi_packets *p, uint64_t packet, size_t *at)
{
    while (*at < p->count && p->runs[*at].last < packet)
        ++*at;
    return *at < p->count && p->runs[*at].first <= packet;
}
