/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what the ranking holds against the run. */
#include <math.h>
#include <string.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/stay.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/model.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define SHOWN_ALREADY 0.5 /* share of a part's packets in call stacks of earlier findings */
#define AS_STRONG 0.8     /* share of a call's evidence at which an inner call is named instead */
#define HUNG 2            /* times as long as typical: no run is, for a slow machine */
#define COMMON 0.1        /* of the evidence that counts if it is common among normal runs */

static bool shown_already(const struct roxi_finder *f)
{
    uint64_t all = 0, shown = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const uint64_t packets = f->run->history.spans[f->matching[i]].packets;
        all += packets;
        shown += f->shown[f->matching[i]] ? packets : 0;
    }
    return all && (double)shown > SHOWN_ALREADY * (double)all;
}

/* ---- numbers ---- */

static size_t count_like(const struct roxi_finder *f, const struct roxi_part *part, bool less)
{
    const struct roxi_durations *d = f->ranking->durations;
    size_t like = 0;
    for (size_t r = 0; r < f->ranking->n; r++) {
        if (!f->normal[r])
            continue;
        const uint32_t there = roxi_finder_packets(d, r, part->item);
        like += less ? there <= part->packets : there >= part->packets;
    }
    return like;
}

/* What share of its evidence is left if it is measured from the normal runs that do most of it (of
 * what is less than typical, least), more of which would be common, instead of from the typical
 * one. */
static double beyond_edge(struct roxi_finder *f, const struct roxi_part *part, bool less)
{
    const struct roxi_durations *d = f->ranking->durations;
    const double sign = less ? -1 : 1;
    const double unit = sign * (roxi_scaled(part->limit) - roxi_scaled(part->typical));
    size_t n = 0;
    for (size_t r = 0; r < f->ranking->n; r++)
        if (f->normal[r])
            f->numbers[n++] = sign * roxi_scaled(roxi_finder_packets(d, r, part->item));
    if (!n || !(unit > 0))
        return 1;
    const double own = sign * roxi_scaled(part->packets);
    const double typical = (own - sign * roxi_scaled(part->typical)) / unit - 1;
    const double edge = (own - roxi_usual_edge(f->numbers, n)) / unit;
    if (!(typical > 0) || edge >= typical)
        return 1;
    return fmax(COMMON, roxi_excess_evidence(edge) / roxi_excess_evidence(typical));
}

/* Does at most one normal run of 20 do it at all? */
static bool is_rare(const struct roxi_finder *f, uint32_t item)
{
    size_t runs = 0;
    for (size_t r = 0; r < f->ranking->n; r++)
        runs += f->normal[r] && roxi_finder_packets(f->ranking->durations, r, item) > 0;
    return !roxi_usual_is_common(runs, f->out->normal);
}

/* The unit of some kinds is not a packet (kinds.h). */
static double unit_of(enum roxi_duration_kind kind)
{
    return kind == ROXI_BAD_END ? 1.0 / ROXI_BAD_END_PACKETS : roxi_traits[kind].of_packet;
}

/* ---- findings ---- */

static struct roxi_finding finding_of(const struct roxi_finder *f, const struct roxi_part *part)
{
    const struct roxi_durations *d = f->ranking->durations;
    const struct roxi_locus locus = roxi_durations_locus(d, part->locus);
    const bool stay = roxi_durations_is_stay(d, part->item);
    const double unit = stay ? 1 : unit_of(locus.kind);
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_DURATION, roxi_ranking_who(f->ranking, f->number, part));
    x.as = roxi_durations_member(d, locus.member);
    x.kind = locus.kind;
    x.stay = stay;
    x.locus = part->locus;
    x.less = part->packets < part->typical;
    x.here = (uint32_t)fmin(round(part->packets * unit), UINT32_MAX);
    x.elsewhere = part->typical * unit;
    x.share = roxi_ranking_share(f->ranking, f->number, part);
    if (x.kind == ROXI_IN_CALL && !stay)
        x.call = roxi_durations_call(d, part->item);
    if (x.kind == ROXI_OUTSIDE || x.kind == ROXI_TURNS)
        x.thread = roxi_durations_template(d, part->item);
    return x;
}

/* Of a part that is of a call; of a stay the innermost one, on the call stack, of its class. */
static struct roxi_call call_of(const struct roxi_finder *f, const struct roxi_part *part,
                                uint32_t stack)
{
    const struct roxi_durations *d = f->ranking->durations;
    return roxi_durations_is_stay(d, part->item) ? roxi_stay_call(d, part->item, stack)
                                                 : roxi_durations_call(d, part->item);
}

/* Of the calls on the same call stack that depart about as much, the innermost one of the same
 * library says best where to look. So it is with stays on it. */
static const struct roxi_part *innermost(const struct roxi_finder *f, const struct roxi_part *part,
                                         uint32_t stack)
{
    const struct roxi_ranking *r = f->ranking;
    const struct roxi_call strongest = call_of(f, part, stack);
    const bool stay = roxi_durations_is_stay(r->durations, part->item);
    const struct roxi_part *best = part;
    uint32_t deepest = 0;
    for (size_t i = r->first[f->number]; i < r->first[f->number + 1]; i++) {
        const struct roxi_part *other = &r->parts[i];
        const struct roxi_finding x = finding_of(f, other);
        const struct roxi_member as = roxi_durations_member(
            r->durations, roxi_durations_locus(r->durations, part->locus).member);
        if (x.kind != ROXI_IN_CALL || x.stay != stay || x.less ||
            other->part < AS_STRONG * part->part || !roxi_same_member(x.as, as) ||
            (stay && other->packets != part->packets))
            continue;
        const struct roxi_call call = call_of(f, other, stack);
        if (call.class_name == ROXI_NONE ||
            !roxi_finder_same_library(f->profiles->symbols, strongest.class_name, call.class_name))
            continue;
        const uint32_t depth = roxi_finder_depth(f->profiles->symbols, stack, &call);
        if (depth > deepest) {
            deepest = depth;
            best = other;
        }
    }
    return best;
}

/* Names the innermost call instead, if that is another one. */
static void look_inside(struct roxi_finder *f, struct roxi_finding *x,
                        const struct roxi_part **part, uint32_t stack)
{
    const struct roxi_part *inner = innermost(f, *part, stack);
    if (inner == *part)
        return;
    const double share = x->share;
    *part = inner;
    *x = finding_of(f, inner);
    x->share = share;
    roxi_finder_match(f, x);
}

static void mark_shown(struct roxi_finder *f, uint32_t stack)
{
    for (size_t i = 0; i < f->matching_count; i++)
        if (f->run->history.spans[f->matching[i]].stack == stack)
            f->shown[f->matching[i]] = true;
}

/* Of what a run did less: the finding that tells a reader to look at the same method of the same
 * member. NULL: there is none. */
static struct roxi_finding *sibling(const struct roxi_finder *f, const struct roxi_finding *x)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    for (size_t i = 0; i < f->out->count && x->less && x->kind == ROXI_IN_CALL; i++) {
        struct roxi_finding *y = &f->out->list[i];
        if (y->kind != x->kind || y->less != x->less || !roxi_same_member(y->who, x->who))
            continue;
        const struct roxi_call here = roxi_finder_to_look_at(s, &x->call),
                               there = roxi_finder_to_look_at(s, &y->call);
        if (here.class_name == there.class_name && here.method == there.method)
            return y;
    }
    return NULL;
}

/* The finding of the same call of the same member, which another part has led to (look_inside).
 * NULL: there is none. */
static struct roxi_finding *twin(const struct roxi_finder *f, const struct roxi_finding *x)
{
    for (size_t i = 0; i < f->out->count && x->kind == ROXI_IN_CALL; i++) {
        struct roxi_finding *y = &f->out->list[i];
        if (y->kind == x->kind && y->less == x->less && roxi_same_member(y->who, x->who) &&
            roxi_same_call(&y->call, &x->call))
            return y;
    }
    return NULL;
}

/* The finding of the same member whose call stack it would show again. NULL: there is none. */
static struct roxi_finding *same_path(const struct roxi_finder *f, const struct roxi_finding *x)
{
    for (size_t i = 0; i < f->out->count && x->stack && !x->less; i++) {
        struct roxi_finding *y = &f->out->list[i];
        if (y->stack == x->stack && !y->less && roxi_same_member(y->who, x->who))
            return y;
    }
    return NULL;
}

static bool is_end(const struct roxi_finding *x)
{
    return roxi_finding_is_end(x) || (x->kind == ROXI_LOST && !x->less);
}

static struct roxi_finding *end_of(const struct roxi_findings *found, uint32_t role)
{
    for (size_t i = 0; i < found->count; i++)
        if (is_end(&found->list[i]) && found->list[i].who.role == role)
            return &found->list[i];
    return NULL;
}

/* What a JVM did not do after its end needs no finding of its own: it is evidence of the end. */
static void take_less_for_ends(struct roxi_findings *found)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct roxi_finding *x = &found->list[i];
        struct roxi_finding *end = x->less ? end_of(found, x->who.role) : NULL;
        if (end) {
            end->weight = fmax(end->weight, x->weight);
            end->share += x->share;
        } else {
            found->list[kept++] = *x;
        }
    }
    found->count = kept;
}

/* Call stack, thread and what they do there, from the matching spans. */
static int look_at_threads(struct roxi_finder *f, struct roxi_finding *x,
                           const struct roxi_part **part)
{
    uint32_t stack;
    if (roxi_finder_most(f, false, &stack) != 0)
        return -1;
    if (x->kind == ROXI_IN_CALL && !x->less)
        look_inside(f, x, part, stack);
    x->stack = stack;
    if (roxi_finder_most(f, true, &x->thread) != 0)
        return -1;
    x->doing = roxi_finder_doing(f, stack);
    mark_shown(f, stack);
    return 0;
}

/* One thread stood on one call stack: which, where, and since when. */
static int take_stay(struct roxi_finder *f, const struct roxi_part *part)
{
    const struct roxi_span *span = roxi_stay_find(f->ranking, f->number, part->item);
    if (!span)
        return 0;
    f->matching[0] = (size_t)(span - f->run->history.spans);
    f->matching_count = 1;
    if (shown_already(f))
        return 0;
    const struct roxi_part *inner =
        roxi_durations_locus(f->ranking->durations, part->locus).kind == ROXI_IN_CALL
            ? innermost(f, part, span->stack)
            : part;
    struct roxi_finding x = finding_of(f, inner);
    x.share = roxi_ranking_share(f->ranking, f->number, part);
    x.call = roxi_stay_call(f->ranking->durations, inner->item, span->stack);
    x.stack = span->stack;
    x.thread = f->templates[f->matching[0]];
    x.doing = roxi_finder_doing(f, span->stack);
    x.packet = span->first;
    x.stay_ns = roxi_history_since(&f->run->history, span->last) -
                roxi_history_since(&f->run->history, span->first);
    x.like = count_like(f, inner, false);
    x.weight = part->part * beyond_edge(f, inner, false);
    mark_shown(f, span->stack);
    return roxi_finder_add(f, &x);
}

/* Of what is less than typical: the share that the run's early end does not explain, which tells
 * how much to expect, give or take its square root. */
static double beside_end(const struct roxi_finder *f, const struct roxi_finding *x)
{
    const double expected = f->shorter * x->elsewhere;
    const double lacks = x->elsewhere - x->here;
    if (f->shorter >= 1 || !(lacks > 0))
        return 1;
    return fmax(0, (expected - sqrt(expected) - x->here) / lacks);
}

static int take_part(struct roxi_finder *f, const struct roxi_part *part)
{
    if (roxi_traits[roxi_durations_locus(f->ranking->durations, part->locus).kind].told_apart)
        return 0;
    if (roxi_durations_is_stay(f->ranking->durations, part->item))
        return take_stay(f, part);
    struct roxi_finding x = finding_of(f, part);
    const double evidence = part->part;
    const bool of_threads = roxi_traits[x.kind].of_threads;
    roxi_finder_match(f, &x);
    if (!x.less && of_threads && shown_already(f))
        return 0;
    if (of_threads && f->matching_count && look_at_threads(f, &x, &part) != 0)
        return -1;
    if (x.kind == ROXI_TURNS)
        x.call = roxi_finder_innermost(f->profiles->symbols, x.stack);
    struct roxi_finding *same = sibling(f, &x);
    same = same ? same : twin(f, &x);
    same = same ? same : same_path(f, &x);
    if (same) {
        same->share += x.share;
        return 0;
    }
    if (roxi_is_of_talks(x.kind))
        roxi_finder_talk(f, &x);
    x.packet = roxi_finder_moment(f, &x, part->limit, is_rare(f, part->item));
    x.like = count_like(f, part, x.less);
    x.weight = evidence * beyond_edge(f, part, x.less);
    if (x.less && of_threads)
        x.weight *= beside_end(f, &x);
    return x.weight > 0 ? roxi_finder_add(f, &x) : 0;
}

/* In a run that lasted long, parts tell what was longer still, and so are less than what makes it
 * unusual. Where a test has hung that is all there is, and exceptions are mostly of its time-out.
 * Of several JVMs, some wait for the others. */
static void weigh_by_score(struct roxi_finder *f)
{
    const struct roxi_ranking *r = f->ranking;
    double sum = 0;
    if (f->run->role_count > 1 || r->longer[f->number] <= HUNG)
        return;
    for (size_t i = r->first[f->number]; i < r->first[f->number + 1]; i++)
        sum += r->parts[i].part;
    for (size_t i = 0; i < f->out->count && sum > 0; i++)
        f->out->list[i].weight *= fmax(1, r->evidence[f->number] / sum);
}

int roxi_produce_departures(struct roxi_finder *f)
{
    const struct roxi_ranking *r = f->ranking;
    for (size_t i = r->first[f->number]; i < r->first[f->number + 1]; i++)
        if (take_part(f, &r->parts[i]) != 0)
            return -1;
    weigh_by_score(f);
    take_less_for_ends(f->out);
    return 0;
}
