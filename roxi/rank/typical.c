/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/typical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/rank/median.h"
#include "schema/base/grow.h"

/* From a median absolute deviation to the standard deviation of normally distributed values. */
#define SIGMA_OF_MEDIAN 1.4826
/* The resolution of a longest stay, in that of other durations. */
#define OF_STAYS 2
/* Of exceptions: a class counts if at most one run of so many made one, and by how much. */
#define RARE 3.0
#define BY_RARITY 1.5

static double scaled(uint32_t packets)
{
    return 2 * sqrt((double)packets);
}

/* ---- by item ---- */

int roxi_columns_make(struct roxi_columns *c, const struct roxi_durations *d)
{
    const size_t runs = d->profiles->count, n = d->first[runs], items = d->items.n;
    *c = (struct roxi_columns){.first = calloc(items + 2, sizeof *c->first),
                               .run = calloc(n + 1, sizeof *c->run),
                               .packets = calloc(n + 1, sizeof *c->packets)};
    if (!c->first || !c->run || !c->packets) {
        roxi_columns_free(c);
        return -1;
    }
    /* first[i + 2] counts item i; then first[i + 1] is where its next one goes. */
    for (size_t i = 0; i < n; i++)
        c->first[(size_t)d->all[i].item + 2]++;
    for (size_t i = 2; i < items + 2; i++)
        c->first[i] += c->first[i - 1];
    for (size_t r = 0; r < runs; r++) {
        for (size_t i = d->first[r]; i < d->first[r + 1]; i++) {
            const size_t at = c->first[(size_t)d->all[i].item + 1]++;
            c->run[at] = (uint32_t)r;
            c->packets[at] = d->all[i].packets;
        }
    }
    return 0;
}

void roxi_columns_free(struct roxi_columns *c)
{
    free(c->first);
    free(c->run);
    free(c->packets);
    *c = (struct roxi_columns){0};
}

/* ---- typical ---- */

/* Centre and unit of an item: of n runs, of which `count` have the values given, and the others 0.
 * `work` has room for n. */
static void describe(struct roxi_typical *t, uint32_t item, double *work, size_t count, size_t n,
                     double resolution)
{
    const double centre = roxi_median(work, count, n);
    t->centre[item] = centre;
    if (centre > 0) {
        memset(work + count, 0, (n - count) * sizeof *work);
        for (size_t i = 0; i < n; i++)
            work[i] = fabs(work[i] - centre);
        count = n;
    }
    t->unit[item] = SIGMA_OF_MEDIAN * roxi_median(work, count, n) + resolution;
}

/* Of n runs that tell, count have made an exception of the class. That of a run that is not one of
 * them counts as half of one more. */
static void describe_first(struct roxi_typical *t, uint32_t item, size_t count, size_t n)
{
    const double rarity = n ? log((double)n / (RARE * (count ? (double)count : 0.5))) : 0;
    t->unit[item] = scaled(1) / (1 + BY_RARITY * fmax(0, rarity));
}

static double median_length(const struct roxi_profiles *p, const bool *of, double *work)
{
    size_t n = 0;
    for (size_t r = 0; r < p->count; r++) {
        const struct roxi_profile *x = &p->executions[r];
        if (!of || of[r])
            work[n++] = (double)roxi_participation_length(x->roles, x->role_count);
    }
    return roxi_median(work, n, n);
}

/* The runs whose logs have first exceptions. */
static size_t count_telling(const struct roxi_profiles *p, const bool *of)
{
    size_t n = 0;
    for (size_t r = 0; r < p->count; r++)
        n += (!of || of[r]) && p->executions[r].use.tells_firsts;
    return n;
}

int roxi_typical_make(struct roxi_typical *t, const struct roxi_durations *d,
                      const struct roxi_columns *c, const bool *of, double resolution)
{
    const size_t items = d->items.n, runs = d->profiles->count;
    const size_t telling = count_telling(d->profiles, of);
    size_t n = 0;
    for (size_t r = 0; r < runs; r++)
        n += !of || of[r];
    double *work = calloc(n + 1, sizeof *work);
    *t = (struct roxi_typical){.durations = d,
                               .centre = calloc(items + 1, sizeof *t->centre),
                               .unit = calloc(items + 1, sizeof *t->unit),
                               .common = calloc(items + 1, sizeof *t->common)};
    const bool room = work && t->centre && t->unit && t->common;
    for (uint32_t item = 0; room && item < items; item++) {
        size_t count = 0, unknown = 0;
        for (size_t i = c->first[item]; i < c->first[item + 1]; i++) {
            if (of && !of[c->run[i]])
                continue;
            if (c->packets[i])
                work[count++] = scaled(c->packets[i]);
            else
                unknown++;
        }
        if (roxi_durations_is_first(d, item))
            describe_first(t, item, count, telling);
        else
            describe(t, item, work, count, n - unknown,
                     roxi_durations_is_stay(d, item) ? OF_STAYS * resolution : resolution);
        if (t->centre[item] > 0)
            t->common[t->common_count++] = item;
    }
    if (room)
        t->length = median_length(d->profiles, of, work);
    free(work);
    if (!room)
        roxi_typical_free(t);
    return room ? 0 : -1;
}

void roxi_typical_free(struct roxi_typical *t)
{
    free(t->centre);
    free(t->unit);
    free(t->common);
    *t = (struct roxi_typical){0};
}

/* ---- how far from it ---- */

void roxi_departures_free(struct roxi_departures *s)
{
    free(s->list);
    free(s->at);
    *s = (struct roxi_departures){0};
}

/* `slower`: what durations are divided by, on their scale, to explain a longer run; 1 or more. */
static int take(struct roxi_departures *s, const struct roxi_typical *t, uint32_t item, double x,
                double slower)
{
    const double centre = t->centre[item];
    const double z = fmin(fabs(x - centre), fabs(x / slower - centre)) / t->unit[item];
    const uint32_t locus = t->durations->locus_of[item];
    if (z <= 1 || (x < centre && roxi_durations_is_stay(t->durations, item)))
        return 0;
    if (!s->at[locus]) {
        struct roxi_departure *list = ix_grow(s->list, &s->cap, s->count + 1, sizeof *list);
        if (!list)
            return -1;
        s->list = list;
        list[s->count++] = (struct roxi_departure){locus, item, z};
        s->at[locus] = (uint32_t)s->count;
    } else if (z > s->list[s->at[locus] - 1].z) {
        s->list[s->at[locus] - 1] = (struct roxi_departure){locus, item, z};
    }
    return 0;
}

static int by_locus(const void *a, const void *b)
{
    const struct roxi_departure *x = a, *y = b;
    return (x->locus > y->locus) - (x->locus < y->locus);
}

int roxi_departures_find(struct roxi_departures *s, const struct roxi_typical *t,
                         const struct roxi_duration *run, size_t count, uint64_t length)
{
    const double longer = t->length > 0 ? (double)length / t->length : 1;
    const double slower = longer > 1 ? sqrt(longer) : 1;
    size_t i = 0, k = 0;
    int result = 0;
    s->count = 0;
    if (!s->at && !(s->at = calloc(t->durations->loci.n + 1, sizeof *s->at)))
        return -1;
    while (result == 0 && (i < count || k < t->common_count)) {
        if (i < count && (k == t->common_count || run[i].item <= t->common[k])) {
            k += k < t->common_count && run[i].item == t->common[k];
            if (run[i].packets)
                result = take(s, t, run[i].item, scaled(run[i].packets),
                              roxi_durations_is_first(t->durations, run[i].item) ? 1 : slower);
            i++;
        } else {
            result = take(s, t, t->common[k++], 0, 1);
        }
    }
    for (i = 0; i < s->count; i++)
        s->at[s->list[i].locus] = 0;
    if (s->count)
        qsort(s->list, s->count, sizeof *s->list, by_locus);
    return result;
}
