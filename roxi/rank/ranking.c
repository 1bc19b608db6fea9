/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/ranking.h"

#include <stdlib.h>

#include "roxi/base/warn.h"
#include "roxi/rank/passed.h"

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

int roxi_ranking_judged(struct roxi_ranking *r, const struct roxi_profiles *p,
                        const struct roxi_ranking_options *o, const struct roxi_verdict *verdicts,
                        struct ix_error *err)
{
    bool *passed = calloc(p->count + 1, sizeof *passed);
    size_t failed = 0;
    if (!passed)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < p->count; i++) {
        passed[i] = roxi_run_passed(p, verdicts, i);
        failed += verdicts[i].verdict == IX_VERDICT_FAILED;
    }
    int result = roxi_ranking_make(r, p, o, NULL, err);
    if (result == 0 && failed && roxi_passed_compare(r, &roxi_score_default, passed, err) != 0) {
        roxi_ranking_free(r);
        result = -1;
    }
    free(passed);
    return result;
}

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
