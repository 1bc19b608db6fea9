/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/common.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/base/workers.h"
#include "roxi/rank/peers.h"
#include "schema/base/grow.h"

/* The findings of one of the runs. */
struct found {
    size_t run;
    struct roxi_findings findings; /* owned */
    int result;
    struct ix_error err; /* if that is not 0 */
};

struct gathering {
    struct roxi_common *out;
    struct found *found; /* one for each of the runs, ascending; owned, as is the rest */
    struct roxi_listing logs;
    struct roxi_run_evidence *evidence; /* by run */
    struct roxi_symbols *names;         /* of what there is evidence of */
    const struct roxi_ranking *ranking;
    const bool *of, *others;
    const struct roxi_apart *apart; /* NULL: none */
    const char *campaign;
    unsigned threads;
};

/* Is it the same member, or a peer of it? */
static bool does_the_same(const struct roxi_durations *d, struct roxi_member a,
                          struct roxi_member b)
{
    return roxi_same_member(a, b) || roxi_members_are_peers(d, a, b);
}

/* The same for the same member, or for a peer of it? */
static bool same_locus(const struct roxi_durations *d, uint32_t a, uint32_t b)
{
    if (a == b || a == ROXI_NONE || b == ROXI_NONE)
        return a == b;
    const struct roxi_locus x = roxi_durations_locus(d, a), y = roxi_durations_locus(d, b);
    return x.kind == y.kind && x.class_name == y.class_name &&
           does_the_same(d, roxi_durations_member(d, x.member), roxi_durations_member(d, y.member));
}

/* Does the run depart at the finding's place, in the same direction? */
static bool departs(const struct roxi_ranking *r, size_t run, const struct roxi_finding *f)
{
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++) {
        const struct roxi_part *part = &r->parts[i];
        if ((part->packets < part->typical) == f->less &&
            same_locus(r->durations, part->locus, f->locus))
            return true;
    }
    return false;
}

/* Is it what the ranking holds against the run, and not what that has led to? */
static bool is_ranked(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_DURATION && x->locus != ROXI_NONE;
}

bool roxi_findings_alike(const struct roxi_durations *d, const struct roxi_finding *a,
                         const struct roxi_finding *b)
{
    if (a->about != b->about || a->less != b->less)
        return false;
    if (is_ranked(a) || is_ranked(b))
        return same_locus(d, a->locus, b->locus);
    if (a->about == ROXI_ABOUT_EXCEPTION) /* whoever threw it first */
        return a->thrown == b->thrown && a->stack == b->stack;
    const bool together = does_the_same(d, a->who, b->who);
    if (a->about == ROXI_ABOUT_FIRST)
        return a->thrown == b->thrown && (together || a->who.role == b->who.role);
    return together && a->kind == b->kind && a->peer.role == b->peer.role &&
           a->thread == b->thread && a->resource == b->resource &&
           roxi_same_call(&a->call, &b->call);
}

static void add_peer(struct roxi_common_finding *c, struct roxi_member who)
{
    for (size_t i = 0; i < c->peer_count; i++)
        if (roxi_same_member(c->peers[i], who))
            return;
    if (c->peer_count < ROXI_COMMON_PEERS)
        c->peers[c->peer_count++] = who;
    else
        c->peers_left_out = true;
}

static void take_another(struct roxi_common_finding *known, size_t run,
                         const struct roxi_finding *f)
{
    const bool deadlock = known->finding.deadlock && f->deadlock; /* in all of them */
    known->found += known->last != run;
    known->last = run;
    if (f->like > known->like)
        known->like = f->like;
    if (f->weight > known->finding.weight) {
        known->finding = *f;
        known->run = run;
    }
    known->finding.deadlock = deadlock;
    add_peer(known, f->who);
}

static int take_finding(struct gathering *g, size_t run, const struct roxi_finding *f)
{
    struct roxi_common *c = g->out;
    for (size_t i = 0; i < c->count; i++) {
        if (!roxi_findings_alike(g->ranking->durations, &c->list[i].finding, f))
            continue;
        take_another(&c->list[i], run, f);
        return 0;
    }
    struct roxi_common_finding new = {
        .finding = *f, .run = run, .found = 1, .last = run, .like = f->like};
    add_peer(&new, f->who);
    return ix_append(c->list, c->count, c->cap, new);
}

static void find_in_run(void *user, size_t worker, size_t job)
{
    (void)worker;
    const struct gathering *g = user;
    struct found *x = &g->found[job];
    const char *name = g->ranking->durations->profiles->executions[x->run].name;
    const struct roxi_listed_execution *logs =
        g->campaign ? roxi_listing_find(&g->logs, name) : NULL;
    x->result =
        g->campaign && !logs
            ? ix_fail(&x->err, "the campaign '%s' has no run '%s'", g->campaign, name)
            : roxi_findings_find(&x->findings, g->ranking, x->run, g->others, logs, &x->err);
    if (g->apart)
        roxi_apart_leave_out(g->apart, &x->findings);
    waits_chains_free(&x->findings.chains); /* nobody asks for them, and they may be long */
}

/* Runs are explained at the same time. */
static int find_all(struct gathering *g, struct ix_error *err)
{
    const size_t n = g->ranking->n, runs = g->out->runs;
    g->found = calloc(runs + 1, sizeof *g->found);
    if (!g->found)
        return ix_fail(err, "out of memory");
    if (g->campaign && roxi_listing_read(&g->logs, g->campaign, NULL, err) != 0)
        return -1;
    for (size_t i = 0, at = 0; i < n; i++)
        if (g->of[i])
            g->found[at++].run = i;
    roxi_workers_run(roxi_workers(g->threads, runs), runs, find_in_run, g);
    for (size_t i = 0; i < runs; i++)
        if (g->found[i].result != 0)
            return ix_fail(err, "%s", g->found[i].err.text);
    return 0;
}

/* One after the other, so that the result is always the same. */
static int take_run(struct gathering *g, const struct found *x)
{
    int result = 0;
    for (size_t i = 0; i < x->findings.count && result == 0; i++)
        result = take_finding(g, x->run, &x->findings.list[i]);
    return result == 0 ? roxi_evidence_gather(&g->evidence[x->run], g->names,
                                              g->ranking->durations->profiles, &x->findings)
                       : result;
}

/* What the ranking does not look at is counted in the runs that are explained; the others were
 * asked for it when it was found. */
static void weigh(struct gathering *g, struct roxi_common_finding *x)
{
    const bool ranked = is_ranked(&x->finding);
    x->in = ranked ? 0 : x->found;
    x->in_others = ranked ? 0 : x->like;
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
    for (size_t i = 0; i < r->n; i++) {
        g->out->runs += g->of[i];
        g->out->others += g->others[i];
    }
    if (find_all(g, err) != 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < g->out->runs && result == 0; i++)
        result = take_run(g, &g->found[i]);
    if (result != 0 || roxi_evidence_sort(g->evidence, r->n, g->names) != 0)
        return ix_fail(err, "out of memory");
    if (roxi_failures_make(&g->out->failures, r->durations->profiles, g->of) != 0)
        return ix_fail(err, "out of memory");
    return roxi_groups_make(&g->out->groups, r->durations->profiles, g->evidence, err);
}

static void free_found(struct gathering *g)
{
    for (size_t i = 0; i < g->out->runs && g->found; i++)
        roxi_findings_free(&g->found[i].findings);
    free(g->found);
    roxi_listing_free(&g->logs);
}

int roxi_common_make(struct roxi_common *c, const struct roxi_ranking *r, const bool *of,
                     const bool *others, const struct roxi_apart *apart, const char *campaign,
                     unsigned threads, struct ix_error *err)
{
    struct gathering g = {.out = c,
                          .evidence = calloc(r->n + 1, sizeof *g.evidence),
                          .names = roxi_symbols_new(),
                          .ranking = r,
                          .of = of,
                          .others = others,
                          .apart = apart,
                          .campaign = campaign,
                          .threads = threads};
    *c = (struct roxi_common){0};
    const int result = g.evidence && g.names ? gather(&g, err) : ix_fail(err, "out of memory");
    for (size_t i = 0; i < r->n && g.evidence; i++)
        roxi_evidence_free(&g.evidence[i]);
    free(g.evidence);
    free_found(&g);
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
    roxi_failures_free(&c->failures);
    *c = (struct roxi_common){0};
}
