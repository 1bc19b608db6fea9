/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/interrupt.h"
#include "roxi/rank/median.h"
#include "schema/base/grow.h"

#define ALONE 0.5

const struct roxi_score_constants roxi_score_default = {
    .resolution = 4, .quiet = 0.6, .swap = 0.5, .by_length = 3};

static uint64_t length_of(const struct roxi_durations *d, size_t run)
{
    const struct roxi_profile *x = &d->profiles->executions[run];
    return roxi_participation_length(x->roles, x->role_count);
}

int roxi_model_find(struct roxi_departures *found, const struct roxi_model *m, size_t run,
                    const struct roxi_duration *durations, size_t count)
{
    return roxi_departures_find(found, &m->typical, durations, count,
                                length_of(m->typical.durations, run));
}

double roxi_model_longer(const struct roxi_model *m, size_t run)
{
    return roxi_typical_longer(&m->typical, length_of(m->typical.durations, run));
}

double roxi_model_evidence(const struct roxi_model *m, const struct roxi_departure *d)
{
    return roxi_excess_evidence(d->z / m->usual[d->locus] - 1);
}

double roxi_model_beside(double evidence, double others)
{
    return fmin(evidence, ALONE + others);
}

double roxi_model_sum(const struct roxi_model *m, const struct roxi_departures *d)
{
    double sum = 0, exceptions = 0;
    for (size_t i = 0; i < d->count; i++) {
        const bool first = roxi_durations_is_first(m->typical.durations, d->list[i].item);
        *(first ? &exceptions : &sum) += roxi_model_evidence(m, &d->list[i]);
    }
    return sum + roxi_model_beside(exceptions, sum);
}

int roxi_model_score(const struct roxi_model *m, size_t run, struct roxi_departures *work,
                     double *score)
{
    size_t count;
    const struct roxi_duration *durations = roxi_durations_run(m->typical.durations, run, &count);
    if (roxi_model_find(work, m, run, durations, count) != 0)
        return -1;
    *score = roxi_model_sum(m, work);
    return 0;
}

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
        z[end[list[i].locus]++] = list[i].z;
    for (size_t l = 0, from = 0; end && z && l < loci; from = end[l++]) {
        const size_t n = end[l] - from;
        m->usual[l] = n > above ? roxi_nth(z + from, n, n - 1 - above) : 1;
    }
    const int result = end && z ? 0 : -1;
    free(end);
    free(z);
    return result;
}

void roxi_model_free(struct roxi_model *m)
{
    roxi_typical_free(&m->typical);
    free(m->usual);
    *m = (struct roxi_model){0};
}

static int learn_usual(struct roxi_model *m, const bool *of, double quiet,
                       struct roxi_departures *one)
{
    const struct roxi_durations *d = m->typical.durations;
    struct roxi_departure *all = NULL;
    size_t count = 0, cap = 0, n = 0, durations;
    int result = 0;
    for (size_t r = 0; r < d->profiles->count && result == 0; r++) {
        if (of && !of[r])
            continue;
        const struct roxi_duration *run = roxi_durations_run(d, r, &durations);
        n++;
        result = roxi_model_find(one, m, r, run, durations);
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
    *m = (struct roxi_model){.usual = calloc(d->loci.n + 1, sizeof *m->usual)};
    int result = m->usual && !roxi_interrupted()
                     ? roxi_typical_make(&m->typical, d, c, together, of, constants->resolution)
                     : -1;
    if (result == 0)
        result = learn_usual(m, of, constants->quiet, work);
    if (result != 0)
        roxi_model_free(m);
    return result;
}
