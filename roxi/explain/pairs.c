/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of methods of a class that go in pairs, as take and give back do, or ask and answer: in
 * normal runs the one is called as often as the other, whatever the load, and at any time. A leak,
 * a lost reply or a retry without end changes that. So code is found that takes no time, and
 * therefore is on no call stack.
 *
 * Of each class of a role, nested ones included, all pairs of methods are looked at. Of those that
 * are called as often as each other in normal runs and are not in this one, the method that is in
 * most of them is the one to look at. */
#include <math.h>
#include <string.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/peers.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define IN_FLIGHT 2.0 /* so many calls may be under way, ... */
#define STEADY 0.01   /* and such a share be missed, in normal runs; */
#define BEHIND 0.1    /* in the midst of them, such a share; */
#define MOST 0.9      /* in so many of them */
#define RUNS_MIN 5    /* of which there must be so many */
#define SLACK                                                                                      \
    1.1            /* before it departs, the one is called at most so many times as often, or      \
                      half as much more often as in all of this run, if that is less */
#define EXCESS 1.5 /* of the typical number: one is called too often, not the other too rarely */
#define TOO_RARELY 0.25 /* what that counts: it is more often a consequence */

struct looking {
    struct roxi_finder *f;
    const struct roxi_called_table *t;
    size_t from, to; /* rows: the class at hand */
};

/* How much more often than the other the one may be called. */
static double tolerance(double x, double y)
{
    return IN_FLIGHT + STEADY * fmax(x, y);
}

static double ratio(double x, double y)
{
    return (x + 0.5) / (y + 0.5);
}

/* Are they called as often in normal runs, as far as these counted all calls? */
static bool are_as_many(const struct roxi_called_table *t, const struct roxi_called_row *x,
                        const struct roxi_called_row *y)
{
    size_t counted = 0, same = 0;
    for (size_t r = 1; r < t->runs; r++) {
        const double a = x->calls[r], b = y->calls[r];
        const bool all = !x->at_least[r] && !y->at_least[r];
        counted += all;
        same += all && fabs(a - b) <= tolerance(a, b);
    }
    return counted >= RUNS_MIN && 2 * counted >= t->runs && (double)same >= MOST * (double)counted;
}

/* Does the one follow the other at any time, in most runs? */
static bool go_together(const struct roxi_called_table *t, const struct roxi_called_row *x,
                        const struct roxi_called_row *y)
{
    enum { LAST = ROXI_CALLED_PARTS - 1 };
    size_t together = 0;
    for (size_t i = 0; i < t->timed; i++) {
        const double *a = x->parts + ROXI_CALLED_PARTS * i, *b = y->parts + ROXI_CALLED_PARTS * i;
        const double most = IN_FLIGHT + BEHIND * fmax(a[LAST], b[LAST]);
        int k = 0;
        while (k <= LAST && fabs(a[k] - b[k]) <= most)
            k++;
        together += k > LAST;
    }
    return 2 * together > t->timed;
}

/* Was a third method of the class called more often by as much? A log's line() is called as often
 * as info() only as long as nobody calls warn(). */
static bool is_made_up(const struct looking *l, const struct roxi_called_row *x,
                       const struct roxi_called_row *y)
{
    const double difference = fabs(x->own - y->own);
    for (size_t i = l->from; i < l->to; i++) {
        const struct roxi_called_row *third = &l->t->rows[i];
        if (third != x && third != y &&
            fabs(third->own - third->typical - difference) <= tolerance(x->own, y->own))
            return true;
    }
    return false;
}

/* The evidence that the two of a pair were not called as often in this run; 0 if they are no pair.
 * *like: normal runs in which they differ as much. */
static double compare(const struct looking *l, const struct roxi_called_row *x,
                      const struct roxi_called_row *y, size_t *like)
{
    const struct roxi_called_table *t = l->t;
    const double own = ratio(x->own, y->own);
    const struct roxi_called_row *fewer = own > 1 ? y : x;
    const double z = fabs(x->own - y->own) / tolerance(x->own, y->own);
    *like = 0;
    if (!(z > 1) || fmin(x->typical, y->typical) < ROXI_CALLED_FEW || fewer->at_least[0])
        return 0;
    for (size_t r = 1; r < t->runs; r++) {
        const double there = ratio(x->calls[r], y->calls[r]);
        *like += own > 1 ? there >= own : there <= own;
    }
    if (roxi_usual_is_common(*like, t->runs - 1) || !are_as_many(t, x, y) ||
        !go_together(t, x, y) || is_made_up(l, x, y))
        return 0;
    return roxi_excess_evidence(z - 1);
}

static double change(const struct roxi_called_row *row)
{
    return fabs(log(ratio(row->own, row->typical)));
}

/* The row with most evidence in its pairs; of some with as much, the one that changed most; l->to:
 * there is none. */
static size_t find_odd(const struct looking *l)
{
    const size_t from = l->from, to = l->to;
    const struct roxi_called_row *rows = l->t->rows;
    double *sums = l->f->numbers; /* by row: the evidence of its pairs */
    size_t odd = to, like;
    memset(sums + from, 0, (to - from) * sizeof *sums);
    for (size_t i = from; i < to; i++) {
        for (size_t k = i + 1; k < to; k++) {
            const double evidence = compare(l, &rows[i], &rows[k], &like);
            sums[i] += evidence;
            sums[k] += evidence;
        }
    }
    for (size_t i = from; i < to; i++)
        if (sums[i] > 0 && (odd == to || sums[i] > sums[odd] ||
                            (sums[i] == sums[odd] && change(&rows[i]) > change(&rows[odd]))))
            odd = i;
    return odd;
}

/* How much more often x was called than y up to a packet, less the slack, since that was last 0. */
struct surplus {
    double sum, greatest;
    uint64_t
        begin; /* of the stretch in which it is more than what may be under way; 0: it is not */
    uint64_t found; /* the begin of the one in which it was greatest */
};

static void end_packet(struct surplus *s, uint64_t packet)
{
    if (s->sum <= IN_FLIGHT)
        s->begin = 0;
    else if (!s->begin)
        s->begin = packet;
    if (s->sum > s->greatest) {
        s->greatest = s->sum;
        s->found = s->begin;
    }
    s->sum = fmax(s->sum, 0);
}

/* The first packet of the stretch in which x is called most above as often as y. */
static uint64_t moment(const struct looking *l, const struct roxi_called_row *x,
                       const struct roxi_called_row *y)
{
    const struct roxi_history *h = &l->f->run->history;
    const double slack = fmin(SLACK, (1 + ratio(x->own, y->own)) / 2);
    struct surplus s = {0};
    for (size_t i = 0; i < h->told_count; i++) {
        const struct roxi_told *told = &h->told[i];
        const struct roxi_called_row *row = roxi_called_find(l->t, told->role, told->stack);
        if (row == x)
            s.sum += (double)told->count;
        else if (row == y)
            s.sum -= slack * (double)told->count;
        if (i + 1 == h->told_count || h->told[i + 1].packet != told->packet)
            end_packet(&s, told->packet);
    }
    return s.found;
}

static int tell(const struct looking *l, size_t odd)
{
    const struct roxi_called_row *rows = l->t->rows, *one = &rows[odd], *other = NULL;
    double best = 0;
    size_t like = 0;
    for (size_t i = l->from; i < l->to; i++) {
        size_t as_much;
        const double evidence = i == odd ? 0 : compare(l, one, &rows[i], &as_much);
        if (evidence > best) {
            best = evidence;
            other = &rows[i];
            like = as_much;
        }
    }
    if (!other)
        return 0;
    struct roxi_finding x = roxi_called_finding(one, ROXI_ABOUT_PAIR);
    x.less = one->own < other->own;
    const struct roxi_called_row *more = x.less ? other : one, *fewer = x.less ? one : other;
    x.beside = roxi_called_finding(other, ROXI_ABOUT_PAIR).call;
    x.elsewhere = other->own;
    x.at_least = more->at_least[0];
    x.packet = moment(l, more, fewer);
    x.like = like;
    x.compared = l->t->runs - 1;
    x.weight = best * (more->own > EXCESS * more->typical ? 1 : TOO_RARELY);
    return roxi_finder_add(l->f, &x);
}

/* In the role and how many of its peers methods of the class no longer go in pairs. */
static uint32_t peers_of(const struct roxi_finder *f, const struct roxi_finding *x)
{
    uint32_t peers = 0;
    for (size_t i = 0; i < f->out->count; i++) {
        const struct roxi_finding *y = &f->out->list[i];
        peers += y->about == ROXI_ABOUT_PAIR && y->call.class_name == x->call.class_name &&
                 (y == x || roxi_roles_are_peers(f->ranking->durations, y->who.role, x->who.role));
    }
    return peers;
}

/* What peers do alike is what they do together, or what one makes the others do: each has its share
 * only. */
static void share(struct roxi_finder *f)
{
    for (size_t i = 0; i < f->out->count; i++)
        if (f->out->list[i].about == ROXI_ABOUT_PAIR)
            f->out->list[i].weight /= peers_of(f, &f->out->list[i]);
}

int roxi_produce_pairs(struct roxi_finder *f)
{
    const struct roxi_called_table *t = &f->called;
    struct looking l = {.f = f, .t = t};
    int result = 0;
    for (size_t from = 0, to; from < t->count && result == 0; from = to) {
        to = roxi_called_class_end(t, f->profiles->symbols, from);
        l.from = from;
        l.to = to;
        const size_t odd = find_odd(&l);
        result = odd < to ? tell(&l, odd) : 0;
    }
    share(f);
    return result;
}
