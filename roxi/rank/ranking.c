/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/ranking.h"

#include <stdlib.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/warn.h"

/* The share of the runs that passed whose differences are usual, and how many there must be. */
#define QUIET 0.9
enum { LEAST = 10 };

int roxi_ranking_make(struct roxi_ranking *r, const struct roxi_profiles *p,
                      const struct roxi_ranking_options *o, const bool *reference,
                      struct ix_error *err)
{
    const struct roxi_score_options options = {
        .constants = &roxi_score_default, .reference = reference, .no_role_swap = o->no_role_swap};
    if (roxi_reference_count(reference, p->count) < (reference ? 1 : 2))
        return ix_fail(err, "a campaign of one run has nothing to compare it with");
    if (!reference && p->count < ROXI_RANK_REFERENCE)
        roxi_warn("%zu runs are too few to tell what is typical; at least %d are needed", p->count,
                  ROXI_RANK_REFERENCE);
    return roxi_score(p, &options, r, err);
}

/* ---- runs that passed, compared with each other ---- */

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

/* What makes a run that passed unusual counts only as far as it is unusual among those that passed,
 * too. In each locus nine in ten of those may differ from typical by any amount. So what many runs
 * do and pass, such as to elect another leader, is not worth a look. A fault that more than one in
 * ten of them got over is not, either. Other runs' scores stay. Time: a model of those that passed.
 */
static int compare_passed(struct roxi_ranking *r, const bool *passed, struct ix_error *err)
{
    struct roxi_score_constants among = roxi_score_default;
    struct roxi_columns columns = {0};
    struct roxi_together together = {0};
    struct roxi_departures work = {0};
    struct roxi_model m = {0};
    if (roxi_reference_count(passed, r->n) < LEAST)
        return 0;
    among.quiet = QUIET;
    int result = roxi_columns_make(&columns, r->durations);
    if (result == 0 && r->by_leader)
        result = roxi_together_make(&together, r->durations);
    if (result == 0)
        result = roxi_model_make(&m, r->durations, &columns, r->by_leader ? &together : NULL,
                                 passed, &among, &work);
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

int roxi_ranking_judged(struct roxi_ranking *r, const struct roxi_profiles *p,
                        const struct roxi_ranking_options *o, const struct roxi_verdict *verdicts,
                        struct ix_error *err)
{
    bool *passed = calloc(p->count + 1, sizeof *passed);
    const struct roxi_verdict_counts c = roxi_verdicts_count(p, verdicts);
    if (!passed)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < p->count; i++)
        passed[i] = roxi_run_passed(p, verdicts, i);
    int result = roxi_ranking_make(r, p, o, roxi_most_failed(c) ? passed : NULL, err);
    if (result == 0 && c.failed && compare_passed(r, passed, err) != 0) {
        roxi_ranking_free(r);
        result = -1;
    }
    free(passed);
    return result;
}

/* ---- the order ---- */

struct entry {
    size_t number;
    double score;
    bool last;
};

static int by_score(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->last != y->last)
        return x->last ? 1 : -1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

size_t *roxi_ranking_order(const struct roxi_ranking *r, const bool *last)
{
    const size_t n = r->n;
    struct entry *entries = calloc(n + 1, sizeof *entries);
    size_t *order = calloc(n + 1, sizeof *order);
    for (size_t i = 0; entries && i < n; i++)
        entries[i] = (struct entry){i, r->score[i], last && last[i]};
    if (entries)
        qsort(entries, n, sizeof *entries, by_score);
    for (size_t i = 0; entries && order && i < n; i++)
        order[i] = entries[i].number;
    if (!entries) {
        free(order);
        order = NULL;
    }
    free(entries);
    return order;
}
