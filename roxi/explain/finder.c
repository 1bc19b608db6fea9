/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/finder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/platform.h"
#include "roxi/explain/stretch.h"
#include "roxi/rank/median.h"
#include "schema/base/grow.h"

/* docs/why-measured.md */
#define PART_OF_THE_WAY 0.25
#define HALF_A_THREAD 0.5
#define MUCH_MORE 2.0 /* times as many as usual */

struct roxi_edge {
    uint64_t packet;
    int threads; /* 1 more, or 1 fewer */
};

/* ---- which spans a part is of ---- */

static bool is_method(const struct roxi_symbols *s, uint32_t stack, uint32_t class_name,
                      uint32_t method)
{
    const struct roxi_frame f = roxi_symbols_top(s, stack);
    return f.class_name == class_name && f.method == method;
}

uint32_t roxi_finder_depth(const struct roxi_symbols *s, uint32_t stack, const struct roxi_call *c)
{
    uint32_t above = 0;
    for (; stack; above = stack, stack = roxi_symbols_stack_at(s, stack).parent)
        if (is_method(s, stack, c->class_name, c->method) &&
            (above ? c->called != ROXI_NONE && is_method(s, above, c->called_class, c->called)
                   : c->called == ROXI_NONE))
            return roxi_symbols_stack_at(s, stack).depth;
    return 0;
}

uint32_t roxi_finder_up_to(const struct roxi_symbols *s, uint32_t stack,
                           const struct roxi_call *method)
{
    while (stack && !is_method(s, stack, method->class_name, method->method))
        stack = roxi_symbols_stack_at(s, stack).parent;
    return stack;
}

bool roxi_finder_has_class(const struct roxi_symbols *s, uint32_t stack, uint32_t class_name)
{
    while (stack && roxi_symbols_top(s, stack).class_name != class_name)
        stack = roxi_symbols_stack_at(s, stack).parent;
    return stack != 0;
}

struct roxi_call roxi_finder_innermost(const struct roxi_symbols *s, uint32_t stack)
{
    struct roxi_call c = roxi_no_call;
    for (; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        const struct roxi_frame f = roxi_symbols_top(s, stack);
        if (!roxi_is_platform(roxi_symbols_text(s, f.class_name))) {
            c.class_name = f.class_name;
            c.method = f.method;
            break;
        }
        c.called_class = f.class_name;
        c.called = f.method;
    }
    return c;
}

/* The length of "org.apache." in "org.apache.derby.A": classes that have it in common are taken for
 * those of one library, or of the application. */
static size_t library_of(const char *class_name)
{
    const char *dot = strchr(class_name, '.');
    dot = dot ? strchr(dot + 1, '.') : NULL;
    return dot ? (size_t)(dot - class_name) + 1 : 0;
}

bool roxi_finder_same_library(const struct roxi_symbols *s, uint32_t class_name, uint32_t other)
{
    const char *text = roxi_symbols_text(s, class_name);
    return strncmp(text, roxi_symbols_text(s, other), library_of(text)) == 0;
}

struct roxi_call roxi_finder_to_look_at(const struct roxi_symbols *s, const struct roxi_call *c)
{
    if (c->called == ROXI_NONE || roxi_is_platform(roxi_symbols_text(s, c->called_class)))
        return *c;
    return (struct roxi_call){.class_name = c->called_class, .method = c->called};
}

bool roxi_finder_is_theirs(const struct roxi_finder *f, const struct roxi_finding *x,
                           uint32_t group)
{
    const struct roxi_place place = roxi_profiles_place(f->profiles, group);
    return roxi_same_member(roxi_member_at(place), x->who) && place.template == x->thread;
}

static bool is_of(const struct roxi_finder *f, const struct roxi_finding *x, size_t span)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    const struct roxi_member who = f->members[span];
    const uint32_t stack = f->run->history.spans[span].stack;
    if (who.role != x->who.role || (roxi_traits[x->kind].of_threads && who.node != x->who.node))
        return false;
    if (x->kind == ROXI_IN_CALL)
        return roxi_finder_depth(s, stack, &x->call) > 0;
    if (x->kind == ROXI_TURNS)
        return f->templates[span] == x->thread;
    if (x->kind == ROXI_OUTSIDE)
        return f->templates[span] == x->thread && roxi_is_outside(s, stack);
    return true;
}

void roxi_finder_match(struct roxi_finder *f, const struct roxi_finding *x)
{
    f->matching_count = 0;
    for (size_t i = 0; i < f->run->history.count; i++)
        if (is_of(f, x, i))
            f->matching[f->matching_count++] = i;
}

void roxi_finder_match_threads(struct roxi_finder *f, struct roxi_place place)
{
    f->matching_count = 0;
    for (size_t i = 0; i < f->run->history.count; i++)
        if (roxi_same_member(f->members[i], roxi_member_at(place)) &&
            f->templates[i] == place.template)
            f->matching[f->matching_count++] = i;
}

uint32_t roxi_finder_packets(const struct roxi_durations *d, size_t run, uint32_t item)
{
    size_t count;
    const struct roxi_duration *list = roxi_durations_run(d, run, &count);
    return roxi_durations_packets(list, count, item);
}

/* ---- path, thread and moment ---- */

int roxi_finder_most(const struct roxi_finder *f, bool templates, uint32_t *found)
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

enum roxi_doing roxi_finder_doing(const struct roxi_finder *f, uint32_t stack)
{
    uint64_t packets = 0, blocked = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        packets += span->stack == stack ? span->packets : 0;
        blocked += span->stack == stack ? span->blocked : 0;
    }
    return blocked > packets / 2 ? ROXI_BLOCKED : roxi_doing_in(f->profiles->symbols, stack);
}

static int by_packet(const void *a, const void *b)
{
    const struct roxi_edge *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (x->threads > y->threads) - (x->threads < y->threads);
}

static size_t sort_edges(struct roxi_finder *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        f->edges[n++] = (struct roxi_edge){span->first, 1};
        f->edges[n++] = (struct roxi_edge){span->last + 1, -1};
    }
    if (n)
        qsort(f->edges, n, sizeof *f->edges, by_packet);
    return n;
}

/* The stretch in which the spans most exceed a steady `rate`, in threads. */
static struct roxi_stretch stretch_of(const struct roxi_finder *f, size_t edges, double rate)
{
    struct roxi_stretch s = {0};
    int threads = 0;
    for (size_t i = 0; i < edges; i++) {
        const double packets = (double)(f->edges[i].packet - s.last);
        roxi_stretch_add(&s, packets * ((double)threads - rate), f->edges[i].packet);
        threads += f->edges[i].threads;
    }
    return s;
}

/* The first packet of the spans that last until `packet` or longer, but not before `from`. */
static uint64_t begin_of(const struct roxi_finder *f, uint64_t packet, uint64_t from)
{
    uint64_t begin = packet;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        if (span->first < begin && span->first >= from && span->last >= packet)
            begin = span->first;
    }
    return begin;
}

/* The packet from `from` on with which the spans, of which there are n edges, have come to more
 * than `margin` packets; 0: there are none. */
static uint64_t exceeds(const struct roxi_finder *f, size_t n, uint64_t from, double margin)
{
    double sum = 0;
    int threads = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = i && f->edges[i - 1].packet > from ? f->edges[i - 1].packet : from;
        const double more =
            f->edges[i].packet > at ? (double)threads * (double)(f->edges[i].packet - at) : 0;
        if (threads && sum + more > margin)
            return begin_of(f, at + (uint64_t)((margin - sum) / threads), from);
        sum += more;
        threads += f->edges[i].threads;
    }
    return n ? f->edges[n - 1].packet - 1 : 0;
}

uint64_t roxi_finder_onset(struct roxi_finder *f, double rate)
{
    const size_t n = sort_edges(f);
    return exceeds(f, n, stretch_of(f, n, rate).found, 0);
}

/* A little more than usual may come long before what is to be explained. So the stretch is found
 * again in which they exceed what lies a part of the way from the rate to that of the first one; by
 * less than a thread, because where ever more are stuck the first one counts. */
static uint64_t onset_of_most(struct roxi_finder *f, double rate, double margin)
{
    const size_t n = sort_edges(f);
    struct roxi_stretch s = stretch_of(f, n, rate);
    if (s.end > s.found) {
        const double more = PART_OF_THE_WAY * s.greatest / (double)(s.end - s.found);
        s = stretch_of(f, n, rate + fmin(more, HALF_A_THREAD));
    }
    return exceeds(f, n, s.found, margin);
}

uint64_t roxi_finder_last(const struct roxi_finder *f)
{
    uint64_t last = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        last = span->last > last ? span->last : last;
    }
    return last;
}

/* The last packet of the JVM that ended first: `early` is that of the JVM that has most. */
static uint64_t first_end(const struct roxi_finder *f)
{
    size_t jvms = 0;
    uint64_t first = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const uint32_t jvm = f->run->history.spans[f->matching[i]].jvm;
        jvms = jvm >= jvms ? (size_t)jvm + 1 : jvms;
    }
    uint64_t *last = calloc(jvms + 1, sizeof *last);
    if (!last)
        return roxi_finder_last(f);
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        last[span->jvm] = span->last > last[span->jvm] ? span->last : last[span->jvm];
    }
    for (size_t i = 0; i < jvms; i++)
        if (last[i] && (!first || last[i] < first))
            first = last[i];
    free(last);
    return first;
}

static uint64_t first_packet(const struct roxi_finder *f)
{
    uint64_t first = 0;
    for (size_t i = 0; i < f->matching_count; i++) {
        const struct roxi_span *span = &f->run->history.spans[f->matching[i]];
        first = !first || span->first < first ? span->first : first;
    }
    return first;
}

/* How often the finding's threads ran; *found: the first packet of the stretch in which they did
 * most above a steady `rate`, in turns a packet; 0: there is none. */
static double more_turns(const struct roxi_finder *f, const struct roxi_finding *x, double rate,
                         uint64_t *found)
{
    const struct roxi_history *h = &f->run->history;
    struct roxi_stretch s = {.begin = roxi_history_first(h), .last = roxi_history_first(h)};
    double all = 0;
    for (size_t i = 0; i < h->turned_count; i++) {
        const struct roxi_turned *t = &h->turned[i];
        if (!roxi_finder_is_theirs(f, x, t->group))
            continue;
        all += (double)t->turns;
        roxi_stretch_add(&s, (double)t->turns - rate * (double)(t->packet - s.last), t->packet);
    }
    *found = s.found;
    return all;
}

/* The same of the messages that it sends, or the connections that it opens. */
static double more_sent(const struct roxi_finder *f, const struct roxi_finding *x, double rate,
                        uint64_t *found)
{
    const struct roxi_history *h = &f->run->history;
    struct roxi_stretch s = {.begin = roxi_history_first(h), .last = roxi_history_first(h)};
    double all = 0;
    for (size_t i = 0; i < h->sent_count; i++) {
        const struct roxi_sent *sent = &h->sent[i];
        if (sent->role != x->who.role || sent->accepted != (x->kind == ROXI_SENT_BACK))
            continue;
        const double more = (double)(x->kind == ROXI_OPENED ? sent->connections : sent->sent);
        all += more;
        roxi_stretch_add_at(&s, more, rate, sent->packet);
    }
    *found = s.found;
    return all;
}

/* The first packet of the stretch in which there is most above a rate between the usual one, in
 * numbers a packet, and that of this run; 0: it is not known. */
static uint64_t more_than(const struct roxi_finder *f, const struct roxi_finding *x, double usual)
{
    const double length = (double)roxi_history_length(&f->run->history);
    double (*const count)(const struct roxi_finder *, const struct roxi_finding *, double,
                          uint64_t *) = x->kind == ROXI_TURNS ? more_turns : more_sent;
    uint64_t found;
    const double all = count(f, x, 0, &found);
    count(f, x, roxi_stretch_limit(usual * length, all, MUCH_MORE) / length, &found);
    return found;
}

uint64_t roxi_finder_moment(struct roxi_finder *f, const struct roxi_finding *x, double limit,
                            bool rare)
{
    const double length = (double)roxi_history_length(&f->run->history) / f->longer;
    const double most = limit * roxi_traits[x->kind].of_packet;
    switch (x->kind) {
    case ROXI_IN_CALL:
    case ROXI_OUTSIDE:
        return x->less ? roxi_finder_last(f)
                       : onset_of_most(f, most / length, rare ? 0 : most - x->elsewhere);
    case ROXI_TURNS:
    case ROXI_OPENED:
    case ROXI_SENT_OUT:
    case ROXI_SENT_BACK:
        return more_than(f, x, most / length);
    case ROXI_OWED:
    case ROXI_UNREAD:
        return x->packet; /* roxi_finder_talk */
    case ROXI_LOST:
        return roxi_participation_of(f->run->roles, f->run->role_count, x->who.role).lost_from;
    case ROXI_ANSWERED:
        if (x->less)
            return roxi_finder_last(f);
        return x->elsewhere > 0 ? 0 : first_packet(f); /* 0: others have no such JVM */
    case ROXI_EARLY:
    case ROXI_BAD_END:
    case ROXI_GARBAGE:
    case ROXI_COVERED:
    case ROXI_FIRSTS:
    case ROXI_DURATION_KINDS:
        break;
    }
    /* A JVM that has answered none ended before the first one. */
    return f->matching_count ? first_end(f) : roxi_history_first(&f->run->history);
}

/* ---- the whole ---- */

static double length_of(const struct roxi_profile *run)
{
    return (double)roxi_participation_length(run->roles, run->role_count);
}

#define MUCH 1.25 /* times as long as any normal run: worth telling */

static void compare_lengths(struct roxi_finder *f)
{
    struct roxi_lasted *x = &f->out->lasted;
    size_t count = 0;
    double least = INFINITY, most = 0;
    for (size_t r = 0; r < f->ranking->n; r++) {
        if (!f->normal[r])
            continue;
        const double length = length_of(&f->profiles->executions[r]);
        f->numbers[count++] = length;
        least = fmin(least, length);
        most = fmax(most, length);
    }
    x->packets = length_of(f->run);
    x->typical = roxi_median(f->numbers, count, count);
    x->apart = count && (x->packets > MUCH * most || MUCH * x->packets < least);
    const double times = x->typical > 0 ? x->packets / x->typical : 1;
    f->longer = fmax(1, times);
    f->shorter = fmin(1, times);
}

int roxi_finder_open(struct roxi_finder *f, const struct roxi_listed_execution *logs,
                     struct ix_error *err)
{
    const struct roxi_history *h = &f->run->history;
    f->shown = calloc(h->count + 1, sizeof *f->shown);
    f->members = calloc(h->count + 1, sizeof *f->members);
    f->templates = calloc(h->count + 1, sizeof *f->templates);
    f->matching = calloc(h->count + 1, sizeof *f->matching);
    f->edges = calloc(2 * h->count + 1, sizeof *f->edges);
    if (roxi_called_make(&f->called, f->profiles, f->number, f->normal) == 0)
        f->numbers = calloc(f->profiles->count + f->called.count + 1, sizeof *f->numbers);
    if (!f->shown || !f->members || !f->templates || !f->matching || !f->edges || !f->numbers)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < h->count; i++) {
        const struct roxi_place place = roxi_profiles_place(f->profiles, h->spans[i].group);
        f->members[i] = roxi_member_at(place);
        f->templates[i] = place.template;
    }
    for (size_t r = 0; r < f->ranking->n; r++)
        f->out->normal += f->normal[r];
    compare_lengths(f);
    return logs ? waits_chains_read(&f->out->chains, logs, err) : 0;
}

void roxi_finder_close(struct roxi_finder *f)
{
    free(f->shown);
    free(f->members);
    free(f->templates);
    free(f->matching);
    free(f->edges);
    free(f->numbers);
    roxi_called_free(&f->called);
}

void roxi_finder_set_threads(const struct roxi_finder *f, struct roxi_finding *x, uint32_t group)
{
    if (group == ROXI_NONE)
        return;
    const struct roxi_place place = roxi_profiles_place(f->profiles, group);
    x->who = x->as = roxi_member_at(place);
    x->thread = place.template;
}

int roxi_finder_add(struct roxi_finder *f, const struct roxi_finding *x)
{
    return ix_append(f->out->list, f->out->count, f->out->cap, *x);
}
