/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of methods that were called much more often than in any normal run: one for each role,
 * the method whose number has grown most, as many times as typical. */
#include <math.h>
#include <stdlib.h>

#include "roxi/explain/called.h"
#include "roxi/explain/finder.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/median.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define MUCH_MORE 2.0  /* times as often as typical */
#define FEW 8.0        /* a method that is called less often tells nothing */
#define RESOLUTION 4.0 /* as in the ranking: on a scale of 2 sqrt(calls) chance is about 1 */

static double scaled(double calls)
{
    return 2 * sqrt(calls);
}

/* How many times as often as typical the role's methods are called, in the median; at least 1: more
 * work, or a longer run, is no evidence. */
static double busier(const struct roxi_called_table *t, size_t from, size_t to, double *work)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (t->rows[i].typical >= FEW)
            work[n++] = t->rows[i].own / t->rows[i].typical;
    return n ? fmax(1, roxi_median(work, n, n)) : 1;
}

static double growth(const struct roxi_called_row *row, double busier)
{
    return (row->own / busier + FEW) / (row->typical + FEW);
}

/* The evidence that it was called too often. *like: normal runs in which it was called as often. */
static double evidence_of(const struct roxi_called_table *t, const struct roxi_called_row *row,
                          double busier, double *work, size_t *like)
{
    size_t counted = 0;
    *like = 0;
    for (size_t r = 1; r < t->runs; r++) {
        *like += row->calls[r] >= row->own;
        if (!row->at_least[r])
            work[counted++] = scaled(row->calls[r]);
    }
    if (row->own < FEW || growth(row, busier) < MUCH_MORE || 2 * counted < t->runs ||
        roxi_usual_is_common(*like, t->runs - 1))
        return 0;
    const double own = scaled(row->own / busier);
    const struct roxi_usual usual = roxi_usual_of(work, counted, own);
    return roxi_usual_evidence(&usual, counted, own, RESOLUTION);
}

/* The first packet of the stretch in which it is called most above the usual rate. */
static uint64_t moment(const struct roxi_finder *f, const struct roxi_called_row *row)
{
    const struct roxi_history *h = &f->run->history;
    const uint64_t first = h->moment_count ? h->moments[0].packet : 0;
    const uint64_t last = h->moment_count ? h->moments[h->moment_count - 1].packet : 0;
    const double rate = row->typical * f->longer / (double)(last - first + 1);
    double sum = 0, greatest = 0;
    uint64_t before = first, begin = first, found = 0;
    for (size_t i = 0; i < h->told_count; i++) {
        const struct roxi_told *told = &h->told[i];
        if (roxi_called_find(f->called, told->role, told->stack) != row)
            continue;
        sum -= rate * (double)(told->packet - before);
        if (sum <= 0) {
            sum = 0;
            begin = told->packet;
        }
        sum += (double)told->count;
        before = told->packet;
        if (sum > greatest) {
            greatest = sum;
            found = begin;
        }
    }
    return found;
}

static int look_at_role(struct roxi_finder *f, size_t from, size_t to, double *work)
{
    const struct roxi_called_table *t = f->called;
    const struct roxi_called_row *most = NULL;
    const double times = fmax(busier(t, from, to, work), f->longer);
    double best = 0;
    size_t like = 0;
    for (size_t i = from; i < to; i++) {
        size_t as_many;
        const double evidence = evidence_of(t, &t->rows[i], times, work, &as_many);
        if (evidence > 0 && (!most || growth(&t->rows[i], times) > growth(most, times))) {
            most = &t->rows[i];
            best = evidence;
            like = as_many;
        }
    }
    if (!most)
        return 0;
    struct roxi_finding x = roxi_called_finding(most, ROXI_ABOUT_OFTEN);
    x.packet = moment(f, most);
    x.like = like;
    x.weight = best;
    return roxi_finder_add(f, &x) ? 0 : -1;
}

int roxi_produce_often(struct roxi_finder *f)
{
    const struct roxi_called_table *t = f->called;
    double *work = calloc(t->count + t->runs + 1, sizeof *work);
    int result = work ? 0 : -1;
    for (size_t from = 0, to; from < t->count && result == 0; from = to) {
        for (to = from; to < t->count && t->rows[to].role == t->rows[from].role; to++)
            ;
        result = look_at_role(f, from, to, work);
    }
    free(work);
    return result;
}
