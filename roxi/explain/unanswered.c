/* SPDX-License-Identifier: Apache-2.0 */
/* What the first finding waits for, if locks and connections do not tell: what is done elsewhere,
 * in normal runs, at the packets at which a thread waits there, hardly ever at others, and hardly
 * ever in this run. Such as the handler of a request, when the reply to it is left out. */
#include <math.h>
#include <string.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/meanwhile.h"
#include "roxi/rank/words.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define LEAST_SHARE 0.04 /* of the packets of waiting at which normal runs show it */
#define LIFT 20.0        /* how many times more often, at least, it is seen then than otherwise */
#define LIFT_IN_JVM 2.0  /* the same if the JVM is known */
#define ERRORS 2.0       /* standard errors that are allowed for */
#define LEAST_EXPECTED 5 /* packets of it, if it were as in normal runs: fewer may be chance */
#define MISSING 0.1      /* of the expected ones are there at most */
#define OWN_REASON 0.3   /* of the first finding's evidence: who has that departs in another way */
#define IDLES 0.1        /* who typically waits so much of the time here waits for work */
enum {
    LEAST_SEEN = 5, /* packets in normal runs, */
    LEAST_RUNS = 3, /* and so many of them */
};

/* What is known of who should answer. If anything is, the first finding says it. */
enum known {
    NOTHING,
    JVM,
    IDLE_THREAD, /* which should have answered, but has nothing to do */
};

struct search {
    struct roxi_finder *f;
    size_t waiting; /* number of the finding of those that wait */
    enum known known;
    struct roxi_context context;
    struct roxi_meanwhile meanwhile;
    size_t runs; /* normal runs that show such waiting */
};

/* An activity that is expected. */
struct candidate {
    struct roxi_activity what;
    double share;   /* packets x threads of it for each packet of waiting, in normal runs */
    double lift;    /* how many times more often, at least, it is seen then; 0: not often enough */
    bool own;       /* of the JVM in which a thread waits for another one */
    uint32_t depth; /* on its call stack */
    uint32_t stack;
    struct roxi_seen here;
    size_t runs, like; /* normal runs that show it; that miss it as this run does */
};

/* Which finding waits for what the first one is of, or, if none is known to, waits since about then
 * for what is not known; SIZE_MAX: none. */
static size_t who_waits_for(const struct roxi_findings *all, const struct roxi_finding *who)
{
    size_t perhaps = SIZE_MAX;
    for (size_t i = 1; i < all->count; i++) {
        const struct roxi_finding *x = &all->list[i];
        if (!roxi_finding_waits(x))
            continue;
        if (x->follows && roxi_same_member(x->ends_at, who->who))
            return i;
        if (perhaps == SIZE_MAX && x->who.role != who->who.role &&
            roxi_within(x->packet, who->packet, ROXI_BESIDE))
            perhaps = i;
    }
    return perhaps;
}

static enum known known_of(const struct roxi_finding *x)
{
    if (x->about == ROXI_ABOUT_DURATION && x->kind == ROXI_OWED)
        return JVM;
    if (!x->waited_for || x->deadlock)
        return NOTHING;
    return x->stack ? IDLE_THREAD : JVM;
}

/* Sets `waiting` and `known`; false: there is nothing to search for. */
static bool choose_waiting(struct search *s)
{
    const struct roxi_findings *all = s->f->out;
    const struct roxi_finding *first = all->count ? &all->list[0] : NULL;
    if (!first)
        return false;
    s->known = known_of(first);
    s->waiting = SIZE_MAX;
    if (s->known == JVM || (s->known == IDLE_THREAD && roxi_finding_is_idle(first)))
        s->waiting = who_waits_for(all, first);
    else if (roxi_finding_waits_unknown(first) && first->elsewhere <= IDLES * first->here)
        s->waiting = 0;
    return s->waiting != SIZE_MAX &&
           roxi_context_is_one(s->f->profiles, all->list[s->waiting].stack);
}

/* ---- what normal runs do meanwhile ---- */

static bool is_compared(const struct roxi_finder *f, size_t run)
{
    return f->normal[run] && f->profiles->executions[run].history.count;
}

static int add_normal_runs(struct search *s)
{
    const struct roxi_finder *f = s->f;
    int result = 0;
    for (size_t r = 0; r < f->ranking->n && result == 0; r++) {
        const uint64_t before = s->meanwhile.waits;
        if (is_compared(f, r))
            result = roxi_meanwhile_add(&s->meanwhile, &s->context, &f->profiles->executions[r]);
        s->runs += s->meanwhile.waits > before;
    }
    return result == 0 ? roxi_meanwhile_sum(&s->meanwhile, f->profiles) : result;
}

static struct candidate candidate_of(const struct search *s, size_t number)
{
    const struct roxi_meanwhile *m = &s->meanwhile;
    struct candidate c = {.what = roxi_meanwhile_activity(m, number)};
    const double during = (double)m->during.counts[number];
    /* Packets that its JVM lost count in the former, but not in the latter. */
    const double others = fmax(0, (double)m->always.counts[number] - during);
    const double least = during - ERRORS * sqrt(during);
    const double most = others + ERRORS * (sqrt(others) + 1);
    if (during < LEAST_SEEN || m->packets <= m->waits)
        return c;
    c.share = during / (double)m->waits;
    const double lift = least / (double)m->waits / (most / (double)(m->packets - m->waits));
    if (c.share >= LEAST_SHARE && lift >= (s->known ? LIFT_IN_JVM : LIFT))
        c.lift = lift;
    return c;
}

/* A thread that waits for another one, and not for the network, waits for one of its own JVM, which
 * may wait for others. Of equally good ones, which are mostly on one call stack, the innermost. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (b->lift > 0 && a->own != b->own)
        return a->own;
    if (a->lift < b->lift || a->lift > b->lift)
        return a->lift > b->lift;
    return a->depth > b->depth;
}

/* ---- is it missing in this run? ---- */

static bool is_missing(const struct roxi_seen *seen, double share)
{
    const double expected = share * (double)seen->waits;
    return expected >= LEAST_EXPECTED && (double)seen->during <= MISSING * expected;
}

/* Does somebody else depart in another way, and not only later, which explains the waiting? */
static bool has_own_reason(const struct search *s, struct roxi_member who)
{
    const struct roxi_findings *all = s->f->out;
    const struct roxi_finding *first = &all->list[0];
    for (size_t i = 1; i < all->count && !roxi_same_member(who, first->who); i++) {
        const struct roxi_finding *x = &all->list[i];
        if (roxi_same_member(x->who, who) && !x->less && x->packet <= first->packet + ROXI_BESIDE &&
            x->weight >= OWN_REASON * first->weight)
            return true;
    }
    return false;
}

/* Sets what is seen of it in this run. */
static int look_here(struct search *s, struct candidate *c)
{
    const struct roxi_finding *x = &s->f->out->list[s->waiting];
    s->context.who = x->who;
    const int result = roxi_meanwhile_see(&c->here, &s->context, s->f->run, x->packet, &c->what);
    s->context.who = x->as;
    return result;
}

static int count_runs(struct search *s, struct candidate *c)
{
    const struct roxi_finder *f = s->f;
    for (size_t r = 0; r < f->ranking->n; r++) {
        struct roxi_seen seen;
        if (!is_compared(f, r))
            continue;
        if (roxi_meanwhile_see(&seen, &s->context, &f->profiles->executions[r], 0, &c->what) != 0)
            return -1;
        c->runs += seen.during > 0;
        c->like += is_missing(&seen, c->share);
        if (seen.during)
            c->here.thread = seen.thread;
    }
    return 0;
}

/* Of the JVM that they wait for, if it is known; else of somebody without a reason of his own. */
static bool is_of_interest(const struct search *s, const struct candidate *c)
{
    return c->lift > 0 && (s->known ? roxi_same_member(c->what.who, s->f->out->list[0].who)
                                    : !has_own_reason(s, c->what.who));
}

/* Is it missing in this run, and not in one or two of the normal runs only? -1: memory ran out. */
static int passes(struct search *s, struct candidate *c)
{
    if (look_here(s, c) != 0)
        return -1;
    if (s->known != JVM && !is_missing(&c->here, c->share))
        return 0;
    return count_runs(s, c) == 0 ? c->runs >= LEAST_RUNS : -1;
}

/* Sets *best to the activity that is missing; lift 0: there is none. */
static int choose(struct search *s, struct candidate *best)
{
    const struct roxi_finding *waiting = &s->f->out->list[s->waiting];
    *best = (struct candidate){0};
    for (size_t i = 0; i < s->meanwhile.during.n; i++) {
        struct candidate c = candidate_of(s, i);
        if (!is_of_interest(s, &c))
            continue;
        c.own = waiting->doing == ROXI_WAITING && c.what.who.role == waiting->as.role;
        c.stack = roxi_meanwhile_stack(&s->meanwhile, s->f->profiles, &c.what);
        c.depth = roxi_activity_depth(s->f->profiles, &c.what, c.stack);
        const int result = is_better(&c, best) ? passes(s, &c) : 0;
        if (result < 0)
            return -1;
        if (result)
            *best = c;
    }
    return 0;
}

/* ---- findings ---- */

static struct roxi_call call_of(const struct candidate *c)
{
    return (struct roxi_call){c->what.class_name, c->what.method, ROXI_NONE, ROXI_NONE};
}

/* Says of the JVM that is waited for what it typically does then. */
static void tell_usual(struct search *s, const struct candidate *c)
{
    struct roxi_finding *first = &s->f->out->list[0];
    first->stack = c->stack;
    first->call = call_of(c);
    first->usually = true;
}

/* Puts it before what waits for it, or behind the thread that should have answered. */
static int add_missing(struct search *s, const struct candidate *c)
{
    const struct roxi_finding *x = &s->f->out->list[s->waiting];
    const size_t at = s->known == IDLE_THREAD ? 1 : 0;
    struct roxi_finding missing = roxi_finding_of(ROXI_ABOUT_UNANSWERED, c->what.who);
    missing.kind = ROXI_IN_CALL;
    missing.waiters = x->who;
    missing.thread = c->here.thread;
    missing.stack = c->stack;
    missing.call = call_of(c);
    missing.doing = roxi_doing_in(s->f->profiles->symbols, c->stack);
    missing.packet = x->packet;
    missing.here = (uint32_t)c->here.during;
    missing.waits = (uint32_t)c->here.waits;
    missing.elsewhere = c->share * (double)c->here.waits;
    missing.compared = s->runs;
    missing.like = c->like;
    missing.weight = s->f->out->list[0].weight;
    s->f->out->list[s->waiting].follows = true;
    s->f->out->list[s->waiting].ends_at = missing.who;
    if (roxi_finder_add(s->f, &missing) != 0)
        return -1;
    struct roxi_finding *list = s->f->out->list + at;
    memmove(list + 1, list, (s->f->out->count - 1 - at) * sizeof *list);
    *list = missing;
    return 0;
}

int roxi_find_unanswered(struct roxi_finder *f)
{
    struct search s = {.f = f};
    struct candidate best = {0};
    if (!choose_waiting(&s))
        return 0;
    const struct roxi_finding *x = &f->out->list[s.waiting];
    int result = roxi_context_open(&s.context, f->profiles, x->as, x->stack);
    if (result == 0)
        result = add_normal_runs(&s);
    if (result == 0)
        result = choose(&s, &best);
    if (result == 0 && best.lift > 0) {
        if (s.known == JVM)
            tell_usual(&s, &best);
        else
            result = add_missing(&s, &best);
    }
    roxi_meanwhile_free(&s.meanwhile);
    roxi_context_close(&s.context);
    return result;
}
