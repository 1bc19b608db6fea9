/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait for each other until their JVM's last packet. Where they would have worked
 * little, and nobody waits for them, that is long neither for them nor for others, and so no
 * departure; but nothing explains more. */
#include <math.h>
#include <stdlib.h>

#include "roxi/explain/finder.h"
#include "roxi/rank/median.h"

enum { LEAST = 10 }; /* packets: a lock may be given up after a time-out */

/* A thread that is part of a deadlock. */
struct knot {
    const struct waits_chain *chain;
    const struct roxi_span *span; /* what it does for the longest meanwhile */
    size_t number;                /* of the span */
};

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

static struct knot knot_of(const struct roxi_history *h, const struct waits_chain *c)
{
    struct knot k = {.chain = c};
    for (size_t i = 0; i < h->count; i++) {
        const struct roxi_span *span = &h->spans[i];
        if (span->jvm == c->jvm && span->thread == c->thread && overlap(span, c) &&
            (!k.span || overlap(span, c) > overlap(k.span, c))) {
            k.span = span;
            k.number = i;
        }
    }
    return k;
}

/* The finding of that thread's call stack; NULL: there is none. */
static struct roxi_finding *known(const struct roxi_finder *f, const struct knot *k)
{
    for (size_t i = 0; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (!x->less && x->kind == ROXI_IN_CALL && x->stack == k->span->stack &&
            roxi_same_member(x->who, f->members[k->number]))
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

static void compare(struct roxi_finder *f, struct roxi_finding *x)
{
    size_t count = 0;
    for (size_t r = 0; r < f->ranking->n; r++) {
        if (!f->normal[r])
            continue;
        const double packets = usual_packets(f, r, x);
        x->like += packets >= x->here;
        f->numbers[count++] = packets;
    }
    x->elsewhere = roxi_median(f->numbers, count, count);
}

static int add(struct roxi_finder *f, const struct knot *k, double weight)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    struct roxi_finding x = roxi_finding_of(ROXI_ABOUT_DURATION, f->members[k->number]);
    x.kind = ROXI_IN_CALL;
    x.thread = f->templates[k->number];
    x.stack = k->span->stack;
    x.call = roxi_finder_innermost(s, x.stack);
    x.doing = ROXI_BLOCKED;
    x.packet = k->chain->first;
    x.here = (uint32_t)overlap(k->span, k->chain);
    x.weight = weight;
    x.deadlock = true;
    compare(f, &x);
    return roxi_finder_add(f, &x);
}

int roxi_produce_deadlocks(struct roxi_finder *f)
{
    const struct waits_chains *c = &f->out->chains;
    double weight = 1;
    int result = 0;
    for (size_t i = 0; i < f->out->count; i++)
        weight = fmax(weight, f->out->list[i].weight);
    for (size_t i = 0; i < c->count && result == 0; i++) {
        if (!is_lasting(&f->run->history, &c->list[i]))
            continue;
        const struct knot k = knot_of(&f->run->history, &c->list[i]);
        struct roxi_finding *there = k.span ? known(f, &k) : NULL;
        if (there)
            there->deadlock = true;
        else if (k.span)
            result = add(f, &k, weight);
    }
    return result;
}
