/* SPDX-License-Identifier: Apache-2.0 */
/* A reader knows the methods that somebody wrote, and nothing of the generated ones between them
 * (rank/generated.h). A finding of a generated method names a call further in on its call stack
 * instead, in which the run departs nearly as much. */
#include "roxi/explain/finder.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/generated.h"

#define NEARLY 0.8 /* share of the packets above what is typical */

struct naming {
    const struct roxi_finder *f;
    const struct roxi_finding *x; /* the one to name */
};

/* A call that may be named, and its numbers. */
struct candidate {
    struct roxi_call call;
    uint32_t here;
    struct roxi_usual usual;
    int written;    /* how many of its two methods are: the one to look at, and its caller */
    uint32_t depth; /* on the finding's call stack; 0: there is no such call */
};

static bool is_written(const struct roxi_symbols *s, uint32_t class_name, uint32_t method)
{
    return !roxi_is_generated(roxi_symbols_text(s, class_name), roxi_symbols_text(s, method));
}

/* 0 if the method to look at is generated. */
static int written(const struct roxi_symbols *s, const struct roxi_call *c)
{
    const struct roxi_call at = roxi_finder_to_look_at(s, c);
    return is_written(s, at.class_name, at.method) ? 1 + is_written(s, c->class_name, c->method)
                                                   : 0;
}

static struct roxi_usual usual_of(const struct naming *n, uint32_t item, uint32_t here)
{
    const struct roxi_finder *f = n->f;
    size_t count = 0;
    for (size_t r = 0; r < f->ranking->n; r++)
        if (f->normal[r])
            f->numbers[count++] = roxi_finder_packets(f->ranking->durations, r, item);
    return roxi_usual_of(f->numbers, count, here);
}

static bool is_of_member(const struct naming *n, uint32_t item)
{
    const struct roxi_durations *d = n->f->ranking->durations;
    const struct roxi_member who = roxi_durations_member(d, roxi_durations_of(d, item));
    return roxi_durations_locus(d, d->locus_of[item]).kind == ROXI_IN_CALL &&
           !roxi_durations_is_stay(d, item) && roxi_same_member(who, n->x->who);
}

static bool departs_as_much(const struct naming *n, const struct candidate *c)
{
    return c->here - c->usual.centre >= NEARLY * (n->x->here - n->x->elsewhere) &&
           c->usual.like <= n->x->like;
}

/* Replaces the candidate if the item is a better one: more of it is written, or it is further in.
 */
static void look_at(const struct naming *n, const struct roxi_duration *duration,
                    struct candidate *best)
{
    const struct roxi_symbols *s = n->f->profiles->symbols;
    if (!is_of_member(n, duration->item))
        return;
    struct candidate c = {.call = roxi_durations_call(n->f->ranking->durations, duration->item),
                          .here = duration->packets};
    const struct roxi_call now = roxi_finder_to_look_at(s, &n->x->call);
    c.written = written(s, &c.call);
    if (c.written < best->written ||
        !roxi_finder_same_library(s, now.class_name, c.call.class_name))
        return;
    c.depth = roxi_finder_depth(s, n->x->stack, &c.call);
    if (!c.depth || (c.written == best->written && c.depth <= best->depth))
        return;
    c.usual = usual_of(n, duration->item, c.here);
    if (departs_as_much(n, &c))
        *best = c;
}

static bool is_named(const struct roxi_finder *f, const struct roxi_finding *x,
                     const struct roxi_call *c)
{
    for (size_t i = 0; i < f->out->count; i++) {
        const struct roxi_finding *y = &f->out->list[i];
        if (y->kind == ROXI_IN_CALL && roxi_same_member(y->who, x->who) &&
            roxi_same_call(&y->call, c))
            return true;
    }
    return false;
}

static void name(const struct roxi_finder *f, struct roxi_finding *x)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    const struct roxi_durations *d = f->ranking->durations;
    const struct naming n = {f, x};
    struct candidate best = {.written = written(s, &x->call)};
    best.depth = roxi_finder_depth(s, x->stack, &x->call);
    for (size_t i = d->first[f->number]; i < d->first[f->number + 1]; i++)
        look_at(&n, &d->all[i], &best);
    if (!best.here || is_named(f, x, &best.call))
        return;
    x->call = best.call;
    x->here = best.here;
    x->elsewhere = best.usual.centre;
    x->like = best.usual.like;
}

/* Of a peer whose work it did (rank/peers.h), the numbers are another member's. */
static bool is_to_name(const struct roxi_symbols *s, const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_DURATION && x->kind == ROXI_IN_CALL && !x->stay && !x->less &&
           !x->waited_for && x->stack && roxi_same_member(x->who, x->as) &&
           written(s, &x->call) < 2;
}

int roxi_produce_names(struct roxi_finder *f)
{
    for (size_t i = 0; i < f->out->count; i++)
        if (is_to_name(f->profiles->symbols, &f->out->list[i]))
            name(f, &f->out->list[i]);
    return 0;
}
