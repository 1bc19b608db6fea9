/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what one of several peers (rank/peers.h) does more than the others, by more than
 * in normal runs: the deviation from the median of the peers (Kasick and others 2010). What one
 * does less is nothing to look at. */
#include <math.h>
#include <stdlib.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/median.h"
#include "roxi/rank/peers.h"
#include "roxi/rank/model.h"

/* Of two peers it is not known which one deviates; more of them are not looked at. */
enum { PEERS_LEAST = 3, PEERS_MOST = 16 };
/* Peers divide work among them by chance, so their differences tell less than a departure from
 * normal runs. Chosen on sample systems (docs/why-measured.md). */
#define PEERS_COUNT 0.25

/* The same call of all peers. */
struct row {
    uint32_t members[PEERS_MOST], items[PEERS_MOST];
    size_t count;
};

struct looking {
    struct roxi_finder *f;
    const struct roxi_durations *d;
    struct roxi_finding *best; /* by member */
};

static double packets(const struct roxi_durations *d, size_t run, uint32_t item)
{
    return item == ROXI_NONE ? 0 : roxi_finder_packets(d, run, item);
}

/* The median of all but peer `p`. */
static double of_others(const struct roxi_durations *d, size_t run, const struct row *row, size_t p)
{
    double others[PEERS_MOST];
    size_t n = 0;
    for (size_t i = 0; i < row->count; i++)
        if (i != p)
            others[n++] = packets(d, run, row->items[i]);
    return roxi_median(others, n, n);
}

/* On a scale on which chance alone has a deviation of 1 (rank/model.h). */
static double deviation(const struct roxi_durations *d, size_t run, const struct row *row, size_t p)
{
    return fabs(roxi_scaled(packets(d, run, row->items[p])) -
                roxi_scaled(of_others(d, run, row, p)));
}

/* False: there are too few, or an earlier peer has the call, too, so that it has been looked at. */
static bool make_row(const struct looking *l, uint32_t item, struct row *row)
{
    const uint32_t member = roxi_durations_of(l->d, item);
    row->count = 0;
    for (uint32_t m = 0; m < l->d->members.n && row->count < PEERS_MOST; m++) {
        if (m != member && !roxi_are_peers(l->d, m, member))
            continue;
        const uint32_t there = m == member ? item : roxi_durations_counterpart(l->d, item, m);
        if (m < member && packets(l->d, l->f->number, there) > 0)
            return false;
        row->members[row->count] = m;
        row->items[row->count++] = there;
    }
    return row->count >= PEERS_LEAST;
}

/* Sets f->numbers to the deviations in normal runs. Returns how many there are; 0 if it is known
 * without looking at all of them that there is nothing to find. */
static size_t normal_deviations(const struct looking *l, const struct row *row, size_t p,
                                double own)
{
    const struct roxi_finder *f = l->f;
    size_t count = 0, like = 0;
    for (size_t r = 0; r < f->ranking->n; r++) {
        if (!f->normal[r])
            continue;
        f->numbers[count] = deviation(l->d, r, row, p);
        like += f->numbers[count++] >= own;
        if (roxi_usual_is_common(like, f->out->normal))
            return 0;
    }
    return count;
}

static void look_at(struct looking *l, const struct row *row, size_t p, struct roxi_call call)
{
    const struct roxi_finder *f = l->f;
    struct roxi_finding *best = &l->best[row->members[p]];
    const double own = deviation(l->d, f->number, row, p);
    const double here = packets(l->d, f->number, row->items[p]);
    const double elsewhere = of_others(l->d, f->number, row, p);
    if (own <= roxi_score_default.resolution || here < elsewhere)
        return;
    const size_t count = normal_deviations(l, row, p, own);
    if (!count)
        return;
    const struct roxi_usual usual = roxi_usual_of(f->numbers, count, own);
    const double evidence = roxi_usual_evidence(&usual, count, own, roxi_score_default.resolution);
    const bool inner = call.class_name == best->call.called_class &&
                       call.method == best->call.called; /* of two that are as strong */
    if (!(evidence > 0) || PEERS_COUNT * evidence < best->weight ||
        (PEERS_COUNT * evidence == best->weight && !inner))
        return;
    const uint32_t who = roxi_ranking_named(f->ranking, f->number, row->items[p]);
    *best = roxi_finding_of(ROXI_ABOUT_PEERS, roxi_durations_member(l->d, who));
    best->as = roxi_durations_member(l->d, row->members[p]);
    best->kind = ROXI_IN_CALL;
    best->call = call;
    best->here = (uint32_t)here;
    best->elsewhere = elsewhere;
    best->like = usual.like;
    best->weight = PEERS_COUNT * evidence;
}

/* Is there a finding that tells the same of the same member? */
static bool known(const struct roxi_finder *f, const struct roxi_finding *x)
{
    for (size_t i = 0; i < f->out->count; i++) {
        const struct roxi_finding *y = &f->out->list[i];
        if (roxi_same_member(y->who, x->who) && y->kind == ROXI_IN_CALL && !y->less &&
            (y->stack == x->stack ||
             (y->stack && roxi_finder_depth(f->profiles->symbols, y->stack, &x->call)) ||
             (y->call.class_name == x->call.class_name && y->call.method == x->call.method)))
            return true;
    }
    return false;
}

static int tell(struct roxi_finder *f, struct roxi_finding *x)
{
    roxi_finder_match(f, x);
    if (f->matching_count &&
        (roxi_finder_most(f, false, &x->stack) != 0 || roxi_finder_most(f, true, &x->thread) != 0))
        return -1;
    x->doing = roxi_finder_doing(f, x->stack);
    x->packet = roxi_finder_moment(f, x, x->elsewhere, false);
    return known(f, x) ? 0 : roxi_finder_add(f, x);
}

int roxi_produce_peers(struct roxi_finder *f)
{
    const struct roxi_durations *d = f->ranking->durations;
    struct looking l = {.f = f, .d = d, .best = calloc(d->members.n + 1, sizeof *l.best)};
    int result = l.best ? 0 : -1;
    for (size_t i = d->first[f->number]; i < d->first[f->number + 1] && result == 0; i++) {
        const uint32_t item = d->all[i].item;
        const struct roxi_locus locus = roxi_durations_locus(d, d->locus_of[item]);
        struct row row;
        if (locus.kind == ROXI_IN_CALL && !roxi_durations_is_stay(d, item) &&
            make_row(&l, item, &row))
            for (size_t p = 0; p < row.count; p++)
                look_at(&l, &row, p, roxi_durations_call(d, item));
    }
    for (size_t m = 0; m < d->members.n && result == 0; m++)
        if (l.best[m].weight > 0)
            result = tell(f, &l.best[m]);
    free(l.best);
    return result;
}
