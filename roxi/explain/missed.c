/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of code that normal runs execute all the time and that this run no longer does, although
 * it still executes other code of the same method: a branch that is not taken any more. So code is
 * found that a mistake has no statement of, such as a wrong number or condition. One for each class
 * of a role, where logs tell. */
#include <math.h>
#include <stdlib.h>

#include "roxi/explain/code.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/peers.h"
#include "schema/base/grow.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define AS_LONG 2.0      /* times as long as is common in normal runs, */
#define OF_STRONGEST 0.9 /* what a class counts, of the strongest finding, */
#define FEW 4.0          /* if so many of its role at most depart at once */
enum {
    AT_ONCE = 1,         /* packets after the first class of its role */
    HELD_UP_WITHIN = 40, /* packets, of what holds its threads up */
};

/* A block that this run no longer executes. */
struct missed {
    const struct roxi_executed *block;
    uint32_t class_name;
    bool apart;           /* no other block is on its line */
    double typical, edge; /* packets for which normal runs do not execute it, and what is common */
    size_t like;
};

struct missing {
    struct roxi_finder *f;
    bool *of; /* by run: the normal ones that are looked at; owned, as is the rest */
    size_t runs;
    double more; /* packets beyond what is common */
    struct missed *list;
    size_t count, cap;
};

/* ---- blocks ---- */

/* A block in a normal run. Which of several peers does what may be chance. */
struct there {
    uint32_t active;   /* packets in which its role executes it, */
    uint32_t of_peers; /* or the peer that does so most */
    uint32_t missed;   /* the longest time for which it is missed, in whatever role */
};

static struct there look_in(const struct missing *m, const struct roxi_use *u,
                            const struct roxi_executed *x)
{
    const struct roxi_profile *run = m->f->run;
    struct there there = {0};
    for (size_t i = 0; i < run->role_count; i++) {
        const uint32_t role = run->roles[i].role;
        const struct roxi_executed *y = roxi_use_executed(u, role, x->stack, x->block);
        if (!y)
            continue;
        there.missed = y->missed > there.missed ? y->missed : there.missed;
        if (role == x->role)
            there.active = y->active;
        if (y->active > there.of_peers &&
            (role == x->role || roxi_roles_are_peers(m->f->ranking->durations, role, x->role)))
            there.of_peers = y->active;
    }
    return there;
}

/* For how long each of the normal runs misses it, in the finder's numbers. False: not all of them
 * execute it often. */
static bool measure(const struct missing *m, const struct roxi_executed *x)
{
    size_t regular = 0, of_peers = 0, n = 0;
    for (size_t r = 0; r < m->f->profiles->count; r++) {
        if (!m->of[r])
            continue;
        const struct there there = look_in(m, &m->f->profiles->executions[r].use, x);
        regular += there.active >= ROXI_CODE_REGULAR;
        of_peers += there.of_peers >= ROXI_CODE_REGULAR;
        m->f->numbers[n++] = there.missed;
    }
    return 10 * regular >= 9 * n || (10 * of_peers >= 9 * n && x->active >= ROXI_CODE_REGULAR);
}

static bool is_same_line(const struct roxi_executed *x, const struct roxi_executed *y)
{
    return x->role == y->role && x->stack == y->stack;
}

static bool is_missed(const struct missing *m, size_t i, struct missed *missed)
{
    const struct roxi_use *u = &m->f->run->use;
    const struct roxi_executed *x = &u->executed[i];
    const double own = x->missed;
    if (own < m->more || !measure(m, x))
        return false;
    const struct roxi_usual usual = roxi_usual_of(m->f->numbers, m->runs, own);
    *missed = (struct missed){.block = x,
                              .class_name =
                                  roxi_symbols_top(m->f->profiles->symbols, x->stack).class_name,
                              .apart = !(i && is_same_line(x - 1, x)) &&
                                       !(i + 1 < u->executed_count && is_same_line(x + 1, x)),
                              .typical = usual.centre,
                              .edge = usual.edge,
                              .like = usual.like};
    return own >= AS_LONG * usual.edge + m->more;
}

/* The packet by which it has departed, as near as that is known: it was executed before
 * `missed_from`, and should have been again by the edge. */
static double departed(const struct missed *x)
{
    return x->block->missed_from + x->edge / 2;
}

static bool comes_before(const struct missed *x, const struct missed *y)
{
    if (departed(x) < departed(y) || departed(y) < departed(x))
        return departed(x) < departed(y);
    if (x->apart != y->apart)
        return x->apart;
    return x->block->missed > y->block->missed;
}

/* ---- findings ---- */

static int by_class(const void *a, const void *b)
{
    const struct missed *x = a, *y = b;
    if (x->block->role != y->block->role)
        return x->block->role < y->block->role ? -1 : 1;
    if (x->class_name != y->class_name)
        return x->class_name < y->class_name ? -1 : 1;
    if (comes_before(x, y) || comes_before(y, x))
        return comes_before(x, y) ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static bool is_same_class(const struct missed *x, const struct missed *y)
{
    return x->block->role == y->block->role && x->class_name == y->class_name;
}

/* How many roles miss the block at about the same time. If several do, it is for what another one
 * did, or no longer does. */
static uint32_t roles_then(const struct missing *m, const struct missed *x)
{
    uint32_t roles = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct missed *y = &m->list[i];
        roles += y->block->stack == x->block->stack && y->block->block == x->block->block &&
                 fabs(departed(y) - departed(x)) <= ROXI_BESIDE;
    }
    return roles;
}

/* Does anybody wait for the role? */
static bool is_waited_for(const struct roxi_findings *f, uint32_t role)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].who.role == role && (f->list[i].kind == ROXI_OWED || f->list[i].waited_for))
            return true;
    return false;
}

/* Has the role less to do meanwhile, because others ask it less, and nobody waits for it? */
static bool is_asked_less(const struct missing *m, const struct missed *x)
{
    const uint32_t role = x->block->role;
    return roxi_code_gets_less(&m->f->run->history, role, (uint64_t)departed(x) + 1,
                               x->block->missed) &&
           !is_waited_for(m->f->out, role);
}

/* Of `weight`, what counts. */
static double counts(const struct missing *m, const struct missed *x, double weight)
{
    const struct roxi_use *u = &m->f->run->use;
    const uint32_t role = x->block->role;
    return weight / roles_then(m, x) * (is_asked_less(m, x) ? ROXI_CODE_LESS : 1) *
           (roxi_code_asks(m->f, role) ? ROXI_CODE_ASKER : 1) *
           (roxi_code_is_starting(u, role, x->block->missed_from) ? ROXI_CODE_STARTING : 1);
}

/* Do threads of the role stay for longer in a call that the block's method makes, since about then?
 */
static bool holds_up(const struct missing *m, const struct roxi_finding *y, const struct missed *x)
{
    const struct roxi_symbols *s = m->f->profiles->symbols;
    const struct roxi_frame at = roxi_symbols_top(s, x->block->stack);
    const struct roxi_call method = {at.class_name, at.method, ROXI_NONE, ROXI_NONE};
    return y->about == ROXI_ABOUT_DURATION && y->kind == ROXI_IN_CALL && !y->less &&
           y->who.role == x->block->role &&
           fabs((double)y->packet - departed(x)) <= HELD_UP_WITHIN &&
           roxi_finder_up_to(s, y->stack, &method);
}

/* What holds threads up says more than what they do not get on to. */
static double at_most(const struct missing *m, const struct missed *x, double weight)
{
    double most = 0;
    for (size_t i = 0; i < m->f->out->count; i++)
        if (holds_up(m, &m->f->out->list[i], x))
            most = fmax(most, m->f->out->list[i].weight);
    return most > 0 ? fmin(weight, most) : weight;
}

static int tell(const struct missing *m, const struct missed *x, double weight)
{
    struct roxi_finding finding =
        roxi_code_finding(m->f, ROXI_ABOUT_MISSED, x->block->role, x->block->stack);
    finding.packet = (uint64_t)departed(x);
    finding.here = x->block->missed;
    finding.elsewhere = x->typical;
    finding.like = x->like;
    finding.compared = m->runs;
    finding.weight = at_most(m, x, counts(m, x, weight));
    return roxi_finder_add(m->f, &finding);
}

static bool is_first_of_class(const struct missing *m, size_t from, size_t i)
{
    return i == from || !is_same_class(&m->list[i], &m->list[i - 1]);
}

/* Those of a role. The first of each class is the one that departs first. If many classes depart at
 * once, the role has nothing to do. */
static int tell_role(const struct missing *m, size_t from, size_t to, double weight)
{
    const struct missed *first = &m->list[from];
    size_t at_once = 0;
    int result = 0;
    for (size_t i = from; i < to; i++)
        first = comes_before(&m->list[i], first) ? &m->list[i] : first;
    const double last = departed(first) + AT_ONCE;
    for (size_t i = from; i < to; i++)
        at_once += is_first_of_class(m, from, i) && departed(&m->list[i]) <= last;
    if (at_once > FEW)
        weight *= FEW / (double)at_once;
    for (size_t i = from; i < to && result == 0; i++)
        if (is_first_of_class(m, from, i))
            result = tell(m, &m->list[i],
                          departed(&m->list[i]) <= last ? weight : ROXI_CODE_OTHERS * weight);
    return result;
}

static int tell_all(const struct missing *m)
{
    const double weight = roxi_code_weight(m->f->out, OF_STRONGEST);
    int result = 0;
    for (size_t from = 0, to; from < m->count && result == 0; from = to) {
        for (to = from + 1; to < m->count && m->list[to].block->role == m->list[from].block->role;
             to++)
            continue;
        result = tell_role(m, from, to, weight);
    }
    return result;
}

static int look(struct missing *m)
{
    const struct roxi_use *u = &m->f->run->use;
    m->more = roxi_code_more(&m->f->run->history);
    m->runs = roxi_reference_count(m->of, m->f->profiles->count);
    for (size_t i = 0; i < u->executed_count && m->runs; i++) {
        struct missed missed;
        if (is_missed(m, i, &missed) && ix_append(m->list, m->count, m->cap, missed))
            return -1;
    }
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, by_class);
    return tell_all(m);
}

int roxi_produce_missed(struct roxi_finder *f)
{
    struct missing m = {.f = f};
    if (!f->run->use.tells_pauses)
        return 0;
    m.of = roxi_code_runs(f, true);
    const int result = m.of ? look(&m) : -1;
    free(m.of);
    free(m.list);
    return result;
}
