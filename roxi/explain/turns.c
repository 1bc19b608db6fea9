/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a JVM that run the most times as often as typical may be a library's, such as a
 * loop that serves connections. Those of the application's code that make them run do so much more
 * often, too: they are a finding beside the one that the ranking has led to, or instead of it if
 * that is in no code of the application. */
#include "roxi/explain/finder.h"

#define MUCH_MORE 3.0 /* so many times as often as in normal runs, on average */
#define SECOND 0.9    /* of the other finding's evidence */

/* How often the threads of a group run in normal runs, on average; *like: how many runs have as
 * much as `turns`. */
static double usual_turns(const struct roxi_finder *f, uint32_t group, uint64_t turns, size_t *like)
{
    double sum = 0;
    *like = 0;
    for (size_t r = 0; r < f->ranking->n; r++) {
        const struct roxi_most *most =
            f->normal[r] ? roxi_use_most(&f->profiles->executions[r].use, group) : NULL;
        sum += most ? (double)most->turns : 0;
        *like += most && most->turns >= turns;
    }
    return f->out->normal ? sum / (double)f->out->normal : 0;
}

/* The finding of the threads of a group of the same JVM as `of`; here 0: they do not run much more
 * often, or are in no code of the application, or in the same as those. -1: memory ran out. */
static int look_at(struct roxi_finder *f, const struct roxi_finding *of,
                   const struct roxi_most *most, struct roxi_finding *x)
{
    const struct roxi_place place = roxi_profiles_place(f->profiles, most->group);
    size_t like;
    const double usual = usual_turns(f, most->group, most->turns, &like);
    *x = *of;
    x->here = 0;
    if (!roxi_same_member(roxi_member_at(place), of->who) || place.template == of->thread ||
        (double)most->turns < MUCH_MORE * (usual + roxi_traits[ROXI_TURNS].of_packet))
        return 0;
    x->thread = place.template;
    roxi_finder_match(f, x);
    if (roxi_finder_most(f, false, &x->stack) != 0)
        return -1;
    x->call = roxi_finder_innermost(f->profiles->symbols, x->stack);
    if (x->call.class_name == ROXI_NONE || x->call.class_name == of->call.class_name)
        return 0;
    x->doing = roxi_finder_doing(f, x->stack);
    x->here = roxi_capped(most->turns);
    x->elsewhere = usual;
    x->like = like;
    x->packet = roxi_finder_moment(f, x, usual / roxi_traits[ROXI_TURNS].of_packet, false);
    return 0;
}

static int find_code(struct roxi_finder *f, size_t number)
{
    const struct roxi_use *u = &f->run->use;
    const struct roxi_finding of = f->out->list[number];
    struct roxi_finding best = {0};
    for (size_t i = 0; i < u->most_count; i++) {
        struct roxi_finding x;
        if (look_at(f, &of, &u->most[i], &x) != 0)
            return -1;
        if (x.here && x.here - x.elsewhere > best.here - best.elsewhere)
            best = x;
    }
    if (!best.here)
        return 0;
    if (of.call.class_name == ROXI_NONE) {
        f->out->list[number] = best;
        return 0;
    }
    best.locus = ROXI_NONE;
    best.share = 0;
    best.weight *= SECOND;
    return roxi_finder_add(f, &best);
}

int roxi_produce_turns(struct roxi_finder *f)
{
    const size_t count = f->out->count;
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        if (f->out->list[i].about == ROXI_ABOUT_DURATION && f->out->list[i].kind == ROXI_TURNS)
            result = find_code(f, i);
    return result;
}
