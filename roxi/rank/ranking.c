#include "roxi/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/command.h"

int roxi_ranking_check(const struct roxi_options *o, struct ix_error *err)
{
    if (!(o->aspects & 1u << ROXI_STACKS) || roxi_strategy_is_distance(o->strategy))
        return ROXI_OK;
    ix_fail(err, "--strategy %s counts; a ranking needs distances between call stacks",
            o->strategy->name);
    return ROXI_USAGE;
}

void roxi_ranking_prepare(struct roxi_options *o)
{
    o->load.aspects = !o->named || (o->aspects & ~(1u << ROXI_STACKS)) != 0; /* peers need states */
}

static size_t count_reference(const struct roxi_profiles *p, const bool *reference)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++)
        n += !reference || reference[i];
    return n;
}

int roxi_ranking_make(struct roxi_ranking *r, const struct roxi_profiles *p, struct roxi_options *o,
                      const bool *reference, struct ix_error *err)
{
    const size_t n = count_reference(p, reference);
    if (n < 2)
        return ix_fail(err, "the campaign '%s' has one execution, and nothing to compare it with",
                       o->args[0]);
    const size_t k = o->neighbours ? o->neighbours : roxi_rank_neighbours(n);
    if (k > n - 1)
        return ix_fail(err, "--neighbours %zu: each of %zu executions has only %zu others", k, n,
                       n - 1);
    o->neighbours = k;
    const struct roxi_compare_options compare = {.strategy = o->strategy,
                                                 .match_reward = o->match_reward,
                                                 .unmatched_cost = o->unmatched_cost,
                                                 .engine = o->engine,
                                                 .no_pruning = o->no_pruning};
    const struct roxi_rank_options options = {.compare = &compare,
                                              .aspects = o->aspects,
                                              .neighbours = k,
                                              .reference = reference,
                                              .named = o->named};
    return roxi_rank(p, &options, r, err);
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
    const size_t n = r->parts.n;
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

double roxi_ranking_shown(double score)
{
    return fabs(score) < 0.0005 ? 0 : score; /* not -0.000 */
}
