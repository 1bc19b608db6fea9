/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/radix.h"
#include "roxi/rank/median.h"
#include "schema/base/grow.h"

/* How much slower a run was: the factor that this share of the common calls do not exceed, of those
 * that typically take so many packets. */
#define NOT_SLOWER 0.3
#define COMMON_PACKETS 4
/* At most so: what makes a run longer still is not the machine. */
#define SLOWEST 2

/* The resolution of what is one event, such as a longest stay, in that of other durations. */
#define OF_ONE_EVENT 2
/* Of exceptions: a class counts if at most one run of so many made one, and by how much. */
#define RARE 3.0
#define BY_RARITY 1.5

/* Of what one peer does beyond what is unusual of all together, so much counts. */
#define OF_ONE_PEER 0.3
#define AT_MOST 1.0 /* units of it */

/* What exceptions and rare code add at most, and as much as all else: by themselves they are not
 * worth a look. */
#define ALONE 0.5

const struct roxi_score_constants roxi_score_default = {
    .resolution = 4, .quiet = 0.6, .by_length = 3};

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
static void describe_first(struct roxi_model *m, uint32_t item, size_t count, size_t n)
{
    const double rarity = n ? log((double)n / (RARE * (count ? (double)count : 0.5))) : 0;
    m->unit[item] = roxi_scaled(1) / (1 + BY_RARITY * fmax(0, rarity));
}

static double length_of(const struct roxi_profiles *p, size_t run)
{
    const struct roxi_profile *x = &p->executions[run];
    return (double)roxi_participation_length(x->roles, x->role_count);
}

static double median_length(const struct roxi_profiles *p, const bool *of, double *work)
{
    size_t n = 0;
    for (size_t r = 0; r < p->count; r++)
        if (!of || of[r])
            work[n++] = length_of(p, r);
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
    struct roxi_model *m;
    const struct roxi_columns *columns;
    const bool *of;
    size_t n, telling; /* runs that count; those of them that tell first exceptions */
    double resolution;
    double *work, *sums; /* both by run; sums are 0 between two sets */
};

static double resolution_of(const struct describing *x, uint32_t item)
{
    const struct roxi_durations *d = x->m->durations;
    const bool one_event = roxi_durations_is_stay(d, item) ||
                           roxi_traits[roxi_durations_locus(d, d->locus_of[item]).kind].one_event;
    return one_event ? OF_ONE_EVENT * x->resolution : x->resolution;
}

static void describe_item(const struct describing *x, uint32_t item)
{
    const struct roxi_columns *c = x->columns;
    struct roxi_model *m = x->m;
    size_t count = 0, unknown = 0;
    for (size_t i = c->first[item]; i < c->first[item + 1]; i++) {
        if (x->of && !x->of[c->cells[i].run])
            continue;
        if (c->cells[i].packets)
            x->work[count++] = roxi_scaled(c->cells[i].packets);
        else
            unknown++;
    }
    if (roxi_durations_is_first(m->durations, item))
        describe_first(m, item, count, x->telling);
    else
        describe(x->work, count, x->n - unknown, resolution_of(x, item), &m->centre[item],
                 &m->unit[item]);
    if (m->centre[item] > 0)
        m->common[m->common_count++] = item;
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
    const struct roxi_together *together = x->m->together;
    const uint32_t *items = together->items + together->first[set];
    const size_t n = together->first[set + 1] - together->first[set];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        add_up(x, items[i]);
    for (size_t i = 0; i < n; i++)
        count = take_sums(x, items[i], count);
    describe(x->work, count, x->n, resolution_of(x, items[0]), &x->m->of_peers[set],
             &x->m->peers_unit[set]);
}

size_t roxi_reference_count(const bool *reference, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !reference || reference[i];
    return count;
}

/* -1: memory ran out. */
static int describe_all(struct roxi_model *m, const struct roxi_columns *c, const bool *of,
                        double resolution)
{
    const struct roxi_profiles *p = m->durations->profiles;
    const struct describing x = {.m = m,
                                 .columns = c,
                                 .of = of,
                                 .n = roxi_reference_count(of, p->count),
                                 .telling = count_telling(p, of),
                                 .resolution = resolution,
                                 .work = calloc(p->count + 1, sizeof *x.work),
                                 .sums = calloc(p->count + 1, sizeof *x.sums)};
    const bool room = x.work && x.sums;
    for (uint32_t item = 0; room && item < m->durations->items.n; item++)
        describe_item(&x, item);
    for (size_t set = 0; room && m->together && set < m->together->count; set++)
        describe_set(&x, set);
    if (room)
        m->length = median_length(p, of, x.work);
    free(x.work);
    free(x.sums);
    return room ? 0 : -1;
}

/* ---- how far from it ---- */

void roxi_departures_free(struct roxi_departures *s)
{
    free(s->list);
    free(s->work);
    free(s->at);
    free(s->sums);
    free(s->ratios);
    *s = (struct roxi_departures){0};
}

/* What durations are divided by, on their scale, to explain a longer run: 1 or more. */
struct slower {
    double lasted; /* how much longer it lasted */
    double was;    /* how much slower it was; at most that, and SLOWEST */
};

static double distance(double x, double slower, double centre, double unit)
{
    return fmin(fabs(x - centre), fabs(x / slower - centre)) / unit;
}

static double distance_of(const struct roxi_departures *s, const struct roxi_model *m,
                          uint32_t item, double x, double slower)
{
    const double own = distance(x, slower, m->centre[item], m->unit[item]);
    const uint32_t set = m->together ? m->together->of[item] : ROXI_NONE;
    if (set == ROXI_NONE)
        return own;
    const double all =
        distance(roxi_scaled(s->sums[set]), slower, m->of_peers[set], m->peers_unit[set]);
    return all < own ? all + fmin(OF_ONE_PEER * (own - all), AT_MOST) : own;
}

/* Of some only more than typical counts (model.h). */
static bool counts(const struct roxi_durations *d, uint32_t item, double x, double centre)
{
    const enum roxi_duration_kind kind = roxi_durations_locus(d, d->locus_of[item]).kind;
    if (x > centre)
        return kind != ROXI_TURNS || centre > 0;
    return !roxi_traits[kind].only_more && !roxi_durations_is_stay(d, item);
}

/* Is it of what happens in few runs, each time for another reason: exceptions, or code that is
 * executed? */
static bool is_rare_event(const struct roxi_durations *d, uint32_t locus)
{
    const enum roxi_duration_kind kind = roxi_durations_locus(d, locus).kind;
    return kind == ROXI_FIRSTS || kind == ROXI_COVERED;
}

static bool is_call(const struct roxi_durations *d, uint32_t item)
{
    return roxi_durations_locus(d, d->locus_of[item]).kind == ROXI_IN_CALL &&
           !roxi_durations_is_stay(d, item);
}

static int take(struct roxi_departures *s, const struct roxi_model *m, uint32_t item, double x,
                struct slower slower)
{
    const uint32_t locus = m->durations->locus_of[item];
    if (is_rare_event(m->durations, locus)) /* no slower machine makes more of them */
        slower = (struct slower){1, 1};
    const double z = distance_of(s, m, item, x, slower.lasted);
    const double counted = is_call(m->durations, item) ? distance_of(s, m, item, x, slower.was) : z;
    if (counted <= 1 || !counts(m->durations, item, x, m->centre[item]))
        return 0;
    if (!s->at[locus]) {
        struct roxi_departure *list = ix_grow(s->list, &s->cap, s->count + 1, sizeof *list);
        if (!list)
            return -1;
        s->list = list;
        list[s->count++] =
            (struct roxi_departure){.locus = locus, .item = item, .z = z, .counted = counted};
        s->at[locus] = (uint32_t)s->count;
        return 0;
    }
    struct roxi_departure *d = &s->list[s->at[locus] - 1];
    d->counted = fmax(d->counted, counted);
    if (z > d->z) {
        d->z = z;
        d->item = item;
    }
    return 0;
}

static int make_room(struct roxi_departures *s, const struct roxi_model *m)
{
    if (!s->at)
        s->at = calloc(m->durations->loci.n + 1, sizeof *s->at);
    if (m->together && !s->sums)
        s->sums = calloc(m->together->count + 1, sizeof *s->sums);
    return s->at && (s->sums || !m->together) ? 0 : -1;
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

static int take_all(struct roxi_departures *s, const struct roxi_model *m,
                    const struct roxi_duration *run, size_t count, struct slower slower)
{
    size_t i = 0, k = 0;
    int result = 0;
    while (result == 0 && (i < count || k < m->common_count)) {
        if (i < count && (k == m->common_count || run[i].item <= m->common[k])) {
            k += k < m->common_count && run[i].item == m->common[k];
            if (run[i].packets)
                result = take(s, m, run[i].item, roxi_scaled(run[i].packets), slower);
            i++;
        } else {
            result = take(s, m, m->common[k++], 0, slower);
        }
    }
    return result;
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

double roxi_model_longer(const struct roxi_model *m, size_t run)
{
    return m->length > 0 ? length_of(m->durations->profiles, run) / m->length : 1;
}

/* -1: memory ran out. */
static int find_slower(struct roxi_departures *work, const struct roxi_model *m, size_t run,
                       const struct roxi_duration *durations, size_t count, struct slower *out)
{
    const double lasted = sqrt(fmax(1, roxi_model_longer(m, run)));
    size_t n = 0, i = 0;
    const double slowest = fmin(lasted, sqrt(SLOWEST));
    *out = (struct slower){lasted, slowest};
    if (lasted <= 1)
        return 0;
    double *ratios = ix_grow(work->ratios, &work->ratio_cap, m->common_count + 1, sizeof *ratios);
    if (!ratios)
        return -1;
    work->ratios = ratios;
    for (size_t k = 0; k < m->common_count; k++) {
        const uint32_t item = m->common[k];
        while (i < count && durations[i].item < item)
            i++;
        if (m->centre[item] >= roxi_scaled(COMMON_PACKETS) && is_call(m->durations, item))
            ratios[n++] = i < count && durations[i].item == item
                              ? roxi_scaled(durations[i].packets) / m->centre[item]
                              : 0;
    }
    if (n)
        out->was =
            fmax(1, fmin(slowest, roxi_nth(ratios, n, (size_t)(NOT_SLOWER * (double)(n - 1)))));
    return 0;
}

/* As roxi_model_find, but without evidence. */
static int find_distances(struct roxi_departures *found, const struct roxi_model *m, size_t run,
                          const struct roxi_duration *durations, size_t count)
{
    struct slower slower;
    found->count = 0;
    if (make_room(found, m) != 0 || find_slower(found, m, run, durations, count, &slower) != 0)
        return -1;
    if (m->together)
        add_peers(found, m->together, durations, count);
    const int result = take_all(found, m, durations, count, slower);
    if (m->together)
        forget_peers(found, m->together, durations, count);
    for (size_t i = 0; i < found->count; i++)
        found->at[found->list[i].locus] = 0;
    return result == 0 ? sort(found) : -1;
}

/* ---- what is usual ---- */

/* Of each locus the distance that only `above` of the runs exceed; the list has those above 1. */
static int set_usual(struct roxi_model *m, const struct roxi_departure *list, size_t count,
                     size_t loci, size_t above)
{
    size_t *end = calloc(loci + 1, sizeof *end); /* by locus: where its distances end */
    double *z = calloc(count + 1, sizeof *z);
    for (size_t i = 0; end && i < count; i++)
        end[list[i].locus + 1]++;
    for (size_t l = 1; end && l <= loci; l++)
        end[l] += end[l - 1];
    for (size_t i = 0; end && z && i < count; i++)
        z[end[list[i].locus]++] = list[i].counted;
    for (size_t l = 0, from = 0; end && z && l < loci; from = end[l++]) {
        const size_t n = end[l] - from;
        m->usual[l] = n > above ? roxi_nth(z + from, n, n - 1 - above) : 1;
    }
    const int result = end && z ? 0 : -1;
    free(end);
    free(z);
    return result;
}

static int learn_usual(struct roxi_model *m, const bool *of, double quiet,
                       struct roxi_departures *one)
{
    const struct roxi_durations *d = m->durations;
    struct roxi_departure *all = NULL;
    size_t count = 0, cap = 0, n = 0, durations;
    int result = 0;
    for (size_t r = 0; r < d->profiles->count && result == 0; r++) {
        if (of && !of[r])
            continue;
        const struct roxi_duration *run = roxi_durations_run(d, r, &durations);
        n++;
        result = find_distances(one, m, r, run, durations);
        struct roxi_departure *more =
            result == 0 ? ix_grow(all, &cap, count + one->count + 1, sizeof *all) : NULL;
        if (!more) {
            result = -1;
            break;
        }
        all = more;
        if (one->count)
            memcpy(all + count, one->list, one->count * sizeof *all);
        count += one->count;
    }
    if (result == 0)
        result = set_usual(m, all, count, d->loci.n, (size_t)floor((1 - quiet) * (double)n + 1e-9));
    free(all);
    return result;
}

int roxi_model_make(struct roxi_model *m, const struct roxi_durations *d,
                    const struct roxi_columns *c, const struct roxi_together *together,
                    const bool *of, const struct roxi_score_constants *constants,
                    struct roxi_departures *work)
{
    const size_t items = d->items.n, sets = together ? together->count : 0;
    *m = (struct roxi_model){.durations = d,
                             .together = together,
                             .centre = calloc(items + 1, sizeof *m->centre),
                             .unit = calloc(items + 1, sizeof *m->unit),
                             .of_peers = calloc(sets + 1, sizeof *m->of_peers),
                             .peers_unit = calloc(sets + 1, sizeof *m->peers_unit),
                             .common = calloc(items + 1, sizeof *m->common),
                             .usual = calloc(d->loci.n + 1, sizeof *m->usual)};
    const bool room = m->centre && m->unit && m->of_peers && m->peers_unit && m->common && m->usual;
    if (room && !roxi_interrupted() && describe_all(m, c, of, constants->resolution) == 0 &&
        learn_usual(m, of, constants->quiet, work) == 0)
        return 0;
    roxi_model_free(m);
    return -1;
}

void roxi_model_free(struct roxi_model *m)
{
    free(m->centre);
    free(m->unit);
    free(m->of_peers);
    free(m->peers_unit);
    free(m->common);
    free(m->usual);
    *m = (struct roxi_model){0};
}

/* ---- evidence ---- */

static double excess_evidence(const struct roxi_model *m, const struct roxi_departure *x, double z)
{
    return roxi_excess_evidence(z / m->usual[x->locus] - 1);
}

/* If a run has a score because it lasted longer, and nothing else tells why, all that lasted longer
 * does. */
static void tell_anything(struct roxi_departures *found, const struct roxi_model *m)
{
    double told = 0;
    for (size_t i = 0; i < found->count; i++)
        told += found->list[i].evidence;
    for (size_t i = 0; i < found->count && !(told > 0); i++)
        found->list[i].evidence = excess_evidence(m, &found->list[i], found->list[i].counted);
}

/* The evidence of each distance, and the score. */
static void weigh(struct roxi_departures *found, const struct roxi_model *m)
{
    double rare = 0;
    found->sum = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct roxi_departure *x = &found->list[i];
        x->evidence = excess_evidence(m, x, x->z);
        if (is_rare_event(m->durations, x->locus))
            rare += x->evidence;
        else
            found->sum += excess_evidence(m, x, x->counted);
    }
    const double counts = fmin(rare, ALONE + found->sum);
    for (size_t i = 0; i < found->count; i++)
        if (is_rare_event(m->durations, found->list[i].locus) && rare > 0)
            found->list[i].evidence *= counts / rare;
    found->sum += counts;
    tell_anything(found, m);
}

int roxi_model_find(struct roxi_departures *found, const struct roxi_model *m, size_t run,
                    const struct roxi_duration *durations, size_t count)
{
    if (find_distances(found, m, run, durations, count) != 0)
        return -1;
    weigh(found, m);
    return 0;
}

int roxi_model_score(const struct roxi_model *m, size_t run, struct roxi_departures *work,
                     double *score)
{
    size_t count;
    const struct roxi_duration *durations = roxi_durations_run(m->durations, run, &count);
    if (roxi_model_find(work, m, run, durations, count) != 0)
        return -1;
    *score = work->sum;
    return 0;
}
