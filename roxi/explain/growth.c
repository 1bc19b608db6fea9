/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what there is more of than in normal runs: threads of a template, and, where logs
 * have records of the process, memory, open files and garbage collection. */
#include <math.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/siblings.h"
#include "roxi/explain/stretch.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/words.h"

/* Since when garbage is collected much: above the typical share of the time, and so much of what
 * the run's is beyond that. */
#define MUCH_OF_OWN 0.25
/* What is not worth noticing, beside a tenth: pools grow and shrink, and so do heaps. */
#define FEW_PERCENT 0.1
static const double few[] = {
    [ROXI_THREADS] = 2,
    [ROXI_MEMORY] = 32,     /* MB */
    [ROXI_FILES] = 8,       /* open at once */
    [ROXI_COLLECTING] = 20, /* thousandths of the time */
};

struct looking {
    struct roxi_finder *f;
    enum roxi_resource resource;
    uint32_t role, group; /* group: of the threads */
};

static bool took_part(const struct roxi_profile *run, uint32_t role)
{
    return roxi_participation_of(run->roles, run->role_count, role).answered > 0;
}

static double threads_of(const struct roxi_use *u, uint32_t group)
{
    const struct roxi_most *most = roxi_use_most(u, group);
    return most ? most->threads : 0;
}

/* How much a run has; NAN: not known. */
static double amount(const struct looking *l, const struct roxi_profile *run)
{
    const struct roxi_use *u = &run->use;
    if (l->resource == ROXI_THREADS)
        return took_part(run, l->role) ? threads_of(u, l->group) : NAN;
    for (size_t i = 0; i < u->process_count; i++) {
        const struct roxi_process_use *p = &u->processes[i];
        if (p->role == l->role)
            return (double)(l->resource == ROXI_MEMORY  ? p->megabytes
                            : l->resource == ROXI_FILES ? p->files
                                                        : p->collecting);
    }
    return NAN;
}

/* The strongest finding of the same threads. */
static struct roxi_finding *known(const struct roxi_finder *f, uint32_t group)
{
    struct roxi_finding *best = NULL;
    for (size_t i = 0; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (!x->less && (!best || x->weight > best->weight) && roxi_finder_is_theirs(f, x, group))
            best = x;
    }
    return best;
}

/* Says which threads, in which call stack, and since when there are more than `limit`. Threads that
 * pile up in code of the application are told of already. If it is told that they take more packets
 * outside of it, that is why. */
static int tell_threads(struct looking *l, struct roxi_finding *x, double limit)
{
    struct roxi_finding *same = known(l->f, l->group);
    if (same && same->kind != ROXI_OUTSIDE)
        return 0;
    if (same) {
        x->share = same->share;
        x->weight = fmax(x->weight, same->weight);
    }
    roxi_finder_set_threads(l->f, x, l->group);
    roxi_finder_match_threads(l->f, roxi_profiles_place(l->f->profiles, l->group));
    if (roxi_finder_most(l->f, false, &x->stack) != 0)
        return -1;
    x->doing = roxi_finder_doing(l->f, x->stack);
    x->packet = roxi_finder_onset(l->f, limit);
    if (!same)
        return roxi_finder_add(l->f, x);
    *same = *x;
    return 0;
}

/* Sets f->numbers to how much normal runs have. Returns how many there are; 0 if it is known
 * without looking at all of them that there is nothing to find. */
static size_t normal_amounts(const struct looking *l, double own)
{
    const struct roxi_finder *f = l->f;
    size_t count = 0, like = 0;
    for (size_t r = 0; r < f->ranking->n && !isnan(own); r++) {
        const double number = f->normal[r] ? amount(l, &f->profiles->executions[r]) : NAN;
        if (isnan(number))
            continue;
        f->numbers[count++] = number;
        like += number >= own;
        if (roxi_usual_is_common(like, f->out->normal))
            return 0;
    }
    return count;
}

/* Since when a JVM of the role has more memory or files than typical: up to its most, it has not
 * had less again. 0: not known. */
static uint64_t since_more(const struct looking *l, double typical)
{
    const struct roxi_history *h = &l->f->run->history;
    uint64_t since = 0, begin = 0;
    double most = typical;
    uint32_t jvm = UINT32_MAX;
    for (size_t i = 0; i < h->used_count; i++) {
        const struct roxi_used *used = &h->used[i];
        const double has = (double)(l->resource == ROXI_MEMORY ? used->megabytes : used->files);
        if (used->role != l->role)
            continue;
        if (used->jvm != jvm || has <= typical)
            begin = 0;
        jvm = used->jvm;
        if (has > typical && !begin)
            begin = used->packet;
        if (has > most) {
            most = has;
            since = begin;
        }
    }
    return since;
}

/* Since when a JVM of the role has collected garbage for much of the time: where the stretch begins
 * in which it most exceeds that rate. 0: not known. */
static uint64_t since_collecting(const struct looking *l, double typical, double own)
{
    const struct roxi_history *h = &l->f->run->history;
    const double rate = (typical + MUCH_OF_OWN * (own - typical)) / 1000;
    const struct roxi_used *before = NULL;
    struct roxi_stretch s = {0};
    for (size_t i = 0; i < h->used_count; i++) {
        const struct roxi_used *used = &h->used[i];
        if (used->role != l->role)
            continue;
        const bool goes_on = before && before->jvm == used->jvm;
        const double more = goes_on ? (double)(used->collecting_ns - before->collecting_ns) -
                                          rate * (double)(used->ns - before->ns)
                                    : -s.sum; /* another JVM: it begins anew */
        roxi_stretch_add(&s, more, used->packet);
        before = used;
    }
    return s.found;
}

/* What the score holds against the role for it. */
static double share_of(const struct looking *l)
{
    const struct roxi_ranking *r = l->f->ranking;
    for (size_t i = r->first[l->f->number]; i < r->first[l->f->number + 1]; i++) {
        const struct roxi_part *part = &r->parts[i];
        if (l->resource == ROXI_COLLECTING &&
            roxi_durations_locus(r->durations, part->locus).kind == ROXI_GARBAGE &&
            roxi_ranking_who(r, l->f->number, part).role == l->role)
            return roxi_ranking_share(r, l->f->number, part);
    }
    return 0;
}

static int compare_with_normal(struct looking *l)
{
    struct roxi_finder *f = l->f;
    const double own = amount(l, f->run);
    const size_t count = normal_amounts(l, own);
    if (!count)
        return 0;
    const struct roxi_usual usual = roxi_usual_of(f->numbers, count, own);
    const double resolution = few[l->resource] + FEW_PERCENT * usual.centre;
    const double evidence = roxi_usual_evidence(&usual, count, own, resolution);
    if (!(evidence > 0))
        return 0;
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_GROWTH, (struct roxi_member){.role = l->role});
    x.resource = l->resource;
    x.here = (uint32_t)fmin(round(own), UINT32_MAX);
    x.elsewhere = usual.centre;
    x.like = usual.like;
    x.compared = count;
    x.share = share_of(l);
    x.weight = evidence;
    if (l->resource == ROXI_THREADS)
        return tell_threads(l, &x, usual.centre + usual.unit + resolution);
    x.packet = l->resource == ROXI_COLLECTING ? since_collecting(l, usual.centre, own)
                                              : since_more(l, usual.centre);
    return roxi_finder_add(f, &x);
}

/* ---- threads of several templates that do the same ---- */

static bool is_of_threads(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_GROWTH && x->resource == ROXI_THREADS && x->stack;
}

static bool are_siblings(const struct roxi_finding *x, const struct roxi_finding *y)
{
    return is_of_threads(x) && is_of_threads(y) && x->stack == y->stack &&
           roxi_same_member(x->who, y->who);
}

int roxi_produce_growth(struct roxi_finder *f)
{
    const struct roxi_use *u = &f->run->use;
    struct looking l = {.f = f};
    int result = 0;
    for (size_t i = 0; i < u->most_count && result == 0; i++) {
        l.resource = ROXI_THREADS;
        l.group = u->most[i].group;
        l.role = roxi_profiles_place(f->profiles, l.group).role;
        result = compare_with_normal(&l);
    }
    for (size_t i = 0; i < u->process_count && result == 0; i++) {
        l.role = u->processes[i].role;
        for (l.resource = ROXI_MEMORY; l.resource <= ROXI_COLLECTING && result == 0; l.resource++)
            result = compare_with_normal(&l);
    }
    roxi_merge_siblings(f->out, are_siblings);
    return result;
}
