/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of code that hardly a normal run executes, in whatever role, where logs tell which code
 * was executed: one for each class of a role, of the block that was executed first. A branch that
 * only this run took is often where it went wrong, or what dealt with that. Some systems take rare
 * branches in every run, so what is found counts less the more such classes there are in a normal
 * run. */
#include <math.h>
#include <stdlib.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/median.h"
#include "roxi/rank/rare.h"
#include "schema/base/grow.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define WEIGHT                                                                                     \
    4.0 /* evidence of a class, if normal runs have no such classes, at least; else as the         \
           strongest finding */

#define STARTING_COUNTS 0.1 /* of what a JVM executes as it starts */
#define STARTED 0.5         /* share of its code that a JVM has executed by then */

enum { RUNS = 200 }; /* normal ones that are looked at, at most, evenly chosen */

/* A block that hardly a normal run executes. */
struct rare {
    const struct roxi_covered *covered;
    uint32_t class_name;
    uint32_t like; /* normal runs that execute it */
};

struct covering {
    struct roxi_finder *f;
    bool *of; /* by run: the normal ones that are looked at; owned, as is the rest */
    struct roxi_rare seen;
    struct rare *rare;
    size_t rare_count, rare_cap;
};

/* Of the normal runs that tell, so many, evenly chosen. */
static int choose_runs(struct covering *c)
{
    const struct roxi_finder *f = c->f;
    size_t telling = 0, seen = 0;
    for (size_t r = 0; r < f->profiles->count; r++)
        telling += f->normal[r] && f->profiles->executions[r].use.tells_covered;
    const size_t most = telling < RUNS ? telling : RUNS;
    c->of = calloc(f->profiles->count + 1, sizeof *c->of);
    for (size_t r = 0; c->of && r < f->profiles->count; r++) {
        if (!f->normal[r] || !f->profiles->executions[r].use.tells_covered)
            continue;
        c->of[r] = seen * most / telling != (seen + 1) * most / telling;
        seen++;
    }
    return c->of ? 0 : -1;
}

/* ---- rare blocks ---- */

static int by_class(const void *a, const void *b)
{
    const struct rare *x = a, *y = b;
    if (x->covered->role != y->covered->role)
        return x->covered->role < y->covered->role ? -1 : 1;
    if (x->class_name != y->class_name)
        return x->class_name < y->class_name ? -1 : 1;
    if (x->covered->packet != y->covered->packet)
        return x->covered->packet < y->covered->packet ? -1 : 1;
    if (x->covered->stack != y->covered->stack)
        return x->covered->stack < y->covered->stack ? -1 : 1;
    return (x->covered->block > y->covered->block) - (x->covered->block < y->covered->block);
}

/* Of a run, by class. `own`: how many of the normal runs are the run itself. */
static int list_rare(struct covering *c, const struct roxi_use *u, uint32_t own)
{
    const struct roxi_symbols *s = c->f->profiles->symbols;
    c->rare_count = 0;
    for (size_t i = 0; i < u->covered_count; i++) {
        const uint32_t like = roxi_rare_like(&c->seen, &u->covered[i]) - own;
        const struct rare rare = {&u->covered[i],
                                  roxi_symbols_top(s, u->covered[i].stack).class_name, like};
        if (!roxi_usual_is_common(like, c->seen.runs - own) &&
            ix_append(c->rare, c->rare_count, c->rare_cap, rare) != 0)
            return -1;
    }
    if (c->rare_count)
        qsort(c->rare, c->rare_count, sizeof *c->rare, by_class);
    return 0;
}

static size_t class_end(const struct covering *c, size_t from)
{
    size_t to = from + 1;
    while (to < c->rare_count && c->rare[to].covered->role == c->rare[from].covered->role &&
           c->rare[to].class_name == c->rare[from].class_name)
        to++;
    return to;
}

/* *classes: with such blocks, in the median of the normal runs. */
static int usual_classes(struct covering *c, double *classes)
{
    size_t n = 0;
    for (size_t r = 0; r < c->f->profiles->count; r++) {
        if (!c->of[r])
            continue;
        if (list_rare(c, &c->f->profiles->executions[r].use, 1) != 0)
            return -1;
        size_t found = 0;
        for (size_t from = 0; from < c->rare_count; from = class_end(c, from))
            found++;
        c->f->numbers[n++] = (double)found;
    }
    *classes = roxi_median(c->f->numbers, n, n);
    return 0;
}

/* ---- findings ---- */

/* Had the role executed less than half of what it executes in the run? It was starting, and how it
 * was started may differ. */
static bool is_starting(const struct roxi_use *u, const struct roxi_covered *x)
{
    size_t before = 0, all = 0;
    for (size_t i = 0; i < u->covered_count; i++) {
        if (u->covered[i].role != x->role)
            continue;
        all++;
        before += u->covered[i].packet < x->packet;
    }
    return (double)before < STARTED * (double)all;
}

static int tell(struct covering *c, size_t from, size_t to, double weight)
{
    const struct rare *first = &c->rare[from];
    const struct roxi_frame at = roxi_symbols_top(c->f->profiles->symbols, first->covered->stack);
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_COVERED, (struct roxi_member){.role = first->covered->role});
    x.stack = first->covered->stack;
    x.call.class_name = at.class_name;
    x.call.method = at.method;
    x.packet = first->covered->packet;
    x.here = (uint32_t)(to - from);
    x.like = first->like;
    x.compared = c->seen.runs;
    x.weight = weight * (is_starting(&c->f->run->use, first->covered) ? STARTING_COUNTS : 1);
    return roxi_finder_add(c->f, &x);
}

/* The first finding of a role has what the score holds against that for all of them. */
static void share(const struct roxi_finder *f, size_t from)
{
    const struct roxi_ranking *r = f->ranking;
    for (size_t i = r->first[f->number]; i < r->first[f->number + 1]; i++) {
        const struct roxi_part *part = &r->parts[i];
        const struct roxi_locus locus = roxi_durations_locus(r->durations, part->locus);
        struct roxi_finding *first = NULL;
        for (size_t k = from; k < f->out->count; k++) {
            struct roxi_finding *x = &f->out->list[k];
            if (roxi_durations_member(r->durations, locus.member).role == x->who.role &&
                (!first || x->packet < first->packet))
                first = x;
        }
        if (locus.kind == ROXI_COVERED && first)
            first->share = roxi_ranking_share(r, f->number, part);
    }
}

/* The evidence of a class, `usual` of which normal runs have. */
static double weight_of(const struct roxi_findings *f, double usual)
{
    double greatest = WEIGHT;
    for (size_t i = 0; i < f->count; i++)
        greatest = fmax(greatest, f->list[i].weight);
    return greatest / (1 + usual);
}

static int tell_all(struct covering *c)
{
    const size_t before = c->f->out->count;
    double usual = 0;
    int result = usual_classes(c, &usual) == 0 ? list_rare(c, &c->f->run->use, 0) : -1;
    const double weight = weight_of(c->f->out, usual);
    for (size_t from = 0, to; from < c->rare_count && result == 0; from = to) {
        to = class_end(c, from);
        result = tell(c, from, to, weight);
    }
    share(c->f, before);
    return result;
}

int roxi_produce_covered(struct roxi_finder *f)
{
    struct covering c = {.f = f};
    if (!f->run->use.tells_covered)
        return 0;
    int result = choose_runs(&c);
    if (result == 0)
        result = roxi_rare_count(&c.seen, f->profiles, c.of);
    if (result == 0 && c.seen.runs)
        result = tell_all(&c);
    free(c.of);
    roxi_rare_free(&c.seen);
    free(c.rare);
    return result;
}
