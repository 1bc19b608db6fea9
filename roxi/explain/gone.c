/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of threads that end early: in normal runs one of their template is there until the JVM
 * ends, or nearly. So ends a thread whose loop an exception has left, and nobody noticed. */
#include <math.h>
#include <stdlib.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/siblings.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/median.h"
#include "roxi/rank/model.h"
#include "roxi/rank/words.h"

#define ALWAYS 0.9 /* share of the normal runs that must have such threads */

/* The last packets of a JVM: of the threads, and of all. */
struct ends {
    uint64_t theirs, all;
};

static void find_ends(const struct roxi_finder *f, struct ends *of_jvm)
{
    const struct roxi_span *spans = f->run->history.spans;
    for (size_t i = 0; i < f->run->history.count; i++)
        if (spans[i].last > of_jvm[spans[i].jvm].all)
            of_jvm[spans[i].jvm].all = spans[i].last;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &spans[f->matching[i]];
        if (span->last > of_jvm[span->jvm].theirs)
            of_jvm[span->jvm].theirs = span->last;
    }
}

/* Sets `matching` to the last spans of the threads, in the JVM that went on for longest without
 * them, and *last to their packet; 0: there are none. -1: memory ran out. */
static int match(struct roxi_finder *f, struct roxi_place place, uint64_t *last)
{
    const struct roxi_history *h = &f->run->history;
    size_t jvms = 0, jvm = 0, kept = 0;
    for (size_t i = 0; i < h->count; i++)
        jvms = h->spans[i].jvm >= jvms ? (size_t)h->spans[i].jvm + 1 : jvms;
    struct ends *ends = calloc(jvms + 1, sizeof *ends);
    if (!ends)
        return -1;
    roxi_finder_match_threads(f, place);
    find_ends(f, ends);
    for (size_t i = 1; i < jvms; i++)
        if (ends[i].theirs &&
            (!ends[jvm].theirs || ends[i].all - ends[i].theirs > ends[jvm].all - ends[jvm].theirs))
            jvm = i;
    *last = ends[jvm].theirs;
    free(ends);
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &h->spans[f->matching[i]];
        if (span->jvm == jvm && span->last == *last)
            f->matching[kept++] = f->matching[i];
    }
    f->matching_count = kept;
    return 0;
}

/* What the threads did not do after their end needs no finding of its own: it is evidence of it. */
static void take_less(struct roxi_findings *found, struct roxi_finding *x)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct roxi_finding *y = &found->list[i];
        if (y->less && y->thread == x->thread && roxi_same_member(y->who, x->who)) {
            x->weight = fmax(x->weight, y->weight);
            x->share += y->share;
        } else {
            found->list[kept++] = *y;
        }
    }
    found->count = kept;
}

static int tell(struct roxi_finder *f, const struct roxi_most *most, const struct roxi_usual *usual,
                double evidence)
{
    const struct roxi_place place = roxi_profiles_place(f->profiles, most->group);
    struct roxi_finding x = roxi_finding_of(ROXI_ABOUT_GONE, roxi_member_at(place));
    x.thread = place.template;
    x.here = most->gone;
    x.elsewhere = roxi_unscaled(usual->centre);
    x.like = usual->like;
    x.weight = evidence;
    if (match(f, place, &x.packet) != 0 || roxi_finder_most(f, false, &x.stack) != 0)
        return -1;
    x.doing = roxi_finder_doing(f, x.stack);
    take_less(f->out, &x);
    return roxi_finder_add(f, &x);
}

/* Did it lead in place of a peer, or a peer in its place (rank/lead.h)? Its threads end with that.
 */
static bool is_exchanged(const struct roxi_finder *f, const struct roxi_place *place)
{
    const struct roxi_ranking *r = f->ranking;
    for (size_t i = 0; i < r->leads.count && !r->by_leader; i++) {
        const struct roxi_lead *x = &r->leads.list[i];
        const struct roxi_member leader = roxi_durations_member(r->durations, x->leader);
        const struct roxi_member usual = roxi_durations_member(r->durations, x->usual);
        if (x->run == f->number && (roxi_same_member(leader, roxi_member_at(*place)) ||
                                    roxi_same_member(usual, roxi_member_at(*place))))
            return true;
    }
    return false;
}

static double answered(const struct roxi_profile *x, uint32_t role)
{
    return (double)roxi_participation_of(x->roles, x->role_count, role).answered;
}

/* The JVM went on for longer than usual, and that is all for which the threads were gone. */
static bool is_usual_end(const struct roxi_finder *f, const struct roxi_most *most, uint32_t role)
{
    size_t count = 0;
    for (size_t r = 0; r < f->ranking->n; r++)
        if (f->normal[r])
            f->numbers[count++] = answered(&f->profiles->executions[r], role);
    const double longer = answered(f->run, role) - roxi_median(f->numbers, count, count);
    return longer > 0 &&
           roxi_scaled(fmax(0, (double)most->gone - longer)) <= roxi_score_default.resolution;
}

static int look_at(struct roxi_finder *f, const struct roxi_most *most)
{
    const struct roxi_place place = roxi_profiles_place(f->profiles, most->group);
    const double own = roxi_scaled(most->gone / f->longer);
    size_t count = 0;
    for (size_t r = 0; r < f->ranking->n && own > roxi_score_default.resolution; r++) {
        const struct roxi_most *there =
            f->normal[r] ? roxi_use_most(&f->profiles->executions[r].use, most->group) : NULL;
        if (there)
            f->numbers[count++] = roxi_scaled(there->gone);
    }
    if (!count || (double)count < ALWAYS * (double)f->out->normal || is_exchanged(f, &place))
        return 0;
    const struct roxi_usual usual = roxi_usual_of(f->numbers, count, own);
    const double evidence = roxi_usual_evidence(&usual, count, own, roxi_score_default.resolution);
    return evidence > 0 && !is_usual_end(f, most, place.role) ? tell(f, most, &usual, evidence) : 0;
}

int roxi_produce_gone(struct roxi_finder *f)
{
    const struct roxi_use *u = &f->run->use;
    int result = 0;
    for (size_t i = 0; i < u->most_count && result == 0; i++)
        result = look_at(f, &u->most[i]);
    return result;
}

/* As when a JVM that ends waits for one thing. */
static bool end_together(const struct roxi_finding *x, const struct roxi_finding *y)
{
    return x->about == ROXI_ABOUT_GONE && y->about == ROXI_ABOUT_GONE &&
           roxi_same_member(x->who, y->who) && roxi_within(x->packet, y->packet, ROXI_BESIDE);
}

int roxi_merge_gone(struct roxi_finder *f)
{
    roxi_merge_siblings(f->out, end_together);
    return 0;
}
