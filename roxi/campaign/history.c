/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/history.h"

#include <stdbool.h>
#include <stdlib.h>

#include "schema/base/grow.h"

void roxi_history_free(struct roxi_history *h)
{
    free(h->spans);
    free(h->moments);
    free(h->turned);
    free(h->told);
    free(h->used);
    free(h->sent);
    free(h->silences);
    *h = (struct roxi_history){0};
}

int roxi_history_add_span(struct roxi_history *h, struct roxi_span span)
{
    return ix_append(h->spans, h->count, h->cap, span);
}

int roxi_history_add_moment(struct roxi_history *h, struct roxi_moment moment)
{
    return ix_append(h->moments, h->moment_count, h->moment_cap, moment);
}

int roxi_history_add_turned(struct roxi_history *h, struct roxi_turned turned)
{
    return ix_append(h->turned, h->turned_count, h->turned_cap, turned);
}

int roxi_history_add_told(struct roxi_history *h, struct roxi_told told)
{
    return ix_append(h->told, h->told_count, h->told_cap, told);
}

int roxi_history_add_used(struct roxi_history *h, struct roxi_used used)
{
    return ix_append(h->used, h->used_count, h->used_cap, used);
}

int roxi_history_add_sent(struct roxi_history *h, struct roxi_sent sent)
{
    return ix_append(h->sent, h->sent_count, h->sent_cap, sent);
}

static int by_sent(const void *a, const void *b)
{
    const struct roxi_sent *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    if (x->accepted != y->accepted)
        return x->accepted ? 1 : -1;
    return (x->sent > y->sent) - (x->sent < y->sent);
}

int roxi_history_add_silence(struct roxi_history *h, struct roxi_silence silence)
{
    return ix_append(h->silences, h->silence_count, h->silence_cap, silence);
}

static int by_silence(const void *a, const void *b)
{
    const struct roxi_silence *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return (x->packets > y->packets) - (x->packets < y->packets);
}

static int by_told(const void *a, const void *b)
{
    const struct roxi_told *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    return (x->count > y->count) - (x->count < y->count);
}

static int by_turned(const void *a, const void *b)
{
    const struct roxi_turned *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->turns > y->turns) - (x->turns < y->turns);
}

static int by_packet(const void *a, const void *b)
{
    const struct roxi_moment *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (x->real_ns > y->real_ns) - (x->real_ns < y->real_ns);
}

void roxi_history_order(struct roxi_history *h)
{
    size_t n = 0;
    if (h->moment_count)
        qsort(h->moments, h->moment_count, sizeof *h->moments, by_packet);
    for (size_t i = 0; i < h->moment_count; i++)
        if (!n || h->moments[n - 1].packet != h->moments[i].packet)
            h->moments[n++] = h->moments[i];
    h->moment_count = n;
    if (h->turned_count)
        qsort(h->turned, h->turned_count, sizeof *h->turned, by_turned);
    if (h->told_count)
        qsort(h->told, h->told_count, sizeof *h->told, by_told);
    if (h->sent_count)
        qsort(h->sent, h->sent_count, sizeof *h->sent, by_sent);
    if (h->silence_count)
        qsort(h->silences, h->silence_count, sizeof *h->silences, by_silence);
}

size_t roxi_history_before(const struct roxi_history *h, uint64_t packet)
{
    size_t low = 0;
    for (size_t high = h->moment_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (h->moments[middle].packet < packet)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t roxi_history_since(const struct roxi_history *h, uint64_t packet)
{
    const size_t up_to =
        packet == UINT64_MAX ? h->moment_count : roxi_history_before(h, packet + 1);
    if (!up_to)
        return 0;
    const int64_t first = h->moments[0].real_ns;
    const bool known = h->begin_ns > 0 && h->begin_ns <= first;
    return h->moments[up_to - 1].real_ns - (known ? h->begin_ns : first);
}
