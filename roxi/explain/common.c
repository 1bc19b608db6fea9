/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/common.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/rank/likeness.h"
#include "schema/base/grow.h"

struct gathering {
    struct roxi_common *out;
    const struct roxi_ranking *ranking;
    const bool *of, *others;
    const char *campaign;
};

/* Does the run depart at the finding's place, in the same direction? */
static bool departs(const struct roxi_ranking *r, size_t run, const struct roxi_finding *f)
{
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++) {
        const struct roxi_part *part = &r->parts[i];
        if (part->locus == f->locus && (part->packets < part->typical) == f->less)
            return true;
    }
    return false;
}

static bool same_call(const struct roxi_call *a, const struct roxi_call *b)
{
    return a->class_name == b->class_name && a->method == b->method &&
           a->called_class == b->called_class && a->called == b->called;
}

static bool same_place(const struct roxi_finding *a, const struct roxi_finding *b)
{
    if (a->about != b->about || a->less != b->less)
        return false;
    if (a->about == ROXI_ABOUT_DURATION)
        return a->locus == b->locus;
    if (a->about == ROXI_ABOUT_FIRST)
        return a->who.role == b->who.role && a->thrown == b->thrown;
    if (a->about == ROXI_ABOUT_EXCEPTION) /* whoever threw it first */
        return a->thrown == b->thrown && a->stack == b->stack;
    return a->who.role == b->who.role && a->who.node == b->who.node && a->thread == b->thread &&
           a->resource == b->resource && same_call(&a->call, &b->call);
}

static int take_finding(struct gathering *g, size_t run, const struct roxi_finding *f)
{
    struct roxi_common *c = g->out;
    for (size_t i = 0; i < c->count; i++) {
        struct roxi_common_finding *known = &c->list[i];
        if (!same_place(&known->finding, f))
            continue;
        known->found++;
        if (f->weight > known->finding.weight) {
            known->finding = *f;
            known->run = run;
        }
        return 0;
    }
    struct roxi_common_finding *list = ix_grow(c->list, &c->cap, c->count + 1, sizeof *list);
    if (!list)
        return -1;
    c->list = list;
    list[c->count++] = (struct roxi_common_finding){.finding = *f, .run = run, .found = 1};
    return 0;
}

static double part_at(const struct roxi_ranking *r, size_t run, uint32_t locus)
{
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        if (r->parts[i].locus == locus)
            return r->parts[i].part;
    return 0;
}

/* The sum over all places of what they add to the scores of two runs, multiplied. */
static double product(const struct roxi_ranking *r, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = r->first[a]; i < r->first[a + 1]; i++)
        sum += r->parts[i].part * part_at(r, b, r->parts[i].locus);
    return sum;
}

static bool alike(const struct roxi_ranking *r, size_t a, size_t b)
{
    return product(r, a, b) >= ROXI_ALIKE * sqrt(product(r, a, a) * product(r, b, b));
}

static void put_in_group(const struct roxi_ranking *r, struct roxi_common *c, size_t run,
                         const struct roxi_finding *first)
{
    size_t g = 0;
    while (g < c->groups && !alike(r, c->leader[g], run))
        g++;
    if (g == c->groups) {
        c->led[g] = *first;
        c->leader[c->groups++] = run;
    }
    c->group_runs[g]++;
    c->group_of[run] = g + 1;
}

static int gather_run(struct gathering *g, size_t run, struct ix_error *err)
{
    struct roxi_findings f;
    if (roxi_findings_make(&f, g->ranking, run, g->others, g->campaign, err) != 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < f.count && result == 0; i++)
        result = take_finding(g, run, &f.list[i]);
    if (f.count)
        put_in_group(g->ranking, g->out, run, &f.list[0]);
    roxi_findings_free(&f);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

/* What the ranking does not look at is counted in the runs that are explained; the others were
 * asked for it when it was found. */
static void weigh(struct gathering *g, struct roxi_common_finding *x)
{
    const bool ranked = x->finding.about == ROXI_ABOUT_DURATION;
    x->in = ranked ? 0 : x->found;
    x->in_others = ranked ? 0 : x->finding.like;
    for (size_t r = 0; r < g->ranking->n && ranked; r++) {
        x->in += g->of[r] && departs(g->ranking, r, &x->finding);
        x->in_others += g->others[r] && departs(g->ranking, r, &x->finding);
    }
    const double all = (double)g->out->runs * (double)(x->in + x->in_others);
    x->weight = x->finding.weight * (all > 0 ? (double)x->in / sqrt(all) : 0);
}

static int by_weight(const void *a, const void *b)
{
    const struct roxi_common_finding *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->finding.locus > y->finding.locus) - (x->finding.locus < y->finding.locus);
}

int roxi_common_make(struct roxi_common *c, const struct roxi_ranking *r, const bool *of,
                     const bool *others, const char *campaign, struct ix_error *err)
{
    struct gathering g = {.out = c, .ranking = r, .of = of, .others = others, .campaign = campaign};
    *c = (struct roxi_common){.group_of = calloc(r->n + 1, sizeof *c->group_of),
                              .group_runs = calloc(r->n + 1, sizeof *c->group_runs),
                              .led = calloc(r->n + 1, sizeof *c->led),
                              .leader = calloc(r->n + 1, sizeof *c->leader)};
    int result =
        c->group_of && c->group_runs && c->led && c->leader ? 0 : ix_fail(err, "out of memory");
    for (size_t i = 0; i < r->n && result == 0; i++) {
        c->runs += of[i];
        c->others += others[i];
        if (of[i])
            result = gather_run(&g, i, err);
    }
    if (result != 0) {
        roxi_common_free(c);
        return -1;
    }
    for (size_t i = 0; i < c->count; i++)
        weigh(&g, &c->list[i]);
    if (c->count)
        qsort(c->list, c->count, sizeof *c->list, by_weight);
    return 0;
}

void roxi_common_free(struct roxi_common *c)
{
    free(c->list);
    free(c->group_of);
    free(c->group_runs);
    free(c->led);
    free(c->leader);
    *c = (struct roxi_common){0};
}
