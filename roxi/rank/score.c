/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/interrupt.h"
#include "roxi/rank/median.h"
#include "schema/base/grow.h"

enum { PARTS = 20 };
/* Exchanging the names of leaders helps if it leaves less of the median score, */
#define HELPS 0.7
/* or less of a single run's; if it leaves hardly any, nothing else is unusual there
 * (docs/ranking-measured.md). */
#define HELPS_ONE 0.5
#define HARDLY_ANY 0.03
/* So many times as long as typical: more says no more. */
#define MUCH_LONGER 2.0

/* What runs are compared with; all zero: nothing yet. Owned. */
struct compared {
    struct roxi_columns columns;
    struct roxi_model models[PARTS + 1];
    size_t made; /* of the models */
};

struct scoring {
    const struct roxi_score_constants *constants;
    const bool *reference; /* NULL: all count */
    bool no_role_swap;
    struct roxi_ranking *out;
    const struct roxi_durations *durations;
    struct compared now;           /* owned, as is the rest */
    struct roxi_together together; /* zero: not made yet */
    bool look_together;            /* peers are compared together, too */
    struct roxi_departures departures;
    struct roxi_duration *exchanged; /* all runs' durations, with the names of leaders exchanged; */
    double *times; /* by run: what their evidence is multiplied by; 0: the run is as it is named */
    uint8_t *model_of; /* by run: what it is compared with */
    size_t *order;     /* scratch, by run */
    size_t model_count;
    size_t part_cap;
};

/* ---- one run ---- */

static int by_part(const void *a, const void *b)
{
    const struct roxi_part *x = a, *y = b;
    if (x->part != y->part)
        return x->part > y->part ? -1 : 1;
    return (x->locus > y->locus) - (x->locus < y->locus);
}

static struct roxi_part describe(const struct roxi_model *m, const struct roxi_departure *d,
                                 double part, uint32_t packets)
{
    const double centre = m->centre[d->item];
    const double most = m->unit[d->item] * m->usual[d->locus];
    const bool more = packets > roxi_unscaled(centre);
    return (struct roxi_part){.locus = d->locus,
                              .item = d->item,
                              .part = part,
                              .packets = packets,
                              .typical = roxi_unscaled(centre),
                              .limit =
                                  roxi_unscaled(fmax(0, more ? centre + most : centre - most))};
}

/* Appends what the distances add to the run's score. */
static int keep_parts(struct scoring *s, const struct roxi_model *m, size_t r,
                      const struct roxi_duration *run, size_t count)
{
    const struct roxi_departures *d = &s->departures;
    struct roxi_ranking *out = s->out;
    const double times = s->times[r] > 0 ? s->times[r] : 1;
    const size_t from = out->first[r];
    struct roxi_part *parts = ix_grow(out->parts, &s->part_cap, from + d->count + 1, sizeof *parts);
    size_t n = from;
    if (!parts)
        return -1;
    out->parts = parts;
    for (size_t i = 0; i < d->count; i++) {
        const struct roxi_departure *x = &d->list[i];
        if (x->evidence > 0)
            parts[n++] =
                describe(m, x, times * x->evidence, roxi_durations_packets(run, count, x->item));
    }
    out->score[r] = times * d->sum;
    if (n > from)
        qsort(parts + from, n - from, sizeof *parts, by_part);
    out->first[r + 1] = n;
    return 0;
}

/* ---- all runs ---- */

/* Which model each run is compared with: without a reference 0, else 0 for runs that are not of it,
 * and for those 1 to the number of parts, which is returned. A reference of one run has no parts.
 */
static size_t divide(struct scoring *s, const struct roxi_profiles *p)
{
    size_t found = 0;
    for (size_t r = 0; s->reference && r < p->count; r++)
        if (s->reference[r])
            s->order[found++] = r;
    if (found == 1)
        return 0;
    roxi_profiles_order(p, s->order, found);
    for (size_t i = 0; i < found; i++)
        s->model_of[s->order[i]] = (uint8_t)(1 + i % PARTS);
    return found < PARTS ? found : PARTS;
}

/* Model 0 is of the whole reference, each other one of all but its own part. -1: memory ran out, or
 * it was interrupted. */
static int make_models(struct scoring *s)
{
    bool *of = calloc(s->out->n + 1, sizeof *of);
    s->now.made = 0;
    while (of && s->now.made < s->model_count) {
        for (size_t r = 0; r < s->out->n; r++)
            of[r] = (!s->reference || s->reference[r]) &&
                    (!s->now.made || s->model_of[r] != s->now.made);
        if (roxi_model_make(&s->now.models[s->now.made], s->durations, &s->now.columns,
                            s->look_together ? &s->together : NULL, of, s->constants,
                            &s->departures) != 0)
            break;
        s->now.made++;
    }
    free(of);
    return s->now.made == s->model_count ? 0 : -1;
}

static void free_compared(struct compared *c)
{
    roxi_columns_free(&c->columns);
    for (size_t i = 0; i < c->made; i++)
        roxi_model_free(&c->models[i]);
    c->made = 0;
}

/* -1: memory ran out. */
static double median_score(const struct scoring *s)
{
    double *work = calloc(s->out->n + 1, sizeof *work);
    size_t count = 0;
    for (size_t r = 0; work && r < s->out->n; r++)
        if (!s->reference || s->reference[r])
            work[count++] = s->out->score[r];
    const double median = work ? roxi_median(work, count, count) : -1;
    free(work);
    return median;
}

/* Columns and models, where there were none, and the scores that they give. Sets *median to that of
 * the runs that count. -1: memory ran out, or it was interrupted. */
static int score_all(struct scoring *s, double *median)
{
    if (roxi_columns_make(&s->now.columns, s->durations) != 0 || make_models(s) != 0)
        return -1;
    for (size_t r = 0; r < s->out->n; r++) {
        const struct roxi_model *m = &s->now.models[s->model_of[r]];
        if (roxi_model_score(m, r, &s->departures, &s->out->score[r]) != 0)
            return -1;
    }
    *median = median_score(s);
    return *median < 0 ? -1 : 0;
}

/* ---- leaders ---- */

/* Takes the durations in which the names of leaders are exchanged, or the others back. */
static void exchange(struct scoring *s, bool exchanged)
{
    struct roxi_duration *before = s->out->durations->all;
    s->out->durations->all = s->exchanged;
    s->exchanged = before;
    s->look_together = exchanged;
}

/* Compares all runs with the names of leaders exchanged, if that leaves notably less of the median
 * score. Else all stays as it is. */
static int try_exchanged(struct scoring *s, double median)
{
    const size_t n = s->out->n;
    struct compared other = s->now; /* what is not kept, in the end */
    double then = 0, *scores = calloc(n + 1, sizeof *scores);
    if (!scores)
        return -1;
    memcpy(scores, s->out->score, n * sizeof *scores);
    s->now = (struct compared){0};
    exchange(s, true);
    const int result = score_all(s, &then);
    s->out->by_leader = result == 0 && then < HELPS * median;
    if (result == 0 && !s->out->by_leader) {
        const struct compared named = other;
        other = s->now;
        s->now = named;
        exchange(s, false);
        memcpy(s->out->score, scores, n * sizeof *scores);
    }
    free_compared(&other);
    free(scores);
    return result;
}

/* Which single runs are compared with the names of their leaders exchanged; others leave the list.
 * If more than hardly any is left of the score, the run is as unusual as without the exchange; its
 * parts say in what. */
static int explain_single(struct scoring *s, double median)
{
    struct roxi_leads *leads = &s->out->leads;
    const size_t *first = s->durations->first;
    size_t kept = 0;
    for (size_t i = 0; i < leads->count; i++) {
        const size_t r = leads->list[i].run;
        const double named = s->out->score[r];
        if (named <= 2 * median)
            continue;
        if (roxi_model_find(&s->departures, &s->now.models[s->model_of[r]], r,
                            s->exchanged + first[r], first[r + 1] - first[r]) != 0)
            return -1;
        const double left = s->departures.sum;
        if (left >= HELPS_ONE * named)
            continue;
        leads->list[kept++] = leads->list[i];
        s->times[r] = left > HARDLY_ANY * named ? named / left : 1;
    }
    leads->count = kept;
    return 0;
}

/* If most runs are unusual because of who leads, leaders' names are exchanged in all; else in those
 * single runs that this explains. */
static int score_leaders(struct scoring *s)
{
    double median;
    if (score_all(s, &median) != 0)
        return -1;
    if (s->no_role_swap)
        return 0;
    if (roxi_together_make(&s->together, s->durations) != 0 ||
        roxi_leads_find(&s->out->leads, &s->together, s->reference) != 0)
        return -1;
    s->exchanged = roxi_leads_exchanged(&s->out->leads, s->durations);
    if (!s->exchanged)
        return -1;
    if (median > ROXI_WORTH_A_LOOK && s->out->leads.count && try_exchanged(s, median) != 0)
        return -1;
    return s->out->by_leader ? 0 : explain_single(s, median);
}

double roxi_score_by_length(double evidence, double longer, double power)
{
    if (!(evidence > 1) || !(longer > 1))
        return evidence;
    return 1 + (evidence - 1) * pow(fmin(longer, MUCH_LONGER), power);
}

static void count_length(struct scoring *s)
{
    struct roxi_ranking *out = s->out;
    for (size_t r = 0; r < out->n; r++) {
        out->longer[r] = roxi_model_longer(&s->now.models[s->model_of[r]], r);
        out->evidence[r] = out->score[r];
        out->score[r] =
            roxi_score_by_length(out->evidence[r], out->longer[r], s->constants->by_length);
    }
}

/* The parts of all scores. */
static int score_runs(struct scoring *s)
{
    size_t count;
    int result = score_leaders(s);
    for (size_t r = 0; r < s->out->n && result == 0; r++) {
        const struct roxi_model *m = &s->now.models[s->model_of[r]];
        const struct roxi_duration *run = roxi_durations_run(s->durations, r, &count);
        if (s->times[r] > 0)
            run = s->exchanged + s->durations->first[r];
        result = roxi_model_find(&s->departures, m, r, run, count);
        if (result == 0)
            result = keep_parts(s, m, r, run, count);
    }
    return result;
}

int roxi_score(const struct roxi_profiles *p, const struct roxi_score_options *options,
               struct roxi_ranking *out, struct ix_error *err)
{
    *out = (struct roxi_ranking){.n = p->count,
                                 .score = calloc(p->count + 1, sizeof *out->score),
                                 .evidence = calloc(p->count + 1, sizeof *out->evidence),
                                 .longer = calloc(p->count + 1, sizeof *out->longer),
                                 .first = calloc(p->count + 1, sizeof *out->first),
                                 .durations = roxi_durations_new(p)};
    struct scoring s = {.constants = options->constants,
                        .reference = options->reference,
                        .no_role_swap = options->no_role_swap,
                        .out = out,
                        .durations = out->durations,
                        .times = calloc(p->count + 1, sizeof *s.times),
                        .model_of = calloc(p->count + 1, sizeof *s.model_of),
                        .order = calloc(p->count + 1, sizeof *s.order)};
    int result = -1;
    if (out->score && out->evidence && out->longer && out->first && s.durations && s.times &&
        s.model_of && s.order) {
        s.model_count = 1 + divide(&s, p);
        result = score_runs(&s);
        if (result == 0)
            count_length(&s);
    }
    free_compared(&s.now);
    free(s.exchanged);
    free(s.times);
    free(s.model_of);
    free(s.order);
    roxi_together_free(&s.together);
    roxi_departures_free(&s.departures);
    if (result == 0)
        return 0;
    roxi_ranking_free(out);
    return ix_fail(err, roxi_interrupted() ? "interrupted" : "out of memory");
}

void roxi_ranking_free(struct roxi_ranking *r)
{
    free(r->score);
    free(r->evidence);
    free(r->longer);
    free(r->parts);
    free(r->first);
    roxi_leads_free(&r->leads);
    roxi_durations_free(r->durations);
    *r = (struct roxi_ranking){0};
}

double roxi_ranking_share(const struct roxi_ranking *r, size_t run, const struct roxi_part *part)
{
    double sum = 0;
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        sum += r->parts[i].part;
    return part->part / sum;
}

uint32_t roxi_ranking_member(const struct roxi_ranking *r, size_t run, uint32_t item)
{
    uint32_t member = roxi_durations_of(r->durations, item);
    for (size_t i = r->leads.count; i-- > 0;) {
        const struct roxi_lead *x = &r->leads.list[i];
        const uint32_t other = x->usual == member ? x->leader : x->usual;
        if (x->run == run && (x->usual == member || x->leader == member) &&
            roxi_durations_counterpart(r->durations, item, other) != ROXI_NONE)
            return other;
    }
    return member;
}

struct roxi_member roxi_ranking_who(const struct roxi_ranking *r, size_t run,
                                    const struct roxi_part *part)
{
    const struct roxi_durations *d = r->durations;
    const struct roxi_first *first = roxi_durations_is_first(d, part->item)
                                         ? roxi_use_earliest(&d->profiles->executions[run].use,
                                                             roxi_durations_class(d, part->item))
                                         : NULL;
    if (!first)
        return roxi_durations_member(d, roxi_ranking_member(r, run, part->item));
    struct roxi_member who = {.role = first->role};
    if (first->group != ROXI_NONE)
        who.node = roxi_profiles_place(d->profiles, first->group).node;
    return who;
}

uint32_t roxi_ranking_named(const struct roxi_ranking *r, size_t run, uint32_t item)
{
    return r->by_leader ? roxi_ranking_member(r, run, item) : roxi_durations_of(r->durations, item);
}
