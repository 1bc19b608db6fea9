/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/explain/finding.h"
#include "schema/base/grow.h"

/* Chosen on sample systems, each time without the one that it was measured on
 * (docs/why.md): */
#define WAITING_COUNTS 0.5 /* evidence of threads that wait for another thread */
#define HALF_LIFE 40.0     /* packets after the first departure in which evidence halves */
#define NOTABLE 0.3        /* share of the greatest evidence that makes a departure the first one */
#define SHOWN_ALREADY 0.5  /* share of a part's packets in call stacks of earlier findings */
#define AS_STRONG 0.8      /* share of a call's evidence at which an inner call is named instead */

struct finder {
    struct roxi_findings *out;
    const struct roxi_ranking *ranking;
    const struct roxi_profiles *profiles;
    const struct roxi_profile *run;
    size_t number;
    const bool *normal;
    bool *shown; /* by span: in the call stack of a finding; owned, as is the rest */
    struct roxi_member *members; /* by span */
    uint32_t *templates;         /* by span */
    size_t *matching;            /* spans of the part at hand */
    size_t matching_count;
    struct edge *edges; /* where they begin and end */
};

struct edge {
    uint64_t packet;
    int threads; /* 1 more, or 1 fewer */
};

/* ---- which spans a part is of ---- */

static bool is_method(const struct roxi_symbols *s, uint32_t stack, uint32_t class_name,
                      uint32_t method)
{
    const struct roxi_frame f = roxi_symbols_frame_at(s, roxi_symbols_stack_at(s, stack).frame);
    return f.class_name == class_name && f.method == method;
}

/* The depth of the call on the call stack, from its entry; 0: it is not there. */
static uint32_t depth_of(const struct roxi_symbols *s, uint32_t stack, const struct roxi_call *c)
{
    uint32_t above = 0;
    for (; stack; above = stack, stack = roxi_symbols_stack_at(s, stack).parent)
        if (is_method(s, stack, c->class_name, c->method) &&
            (above ? c->called != ROXI_NONE && is_method(s, above, c->called_class, c->called)
                   : c->called == ROXI_NONE))
            return roxi_symbols_stack_at(s, stack).depth;
    return 0;
}

static bool is_outside(const struct roxi_symbols *s, uint32_t stack)
{
    for (; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        const struct roxi_frame f = roxi_symbols_frame_at(s, roxi_symbols_stack_at(s, stack).frame);
        if (!roxi_is_platform(roxi_symbols_text(s, f.class_name)))
            return false;
    }
    return true;
}

static bool is_of(const struct finder *f, const struct roxi_finding *x, size_t span)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    const struct roxi_member who = f->members[span];
    const uint32_t stack = f->run->history.spans[span].stack;
    if (who.role != x->who.role || (x->kind <= ROXI_OUTSIDE && who.node != x->who.node))
        return false;
    if (x->kind == ROXI_IN_CALL)
        return depth_of(s, stack, &x->call) > 0;
    if (x->kind == ROXI_OUTSIDE)
        return f->templates[span] == x->thread && is_outside(s, stack);
    return true;
}

static void find_matching(struct finder *f, const struct roxi_finding *x)
{
    f->matching_count = 0;
    for (size_t i = 0; i < f->run->history.count; i++)
        if (is_of(f, x, i))
            f->matching[f->matching_count++] = i;
}

static bool shown_already(const struct finder *f)
{
    uint64_t all = 0, shown = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const uint64_t packets = f->run->history.spans[f->matching[i]].packets;
        all += packets;
        shown += f->shown[f->matching[i]] ? packets : 0;
    }
    return all && (double)shown > SHOWN_ALREADY * (double)all;
}

/* ---- path, thread and moment ---- */

/* Sets *found to the key with most packets among the matching spans; 0: there are none. -1: memory
 * ran out. */
static int find_most(const struct finder *f, bool templates, uint32_t *found)
{
    struct roxi_tally sums = {0};
    uint64_t best = 0;
    int result = 0;
    *found = 0;
    for (size_t i = 0; i < f->matching_count && result == 0; i++) {
        const size_t span = f->matching[i];
        const uint32_t key = templates ? f->templates[span] : f->run->history.spans[span].stack;
        const uint32_t n = roxi_tally_add(&sums, key, f->run->history.spans[span].packets);
        if (n == ROXI_NONE) {
            result = -1;
        } else if (sums.counts[n] > best) {
            best = sums.counts[n];
            *found = key;
        }
    }
    roxi_tally_free(&sums);
    return result;
}

static int by_packet(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (x->threads > y->threads) - (x->threads < y->threads);
}

/* The first packet of the spans that last until `packet` or longer. */
static uint64_t begin_of(const struct finder *f, uint64_t packet)
{
    uint64_t begin = packet;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        if (span->first < begin && span->last >= packet)
            begin = span->first;
    }
    return begin;
}

/* The packet at which the matching spans, added up, come to more than `limit` packets. */
static uint64_t packet_beyond(struct finder *f, double limit)
{
    size_t n = 0;
    double sum = 0;
    int threads = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        f->edges[n++] = (struct edge){span->first, 1};
        f->edges[n++] = (struct edge){span->last + 1, -1};
    }
    if (n)
        qsort(f->edges, n, sizeof *f->edges, by_packet);
    for (size_t i = 0; i < n; i++) {
        const uint64_t from = i ? f->edges[i - 1].packet : f->edges[0].packet;
        const double more = (double)threads * (double)(f->edges[i].packet - from);
        if (threads && sum + more > limit)
            return begin_of(f, from + (uint64_t)((limit - sum) / threads));
        sum += more;
        threads += f->edges[i].threads;
    }
    return n ? f->edges[n - 1].packet - 1 : 0;
}

static uint64_t last_packet(const struct finder *f)
{
    uint64_t last = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        last = span->last > last ? span->last : last;
    }
    return last;
}

static uint64_t lost_from(const struct finder *f, uint32_t role)
{
    for (size_t i = 0; i < f->run->role_count; i++)
        if (f->run->roles[i].role == role)
            return f->run->roles[i].lost_from;
    return 0;
}

static uint64_t moment_of(struct finder *f, const struct roxi_finding *x, double limit)
{
    switch (x->kind) {
    case ROXI_IN_CALL:
        return x->less ? last_packet(f) : packet_beyond(f, limit);
    case ROXI_OUTSIDE:
        return x->less ? last_packet(f) : packet_beyond(f, limit * ROXI_OUTSIDE_PACKETS);
    case ROXI_LOST:
        return lost_from(f, x->who.role);
    case ROXI_ANSWERED:
        return x->less ? last_packet(f) : 0;
    case ROXI_EARLY:
    case ROXI_BAD_END:
    case ROXI_DURATION_KINDS:
        break;
    }
    return last_packet(f);
}

/* ---- numbers ---- */

static uint32_t packets_in(const struct roxi_durations *d, size_t run, uint32_t item)
{
    size_t low = d->first[run];
    for (size_t high = d->first[run + 1]; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (d->all[middle].item < item)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->first[run + 1] && d->all[low].item == item ? d->all[low].packets : 0;
}

static size_t count_like(const struct finder *f, const struct roxi_part *part, bool less)
{
    const struct roxi_durations *d = f->ranking->durations;
    size_t like = 0;
    for (size_t r = 0; r < f->ranking->n; r++) {
        if (!f->normal[r] || r == f->number)
            continue;
        const uint32_t there = packets_in(d, r, part->item);
        like += less ? there <= part->packets : there >= part->packets;
    }
    return like;
}

/* The unit of some kinds is not a packet (durations.h). */
static double unit_of(enum roxi_duration_kind kind)
{
    if (kind == ROXI_OUTSIDE)
        return ROXI_OUTSIDE_PACKETS;
    return kind == ROXI_BAD_END ? 1.0 / ROXI_BAD_END_PACKETS : 1;
}

/* ---- findings ---- */

static struct roxi_finding finding_of(const struct finder *f, const struct roxi_part *part)
{
    const struct roxi_durations *d = f->ranking->durations;
    const struct roxi_locus locus = roxi_durations_locus(d, part->locus);
    const double unit = unit_of(locus.kind);
    struct roxi_finding x = {
        .kind = locus.kind,
        .locus = part->locus,
        .less = part->packets < part->typical,
        .who = roxi_durations_member(d, roxi_ranking_member(f->ranking, f->number, part->item)),
        .as = roxi_durations_member(d, locus.member),
        .thread = ROXI_NONE,
        .here = (uint32_t)round(part->packets * unit),
        .elsewhere = part->typical * unit,
        .share = part->part / f->ranking->score[f->number],
    };
    if (x.kind == ROXI_IN_CALL)
        x.call = roxi_durations_call(d, part->item);
    if (x.kind == ROXI_OUTSIDE)
        x.thread = roxi_durations_template(d, part->item);
    return x;
}

/* The length of "org.apache." in "org.apache.derby.A": classes that have it in common are taken for
 * those of one library, or of the application. */
static size_t library_of(const char *class_name)
{
    const char *dot = strchr(class_name, '.');
    dot = dot ? strchr(dot + 1, '.') : NULL;
    return dot ? (size_t)(dot - class_name) + 1 : 0;
}

static bool same_library(const struct roxi_symbols *s, uint32_t class_name, uint32_t other)
{
    const char *text = roxi_symbols_text(s, class_name);
    return strncmp(text, roxi_symbols_text(s, other), library_of(text)) == 0;
}

/* Of the calls on the same call stack that depart about as much, the innermost one of the same
 * library says best where to look. */
static const struct roxi_part *innermost(const struct finder *f, const struct roxi_part *part,
                                         uint32_t stack)
{
    const struct roxi_ranking *r = f->ranking;
    const struct roxi_call strongest = roxi_durations_call(r->durations, part->item);
    const struct roxi_part *best = part;
    uint32_t deepest = 0;
    for (size_t i = r->first[f->number]; i < r->first[f->number + 1]; i++) {
        const struct roxi_part *other = &r->parts[i];
        const struct roxi_finding x = finding_of(f, other);
        const struct roxi_member as = roxi_durations_member(
            r->durations, roxi_durations_locus(r->durations, part->locus).member);
        if (x.kind != ROXI_IN_CALL || x.less || other->part < AS_STRONG * part->part ||
            x.as.role != as.role || x.as.node != as.node ||
            !same_library(f->profiles->symbols, strongest.class_name, x.call.class_name))
            continue;
        const uint32_t depth = depth_of(f->profiles->symbols, stack, &x.call);
        if (depth > deepest) {
            deepest = depth;
            best = other;
        }
    }
    return best;
}

/* Names the innermost call instead, if that is another one. */
static void look_inside(struct finder *f, struct roxi_finding *x, const struct roxi_part **part,
                        uint32_t stack)
{
    const struct roxi_part *inner = innermost(f, *part, stack);
    if (inner == *part)
        return;
    const double share = x->share;
    *part = inner;
    *x = finding_of(f, inner);
    x->share = share;
    find_matching(f, x);
}

static void mark_shown(struct finder *f, uint32_t stack)
{
    for (size_t i = 0; i < f->matching_count; i++)
        if (f->run->history.spans[f->matching[i]].stack == stack)
            f->shown[f->matching[i]] = true;
}

/* What a JVM did not do after its end needs no finding of its own. */
static bool follows_from_end(const struct finder *f, const struct roxi_finding *x)
{
    for (size_t i = 0; i < f->out->count && x->less; i++) {
        const struct roxi_finding *end = &f->out->list[i];
        if ((end->kind == ROXI_EARLY || end->kind == ROXI_LOST) && !end->less &&
            end->who.role == x->who.role)
            return true;
    }
    return false;
}

static int take_part(struct finder *f, const struct roxi_part *part)
{
    struct roxi_finding x = finding_of(f, part);
    const double evidence = part->part;
    const bool of_threads = x.kind == ROXI_IN_CALL || x.kind == ROXI_OUTSIDE;
    find_matching(f, &x);
    if (x.less ? follows_from_end(f, &x) : of_threads && shown_already(f))
        return 0;
    struct roxi_finding *list =
        ix_grow(f->out->list, &f->out->cap, f->out->count + 1, sizeof *list);
    if (!list)
        return -1;
    f->out->list = list;
    if (of_threads && f->matching_count) {
        uint32_t stack;
        if (find_most(f, false, &stack) != 0)
            return -1;
        if (x.kind == ROXI_IN_CALL && !x.less)
            look_inside(f, &x, &part, stack);
        x.stack = stack;
        if (find_most(f, true, &x.thread) != 0)
            return -1;
        x.doing = roxi_doing_in(f->profiles->symbols, x.stack);
        mark_shown(f, x.stack);
    }
    x.packet = moment_of(f, &x, part->limit);
    x.like = count_like(f, part, x.less);
    x.weight = evidence;
    if (x.kind == ROXI_IN_CALL && !x.less && x.doing == ROXI_WAITING)
        x.weight *= WAITING_COUNTS;
    list[f->out->count++] = x;
    return 0;
}

/* ---- order ---- */

static bool tells_when(const struct roxi_finding *x)
{
    return x->packet && !x->less && x->kind != ROXI_LOST;
}

static uint64_t first_departure(const struct roxi_findings *f)
{
    double greatest = 0;
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < f->count; i++)
        greatest = fmax(greatest, f->list[i].weight);
    for (size_t i = 0; i < f->count; i++)
        if (tells_when(&f->list[i]) && f->list[i].weight >= NOTABLE * greatest &&
            f->list[i].packet < first)
            first = f->list[i].packet;
    return first;
}

static int by_weight(const void *a, const void *b)
{
    const struct roxi_finding *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

static void put_in_order(struct roxi_findings *f)
{
    const uint64_t first = first_departure(f);
    for (size_t i = 0; i < f->count; i++) {
        struct roxi_finding *x = &f->list[i];
        if (tells_when(x) && x->packet > first)
            x->weight *= exp2(-(double)(x->packet - first) / HALF_LIFE);
    }
    if (f->count)
        qsort(f->list, f->count, sizeof *f->list, by_weight);
}

/* ---- the whole ---- */

static int prepare(struct finder *f)
{
    const struct roxi_history *h = &f->run->history;
    f->shown = calloc(h->count + 1, sizeof *f->shown);
    f->members = calloc(h->count + 1, sizeof *f->members);
    f->templates = calloc(h->count + 1, sizeof *f->templates);
    f->matching = calloc(h->count + 1, sizeof *f->matching);
    f->edges = calloc(2 * h->count + 1, sizeof *f->edges);
    if (!f->shown || !f->members || !f->templates || !f->matching || !f->edges)
        return -1;
    for (size_t i = 0; i < h->count; i++) {
        const struct roxi_place place = roxi_profiles_place(f->profiles, h->spans[i].group);
        f->members[i] = (struct roxi_member){place.role, place.node};
        f->templates[i] = place.template;
    }
    for (size_t r = 0; r < f->ranking->n; r++)
        f->out->normal += f->normal[r] && r != f->number;
    return 0;
}

static void release(struct finder *f)
{
    free(f->shown);
    free(f->members);
    free(f->templates);
    free(f->matching);
    free(f->edges);
}

int roxi_findings_make(struct roxi_findings *out, const struct roxi_ranking *r, size_t run,
                       const bool *normal)
{
    const struct roxi_profiles *p = r->durations->profiles;
    struct finder f = {.out = out,
                       .ranking = r,
                       .profiles = p,
                       .run = &p->executions[run],
                       .number = run,
                       .normal = normal};
    *out = (struct roxi_findings){0};
    int result = prepare(&f);
    for (size_t i = r->first[run]; i < r->first[run + 1] && result == 0; i++)
        result = take_part(&f, &r->parts[i]);
    release(&f);
    if (result != 0)
        roxi_findings_free(out);
    else
        put_in_order(out);
    return result;
}

void roxi_findings_free(struct roxi_findings *f)
{
    free(f->list);
    *f = (struct roxi_findings){0};
}
