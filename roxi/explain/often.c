/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of methods that were called much more often than in any normal run: two for each role,
 * of different classes, whose numbers have grown most, as many times as typical. */
#include <math.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/stretch.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/median.h"
#include "roxi/rank/model.h"
#include "roxi/rank/peers.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define MUCH_MORE 2.0 /* times as often as typical */
#define SECOND 0.5    /* evidence of the second one in a role */

enum { PEERS_MOST = 16 };

/* The rows of a method in a role and in its peers: which of these does what may be chance. */
struct of_peers {
    const struct roxi_called_row *rows[PEERS_MOST];
    size_t count;
};

static struct of_peers find_peers(const struct roxi_finder *f, const struct roxi_called_row *row)
{
    struct of_peers of = {.rows = {row}, .count = 1};
    for (size_t i = 0; i < f->run->role_count && of.count < PEERS_MOST; i++) {
        const uint32_t role = f->run->roles[i].role;
        const struct roxi_called_row *there =
            role != row->role && roxi_roles_are_peers(f->ranking->durations, role, row->role)
                ? roxi_called_find(&f->called, role, row->stack)
                : NULL;
        if (there)
            of.rows[of.count++] = there;
    }
    return of;
}

/* How often it was called in a run, by the peer that did so most. */
static double most_calls(const struct of_peers *of, size_t run, bool *at_least)
{
    double most = 0;
    *at_least = false;
    for (size_t i = 0; i < of->count; i++) {
        most = fmax(most, of->rows[i]->calls[run]);
        *at_least |= of->rows[i]->at_least[run];
    }
    return most;
}

static double growth(const struct roxi_called_row *row, double times)
{
    return (row->own / times + ROXI_CALLED_FEW) / (row->typical + ROXI_CALLED_FEW);
}

/* The evidence that it was called too often. *like: normal runs in which it was called as often. */
static double evidence_of(const struct roxi_finder *f, const struct roxi_called_row *row,
                          double times, size_t *like)
{
    const struct roxi_called_table *t = &f->called;
    size_t counted = 0;
    *like = 0;
    const struct of_peers of = find_peers(f, row);
    for (size_t r = 1; r < t->runs; r++) {
        bool at_least;
        const double calls = most_calls(&of, r, &at_least);
        *like += calls >= row->own;
        if (!at_least)
            f->numbers[counted++] = roxi_scaled(calls);
    }
    if (row->own < ROXI_CALLED_FEW || growth(row, times) < MUCH_MORE || 2 * counted < t->runs ||
        roxi_usual_is_common(*like, t->runs - 1))
        return 0;
    const double own = roxi_scaled(row->own / times);
    const struct roxi_usual usual = roxi_usual_of(f->numbers, counted, own);
    return roxi_usual_evidence(&usual, counted, own, roxi_score_default.resolution);
}

/* The first packet of the stretch in which it is called most above that rate. */
static uint64_t moment(const struct roxi_finder *f, const struct roxi_called_row *row)
{
    const struct roxi_history *h = &f->run->history;
    const double limit = roxi_stretch_limit(row->typical * f->longer, row->own, MUCH_MORE);
    const double rate = limit / (double)roxi_history_length(h);
    struct roxi_stretch s = {.begin = roxi_history_first(h), .last = roxi_history_first(h)};
    for (size_t i = 0; i < h->told_count; i++) {
        const struct roxi_told *told = &h->told[i];
        if (roxi_called_find(&f->called, told->role, told->stack) == row)
            roxi_stretch_add_at(&s, (double)told->count, rate, told->packet);
    }
    return s.found;
}

struct most {
    const struct roxi_called_row *row; /* NULL: none */
    double growth, evidence;
    size_t like;
};

/* How many times as often as typical the methods of a role are called, in the median of those that
 * typically are ROXI_CALLED_FEW times; in a longer run at least as many times as it is longer. More
 * work is no evidence. */
static double busier(const struct roxi_finder *f, size_t from, size_t to)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (f->called.rows[i].typical >= ROXI_CALLED_FEW)
            f->numbers[n++] = f->called.rows[i].own / f->called.rows[i].typical;
    return fmax(f->longer, roxi_median(f->numbers, n, n));
}

/* The method that has grown most, of a class other than that of the first one, if there is one. */
static bool find_most(struct roxi_finder *f, size_t from, size_t to, const struct most *first,
                      struct most *most)
{
    const struct roxi_called_table *t = &f->called;
    const struct roxi_symbols *s = f->profiles->symbols;
    const double times = busier(f, from, to);
    *most = (struct most){0};
    for (size_t i = from; i < to; i++) {
        const struct roxi_called_row *row = &t->rows[i];
        struct most x = {.row = row, .growth = growth(row, times)};
        if (first && roxi_called_same_class(s, first->row, row))
            continue;
        x.evidence = evidence_of(f, row, times, &x.like);
        if (x.evidence > 0 && (!most->row || x.growth > most->growth))
            *most = x;
    }
    return most->row;
}

static int tell(struct roxi_finder *f, const struct most *most, double weight)
{
    struct roxi_finding x = roxi_called_finding(most->row, ROXI_ABOUT_OFTEN);
    x.packet = moment(f, most->row);
    x.like = most->like;
    x.compared = f->called.runs - 1;
    x.weight = most->evidence * weight;
    return roxi_finder_add(f, &x);
}

static int look_at_role(struct roxi_finder *f, size_t from, size_t to)
{
    struct most first, second;
    if (!find_most(f, from, to, NULL, &first))
        return 0;
    if (tell(f, &first, 1) != 0)
        return -1;
    return find_most(f, from, to, &first, &second) ? tell(f, &second, SECOND) : 0;
}

int roxi_produce_often(struct roxi_finder *f)
{
    const struct roxi_called_table *t = &f->called;
    int result = 0;
    for (size_t from = 0, to; from < t->count && result == 0; from = to) {
        to = roxi_called_role_end(t, from);
        result = look_at_role(f, from, to);
    }
    return result;
}
