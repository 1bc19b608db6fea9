/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits because it gets no answer: threads that wait for what is not known are followed from
 * JVM to JVM, by what goes over their connections. */
#include <math.h>

#include "roxi/explain/talks.h"
#include "roxi/explain/usual.h"

#define MORE_TIMES 1.5    /* it waits notably longer for answers if it is so many times as long, */
#define MORE_PACKETS 5.0  /* and by so many packets; */
#define AT_ONCE 8.0       /* but who takes longer in normal runs has nothing to send; */
#define ABOUT_AS_LONG 0.8 /* and the other one waits for a third if that takes so much of it */

static bool is_owed(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_DURATION && x->kind == ROXI_OWED;
}

static void blame(struct roxi_finding *x, struct roxi_finding *cause)
{
    x->follows = true;
    x->ends_at = cause->who;
    cause->weight = fmax(cause->weight, x->weight);
    if (x->packet && x->packet < cause->packet)
        cause->packet = x->packet;
}

/* Does another JVM have more evidence than x, and at about the same time? */
static bool has_other_reason(const struct roxi_findings *all, const struct roxi_finding *x,
                             uint32_t peer)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct roxi_finding *y = &all->list[i];
        if (y->who.role != x->who.role && y->who.role != peer && !y->less && !y->follows &&
            y->packet && y->packet <= x->packet + ROXI_ABOUT_THEN && y->weight > x->weight)
            return true;
    }
    return false;
}

static bool stands_still(const struct roxi_findings *all, uint32_t role)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].kind == ROXI_LOST && all->list[i].who.role == role)
            return true;
    return false;
}

/* The JVM that is left without an answer leaves others without one, unless it is stopped. */
static void relate_owed(struct roxi_findings *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->count && is_owed(&all->list[i]); k++) {
            struct roxi_finding *cause = &all->list[i], *x = &all->list[k];
            if (k != i && is_owed(x) && x->who.role == cause->peer.role &&
                x->peer.role != cause->who.role &&
                roxi_within(x->packet, cause->packet, ROXI_BESIDE) &&
                !stands_still(all, x->who.role))
                blame(x, cause);
        }
}

/* The longest time that a role waited for an answer of a peer. */
struct wait {
    uint32_t role, peer;
    uint64_t packet;  /* since this one */
    uint32_t packets; /* 0: not worth noticing */
    double typical;   /* of normal runs, the mean */
    size_t like;      /* of them: those with as long a time */
};

static void compare_with_normal(const struct roxi_finder *f, struct wait *w)
{
    const struct roxi_usual_talk usual = roxi_talk_usual(
        f, &(struct roxi_talk){.role = w->role, .peer = w->peer, .waits = w->packets});
    w->typical = usual.waits;
    w->like = usual.waits_like;
    if (w->packets < MORE_TIMES * usual.waits || w->packets < usual.waits + MORE_PACKETS ||
        usual.waits > AT_ONCE || roxi_usual_is_common(usual.waits_like, f->out->normal))
        w->packets = 0;
}

/* The longest time, from the packet on, that a role waited for a peer. */
static struct wait longest_for(const struct roxi_finder *f, uint32_t role, uint32_t peer,
                               uint64_t since)
{
    const struct roxi_history *h = &f->run->history;
    struct wait w = {.role = role, .peer = peer};
    for (size_t i = 0; i < h->silence_count; i++) {
        const struct roxi_silence *x = &h->silences[i];
        if (x->role != role || x->peer != peer || x->packet + ROXI_BESIDE < since ||
            x->packets <= w.packets)
            continue;
        w.packet = x->packet;
        w.packets = x->packets;
    }
    return w;
}

/* The longest one for any peer, of those that are longer than typical, and at least `least`. */
static struct wait longest_wait(const struct roxi_finder *f, uint32_t role, uint64_t since,
                                double least)
{
    const struct roxi_use *u = &f->run->use;
    struct wait best = {0};
    for (size_t i = 0; i < u->talk_count; i++) {
        const struct roxi_talk *talk = &u->talks[i];
        if (talk->role != role || talk->accepted || !talk->peer || talk->peer == role)
            continue;
        struct wait w = longest_for(f, role, talk->peer, since);
        if (w.packets < least || w.packets <= best.packets)
            continue;
        compare_with_normal(f, &w);
        if (w.packets)
            best = w;
    }
    return best;
}

/* Of the JVM at the end, which does not wait for another one about as long itself; packets 0: there
 * is none. */
static struct wait last_wait(const struct roxi_finder *f, uint32_t role, uint64_t since)
{
    struct wait w = longest_wait(f, role, since, 0);
    for (int hops = 0; w.packets && hops < ROXI_HOPS; hops++) {
        const struct wait next = longest_wait(f, w.peer, since, ABOUT_AS_LONG * w.packets);
        if (!next.packets)
            return w;
        if (next.peer == role)
            break;
        w = next;
    }
    return (struct wait){0}; /* in a circle */
}

static struct roxi_finding *finding_of(struct roxi_finder *f, const struct wait *w)
{
    for (size_t i = 0; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (x->who.role == w->peer && (is_owed(x) || (x->waited_for && !x->stack)))
            return x;
    }
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_DURATION, (struct roxi_member){.role = w->peer});
    x.kind = ROXI_OWED;
    x.peer.role = w->role;
    x.packet = w->packet;
    x.here = w->packets;
    x.elsewhere = w->typical;
    x.like = w->like;
    return roxi_finder_add(f, &x) == 0 ? &f->out->list[f->out->count - 1] : NULL;
}

static int relate_waiting(struct roxi_finder *f)
{
    for (size_t i = 0; i < f->out->count; i++) {
        const struct roxi_finding x = f->out->list[i];
        const struct wait last =
            roxi_finding_waits_unknown(&x) ? last_wait(f, x.who.role, x.packet) : (struct wait){0};
        if (!last.packets || has_other_reason(f->out, &x, last.peer))
            continue;
        struct roxi_finding *cause = finding_of(f, &last);
        if (!cause)
            return -1;
        if (cause != &f->out->list[i])
            blame(&f->out->list[i], cause);
    }
    return 0;
}

int roxi_relate_answers(struct roxi_finder *f)
{
    if (relate_waiting(f) != 0)
        return -1;
    relate_owed(f->out); /* by now it is known better since when */
    return 0;
}
