/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/interrupt.h"
#include "roxi/rank/median.h"
#include "roxi/rank/peers.h"
#include "schema/base/grow.h"

enum { PARTS = 20, SWAPS = 3 };
/* The share of a score that may be left if peers exchanged their work and nothing else is unusual
 * (docs/ranking-measured.md). */
#define HARDLY_ANY 0.03
/* So many times as long as typical: more says no more. */
#define MUCH_LONGER 2.0

struct scoring {
    const struct roxi_score_constants *constants;
    const bool *reference; /* NULL: all count */
    bool no_role_swap;
    struct roxi_ranking *out;
    const struct roxi_durations *durations;
    struct roxi_columns columns;   /* owned, as is the rest */
    struct roxi_together together; /* zero: not used */
    struct roxi_departures departures;
    uint8_t *model_of; /* by run: what it is compared with */
    size_t *order;     /* scratch, by run */
    struct roxi_model models[PARTS + 1];
    size_t model_count, made;
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
                                 uint32_t packets)
{
    const double centre = m->centre[d->item];
    const double most = m->unit[d->item] * m->usual[d->locus];
    const bool more = packets > roxi_unscaled(centre);
    return (struct roxi_part){.locus = d->locus,
                              .item = d->item,
                              .part = d->evidence,
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
    const size_t from = out->first[r];
    struct roxi_part *parts = ix_grow(out->parts, &s->part_cap, from + d->count + 1, sizeof *parts);
    size_t n = from;
    if (!parts)
        return -1;
    out->parts = parts;
    for (size_t i = 0; i < d->count; i++) {
        const struct roxi_departure *x = &d->list[i];
        if (x->evidence > 0)
            parts[n++] = describe(m, x, roxi_durations_packets(run, count, x->item));
    }
    out->score[r] = d->sum;
    if (n > from)
        qsort(parts + from, n - from, sizeof *parts, by_part);
    out->first[r + 1] = n;
    return 0;
}

/* ---- role swaps ---- */

struct share {
    uint32_t member;
    double part;
};

static int by_share(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->part != y->part)
        return x->part > y->part ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

/* What each member adds to a score; returns how many are listed. */
static size_t share_out(const struct scoring *s, struct share list[ROXI_PEERS_MOST])
{
    size_t n = 0;
    for (size_t i = 0; i < s->departures.count; i++) {
        const struct roxi_departure *d = &s->departures.list[i];
        const uint32_t member = roxi_durations_locus(s->durations, d->locus).member;
        size_t at = 0;
        while (at < n && list[at].member != member)
            at++;
        if (at == ROXI_PEERS_MOST)
            continue;
        if (at == n)
            list[n++] = (struct share){member, 0};
        list[at].part += d->evidence;
    }
    qsort(list, n, sizeof *list, by_share);
    return n;
}

/* The two peers that add most to the score. False: there are none. */
static bool find_peers(const struct scoring *s, uint32_t *a, uint32_t *b)
{
    struct share list[ROXI_PEERS_MOST];
    const size_t n = share_out(s, list);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            *a = list[i].member;
            *b = list[k].member;
            if (roxi_are_peers(s->durations, *a, *b))
                return true;
        }
    }
    return false;
}

/* Exchanges the names of two peers where that explains the run; *run is replaced, and its distances
 * are those afterwards. Returns whether it was, or -1: memory ran out. */
static int swap_peers(struct scoring *s, const struct roxi_model *m, size_t r,
                      struct roxi_duration **run, size_t count)
{
    uint32_t a, b;
    const double before = s->departures.sum;
    if (!find_peers(s, &a, &b))
        return 0;
    struct roxi_duration *swapped = roxi_role_swapped(s->durations, *run, count, a, b);
    if (!swapped || roxi_model_find(&s->departures, m, r, swapped, count) != 0) {
        free(swapped);
        return -1;
    }
    if (s->departures.sum < s->constants->swap * before) {
        free(*run);
        *run = swapped;
        const struct roxi_role_swap swap = {.run = r, .a = a, .b = b};
        return roxi_role_swaps_add(&s->out->swaps, &swap) == 0 ? 1 : -1;
    }
    free(swapped);
    return roxi_model_find(&s->departures, m, r, *run, count);
}

/* If more is left of the score than that, the run is as unusual as without the exchange; its parts
 * say in what. */
static void count_in_full(struct roxi_ranking *out, size_t r, double as_named)
{
    if (out->score[r] <= HARDLY_ANY * as_named)
        return;
    for (size_t i = out->first[r]; i < out->first[r + 1]; i++)
        out->parts[i].part *= as_named / out->score[r];
    out->score[r] = as_named;
}

static int try_swaps(struct scoring *s, const struct roxi_model *m, size_t r)
{
    size_t count;
    const double as_named = s->out->score[r];
    const struct roxi_duration *durations = roxi_durations_run(s->durations, r, &count);
    struct roxi_duration *run = calloc(count + 1, sizeof *run);
    if (!run)
        return -1;
    if (count)
        memcpy(run, durations, count * sizeof *run);
    int swapped = roxi_model_find(&s->departures, m, r, run, count) == 0 ? 1 : -1;
    for (int i = 0; i < SWAPS && swapped > 0; i++)
        swapped = swap_peers(s, m, r, &run, count);
    const int result = swapped < 0 ? -1 : keep_parts(s, m, r, run, count);
    if (result == 0)
        count_in_full(s->out, r, as_named);
    free(run);
    return result;
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
    s->made = 0;
    while (of && s->made < s->model_count) {
        for (size_t r = 0; r < s->out->n; r++)
            of[r] = (!s->reference || s->reference[r]) && (!s->made || s->model_of[r] != s->made);
        if (roxi_model_make(&s->models[s->made], s->durations, &s->columns,
                            s->together.durations ? &s->together : NULL, of, s->constants,
                            &s->departures) != 0)
            break;
        s->made++;
    }
    free(of);
    return s->made == s->model_count ? 0 : -1;
}

static void free_models(struct scoring *s)
{
    for (size_t i = 0; i < s->made; i++)
        roxi_model_free(&s->models[i]);
    s->made = 0;
}

/* The scores without role swaps. Sets *median to that of the runs that count. */
static int score_as_named(struct scoring *s, double *median)
{
    for (size_t r = 0; r < s->out->n; r++)
        if (roxi_model_score(&s->models[s->model_of[r]], r, &s->departures, &s->out->score[r]) != 0)
            return -1;
    *median = roxi_median_score(s->out->score, s->out->n, s->reference);
    return *median < 0 ? -1 : 0;
}

/* Models and scores; of peers whose work is chance, by the names that they go by, and looked at
 * together as well. */
static int score_aligned(struct scoring *s, double *median)
{
    if (make_models(s) != 0 || score_as_named(s, median) != 0)
        return -1;
    if (s->no_role_swap)
        return 0;
    const int aligned = roxi_align(s->out->durations, &s->columns, s->reference, s->constants,
                                   s->out->score, *median, &s->out->swaps);
    if (aligned != 1)
        return aligned;
    s->out->aligned = true;
    free_models(s);
    if (roxi_together_make(&s->together, s->durations) != 0)
        return -1;
    return make_models(s) == 0 ? score_as_named(s, median) : -1;
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
        out->longer[r] = roxi_model_longer(&s->models[s->model_of[r]], r);
        out->evidence[r] = out->score[r];
        out->score[r] =
            roxi_score_by_length(out->evidence[r], out->longer[r], s->constants->by_length);
    }
}

/* The parts of all scores, after role swaps. */
static int score_runs(struct scoring *s)
{
    size_t count;
    double median;
    int result = score_aligned(s, &median);
    for (size_t r = 0; r < s->out->n && result == 0; r++) {
        const struct roxi_model *m = &s->models[s->model_of[r]];
        if (!s->no_role_swap && s->out->score[r] > 2 * median) {
            result = try_swaps(s, m, r);
            continue;
        }
        const struct roxi_duration *run = roxi_durations_run(s->durations, r, &count);
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
                        .model_of = calloc(p->count + 1, sizeof *s.model_of),
                        .order = calloc(p->count + 1, sizeof *s.order)};
    int result = -1;
    if (out->score && out->evidence && out->longer && out->first && s.durations && s.model_of &&
        s.order && roxi_columns_make(&s.columns, s.durations) == 0) {
        s.model_count = 1 + divide(&s, p);
        result = score_runs(&s);
        if (result == 0)
            count_length(&s);
    }
    free_models(&s);
    free(s.model_of);
    free(s.order);
    roxi_columns_free(&s.columns);
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
    free(r->swaps.list);
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

static uint32_t true_member(const struct roxi_ranking *r, size_t run, uint32_t item, bool chance)
{
    uint32_t member = roxi_durations_of(r->durations, item);
    for (size_t i = r->swaps.count; i-- > 0;) {
        const struct roxi_role_swap *s = &r->swaps.list[i];
        const uint32_t other = s->a == member ? s->b : s->a;
        if (s->run == run && (s->a == member || s->b == member) && (s->chance || !chance) &&
            roxi_durations_counterpart(r->durations, item, other) != ROXI_NONE)
            member = other;
    }
    return member;
}

uint32_t roxi_ranking_member(const struct roxi_ranking *r, size_t run, uint32_t item)
{
    return true_member(r, run, item, false);
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

uint32_t roxi_ranking_aligned(const struct roxi_ranking *r, size_t run, uint32_t item)
{
    return true_member(r, run, item, true);
}
