/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/likeness.h"

#include <math.h>
#include <stdlib.h>

/* A place in which more than one of so many runs that passed departs says nothing of a failure. */
enum { COMMON = 10 };

struct likeness {
    const struct roxi_ranking *ranking;
    bool *
        common; /* by place: too many of the runs that passed depart there; owned, as is the rest */
    double *at; /* by locus: what the run at hand has there, but for common places */
};

/* All exceptions have one locus, so theirs are the places of their classes. */
static size_t place_of(const struct roxi_ranking *r, const struct roxi_part *part)
{
    return roxi_durations_is_first(r->durations, part->item) ? r->durations->loci.n + part->item
                                                             : part->locus;
}

/* -1: memory ran out. */
static int find_common(struct likeness *l, const bool *passed)
{
    const struct roxi_ranking *r = l->ranking;
    const size_t places = r->durations->loci.n + r->durations->items.n;
    size_t *runs = calloc(places + 1, sizeof *runs), n = 0;
    l->common = calloc(places + 1, sizeof *l->common);
    if (!runs || !l->common) {
        free(runs);
        return -1;
    }
    for (size_t i = 0; i < r->n; i++) {
        n += passed[i];
        for (size_t k = r->first[i]; passed[i] && k < r->first[i + 1]; k++)
            runs[place_of(r, &r->parts[k])]++;
    }
    for (size_t i = 0; i < places; i++)
        l->common[i] = runs[i] > 1 && COMMON * runs[i] > n;
    free(runs);
    return 0;
}

/* Scatters the parts of a run over the places, or clears them there. */
static void scatter(struct likeness *l, size_t run, bool clear)
{
    const struct roxi_ranking *r = l->ranking;
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++) {
        const struct roxi_part *part = &r->parts[i];
        l->at[part->locus] = clear || l->common[place_of(r, part)] ? 0 : part->part;
    }
}

static double length(const struct roxi_ranking *r, size_t run)
{
    double sum = 0;
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        sum += r->parts[i].part * r->parts[i].part;
    return sqrt(sum);
}

/* Exceptions of one class are alike. */
static bool is_another_class(const struct roxi_ranking *r, size_t run, const struct roxi_part *part)
{
    if (!roxi_durations_is_first(r->durations, part->item))
        return false;
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        if (r->parts[i].item == part->item)
            return false;
    return true;
}

/* Of the run that is scattered, and another one. */
static double product(const struct likeness *l, size_t run, size_t other)
{
    const struct roxi_ranking *r = l->ranking;
    double sum = 0;
    for (size_t i = r->first[other]; i < r->first[other + 1]; i++)
        if (!is_another_class(r, run, &r->parts[i]))
            sum += l->at[r->parts[i].locus] * r->parts[i].part;
    return sum;
}

static long most_like(const struct likeness *l, size_t run, const bool *failed)
{
    const struct roxi_ranking *r = l->ranking;
    double most = ROXI_ALIKE * length(r, run);
    long like = ROXI_NOT_LIKE;
    for (size_t f = 0; f < r->n; f++) {
        const double alike = failed[f] && r->score[f] > 0 ? product(l, run, f) / length(r, f) : 0;
        if (alike > most) {
            most = alike;
            like = (long)f;
        }
    }
    return like;
}

long *roxi_likeness(const struct roxi_ranking *r, const bool *passed, const bool *failed)
{
    struct likeness l = {.ranking = r, .at = calloc(r->durations->loci.n + 1, sizeof *l.at)};
    long *like = l.at && find_common(&l, passed) == 0 ? calloc(r->n + 1, sizeof *like) : NULL;
    for (size_t i = 0; like && i < r->n; i++) {
        like[i] = ROXI_NOT_LIKE;
        if (!passed[i] || r->score[i] <= ROXI_WORTH_A_LOOK)
            continue;
        scatter(&l, i, false);
        like[i] = most_like(&l, i, failed);
        scatter(&l, i, true);
    }
    free(l.common);
    free(l.at);
    return like;
}
