/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits because it gets no answer: threads that wait for what is not known are followed from
 * JVM to JVM, by what goes over their connections. */
#include <math.h>

#include "roxi/explain/finder.h"

#define MORE_TIMES 1.5    /* it waits notably longer for answers if it is so many times as long, */
#define MORE_PACKETS 10.0 /* and by so many packets; */
#define MORE_OF_THAT 0.8  /* and the other one waits for a third because of that from so much on */
enum {
    BESIDE = 5,      /* packets between a cause and what is seen of it */
    HOPS = 8,        /* are followed at most */
    ABOUT_THEN = 20, /* packets between two departures of which the later one may be the cause */
};

static bool is_owed(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_DURATION && x->kind == ROXI_OWED;
}

static bool not_before(const struct roxi_finding *x, const struct roxi_finding *cause)
{
    return x->packet + BESIDE >= cause->packet;
}

static void blame(struct roxi_finding *x, struct roxi_finding *cause)
{
    x->follows = true;
    x->ends_at = cause->who;
    cause->weight = fmax(cause->weight, x->weight);
    if (x->packet && x->packet < cause->packet)
        cause->packet = x->packet;
}

static bool waits(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_DURATION && x->kind == ROXI_IN_CALL && !x->less && x->stack &&
           !x->waited_for && !x->deadlock && !x->follows && x->ends_at.role == ROXI_NONE &&
           (x->doing == ROXI_WAITING || x->doing == ROXI_ON_NETWORK);
}

/* Does another JVM have more evidence than x, and at about the same time? */
static bool has_other_reason(const struct roxi_findings *all, const struct roxi_finding *x,
                             uint32_t peer)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct roxi_finding *y = &all->list[i];
        if (y->who.role != x->who.role && y->who.role != peer && !y->less && !y->follows &&
            y->packet && y->packet <= x->packet + ABOUT_THEN && y->weight > x->weight)
            return true;
    }
    return false;
}

/* The JVM that is left without an answer leaves others without one. */
static void relate_owed(struct roxi_findings *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->count && is_owed(&all->list[i]); k++) {
            struct roxi_finding *cause = &all->list[i], *x = &all->list[k];
            if (k != i && is_owed(x) && x->who.role == cause->peer.role &&
                x->peer.role != cause->who.role && not_before(x, cause))
                blame(x, cause);
        }
}

/* For how many packets more than typical a role waited for the answers of a peer; 0: it is not
 * worth noticing. */
static double waited_more(const struct roxi_finder *f, uint32_t role, uint32_t peer,
                          const struct roxi_talk **longest)
{
    double here = 0, others = 0;
    *longest = NULL;
    for (size_t r = 0; r < f->ranking->n; r++) {
        const struct roxi_use *u = &f->profiles->executions[r].use;
        for (size_t i = 0; (f->normal[r] || r == f->number) && i < u->talk_count; i++) {
            const struct roxi_talk *talk = &u->talks[i];
            if (talk->role != role || talk->peer != peer || talk->accepted)
                continue;
            if (r == f->number)
                *longest = talk;
            *(r == f->number ? &here : &others) += (double)talk->waits_all;
        }
    }
    const double typical = f->out->normal ? others / (double)f->out->normal : 0;
    return here >= MORE_TIMES * typical && here >= typical + MORE_PACKETS ? here - typical : 0;
}

/* The peer whose answers the role waited for longer than for those of others. */
static const struct roxi_talk *who_owes(const struct roxi_finder *f, uint32_t role, double least)
{
    const struct roxi_use *u = &f->run->use;
    const struct roxi_talk *best = NULL, *longest;
    for (size_t i = 0; i < u->talk_count; i++) {
        if (u->talks[i].role != role || u->talks[i].accepted || !u->talks[i].peer ||
            u->talks[i].peer == role)
            continue;
        const double more = waited_more(f, role, u->talks[i].peer, &longest);
        if (more > least) {
            least = more;
            best = longest;
        }
    }
    return best;
}

/* The JVM at the end: it does not wait for answers of others itself. NULL: there is none. */
static const struct roxi_talk *who_owes_last(const struct roxi_finder *f, uint32_t role)
{
    const struct roxi_talk *owes = who_owes(f, role, 0), *next = owes;
    for (int hops = 0; next && hops < HOPS; hops++) {
        const struct roxi_talk *longest;
        const double more = waited_more(f, owes->role, owes->peer, &longest);
        next = who_owes(f, owes->peer, MORE_OF_THAT * more);
        if (next && next->peer == role)
            return NULL;
        owes = next ? next : owes;
    }
    return owes;
}

static void compare_with_normal(const struct roxi_finder *f, const struct roxi_talk *talk,
                                struct roxi_finding *x)
{
    for (size_t r = 0; r < f->ranking->n; r++) {
        const struct roxi_use *u = &f->profiles->executions[r].use;
        for (size_t i = 0; f->normal[r] && r != f->number && i < u->talk_count; i++) {
            if (u->talks[i].role != talk->role || u->talks[i].peer != talk->peer ||
                u->talks[i].accepted)
                continue;
            x->elsewhere += u->talks[i].waits / (double)f->out->normal;
            x->like += u->talks[i].waits >= talk->waits;
        }
    }
}

static struct roxi_finding *finding_of(struct roxi_finder *f, const struct roxi_talk *talk)
{
    for (size_t i = 0; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (x->who.role == talk->peer && (is_owed(x) || (x->waited_for && !x->stack)))
            return x;
    }
    struct roxi_finding x = {.kind = ROXI_OWED,
                             .who = {.role = talk->peer},
                             .as = {.role = talk->peer},
                             .peer = {.role = talk->role},
                             .thread = ROXI_NONE,
                             .call = {.class_name = ROXI_NONE, .called = ROXI_NONE},
                             .ends_at = {.role = ROXI_NONE},
                             .locus = ROXI_NONE,
                             .packet = talk->waits_from,
                             .here = talk->waits};
    compare_with_normal(f, talk, &x);
    return roxi_finder_add(f, &x);
}

static int relate_waiting(struct roxi_finder *f)
{
    for (size_t i = 0; i < f->out->count; i++) {
        if (!waits(&f->out->list[i]))
            continue;
        const struct roxi_talk *owes = who_owes_last(f, f->out->list[i].who.role);
        if (!owes || has_other_reason(f->out, &f->out->list[i], owes->peer))
            continue;
        struct roxi_finding *cause = finding_of(f, owes);
        if (!cause)
            return -1;
        if (cause != &f->out->list[i])
            blame(&f->out->list[i], cause);
    }
    return 0;
}

int roxi_relate_answers(struct roxi_finder *f)
{
    relate_owed(f->out);
    return relate_waiting(f);
}
