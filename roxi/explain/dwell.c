/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/dwell.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/rank/durations.h"
#include "roxi/rank/median.h"

static uint64_t count_in(const struct roxi_profile *x, uint32_t group, uint32_t stack)
{
    size_t low = 0;
    for (size_t high = x->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const struct roxi_item *item = &x->items[middle];
        if (item->group < group || (item->group == group && item->stack < stack))
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->count && x->items[low].group == group && x->items[low].stack == stack
               ? x->items[low].count
               : 0;
}

/* `work` has room for all runs. */
static double median_of(const struct roxi_profiles *p, size_t run, const bool *normal,
                        const struct roxi_span *span, double *work)
{
    size_t n = 0, count = 0;
    for (size_t r = 0; r < p->count; r++) {
        if (!normal[r] || r == run)
            continue;
        const uint64_t packets = count_in(&p->executions[r], span->group, span->stack);
        n++;
        if (packets)
            work[count++] = (double)packets;
    }
    return n ? roxi_median(work, count, n) : 0;
}

static int by_packets(const void *a, const void *b)
{
    const struct roxi_span *x = *(const struct roxi_span *const *)a;
    const struct roxi_span *y = *(const struct roxi_span *const *)b;
    if (x->packets != y->packets)
        return x->packets > y->packets ? -1 : 1;
    return (x > y) - (x < y);
}

/* Puts a stay where it belongs, unless its group has a longer one, or there is no room. */
static size_t insert(struct roxi_dwell *list, size_t count, size_t most, struct roxi_dwell x)
{
    size_t at = 0;
    while (at < count && list[at].times >= x.times && list[at].span->group != x.span->group)
        at++;
    if (at == most || (at < count && list[at].times >= x.times))
        return count;
    size_t last = at; /* the group's shorter stay, or the end */
    while (last < count && list[last].span->group != x.span->group)
        last++;
    if (last == most)
        last--;
    memmove(&list[at + 1], &list[at], (last - at) * sizeof *list);
    list[at] = x;
    return last == count ? count + 1 : count;
}

int roxi_dwell_longest(struct roxi_dwell *list, size_t most, const struct roxi_profiles *p,
                       size_t run, const bool *normal, bool own)
{
    const struct roxi_history *h = &p->executions[run].history;
    const struct roxi_span **spans = calloc(h->count + 1, sizeof *spans);
    double *work = calloc(p->count + 1, sizeof *work);
    size_t count = 0;
    for (size_t i = 0; spans && i < h->count; i++)
        spans[i] = &h->spans[i];
    if (spans && h->count)
        qsort(spans, h->count, sizeof *spans, by_packets);
    for (size_t i = 0; spans && work && i < h->count; i++) {
        const double packets = (double)spans[i]->packets;
        if (count == most && packets <= list[count - 1].times)
            break;
        if (own && roxi_is_outside(p->symbols, spans[i]->stack))
            continue;
        const double times = packets / (1 + median_of(p, run, normal, spans[i], work));
        count = insert(list, count, most, (struct roxi_dwell){spans[i], times});
    }
    const bool room = spans && work;
    free(spans);
    free(work);
    return room ? (int)count : -1;
}
