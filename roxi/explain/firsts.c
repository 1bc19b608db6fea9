/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of exceptions of classes that normal runs make rarely or never, in whatever role, where
 * logs have the first exception of each class. One that was caught and swallowed is there, too. Of
 * what a JVM makes as it ends badly or early, or a thread as it ends early, a call stack on which
 * normal runs make none is enough: the class may be as common as NullPointerException. */
#include "roxi/explain/finder.h"

/* An exception tells much in few words, but of a consequence as often as of the cause. */
#define WEIGHT 0.1

/* At most one normal run of so many makes what is rare. */
#define RARE 20

/* The last packets of a JVM or a thread, in which it makes what it ends with. */
#define LAST 2

/* The normal runs whose logs have first exceptions. */
static size_t count_telling(const struct roxi_finder *f)
{
    size_t n = 0;
    for (size_t r = 0; r < f->ranking->n; r++)
        n += f->normal[r] && r != f->number && f->profiles->executions[r].use.tells_firsts;
    return n;
}

/* Does a run make its first one of the class on the same call stack? */
static bool makes_there(const struct roxi_use *u, const struct roxi_first *first)
{
    for (size_t i = 0; i < u->first_count; i++)
        if (u->firsts[i].class_name == first->class_name && u->firsts[i].stack == first->stack)
            return true;
    return false;
}

/* How many normal runs make one; `there`: on the same call stack. */
static size_t count_like(const struct roxi_finder *f, const struct roxi_first *first, bool there)
{
    size_t like = 0;
    for (size_t r = 0; r < f->ranking->n; r++) {
        const struct roxi_use *u = &f->profiles->executions[r].use;
        if (f->normal[r] && r != f->number)
            like += there ? makes_there(u, first) : roxi_use_earliest(u, first->class_name) != NULL;
    }
    return like;
}

/* Is it a finding of the end of threads, of which this is one? */
static bool is_gone(const struct roxi_finder *f, const struct roxi_finding *x,
                    const struct roxi_first *first)
{
    if (x->about != ROXI_ABOUT_GONE || first->group == ROXI_NONE)
        return false;
    const struct roxi_place place = roxi_profiles_place(f->profiles, first->group);
    return place.node == x->who.node && place.template == x->thread;
}

/* Did its thread end early then, or its JVM badly or early? */
static bool is_at_end(const struct roxi_finder *f, const struct roxi_first *first)
{
    for (size_t i = 0; i < f->out->count; i++) {
        const struct roxi_finding *x = &f->out->list[i];
        if ((roxi_finding_is_end(x) || is_gone(f, x, first)) && x->who.role == first->role &&
            first->packet + LAST > x->packet && first->packet <= x->packet + LAST)
            return true;
    }
    return false;
}

/* What the ranking holds against the run; NULL: nothing that is an exception. */
static const struct roxi_part *part_of(const struct roxi_finder *f)
{
    const struct roxi_ranking *r = f->ranking;
    for (size_t i = r->first[f->number]; i < r->first[f->number + 1]; i++)
        if (roxi_durations_is_first(r->durations, r->parts[i].item))
            return &r->parts[i];
    return NULL;
}

/* Before its class a class's ancestors are prepared, in the same call stack. */
static bool is_ancestor(const struct roxi_use *u, const struct roxi_first *first)
{
    for (size_t i = 0; i < u->first_count; i++) {
        const struct roxi_first *x = &u->firsts[i];
        if (x->role == first->role && x->packet == first->packet && x->group == first->group &&
            x->stack == first->stack && x->serial == first->serial + 1)
            return true;
    }
    return false;
}

/* What is thrown is often wrapped in others at once: the first one tells most. */
static struct roxi_finding *known(const struct roxi_finder *f, size_t from,
                                  const struct roxi_finding *x)
{
    for (size_t i = from; i < f->out->count; i++) {
        struct roxi_finding *y = &f->out->list[i];
        if (y->who.role == x->who.role && y->who.node == x->who.node && y->packet == x->packet)
            return y;
    }
    return NULL;
}

static int tell(struct roxi_finder *f, size_t from, const struct roxi_first *first, bool at_end,
                size_t like)
{
    struct roxi_finding x = {.about = ROXI_ABOUT_FIRST,
                             .kind = ROXI_DURATION_KINDS,
                             .thrown = first->class_name,
                             .locus = ROXI_NONE,
                             .who = {.role = first->role},
                             .thread = ROXI_NONE,
                             .stack = first->stack,
                             .call = roxi_finder_innermost(f->profiles->symbols, first->stack),
                             .weight = WEIGHT,
                             .packet = first->packet,
                             .serial = first->serial,
                             .at_end = at_end,
                             .here = 1,
                             .like = like,
                             .ends_at = {.role = ROXI_NONE}};
    if (first->group != ROXI_NONE) {
        const struct roxi_place place = roxi_profiles_place(f->profiles, first->group);
        x.who.node = place.node;
        x.thread = place.template;
    }
    x.as = x.who;
    struct roxi_finding *same = known(f, from, &x);
    if (!same)
        return roxi_finder_add(f, &x) ? 0 : -1;
    x.here += same->here;
    x.like = x.like < same->like ? x.like : same->like;
    if (x.serial < same->serial)
        *same = x;
    same->here = x.here;
    same->like = x.like;
    return 0;
}

/* The first one of these findings has what the score holds against the run for all of them; not one
 * that is told only because of where it was made. */
static void share(const struct roxi_finder *f, size_t from, size_t telling)
{
    const struct roxi_part *part = part_of(f);
    struct roxi_finding *first = NULL;
    for (size_t i = from; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        const struct roxi_first made = {.class_name = x->thrown};
        if (RARE * count_like(f, &made, false) <= telling && (!first || x->packet < first->packet))
            first = x;
    }
    if (part && first)
        first->share = part->part / f->ranking->score[f->number];
}

int roxi_produce_firsts(struct roxi_finder *f)
{
    const struct roxi_use *u = &f->run->use;
    const size_t from = f->out->count, telling = count_telling(f);
    int result = 0;
    for (size_t i = 0; i < u->first_count && result == 0; i++) {
        const bool at_end = is_at_end(f, &u->firsts[i]);
        const size_t like = count_like(f, &u->firsts[i], at_end);
        if (telling && RARE * like <= telling && !is_ancestor(u, &u->firsts[i]))
            result = tell(f, from, &u->firsts[i], at_end, like);
    }
    share(f, from, telling);
    return result;
}
