/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait for each other until their JVM's last packet. Where they would have worked
 * little, and nobody waits for them, that is long neither for them nor for others, and so no
 * departure; but nothing explains more. */
#include <math.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/usual.h"

enum { LEAST = 10 }; /* packets: a lock may be given up after a time-out */

static uint64_t overlap(const struct roxi_span *span, const struct waits_chain *c)
{
    return roxi_overlap(span->first, span->last, c->first, c->last);
}

static bool is_lasting(const struct roxi_history *h, const struct waits_chain *c)
{
    uint64_t end = 0; /* of its JVM */
    if (!c->ring || c->jvm != c->end_jvm || c->thread != c->end_thread ||
        c->last - c->first + 1 < LEAST)
        return false;
    for (size_t i = 0; i < h->count; i++)
        if (h->spans[i].jvm == c->jvm && h->spans[i].last > end)
            end = h->spans[i].last;
    return c->last >= end;
}

/* The number of the span in which the chain's thread is for the longest meanwhile; h->count: there
 * is none. */
static size_t longest_span(const struct roxi_history *h, const struct waits_chain *c)
{
    size_t longest = h->count;
    for (size_t i = 0; i < h->count; i++) {
        const struct roxi_span *span = &h->spans[i];
        if (span->jvm == c->jvm && span->thread == c->thread && overlap(span, c) &&
            (longest == h->count || overlap(span, c) > overlap(&h->spans[longest], c)))
            longest = i;
    }
    return longest;
}

/* The finding of the span's call stack; NULL: there is none. */
static struct roxi_finding *known(const struct roxi_finder *f, size_t span)
{
    for (size_t i = 0; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (!x->less && x->kind == ROXI_IN_CALL && x->stack == f->run->history.spans[span].stack &&
            roxi_same_member(x->who, f->members[span]))
            return x;
    }
    return NULL;
}

/* Packets of threads of the template in the call stack, in a normal run. */
static double usual_packets(const struct roxi_finder *f, size_t run, const struct roxi_finding *x)
{
    const struct roxi_profile *p = &f->profiles->executions[run];
    double packets = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].stack == x->stack && roxi_finder_is_theirs(f, x, p->items[i].group))
            packets += (double)p->items[i].count;
    return packets;
}

static struct roxi_usual usual_of(struct roxi_finder *f, const struct roxi_finding *x)
{
    size_t count = 0;
    for (size_t r = 0; r < f->ranking->n; r++)
        if (f->normal[r])
            f->numbers[count++] = usual_packets(f, r, x);
    return roxi_usual_of(f->numbers, count, x->here);
}

static int add(struct roxi_finder *f, const struct waits_chain *c, size_t span, double weight)
{
    struct roxi_finding x = roxi_finding_of(ROXI_ABOUT_DURATION, f->members[span]);
    x.kind = ROXI_IN_CALL;
    x.thread = f->templates[span];
    x.stack = f->run->history.spans[span].stack;
    x.call = roxi_finder_innermost(f->profiles->symbols, x.stack);
    x.doing = ROXI_BLOCKED;
    x.packet = c->first;
    x.here = roxi_capped(overlap(&f->run->history.spans[span], c));
    x.weight = weight;
    x.deadlock = true;
    const struct roxi_usual usual = usual_of(f, &x);
    x.elsewhere = usual.centre;
    x.like = usual.like;
    return roxi_finder_add(f, &x);
}

int roxi_produce_deadlocks(struct roxi_finder *f)
{
    const struct waits_chains *c = &f->out->chains;
    const struct roxi_history *h = &f->run->history;
    double weight = 1;
    int result = 0;
    for (size_t i = 0; i < f->out->count; i++)
        weight = fmax(weight, f->out->list[i].weight);
    for (size_t i = 0; i < c->count && result == 0; i++) {
        const size_t span = is_lasting(h, &c->list[i]) ? longest_span(h, &c->list[i]) : h->count;
        if (span == h->count)
            continue;
        struct roxi_finding *there = known(f, span);
        if (there)
            there->deadlock = true;
        else
            result = add(f, &c->list[i], span, weight);
    }
    return result;
}
