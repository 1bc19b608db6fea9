/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/common.h"

#include <math.h>
#include <stdlib.h>

#include "schema/base/grow.h"

struct gathering {
    struct roxi_common *out;
    struct roxi_run_evidence *evidence; /* by run */
    struct roxi_symbols *names;         /* of what there is evidence of */
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

static int gather_run(struct gathering *g, size_t run, struct ix_error *err)
{
    struct roxi_findings f;
    if (roxi_findings_make(&f, g->ranking, run, g->others, g->campaign, err) != 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < f.count && result == 0; i++)
        result = take_finding(g, run, &f.list[i]);
    if (result == 0)
        result =
            roxi_evidence_gather(&g->evidence[run], g->names, g->ranking->durations->profiles, &f);
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

static int gather(struct gathering *g, struct ix_error *err)
{
    const struct roxi_ranking *r = g->ranking;
    int result = 0;
    for (size_t i = 0; i < r->n && result == 0; i++) {
        g->out->runs += g->of[i];
        g->out->others += g->others[i];
        if (g->of[i])
            result = gather_run(g, i, err);
    }
    if (result == 0 && roxi_evidence_sort(g->evidence, r->n, g->names) != 0)
        result = ix_fail(err, "out of memory");
    return result == 0 ? roxi_groups_make(&g->out->groups, r->durations->profiles, g->evidence, err)
                       : result;
}

int roxi_common_make(struct roxi_common *c, const struct roxi_ranking *r, const bool *of,
                     const bool *others, const char *campaign, struct ix_error *err)
{
    struct gathering g = {.out = c,
                          .evidence = calloc(r->n + 1, sizeof *g.evidence),
                          .names = roxi_symbols_new(),
                          .ranking = r,
                          .of = of,
                          .others = others,
                          .campaign = campaign};
    *c = (struct roxi_common){0};
    const int result = g.evidence && g.names ? gather(&g, err) : ix_fail(err, "out of memory");
    for (size_t i = 0; i < r->n && g.evidence; i++)
        roxi_evidence_free(&g.evidence[i]);
    free(g.evidence);
    roxi_symbols_free(g.names);
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
    roxi_groups_free(&c->groups);
    *c = (struct roxi_common){0};
}
