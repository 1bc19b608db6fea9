/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/typical.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/base/radix.h"
#include "roxi/rank/median.h"
#include "schema/base/grow.h"

/* The resolution of a longest stay, in that of other durations. */
#define OF_STAYS 2
/* Of exceptions: a class counts if at most one run of so many made one, and by how much. */
#define RARE 3.0
#define BY_RARITY 1.5

/* Of what one peer does beyond what is unusual of all together, so much counts. */
#define OF_ONE_PEER 0.3
#define AT_MOST 1.0 /* units of it */

/* ---- by item ---- */

int roxi_columns_make(struct roxi_columns *c, const struct roxi_durations *d)
{
    const size_t runs = d->profiles->count, n = d->first[runs], items = d->items.n;
    *c = (struct roxi_columns){.first = calloc(items + 2, sizeof *c->first),
                               .cells = calloc(n + 1, sizeof *c->cells)};
    if (!c->first || !c->cells) {
        roxi_columns_free(c);
        return -1;
    }
    /* first[i + 2] counts item i; then first[i + 1] is where its next one goes. */
    for (size_t i = 0; i < n; i++)
        c->first[(size_t)d->all[i].item + 2]++;
    for (size_t i = 2; i < items + 2; i++)
        c->first[i] += c->first[i - 1];
    for (size_t r = 0; r < runs; r++) {
        for (size_t i = d->first[r]; i < d->first[r + 1]; i++)
            c->cells[c->first[(size_t)d->all[i].item + 1]++] =
                (struct roxi_cell){(uint32_t)r, d->all[i].packets};
    }
    return 0;
}

void roxi_columns_free(struct roxi_columns *c)
{
    free(c->first);
    free(c->cells);
    *c = (struct roxi_columns){0};
}

/* ---- typical ---- */

/* Centre and unit of n runs, of which `count` have the values given, and the others 0. `work` has
 * room for n. */
static void describe(double *work, size_t count, size_t n, double resolution, double *centre,
                     double *unit)
{
    *centre = roxi_median(work, count, n);
    *unit = roxi_deviation(work, count, n, *centre) + resolution;
}

/* Of n runs that tell, count have made an exception of the class. That of a run that is not one of
 * them counts as half of one more. */
static void describe_first(struct roxi_typical *t, uint32_t item, size_t count, size_t n)
{
    const double rarity = n ? log((double)n / (RARE * (count ? (double)count : 0.5))) : 0;
    t->unit[item] = roxi_scaled(1) / (1 + BY_RARITY * fmax(0, rarity));
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

/* What describes all items. */
struct describing {
    struct roxi_typical *t;
    const struct roxi_columns *columns;
    const bool *of;
    size_t n, telling; /* runs that count; those of them that tell first exceptions */
    double resolution;
    double *work, *sums; /* both by run; sums are 0 between two sets */
};

static double resolution_of(const struct describing *x, uint32_t item)
{
    return roxi_durations_is_stay(x->t->durations, item) ? OF_STAYS * x->resolution : x->resolution;
}

static void describe_item(const struct describing *x, uint32_t item)
{
    const struct roxi_columns *c = x->columns;
    struct roxi_typical *t = x->t;
    size_t count = 0, unknown = 0;
    for (size_t i = c->first[item]; i < c->first[item + 1]; i++) {
        if (x->of && !x->of[c->cells[i].run])
            continue;
        if (c->cells[i].packets)
            x->work[count++] = roxi_scaled(c->cells[i].packets);
        else
            unknown++;
    }
    if (roxi_durations_is_first(t->durations, item))
        describe_first(t, item, count, x->telling);
    else
        describe(x->work, count, x->n - unknown, resolution_of(x, item), &t->centre[item],
                 &t->unit[item]);
    if (t->centre[item] > 0)
        t->common[t->common_count++] = item;
}

static void add_up(const struct describing *x, uint32_t item)
{
    const struct roxi_columns *c = x->columns;
    for (size_t i = c->first[item]; i < c->first[item + 1]; i++)
        x->sums[c->cells[i].run] += c->cells[i].packets;
}

/* Moves the sums of an item's runs to `work`, which has `count` of them; returns how many then. */
static size_t take_sums(const struct describing *x, uint32_t item, size_t count)
{
    const struct roxi_columns *c = x->columns;
    for (size_t i = c->first[item]; i < c->first[item + 1]; i++) {
        double *sum = &x->sums[c->cells[i].run];
        if (*sum > 0 && (!x->of || x->of[c->cells[i].run]))
            x->work[count++] = roxi_scaled(*sum);
        *sum = 0;
    }
    return count;
}

static void describe_set(const struct describing *x, size_t set)
{
    const struct roxi_together *together = x->t->together;
    const uint32_t *items = together->items + together->first[set];
    const size_t n = together->first[set + 1] - together->first[set];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        add_up(x, items[i]);
    for (size_t i = 0; i < n; i++)
        count = take_sums(x, items[i], count);
    describe(x->work, count, x->n, resolution_of(x, items[0]), &x->t->of_peers[set],
             &x->t->peers_unit[set]);
}

size_t roxi_reference_count(const bool *reference, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !reference || reference[i];
    return count;
}

int roxi_typical_make(struct roxi_typical *t, const struct roxi_durations *d,
                      const struct roxi_columns *c, const struct roxi_together *together,
                      const bool *of, double resolution)
{
    const size_t items = d->items.n, runs = d->profiles->count;
    const size_t sets = together ? together->count : 0;
    *t = (struct roxi_typical){.durations = d,
                               .together = together,
                               .centre = calloc(items + 1, sizeof *t->centre),
                               .unit = calloc(items + 1, sizeof *t->unit),
                               .of_peers = calloc(sets + 1, sizeof *t->of_peers),
                               .peers_unit = calloc(sets + 1, sizeof *t->peers_unit),
                               .common = calloc(items + 1, sizeof *t->common)};
    const struct describing x = {.t = t,
                                 .columns = c,
                                 .of = of,
                                 .n = roxi_reference_count(of, runs),
                                 .telling = count_telling(d->profiles, of),
                                 .resolution = resolution,
                                 .work = calloc(runs + 1, sizeof *x.work),
                                 .sums = calloc(runs + 1, sizeof *x.sums)};
    const bool room =
        x.work && x.sums && t->centre && t->unit && t->of_peers && t->peers_unit && t->common;
    for (uint32_t item = 0; room && item < items; item++)
        describe_item(&x, item);
    for (size_t set = 0; room && set < sets; set++)
        describe_set(&x, set);
    if (room)
        t->length = median_length(d->profiles, of, x.work);
    free(x.work);
    free(x.sums);
    if (!room)
        roxi_typical_free(t);
    return room ? 0 : -1;
}

void roxi_typical_free(struct roxi_typical *t)
{
    free(t->centre);
    free(t->unit);
    free(t->of_peers);
    free(t->peers_unit);
    free(t->common);
    *t = (struct roxi_typical){0};
}

/* ---- how far from it ---- */

void roxi_departures_free(struct roxi_departures *s)
{
    free(s->list);
    free(s->work);
    free(s->at);
    free(s->sums);
    *s = (struct roxi_departures){0};
}

/* `slower`: what durations are divided by, on their scale, to explain a longer run; 1 or more. */
static double distance(double x, double slower, double centre, double unit)
{
    return fmin(fabs(x - centre), fabs(x / slower - centre)) / unit;
}

static double distance_of(const struct roxi_departures *s, const struct roxi_typical *t,
                          uint32_t item, double x, double slower)
{
    const double own = distance(x, slower, t->centre[item], t->unit[item]);
    const uint32_t set = t->together ? t->together->of[item] : ROXI_NONE;
    if (set == ROXI_NONE)
        return own;
    const double all =
        distance(roxi_scaled(s->sums[set]), slower, t->of_peers[set], t->peers_unit[set]);
    return all < own ? all + fmin(OF_ONE_PEER * (own - all), AT_MOST) : own;
}

/* Of some only more than typical counts (typical.h). */
static bool counts(const struct roxi_durations *d, uint32_t item, double x, double centre)
{
    const enum roxi_duration_kind kind = roxi_durations_locus(d, d->locus_of[item]).kind;
    if (x > centre)
        return kind != ROXI_TURNS || centre > 0;
    return !roxi_traits[kind].only_more && !roxi_durations_is_stay(d, item);
}

static int take(struct roxi_departures *s, const struct roxi_typical *t, uint32_t item, double x,
                double slower)
{
    const double centre = t->centre[item];
    const double z = distance_of(s, t, item, x, slower);
    const uint32_t locus = t->durations->locus_of[item];
    if (z <= 1 || !counts(t->durations, item, x, centre))
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

static int make_room(struct roxi_departures *s, const struct roxi_typical *t)
{
    if (!s->at)
        s->at = calloc(t->durations->loci.n + 1, sizeof *s->at);
    if (t->together && !s->sums)
        s->sums = calloc(t->together->count + 1, sizeof *s->sums);
    return s->at && (s->sums || !t->together) ? 0 : -1;
}

/* What the run's peers do together. */
static void add_peers(struct roxi_departures *s, const struct roxi_together *t,
                      const struct roxi_duration *run, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (t->of[run[i].item] != ROXI_NONE)
            s->sums[t->of[run[i].item]] += run[i].packets;
}

static void forget_peers(struct roxi_departures *s, const struct roxi_together *t,
                         const struct roxi_duration *run, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (t->of[run[i].item] != ROXI_NONE)
            s->sums[t->of[run[i].item]] = 0;
}

static int take_all(struct roxi_departures *s, const struct roxi_typical *t,
                    const struct roxi_duration *run, size_t count, double slower)
{
    size_t i = 0, k = 0;
    int result = 0;
    while (result == 0 && (i < count || k < t->common_count)) {
        if (i < count && (k == t->common_count || run[i].item <= t->common[k])) {
            k += k < t->common_count && run[i].item == t->common[k];
            if (run[i].packets)
                result = take(s, t, run[i].item, roxi_scaled(run[i].packets),
                              roxi_durations_is_first(t->durations, run[i].item) ? 1 : slower);
            i++;
        } else {
            result = take(s, t, t->common[k++], 0, slower);
        }
    }
    return result;
}

double roxi_typical_longer(const struct roxi_typical *t, uint64_t length)
{
    return t->length > 0 ? (double)length / t->length : 1;
}

static int sort(struct roxi_departures *s)
{
    struct roxi_departure *work = ix_grow(s->work, &s->work_cap, s->count + 1, sizeof *work);
    if (!work)
        return -1;
    s->work = work;
    roxi_sort_by_number(s->list, s->count, sizeof *s->list, work);
    return 0;
}

int roxi_departures_find(struct roxi_departures *s, const struct roxi_typical *t,
                         const struct roxi_duration *run, size_t count, uint64_t length)
{
    const double longer = roxi_typical_longer(t, length);
    s->count = 0;
    if (make_room(s, t) != 0)
        return -1;
    if (t->together)
        add_peers(s, t->together, run, count);
    const int result = take_all(s, t, run, count, longer > 1 ? sqrt(longer) : 1);
    if (t->together)
        forget_peers(s, t->together, run, count);
    for (size_t i = 0; i < s->count; i++)
        s->at[s->list[i].locus] = 0;
    return result == 0 ? sort(s) : -1;
}
