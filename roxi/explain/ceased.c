/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the code that a run ceased to execute first: before it, all that normal runs execute
 * all the time was executed, and what ceases later mostly does so because of it. A credit that is
 * no longer given, a connection that is not given back: a moment later the whole system stands
 * still. */
#include <math.h>
#include <stdlib.h>

#include "roxi/explain/code.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/peers.h"
#include "schema/base/grow.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define AS_LONG 2.0           /* times as long as is common in normal runs */
#define OF_ACTIVE 0.5         /* and that is such a share at most of when they execute it */
#define OF_STRONGEST 0.9      /* what a class counts, of the strongest finding, */
#define FEW 3.0               /* if so many at most cease at once */
#define LATER 0.3             /* what code counts that is missed later */
#define STANDS 0.8            /* share of the time in which a thread stands still, */
#define STANDS_FOR_OTHERS 0.3 /* and what the code counts if that waits for other code */
enum {
    AT_ONCE = 1, /* packets after the first */
    SHARP = 12,  /* packets between two executions in normal runs, at most: it is known when */
};

/* A block that this run ceased to execute. */
struct ceased {
    const struct roxi_executed *block;
    uint32_t class_name;
    double at;     /* the packet by which it has ceased, as near as that is known: it was executed
                      before, */
    double latest; /* and should have been again by this one */
    double typical;
    size_t like;
};

struct ceasing {
    struct roxi_finder *f;
    bool *of; /* by run: the normal ones that are looked at; owned, as is the rest */
    size_t runs;
    double more;     /* packets beyond what is common */
    double *resumed; /* scratch, one for each run: after how long it was executed again */
    struct ceased *list;
    size_t count, cap;
};

/* ---- blocks ---- */

/* A block in a normal run: of its role, or of a peer that shows more. */
static struct roxi_executed look_in(const struct ceasing *c, const struct roxi_use *u,
                                    const struct roxi_executed *x, bool *regular)
{
    const struct roxi_profile *run = c->f->run;
    struct roxi_executed there = {0};
    for (size_t i = 0; i < run->role_count; i++) {
        const uint32_t role = run->roles[i].role;
        const struct roxi_executed *y = roxi_use_executed(u, role, x->stack, x->block);
        if (!y ||
            (role != x->role && !roxi_roles_are_peers(c->f->ranking->durations, role, x->role)))
            continue;
        *regular = *regular || (role == x->role && y->active >= ROXI_CODE_REGULAR);
        there.active = y->active > there.active ? y->active : there.active;
        there.longest = y->longest > there.longest ? y->longest : there.longest;
        there.resumed = y->resumed > there.resumed ? y->resumed : there.resumed;
    }
    return there;
}

/* In how many packets the normal runs execute a block. */
struct active {
    double mean, least;
};

/* For how long each of the normal runs does not execute it, in the finder's numbers, and after how
 * long it does again. False: not all of them execute it often. */
static bool measure(const struct ceasing *c, const struct roxi_executed *x, struct active *active)
{
    size_t regular = 0, of_peers = 0, n = 0;
    *active = (struct active){0, UINT32_MAX};
    for (size_t r = 0; r < c->f->profiles->count; r++) {
        if (!c->of[r])
            continue;
        bool is_regular = false;
        const struct roxi_executed there =
            look_in(c, &c->f->profiles->executions[r].use, x, &is_regular);
        regular += is_regular;
        of_peers += there.active >= ROXI_CODE_REGULAR;
        active->mean += there.active;
        active->least = fmin(active->least, there.active);
        c->f->numbers[n] = there.longest;
        c->resumed[n++] = there.resumed;
    }
    active->mean /= (double)n;
    return 10 * regular >= 9 * n || (10 * of_peers >= 9 * n && x->active >= ROXI_CODE_REGULAR);
}

/* It is not executed again, and was executed as much as in normal runs: it has done its work. */
static bool is_done(const struct roxi_executed *x, const struct active *active)
{
    return x->longest > x->resumed && x->active >= active->least;
}

static bool has_ceased(const struct ceasing *c, const struct roxi_executed *x,
                       struct ceased *ceased)
{
    struct active active;
    if (x->longest < c->more || !measure(c, x, &active) || is_done(x, &active))
        return false;
    const struct roxi_usual longest = roxi_usual_of(c->f->numbers, c->runs, x->longest);
    const struct roxi_usual resumed = roxi_usual_of(c->resumed, c->runs, x->longest);
    *ceased = (struct ceased){.block = x,
                              .class_name =
                                  roxi_symbols_top(c->f->profiles->symbols, x->stack).class_name,
                              .at = x->longest_from + resumed.edge / 2,
                              .latest = x->longest_from + resumed.edge,
                              .typical = longest.centre,
                              .like = longest.like};
    return resumed.edge <= SHARP && longest.edge <= OF_ACTIVE * active.mean &&
           x->longest >= AS_LONG * longest.edge + c->more;
}

static int by_time(const void *a, const void *b)
{
    const struct ceased *x = a, *y = b;
    if (x->at < y->at || y->at < x->at)
        return x->at < y->at ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* ---- findings ---- */

/* Is it the first of its class, of those before it? */
static bool is_first(const struct ceasing *c, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (c->list[j].block->role == c->list[i].block->role &&
            c->list[j].class_name == c->list[i].class_name)
            return false;
    return true;
}

/* How many roles cease to execute the block at about the same time. */
static double roles_then(const struct ceasing *c, const struct ceased *x)
{
    double roles = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct ceased *y = &c->list[i];
        roles += y->block->stack == x->block->stack && y->block->block == x->block->block &&
                 fabs(y->at - x->at) <= ROXI_BESIDE;
    }
    return roles;
}

/* Does a thread wait in the class while the code is not executed? If it does so in the network, or
 * in what the class has called, the reason is there. */
enum standing { NOBODY, FOR_OTHERS, ITSELF };

static bool stands(const struct roxi_span *span, const struct ceased *x)
{
    const double begin = fmax((double)span->first, x->at);
    const double end = fmin((double)span->last, (double)x->block->longest_from + x->block->longest);
    return end - begin >= STANDS * x->block->longest;
}

static enum standing standing_in(const struct ceasing *c, const struct ceased *x)
{
    const struct roxi_symbols *s = c->f->profiles->symbols;
    enum standing found = NOBODY;
    for (size_t i = 0; i < c->f->run->history.count && found != ITSELF; i++) {
        const struct roxi_span *span = &c->f->run->history.spans[i];
        const enum roxi_doing doing = roxi_doing_in(s, span->stack);
        if (c->f->members[i].role != x->block->role || doing == ROXI_RUNNING || !stands(span, x) ||
            !roxi_finder_has_class(s, span->stack, x->class_name))
            continue;
        const bool inner = roxi_finder_innermost(s, span->stack).class_name == x->class_name;
        found = inner && doing != ROXI_ON_NETWORK ? ITSELF : FOR_OTHERS;
    }
    return found;
}

static double counts(const struct ceasing *c, const struct ceased *x, double weight)
{
    const struct roxi_use *u = &c->f->run->use;
    const uint32_t role = x->block->role;
    const bool asks = roxi_code_asks(c->f, role);
    const bool less = !asks && roxi_code_gets_less(&c->f->run->history, role, (uint64_t)x->at + 1,
                                                   x->block->longest);
    return weight / roles_then(c, x) * (asks ? ROXI_CODE_ASKER : 1) * (less ? ROXI_CODE_LESS : 1) *
           (standing_in(c, x) == FOR_OTHERS ? STANDS_FOR_OTHERS : 1) *
           (roxi_code_is_starting(u, role, x->block->longest_from) ? ROXI_CODE_STARTING : 1);
}

/* That the class misses other code has been told. */
static struct roxi_finding *told(const struct ceasing *c, const struct ceased *x)
{
    struct roxi_findings *out = c->f->out;
    for (size_t i = 0; i < out->count; i++)
        if (out->list[i].about == ROXI_ABOUT_MISSED && out->list[i].who.role == x->block->role &&
            out->list[i].call.class_name == x->class_name)
            return &out->list[i];
    return NULL;
}

static int tell(const struct ceasing *c, const struct ceased *x, double weight)
{
    struct roxi_finding *missed = told(c, x);
    if (missed) {
        missed->weight = fmax(missed->weight, weight);
        return 0;
    }
    struct roxi_finding finding =
        roxi_code_finding(c->f, ROXI_ABOUT_CEASED, x->block->role, x->block->stack);
    finding.packet = (uint64_t)x->at;
    finding.latest = (uint64_t)x->latest;
    finding.here = x->block->longest;
    finding.elsewhere = x->typical;
    finding.like = x->like;
    finding.compared = c->runs;
    finding.weight = weight;
    return roxi_finder_add(c->f, &finding);
}

/* What is missed since after the first code ceased is mostly for that. */
static void lessen_later(const struct ceasing *c, double last)
{
    struct roxi_findings *out = c->f->out;
    for (size_t i = 0; i < out->count; i++)
        if (out->list[i].about == ROXI_ABOUT_MISSED && (double)out->list[i].packet > last)
            out->list[i].weight *= LATER;
}

static int tell_first(const struct ceasing *c)
{
    const double last = c->count ? c->list[0].at + AT_ONCE : 0;
    double weight = roxi_code_weight(c->f->out, OF_STRONGEST);
    size_t end = 0, classes = 0;
    int result = 0;
    for (; end < c->count && c->list[end].at <= last; end++)
        classes += is_first(c, end);
    if (classes > FEW)
        weight *= FEW / (double)classes;
    else if (classes)
        lessen_later(c, last);
    for (size_t i = 0; i < end && result == 0; i++)
        if (is_first(c, i))
            result = tell(c, &c->list[i], counts(c, &c->list[i], weight));
    return result;
}

static int look(struct ceasing *c)
{
    const struct roxi_use *u = &c->f->run->use;
    c->runs = roxi_reference_count(c->of, c->f->profiles->count);
    c->resumed = calloc(c->runs + 1, sizeof *c->resumed);
    if (!c->resumed)
        return -1;
    c->more = roxi_code_more(&c->f->run->history);
    for (size_t i = 0; i < u->executed_count && c->runs; i++) {
        struct ceased ceased;
        if (has_ceased(c, &u->executed[i], &ceased) && ix_append(c->list, c->count, c->cap, ceased))
            return -1;
    }
    if (c->count)
        qsort(c->list, c->count, sizeof *c->list, by_time);
    return tell_first(c);
}

int roxi_produce_ceased(struct roxi_finder *f)
{
    struct ceasing c = {.f = f};
    if (!f->run->use.tells_pauses)
        return 0;
    c.of = roxi_code_runs(f, true);
    const int result = c.of ? look(&c) : -1;
    free(c.of);
    free(c.resumed);
    free(c.list);
    return result;
}
