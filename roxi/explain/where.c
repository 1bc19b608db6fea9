/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/explain/dwell.h"
#include "roxi/explain/stay.h"
#include "roxi/rank/likeness.h"
#include "roxi/rank/peers.h"

enum { PLACES = 5, FIRST_PLACES = 3 };
#define IN_TIME_MS 500.0

struct judge {
    struct roxi_where *out;
    const struct roxi_truth *truth;
    const struct roxi_ranking *ranking;
    const struct roxi_profiles *profiles;
    const bool *normal, *failed;
    const char *campaign;
};

/* ---- right or wrong ---- */

static bool are_peers(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || roxi_role_is_peer(a, b);
}

static bool is_right(const struct roxi_symbols *s, const struct roxi_fault *f,
                     struct roxi_member who)
{
    const char *role = roxi_symbols_text(s, who.role);
    switch (f->blamed) {
    case ROXI_BLAME_ANY:
        return true;
    case ROXI_BLAME_PEERS:
        return are_peers(role, f->role);
    case ROXI_BLAME_NAMED:
        break;
    }
    return strcmp(role, f->role) == 0 &&
           (!f->is_node || strcmp(roxi_symbols_text(s, who.node), f->place) == 0);
}

/* Is the class, or that which it is nested in, one of those separated by commas? */
static bool is_blamed(const char *classes, const char *class_name)
{
    const size_t whole = strlen(class_name), top = roxi_top_level(class_name);
    for (const char *at = classes;; at++) {
        const size_t len = strcspn(at, ",");
        if ((len == whole || len == top) && len && memcmp(at, class_name, len) == 0)
            return true;
        at += len;
        if (!*at)
            return false;
    }
}

static bool has_blamed_class(const struct roxi_symbols *s, const struct roxi_fault *f,
                             const struct roxi_named *n)
{
    if (!f->classes)
        return false;
    for (uint32_t stack = n->stack; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        const struct roxi_frame at = roxi_symbols_top(s, stack);
        if (is_blamed(f->classes, roxi_symbols_text(s, at.class_name)))
            return true;
    }
    return !n->stack && n->call.class_name != ROXI_NONE &&
           (is_blamed(f->classes, roxi_symbols_text(s, n->call.class_name)) ||
            (n->call.called != ROXI_NONE &&
             is_blamed(f->classes, roxi_symbols_text(s, n->call.called_class))));
}

static struct roxi_hits compare(const struct judge *j, const struct roxi_fault *f,
                                const struct roxi_named *named, size_t count)
{
    const struct roxi_symbols *s = j->profiles->symbols;
    struct roxi_hits h = {0};
    for (size_t i = 0; i < count; i++) {
        if (!is_right(s, f, named[i].who))
            continue;
        h.first = h.first || i == 0;
        h.three = h.three || i < FIRST_PLACES;
        if (has_blamed_class(s, f, &named[i])) {
            h.class_three = h.class_three || i < FIRST_PLACES;
            h.class_five = true;
        }
    }
    h.timed = count && named[0].packet && !isnan(f->first_ms);
    if (h.timed) {
        const struct roxi_history *history = &j->profiles->executions[f->run].history;
        const double ms = (double)roxi_history_since(history, named[0].packet) / 1e6;
        h.in_time = fabs(ms - f->first_ms) < IN_TIME_MS;
    }
    return h;
}

/* ---- what the orders name ---- */

static int by_finding(const struct judge *j, struct roxi_where_run *run, struct roxi_named *named,
                      struct ix_error *err)
{
    const size_t r = run->fault->run;
    struct roxi_findings f;
    if (!j->failed[r] && j->ranking->score[r] <= ROXI_WORTH_A_LOOK)
        return 0;
    if (roxi_findings_make(&f, j->ranking, r, j->normal, j->campaign, err) != 0)
        return -1;
    const size_t count = f.count < PLACES ? f.count : PLACES;
    for (size_t i = 0; i < count; i++)
        named[i] =
            (struct roxi_named){f.list[i].who, f.list[i].stack, roxi_no_call, f.list[i].packet};
    run->explained = count > 0;
    if (count)
        run->first = f.list[0];
    roxi_findings_free(&f);
    return (int)count;
}

static int by_evidence(const struct judge *j, size_t run, struct roxi_named *named)
{
    const struct roxi_ranking *r = j->ranking;
    size_t count = r->first[run + 1] - r->first[run];
    count = count < PLACES ? count : PLACES;
    for (size_t i = 0; i < count; i++) {
        const struct roxi_part *part = &r->parts[r->first[run] + i];
        const struct roxi_durations *d = r->durations;
        const struct roxi_span *stay =
            roxi_durations_is_stay(d, part->item) ? roxi_stay_find(r, run, part->item) : NULL;
        named[i] = (struct roxi_named){.who = roxi_ranking_who(r, run, part), .call = roxi_no_call};
        if (stay)
            named[i].call = roxi_stay_call(d, part->item, stay->stack);
        else if (roxi_durations_locus(d, part->locus).kind == ROXI_IN_CALL &&
                 !roxi_durations_is_stay(d, part->item))
            named[i].call = roxi_durations_call(d, part->item);
    }
    return (int)count;
}

static int by_dwell(const struct judge *j, size_t run, struct roxi_named *named)
{
    struct roxi_dwell longest[PLACES];
    const int count = roxi_dwell_longest(longest, PLACES, j->profiles, run, j->normal, false);
    for (int i = 0; i < count; i++) {
        const struct roxi_place place = roxi_profiles_place(j->profiles, longest[i].span->group);
        named[i] = (struct roxi_named){roxi_member_at(place), longest[i].span->stack, roxi_no_call,
                                       longest[i].span->first};
    }
    return count;
}

/* ---- the whole ---- */

static void add(struct roxi_where_sum *sum, const struct roxi_hits *h)
{
    sum->first += h->first;
    sum->three += h->three;
    sum->class_three += h->class_three;
    sum->class_five += h->class_five;
    sum->timed += h->timed;
    sum->in_time += h->in_time;
}

static int judge_run(struct judge *j, struct roxi_where_run *run, struct ix_error *err)
{
    const size_t r = run->fault->run;
    struct roxi_named named[ROXI_ORDERS][PLACES];
    const int counts[ROXI_ORDERS] = {by_finding(j, run, named[ROXI_BY_FINDING], err),
                                     by_evidence(j, r, named[ROXI_BY_EVIDENCE]),
                                     by_dwell(j, r, named[ROXI_BY_DWELL])};
    for (int o = 0; o < ROXI_ORDERS; o++) {
        if (counts[o] < 0)
            return o == ROXI_BY_FINDING ? -1 : ix_fail(err, "out of memory");
        run->hits[o] = compare(j, run->fault, named[o], (size_t)counts[o]);
        add(&j->out->sums[o], &run->hits[o]);
    }
    j->out->with_class += run->fault->classes != NULL;
    return 0;
}

static void count_claims(struct judge *j)
{
    const struct roxi_truth *t = j->truth;
    for (size_t row = 0; row < t->truth.rows; row++) {
        if (strcmp(roxi_text_table_at(&t->truth, row, t->verdict), "passed") != 0)
            continue;
        j->out->passed++;
        j->out->claimed += j->ranking->score[t->run_of[row]] > ROXI_WORTH_A_LOOK;
    }
}

int roxi_where_make(struct roxi_where *w, const struct roxi_truth *t, const struct roxi_ranking *r,
                    const bool *normal, const bool *failed, const char *campaign,
                    struct ix_error *err)
{
    struct judge j = {.out = w,
                      .truth = t,
                      .ranking = r,
                      .profiles = r->durations->profiles,
                      .normal = normal,
                      .failed = failed,
                      .campaign = campaign};
    *w = (struct roxi_where){.runs = calloc(t->count + 1, sizeof *w->runs)};
    int result = w->runs ? 0 : ix_fail(err, "out of memory");
    for (size_t i = 0; i < r->n; i++)
        w->normal += normal[i];
    for (; w->count < t->count && result == 0; w->count++) {
        w->runs[w->count].fault = &t->faults[w->count];
        result = judge_run(&j, &w->runs[w->count], err);
    }
    count_claims(&j);
    if (result != 0)
        roxi_where_free(w);
    return result;
}

void roxi_where_free(struct roxi_where *w)
{
    free(w->runs);
    *w = (struct roxi_where){0};
}
