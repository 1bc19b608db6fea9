/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/likeness.h"

#include <math.h>
#include <stdlib.h>

/* Scatters the parts of a run over `at`, by locus, or clears them there. */
static void scatter(const struct roxi_ranking *r, size_t run, double *at, bool clear)
{
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        at[r->parts[i].locus] = clear ? 0 : r->parts[i].part;
}

static double length(const struct roxi_ranking *r, size_t run)
{
    double sum = 0;
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        sum += r->parts[i].part * r->parts[i].part;
    return sqrt(sum);
}

/* All exceptions have one locus: those of one class are alike. */
static bool is_another_class(const struct roxi_ranking *r, size_t run, const struct roxi_part *part)
{
    if (!roxi_durations_is_first(r->durations, part->item))
        return false;
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        if (r->parts[i].item == part->item)
            return false;
    return true;
}

/* Of the run that is scattered over `at`, and another one. */
static double product(const struct roxi_ranking *r, size_t run, const double *at, size_t other)
{
    double sum = 0;
    for (size_t i = r->first[other]; i < r->first[other + 1]; i++)
        if (!is_another_class(r, run, &r->parts[i]))
            sum += at[r->parts[i].locus] * r->parts[i].part;
    return sum;
}

static long most_like(const struct roxi_ranking *r, size_t run, const bool *failed,
                      const double *at)
{
    double most = ROXI_ALIKE * length(r, run);
    long like = ROXI_NOT_LIKE;
    for (size_t f = 0; f < r->n; f++) {
        const double alike =
            failed[f] && r->score[f] > 0 ? product(r, run, at, f) / length(r, f) : 0;
        if (alike > most) {
            most = alike;
            like = (long)f;
        }
    }
    return like;
}

long *roxi_likeness(const struct roxi_ranking *r, const bool *passed, const bool *failed)
{
    long *like = calloc(r->n + 1, sizeof *like);
    double *at = calloc(r->durations->loci.n + 1, sizeof *at);
    for (size_t i = 0; like && at && i < r->n; i++) {
        like[i] = ROXI_NOT_LIKE;
        if (!passed[i] || r->score[i] <= ROXI_WORTH_A_LOOK)
            continue;
        scatter(r, i, at, false);
        like[i] = most_like(r, i, failed, at);
        scatter(r, i, at, true);
    }
    if (!at) {
        free(like);
        like = NULL;
    }
    free(at);
    return like;
}
