/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends more messages, or opens more connections, and why: a JVM that is asked more answers
 * more, and passes on what it gets. So more messages are followed back to the JVM that gets no more
 * of them than typical. What the JVM at the other end does then is a consequence. */
#include <math.h>

#include "roxi/explain/talks.h"
#include "roxi/explain/usual.h"

#define MORE_TIMES 1.5     /* a flow has grown if it is so many times the typical one, */
#define MORE_MESSAGES 40.0 /* and so many messages more; */
#define MUCH_MORE 2.0      /* much, if it is so many times that one */
#define ABOUT_AS_MUCH 0.75 /* of the growth of what goes out */

/* What goes from a role to another one. */
struct flow {
    const struct roxi_talk *talk; /* of the run */
    double typical;               /* messages, the mean of the normal runs */
    double times;                 /* how many times as many there are here; 0: it has not grown */
    size_t like;                  /* normal runs with as many */
};

static bool is_of_more(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_DURATION && (roxi_is_sent(x->kind) || x->kind == ROXI_OPENED);
}

static struct flow flow_of(const struct roxi_finder *f, const struct roxi_talk *talk)
{
    const struct roxi_usual_talk usual = roxi_talk_usual(f, talk);
    const double here = (double)talk->sent;
    const bool grown = here >= MORE_TIMES * usual.sent && here >= usual.sent + MORE_MESSAGES &&
                       !roxi_usual_is_common(usual.sent_like, f->out->normal);
    return (struct flow){.talk = talk,
                         .typical = usual.sent,
                         .times = grown ? here / (usual.sent + 1) : 0,
                         .like = usual.sent_like};
}

/* Can what comes to a JVM make it send? Only if it has grown about as much; and of a single peer it
 * is what that asks, and not its answers. */
static bool can_cause(const struct flow *comes, const struct flow *goes)
{
    const struct roxi_talk *from = comes->talk, *to = goes->talk;
    if (from->role == to->role || comes->times < ABOUT_AS_MUCH * goes->times)
        return false;
    return from->role != to->peer || (to->accepted && !from->accepted);
}

/* Of what comes to the JVM, that which has grown most. talk NULL: nothing has. */
static struct flow source_of(const struct roxi_finder *f, const struct flow *goes)
{
    const struct roxi_use *u = &f->run->use;
    struct flow best = {0};
    for (size_t i = 0; i < u->talk_count; i++) {
        if (u->talks[i].peer != goes->talk->role)
            continue;
        const struct flow flow = flow_of(f, &u->talks[i]);
        if (flow.times > best.times && can_cause(&flow, goes))
            best = flow;
    }
    return best;
}

/* Where more messages come from; talk NULL: it is not known. */
static struct flow origin_of(const struct roxi_finder *f, const struct roxi_talk *talk)
{
    struct flow origin = flow_of(f, talk);
    for (int hops = 0; hops < ROXI_HOPS; hops++) {
        const struct flow next = source_of(f, &origin);
        if (!next.talk)
            return origin;
        origin = next;
    }
    return (struct flow){0}; /* in a circle */
}

/* The talk that a finding is of; NULL: there is none. */
static const struct roxi_talk *talk_of(const struct roxi_finder *f, const struct roxi_finding *x)
{
    const struct roxi_use *u = &f->run->use;
    for (size_t i = 0; i < u->talk_count && roxi_is_sent(x->kind); i++)
        if (u->talks[i].role == x->who.role && u->talks[i].peer == x->peer.role &&
            u->talks[i].accepted == (x->kind == ROXI_SENT_BACK))
            return &u->talks[i];
    return NULL;
}

static bool sends_more(const struct roxi_finder *f, uint32_t role)
{
    for (size_t i = 0; i < f->out->count; i++)
        if (is_of_more(&f->out->list[i]) && f->out->list[i].who.role == role)
            return true;
    return false;
}

static int add_origin(struct roxi_finder *f, const struct flow *origin,
                      const struct roxi_finding *seen)
{
    const struct roxi_talk *talk = origin->talk;
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_DURATION, (struct roxi_member){.role = talk->role});
    x.kind = talk->accepted ? ROXI_SENT_BACK : ROXI_SENT_OUT;
    x.peer.role = talk->peer;
    x.packet = seen->packet;
    x.here = roxi_capped(talk->sent);
    x.elsewhere = origin->typical;
    x.like = origin->like;
    x.weight = seen->weight;
    return roxi_finder_add(f, &x);
}

static int follow_back(struct roxi_finder *f)
{
    const size_t count = f->out->count;
    for (size_t i = 0; i < count; i++) {
        const struct roxi_finding x = f->out->list[i];
        const struct roxi_talk *talk = is_of_more(&x) ? talk_of(f, &x) : NULL;
        const struct flow origin = talk ? origin_of(f, talk) : (struct flow){0};
        if (!origin.talk || origin.talk->role == x.who.role)
            continue;
        f->out->list[i].follows = true;
        if (!sends_more(f, origin.talk->role) && add_origin(f, &origin, &x) != 0)
            return -1;
    }
    return 0;
}

/* What the JVM at the other end does then is a consequence. Threads that read from its connections
 * are there because another one has opened these, which gets their evidence. */
static void relate_receivers(struct roxi_findings *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct roxi_finding *cause = &all->list[i];
        for (size_t k = 0; k < all->count && is_of_more(cause) && !cause->follows; k++) {
            struct roxi_finding *x = &all->list[k];
            if (x->who.role != cause->peer.role || !x->packet ||
                x->packet + ROXI_BESIDE < cause->packet || roxi_finding_is_end(x))
                continue;
            x->follows = true;
            if (cause->kind == ROXI_OPENED && x->doing == ROXI_ON_NETWORK)
                cause->weight = fmax(cause->weight, x->weight);
        }
    }
}

/* Has the role asked the other one more, and much more? */
static bool asks_more(const struct roxi_finder *f, uint32_t role, uint32_t peer)
{
    const struct roxi_use *u = &f->run->use;
    for (size_t i = 0; i < u->talk_count; i++)
        if (u->talks[i].role == role && u->talks[i].peer == peer && !u->talks[i].accepted &&
            flow_of(f, &u->talks[i]).times >= MUCH_MORE)
            return true;
    return false;
}

/* A JVM that waits for another one longer because it asks that much more does not wait because of
 * what the other one does, but the other way round. */
static void relate_askers(struct roxi_finder *f)
{
    struct roxi_findings *all = f->out;
    for (size_t i = 0; i < all->count; i++) {
        struct roxi_finding *x = &all->list[i];
        const uint32_t peer = x->ends_at.role;
        if (!x->follows || peer == ROXI_NONE || peer == x->who.role ||
            !asks_more(f, x->who.role, peer))
            continue;
        x->follows = false;
        for (size_t k = 0; k < all->count; k++)
            if (all->list[k].who.role == peer && !roxi_finding_is_end(&all->list[k]) &&
                all->list[k].packet + ROXI_BESIDE >= x->packet)
                all->list[k].follows = true;
    }
}

int roxi_relate_flows(struct roxi_finder *f)
{
    if (follow_back(f) != 0)
        return -1;
    relate_receivers(f->out);
    relate_askers(f);
    return 0;
}
