/* SPDX-License-Identifier: Apache-2.0 */
/* Follows threads that wait for longer than typical to the thread that they wait for. What that one
 * does may not be unusual, and yet it is what to look at: it gets their evidence. It may itself
 * wait for something that is not known, such as a request: then it has not answered the one before.
 * Who owns a monitor, and waits for another JVM as it does in normal runs, is the end of the chain:
 * others should not have to wait for that. */
#include <stdlib.h>

#include "roxi/explain/finder.h"
#include "roxi/rank/words.h"
#include "schema/base/grow.h"

/* Share of a finding's packets in which its threads must wait for the same role or node. Chosen on
 * sample systems (docs/why-measured.md). */
#define MOSTLY 0.5
/* Share of the evidence of those that wait for a role at which a finding of its own explains it. */
#define AS_STRONG 0.5

/* What is waited for: a thread of a template in a call stack. */
struct end {
    struct roxi_member who;
    uint32_t thread, stack;
    uint64_t packets; /* x threads that wait */
    bool ring;        /* it is part of a deadlock */
};

struct ends {
    struct end *list; /* owned */
    size_t count, cap;
    uint64_t packets; /* of all threads, whether they wait or not */
};

static int add_end(struct ends *e, const struct end *x)
{
    for (size_t i = 0; i < e->count; i++) {
        struct end *known = &e->list[i];
        if (roxi_same_member(known->who, x->who) && known->thread == x->thread &&
            known->stack == x->stack && known->ring == x->ring) {
            known->packets += x->packets;
            return 0;
        }
    }
    return ix_append(e->list, e->count, e->cap, *x);
}

/* Adds a JVM of which it is not known which thread is waited for. */
static int add_jvm(const struct roxi_finder *f, const struct waits_chain *c, uint64_t packets,
                   struct ends *e)
{
    for (size_t i = 0; i < f->run->history.count; i++)
        if (f->run->history.spans[i].jvm == c->end_jvm)
            return add_end(e, &(struct end){.who = {.role = f->members[i].role},
                                            .thread = ROXI_NONE,
                                            .packets = packets});
    return 0;
}

/* Adds what the end of a chain does from packet `from` to `to`. */
static int add_spans(const struct roxi_finder *f, const struct waits_chain *c, uint64_t from,
                     uint64_t to, struct ends *e)
{
    uint64_t rest = to - from + 1; /* packets in which it is not known yet */
    for (size_t i = 0; i < f->run->history.count && rest; i++) {
        const struct roxi_span *span = &f->run->history.spans[i];
        if (span->jvm != c->end_jvm || span->thread != c->end_thread)
            continue;
        const struct end x = {.who = f->members[i],
                              .thread = f->templates[i],
                              .stack = span->stack,
                              .packets = roxi_overlap(span->first, span->last, from, to),
                              .ring = c->ring};
        if (x.packets && add_end(e, &x) != 0)
            return -1;
        rest -= x.packets < rest ? x.packets : rest;
    }
    return 0;
}

/* Adds the end of a chain from packet `from` to `to`; with `owners`, who owns the monitor that its
 * thread is blocked on, whatever the owner waits for. */
static int add_chain(const struct roxi_finder *f, struct waits_chain c, bool owners, uint64_t from,
                     uint64_t to, struct ends *e)
{
    if (owners && c.owner && !c.ring) {
        c.end_jvm = c.jvm;
        c.end_thread = c.owner;
    }
    return c.end_thread ? add_spans(f, &c, from, to, e) : add_jvm(f, &c, to - from + 1, e);
}

/* The chains of the span's thread, from `from` on. */
static int follow_span(const struct roxi_finder *f, const struct roxi_span *span, uint64_t from,
                       bool owners, struct ends *e)
{
    const uint64_t first = span->first > from ? span->first : from;
    e->packets += span->packets;
    const struct waits_chains *chains = &f->out->chains;
    for (size_t i = waits_chains_first(chains, span->jvm, span->thread); i < chains->count; i++) {
        const struct waits_chain *c = &chains->list[i];
        if (c->jvm != span->jvm || c->thread != span->thread || c->first > span->last)
            break;
        if (!roxi_overlap(c->first, c->last, first, span->last))
            continue;
        const uint64_t begin = c->first > first ? c->first : first;
        const uint64_t end = c->last < span->last ? c->last : span->last;
        if (add_chain(f, *c, owners, begin, end, e) != 0)
            return -1;
    }
    return 0;
}

static int follow(const struct roxi_finder *f, const struct roxi_finding *x, bool owners,
                  struct ends *e)
{
    for (size_t i = 0; i < f->run->history.count; i++) {
        const struct roxi_span *span = &f->run->history.spans[i];
        if (span->stack == x->stack && roxi_same_member(f->members[i], x->who) &&
            follow_span(f, span, x->packet, owners, e) != 0)
            return -1;
    }
    return 0;
}

static uint64_t packets_of(const struct ends *e, struct roxi_member who)
{
    uint64_t packets = 0;
    for (size_t i = 0; i < e->count; i++)
        if (roxi_same_member(e->list[i].who, who))
            packets += e->list[i].packets;
    return packets;
}

/* What is waited for the longest, of a member that is waited for most of the time. NULL: there is
 * no such member. */
static const struct end *longest(const struct ends *e)
{
    const struct end *best = NULL;
    for (size_t i = 0; i < e->count; i++) {
        const struct end *x = &e->list[i];
        if ((!best || x->packets > best->packets) &&
            (double)packets_of(e, x->who) >= MOSTLY * (double)e->packets)
            best = x;
    }
    return best;
}

/* The strongest finding of the node, or else of the role. */
static struct roxi_finding *strongest(const struct roxi_finder *f, struct roxi_member who)
{
    struct roxi_finding *best = NULL;
    for (size_t i = 0; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        const bool there = who.node ? roxi_same_member(x->who, who) : x->who.role == who.role;
        if (there && !x->less && (!best || x->weight > best->weight))
            best = x;
    }
    return best;
}

/* Is there a finding of this already? One of a call in which others are, too, is not of those in a
 * deadlock. */
static struct roxi_finding *known(const struct roxi_finder *f, const struct end *e)
{
    for (size_t i = 0; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (roxi_same_member(x->who, e->who) && !x->less && x->kind == ROXI_IN_CALL &&
            (x->stack == e->stack ||
             (!e->ring && roxi_finder_depth(f->profiles->symbols, e->stack, &x->call))))
            return x;
    }
    return NULL;
}

/* The finding of the role that is waited for which explains the wait; NULL: it does not depart
 * itself. */
static struct roxi_finding *explanation(const struct roxi_finder *f, const struct roxi_finding *x,
                                        const struct end *e)
{
    struct roxi_finding *own = strongest(f, e->who);
    return own && own != x && own->weight >= AS_STRONG * x->weight ? own : NULL;
}

/* The role that is waited for departs itself, or is the one that waits: no finding more. */
static void blame_role(struct roxi_finder *f, struct roxi_finding *x, const struct end *e)
{
    struct roxi_finding *own = explanation(f, x, e);
    x->ends_at = e->who;
    x->follows = own != NULL;
    if (own)
        own->weight += x->weight;
}

/* Is the end a thread that has nothing to do? Such as one that reads the next request, while others
 * work on the one before. */
static bool has_nothing_to_do(const struct roxi_finder *f, const struct end *e)
{
    const enum roxi_doing doing = roxi_doing_in(f->profiles->symbols, e->stack);
    return (doing == ROXI_ON_NETWORK || doing == ROXI_WAITING) && !e->ring && !known(f, e);
}

/* Is there nothing to say of the end but what the findings of its role say? */
static bool departs_itself(const struct roxi_finder *f, const struct roxi_finding *x,
                           const struct end *e)
{
    if (e->stack)
        return has_nothing_to_do(f, e) && explanation(f, x, e);
    return roxi_same_member(e->who, x->who) || explanation(f, x, e);
}

/* Gives the end of the chains the evidence of finding number `n`. If only its JVM is known, that is
 * a finding without a thread. */
static int blame_end(struct roxi_finder *f, size_t n, const struct end *e)
{
    const struct roxi_finding *x = &f->out->list[n];
    struct roxi_finding *there = known(f, e);
    if (there)
        there->deadlock |= e->ring;
    if (there == x)
        return 0;
    if (there) {
        there->weight += x->weight;
        if (there->waited_for)
            there->here += (uint32_t)e->packets;
    } else {
        struct roxi_finding cause = *x;
        cause.kind = ROXI_IN_CALL;
        cause.locus = ROXI_NONE;
        cause.who = cause.as = e->who;
        cause.thread = e->thread;
        cause.stack = e->stack;
        cause.call = roxi_finder_innermost(f->profiles->symbols, e->stack);
        cause.doing = roxi_doing_in(f->profiles->symbols, e->stack);
        cause.here = roxi_capped(e->packets);
        cause.waited_for = true;
        cause.stay = false;
        cause.deadlock = e->ring;
        cause.waiters = x->who;
        if (roxi_finder_add(f, &cause) != 0)
            return -1;
    }
    f->out->list[n].ends_at = e->who;
    f->out->list[n].follows = true;
    return 0;
}

/* Does it wait as in normal runs? Then those that it keeps waiting are what is unusual. */
static bool waits_as_usual(const struct roxi_finder *f, const struct end *e)
{
    return e->stack && !known(f, e);
}

/* What the finding's threads wait for. `e` is filled and belongs to the caller. *end: NULL if there
 * is no such thing. */
static int find_end(const struct roxi_finder *f, const struct roxi_finding *x, struct ends *e,
                    const struct end **end)
{
    struct ends owners = {0};
    int result = follow(f, x, false, e);
    *end = result == 0 ? longest(e) : NULL;
    if (result != 0 || x->doing != ROXI_BLOCKED || (*end && (*end)->stack))
        return result;
    result = follow(f, x, true, &owners);
    const struct end *owner = result == 0 ? longest(&owners) : NULL;
    if (!*end || (owner && waits_as_usual(f, owner))) {
        free(e->list);
        *e = owners;
        *end = owner;
    } else {
        free(owners.list);
    }
    return result;
}

int roxi_produce_waited_for(struct roxi_finder *f)
{
    const size_t count = f->out->chains.count ? f->out->count : 0;
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        struct ends e = {0};
        struct roxi_finding *x = &f->out->list[i];
        if (!x->stack || x->less || x->kind > ROXI_OUTSIDE)
            continue;
        const struct end *end;
        result = find_end(f, x, &e, &end);
        if (result == 0 && end) {
            if (x->doing == ROXI_RUNNING) /* as it looks by itself */
                x->doing = ROXI_WAITING;
            if (departs_itself(f, x, end))
                blame_role(f, x, end);
            else
                result = blame_end(f, i, end);
        }
        free(e.list);
    }
    return result;
}
