/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/passed.h"

#include "roxi/base/interrupt.h"
#include "roxi/rank/model.h"

/* The share of the runs that passed whose differences are usual, and how many there must be. */
#define QUIET 0.9
enum { LEAST = 10 };

static void lower(struct roxi_ranking *r, size_t run, double evidence, double by_length)
{
    if (!(evidence < r->evidence[run]))
        return;
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        r->parts[i].part *= evidence / r->evidence[run];
    r->evidence[run] = evidence;
    r->score[run] = roxi_score_by_length(evidence, r->longer[run], by_length);
}

/* -1: memory ran out. */
static int lower_all(struct roxi_ranking *r, const struct roxi_model *m, const bool *passed,
                     double by_length, struct roxi_departures *work)
{
    for (size_t run = 0; run < r->n; run++) {
        double evidence;
        if (!passed[run])
            continue;
        if (roxi_model_score(m, run, work, &evidence) != 0)
            return -1;
        lower(r, run, evidence, by_length);
    }
    return 0;
}

/* Removes the parts of runs of which nothing is left. */
static void drop_empty(struct roxi_ranking *r)
{
    size_t to = 0, from = 0;
    for (size_t i = 0; i < r->n; i++) {
        const size_t end = r->first[i + 1];
        r->first[i] = to;
        for (; from < end; from++)
            if (r->evidence[i] > 0)
                r->parts[to++] = r->parts[from];
    }
    r->first[r->n] = to;
}

int roxi_passed_compare(struct roxi_ranking *r, const struct roxi_score_constants *constants,
                        const bool *passed, struct ix_error *err)
{
    struct roxi_score_constants among = *constants;
    struct roxi_columns columns = {0};
    struct roxi_together together = {0};
    struct roxi_departures work = {0};
    struct roxi_model m = {0};
    if (roxi_reference_count(passed, r->n) < LEAST)
        return 0;
    among.quiet = QUIET;
    int result = roxi_columns_make(&columns, r->durations);
    if (result == 0 && r->aligned)
        result = roxi_together_make(&together, r->durations);
    if (result == 0)
        result = roxi_model_make(&m, r->durations, &columns, r->aligned ? &together : NULL, passed,
                                 &among, &work);
    if (result == 0)
        result = lower_all(r, &m, passed, among.by_length, &work);
    if (result == 0)
        drop_empty(r);
    roxi_model_free(&m);
    roxi_columns_free(&columns);
    roxi_together_free(&together);
    roxi_departures_free(&work);
    return result == 0 ? 0 : ix_fail(err, roxi_interrupted() ? "interrupted" : "out of memory");
}
