/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/align.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/rank/median.h"
#include "roxi/rank/peers.h"
#include "schema/base/grow.h"

enum { TRIED = 100 }; /* runs, at least, spread evenly, on which it is tried first */
/* It helps if it leaves less of the median score. */
#define HELPS 0.7

/* Members that are peers of each other. */
struct group {
    uint32_t members[ROXI_PEERS_MOST];
    size_t count;
};

struct aligning {
    struct roxi_durations *d;
    const struct roxi_columns *before, *columns; /* of the names before, and now */
    struct roxi_columns changed;                 /* those now, if they differ */
    const struct roxi_score_constants *constants;
    struct roxi_role_swaps swaps; /* owned, as is the rest */
    struct group *groups;
    size_t group_count, group_cap;
    uint32_t *as;    /* by member: the one by whose name it goes */
    uint32_t *place; /* by member: its number in the group at hand + 1, or 0 */
    bool *tried;     /* by run: those that are aligned; NULL: all */
    struct roxi_departures departures;
};

/* By member of a group and the one by whose name it goes: what it adds to the score then. */
typedef double costs[ROXI_PEERS_MOST][ROXI_PEERS_MOST];

int roxi_role_swaps_add(struct roxi_role_swaps *s, const struct roxi_role_swap *swap)
{
    return ix_append(s->list, s->count, s->cap, *swap);
}

double roxi_median_score(const double *score, size_t n, const bool *reference)
{
    double *work = calloc(n + 1, sizeof *work);
    size_t count = 0;
    for (size_t i = 0; work && i < n; i++)
        if (!reference || reference[i])
            work[count++] = score[i];
    const double median = work ? roxi_median(work, count, count) : -1;
    free(work);
    return median;
}

/* ---- groups ---- */

/* The peers of a member, and itself, if it is the first of them; count 0: it is not, or there are
 * too many. */
static struct group group_of(const struct roxi_durations *d, uint32_t member)
{
    struct group g = {.members = {member}, .count = 1};
    for (uint32_t other = 0; other < d->members.n; other++) {
        if (other == member || !roxi_are_peers(d, member, other))
            continue;
        if (other < member || g.count == ROXI_PEERS_MOST)
            return (struct group){.count = 0};
        g.members[g.count++] = other;
    }
    return g;
}

static int find_groups(struct aligning *a)
{
    for (uint32_t member = 0; member < a->d->members.n; member++) {
        const struct group g = group_of(a->d, member);
        if (g.count < 2)
            continue;
        struct group *groups =
            ix_grow(a->groups, &a->group_cap, a->group_count + 1, sizeof *groups);
        if (!groups)
            return -1;
        a->groups = groups;
        groups[a->group_count++] = g;
    }
    return 0;
}

/* ---- one run ---- */

/* Every member goes by the name of the one that is `shift` places behind it: all costs of a group
 * follow from as many comparisons as it has members. */
static int add_costs(struct aligning *a, const struct roxi_model *m, size_t run,
                     const struct group *g, size_t shift, costs cost)
{
    size_t count;
    const struct roxi_duration *named = roxi_durations_run(a->d, run, &count);
    for (size_t i = 0; i < g->count; i++)
        a->as[g->members[i]] = g->members[(i + shift) % g->count];
    struct roxi_duration *renamed = roxi_role_renamed(a->d, named, count, a->as);
    for (size_t i = 0; i < g->count; i++)
        a->as[g->members[i]] = g->members[i];
    const int result = renamed ? roxi_model_find(&a->departures, m, run, renamed, count) : -1;
    for (size_t i = 0; result == 0 && i < a->departures.count; i++) {
        const struct roxi_departure *x = &a->departures.list[i];
        const uint32_t place = a->place[roxi_durations_locus(a->d, x->locus).member];
        if (place)
            cost[(place - 1 + g->count - shift) % g->count][place - 1] += x->evidence;
    }
    free(renamed);
    return result;
}

/* The two members that gain most by going by each other's name, places[i] being the one by whose
 * name member i goes. False: no two gain enough. */
static bool best_pair(costs cost, const size_t *places, size_t n, double swap, size_t *a, size_t *b)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            const double now = cost[i][places[i]] + cost[k][places[k]];
            const double then = cost[i][places[k]] + cost[k][places[i]];
            if (then < swap * now && now - then > most) {
                most = now - then;
                *a = i;
                *b = k;
            }
        }
    }
    return most > 0;
}

/* Exchanges two names in a->d->all. */
static int exchange(struct aligning *a, size_t run, uint32_t x, uint32_t y)
{
    size_t count;
    const struct roxi_duration *named = roxi_durations_run(a->d, run, &count);
    struct roxi_duration *swapped = roxi_role_swapped(a->d, named, count, x, y);
    if (!swapped)
        return -1;
    memcpy(a->d->all + a->d->first[run], swapped, count * sizeof *swapped);
    free(swapped);
    return roxi_role_swaps_add(&a->swaps, &(struct roxi_role_swap){run, x, y, true});
}

static int align_group(struct aligning *a, const struct roxi_model *m, size_t run,
                       const struct group *g)
{
    costs cost = {{0}};
    size_t places[ROXI_PEERS_MOST], x, y;
    int result = 0;
    for (size_t i = 0; i < g->count; i++) {
        places[i] = i;
        a->place[g->members[i]] = (uint32_t)i + 1;
    }
    for (size_t shift = 0; result == 0 && shift < g->count; shift++)
        result = add_costs(a, m, run, g, shift, cost);
    while (result == 0 && best_pair(cost, places, g->count, a->constants->swap, &x, &y)) {
        result = exchange(a, run, g->members[places[x]], g->members[places[y]]);
        const size_t was = places[x];
        places[x] = places[y];
        places[y] = was;
    }
    for (size_t i = 0; i < g->count; i++)
        a->place[g->members[i]] = 0;
    return result;
}

/* ---- all runs ---- */

static int align_to(struct aligning *a, const struct roxi_model *m)
{
    int result = 0;
    for (size_t run = 0; result == 0 && run < a->d->profiles->count; run++)
        for (size_t g = 0; result == 0 && g < a->group_count && (!a->tried || a->tried[run]); g++)
            result = align_group(a, m, run, &a->groups[g]);
    roxi_columns_free(&a->changed);
    a->columns = &a->changed;
    return result == 0 ? roxi_columns_make(&a->changed, a->d) : -1;
}

static double score_runs(struct aligning *a, const struct roxi_model *m, const bool *reference)
{
    const size_t n = a->d->profiles->count;
    double *score = calloc(n + 1, sizeof *score), median = -1;
    size_t run = 0;
    for (; score && run < n; run++)
        if ((!reference || reference[run]) &&
            roxi_model_score(m, run, &a->departures, &score[run]) != 0)
            break;
    if (score && run == n)
        median = roxi_median_score(score, n, reference);
    free(score);
    return median;
}

/* As the runs are compared then: peers together, too. -1: memory ran out, or it was interrupted. */
static double median_aligned(struct aligning *a, const bool *reference)
{
    struct roxi_together together;
    struct roxi_model m;
    double median = -1;
    if (roxi_together_make(&together, a->d) != 0)
        return -1;
    if (roxi_model_make(&m, a->d, a->columns, &together, reference, a->constants, &a->departures) ==
        0) {
        median = score_runs(a, &m, reference);
        roxi_model_free(&m);
    }
    roxi_together_free(&together);
    return median;
}

/* Sets *median to that of the runs' scores afterwards. */
static int align_runs(struct aligning *a, const bool *reference, size_t nearest, double *median)
{
    struct roxi_model m = {0};
    bool *only = calloc(a->d->profiles->count + 1, sizeof *only);
    int result = -1;
    if (only) {
        only[nearest] = true;
        result = roxi_model_make(&m, a->d, a->columns, NULL, only, a->constants, &a->departures);
    }
    free(only);
    if (result == 0)
        result = align_to(a, &m);
    roxi_model_free(&m);
    if (result == 0)
        *median = median_aligned(a, reference);
    return result == 0 && *median >= 0 ? 0 : -1;
}

static size_t least(const double *score, size_t n, const bool *reference)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if ((!reference || reference[i]) && (best == n || score[i] < score[best]))
            best = i;
    return best;
}

/* Takes back what was done since the durations were these. */
static void restore(struct aligning *a, const struct roxi_duration *named)
{
    memcpy(a->d->all, named, a->d->first[a->d->profiles->count] * sizeof *named);
    a->swaps.count = 0;
    roxi_columns_free(&a->changed);
    a->columns = a->before;
}

/* Aligns, and takes it back if it does not help, or is only tried. 1: it helps. */
static int try_it(struct aligning *a, const bool *reference, const double *score)
{
    const size_t n = a->d->profiles->count, total = a->d->first[n];
    const double median = roxi_median_score(score, n, reference);
    struct roxi_duration *named = median < 0 ? NULL : calloc(total + 1, sizeof *named);
    double aligned = 0;
    if (!named)
        return -1;
    memcpy(named, a->d->all, total * sizeof *named);
    const int result = align_runs(a, reference, least(score, n, reference), &aligned);
    const bool helps = result == 0 && aligned < HELPS * median;
    if (result == 0 && (!helps || a->tried))
        restore(a, named);
    free(named);
    return result == 0 && helps ? 1 : result;
}

/* Tries it on a part of many runs first, because it takes several times as long as all else. */
static int try_on_part(struct aligning *a, const bool *reference, const double *score)
{
    const size_t n = a->d->profiles->count, of = roxi_reference_count(reference, n);
    size_t counted = 0;
    if (of < 2 * TRIED)
        return 1;
    a->tried = calloc(n + 1, sizeof *a->tried);
    for (size_t i = 0; a->tried && i < n; i++)
        if (!reference || reference[i])
            a->tried[i] = counted++ % (of / TRIED) == 0;
    const int result = a->tried ? try_it(a, a->tried, score) : -1;
    free(a->tried);
    a->tried = NULL;
    return result;
}

int roxi_align(struct roxi_durations *d, struct roxi_columns *columns, const bool *reference,
               const struct roxi_score_constants *constants, const double *score, double median,
               struct roxi_role_swaps *swaps)
{
    struct aligning a = {.d = d, .before = columns, .columns = columns, .constants = constants};
    /* Where the median run is not worth a look, runs agree on who does what. */
    int result = median > ROXI_WORTH_A_LOOK ? find_groups(&a) : 0;
    if (result == 0 && a.group_count) {
        a.as = calloc(d->members.n + 1, sizeof *a.as);
        a.place = calloc(d->members.n + 1, sizeof *a.place);
        for (uint32_t i = 0; a.as && i < d->members.n; i++)
            a.as[i] = i;
        result = a.as && a.place ? try_on_part(&a, reference, score) : -1;
        if (result == 1)
            result = try_it(&a, reference, score);
    }
    if (result == 1) {
        *swaps = a.swaps;
        roxi_columns_free(columns);
        *columns = a.changed;
    } else {
        free(a.swaps.list);
        roxi_columns_free(&a.changed);
    }
    free(a.groups);
    free(a.as);
    free(a.place);
    roxi_departures_free(&a.departures);
    return result;
}
