/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/evaluate/inspection_effort_table.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/cluster/six_clusterings.h"
#include "roxi/evaluate/evaluate.h"
#include "schema/base/grow.h"

enum { ORDERS = 3, TRIED = 300 };
static const char *const orders[ORDERS] = {"small-clusters", "adaptive", "adaptive-small"};

int roxi_inspection_effort_add(struct roxi_inspection_effort_table *table,
                               const struct roxi_inspection_effort_row *row)
{
    struct roxi_inspection_effort_row *rows =
        ix_grow(table->rows, &table->cap, table->count + 1, sizeof *rows);
    if (!rows) {
        free(row->reached);
        return -1;
    }
    table->rows = rows;
    rows[table->count++] = *row;
    return 0;
}

void roxi_inspection_effort_table_free(struct roxi_inspection_effort_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->rows[i].reached);
    free(table->rows);
    *table = (struct roxi_inspection_effort_table){0};
}

/* Evaluates the orders that follow from clusters, for one strategy. */
struct survey {
    struct roxi_labelled labelled;
    size_t *cluster; /* owned */
    bool *tried;     /* owned; by number of clusters: whether to try it for the best */
    size_t ladder[ROXI_SHARES];
    struct roxi_inspection_effort mean[ORDERS][ROXI_SHARES];
    struct roxi_inspection_effort_row all[ORDERS],
        ninety[ORDERS]; /* the best so far; clusters 0: none yet */
    size_t *best;       /* owned; with curves: the clusters of `all`, n for each order */
};

static int efforts_of(const struct roxi_labelled *l, struct roxi_inspection_effort effort[ORDERS])
{
    return roxi_inspection_effort_small(l, &effort[0]) == 0 &&
                   roxi_inspection_effort_adaptive(l, ROXI_VISIT_RANDOM, &effort[1]) == 0 &&
                   roxi_inspection_effort_adaptive(l, ROXI_VISIT_SMALL, &effort[2]) == 0
               ? 0
               : -1;
}

static void add_to_mean(struct roxi_inspection_effort *mean, struct roxi_inspection_effort e)
{
    mean->all += e.all / ROXI_CLUSTERINGS;
    mean->ninety += e.ninety / ROXI_CLUSTERINGS;
    mean->precision += e.precision / ROXI_CLUSTERINGS;
}

/* Ignores differences due to rounding, so that the first of equal ones stays. */
static bool is_less(double a, double b)
{
    return a < b - 1e-9 * b;
}

static void take_best(struct survey *s, int order, const char *clustering,
                      struct roxi_inspection_effort e)
{
    struct roxi_inspection_effort_row *all = &s->all[order], *ninety = &s->ninety[order];
    const struct roxi_inspection_effort_row row = {
        .order = orders[order], .clustering = clustering, .clusters = s->labelled.k, .effort = e};
    if (!all->clusters || is_less(e.all, all->effort.all)) {
        *all = row;
        if (s->best)
            memcpy(s->best + (size_t)order * s->labelled.n, s->cluster,
                   s->labelled.n * sizeof *s->best);
    }
    if (!ninety->clusters || is_less(e.ninety, ninety->effort.ninety))
        *ninety = row;
}

static bool is_in_ladder(const struct survey *s, size_t k)
{
    for (int i = 0; i < ROXI_SHARES; i++)
        if (s->ladder[i] == k)
            return true;
    return false;
}

static int add_cut(struct survey *s, const char *clustering)
{
    struct roxi_inspection_effort effort[ORDERS];
    if (efforts_of(&s->labelled, effort) != 0)
        return -1;
    for (int order = 0; order < ORDERS; order++) {
        if (s->tried[s->labelled.k])
            take_best(s, order, clustering, effort[order]);
        for (int i = 0; i < ROXI_SHARES; i++)
            if (s->ladder[i] == s->labelled.k)
                add_to_mean(&s->mean[order][i], effort[order]);
    }
    return 0;
}

static int add_clustering(void *user, const struct roxi_dendrogram *tree, const char *name,
                          struct ix_error *err)
{
    struct survey *s = user;
    for (size_t k = 1; k <= tree->n; k++) {
        if (!s->tried[k] && !is_in_ladder(s, k))
            continue;
        s->labelled.k = k;
        if (roxi_cluster_cut(tree, k, s->cluster, err) != 0)
            return -1;
        if (add_cut(s, name) != 0)
            return ix_fail(err, "out of memory");
    }
    return 0;
}

/* The curve for the order's best clusters, which the caller frees. NULL: out of memory. */
static double *best_curve(const struct survey *s, int order)
{
    const struct roxi_labelled l = {.n = s->labelled.n,
                                    .k = s->all[order].clusters,
                                    .cluster = s->best + (size_t)order * s->labelled.n,
                                    .failed = s->labelled.failed};
    double *reached = calloc(l.n + 1, sizeof *reached);
    int result = -1;
    if (reached && order == 0)
        result = roxi_inspection_effort_small_curve(&l, reached);
    else if (reached)
        result = roxi_inspection_effort_adaptive_curve(
            &l, order == 1 ? ROXI_VISIT_RANDOM : ROXI_VISIT_SMALL, reached);
    if (result == 0)
        return reached;
    free(reached);
    return NULL;
}

static int add_rows(struct roxi_inspection_effort_table *table, struct survey *s,
                    const char *strategy)
{
    int result = 0;
    for (int order = 0; order < ORDERS; order++) {
        for (int i = 0; result == 0 && i < ROXI_SHARES; i++) {
            const struct roxi_inspection_effort_row row = {.order = orders[order],
                                                           .strategy = strategy,
                                                           .share = roxi_evaluate_shares[i],
                                                           .clusters = s->ladder[i],
                                                           .effort = s->mean[order][i]};
            result = roxi_inspection_effort_add(table, &row);
        }
        s->all[order].strategy = s->ninety[order].strategy = strategy;
        s->all[order].best = "all";
        s->ninety[order].best = "ninety";
        if (result == 0 && s->best && !(s->all[order].reached = best_curve(s, order)))
            result = -1;
        if (result == 0)
            result = roxi_inspection_effort_add(table, &s->all[order]);
        if (result == 0)
            result = roxi_inspection_effort_add(table, &s->ninety[order]);
    }
    return result;
}

int roxi_inspection_effort_add_clusters(struct roxi_inspection_effort_table *table,
                                        const struct roxi_run_matrix *f, const char *strategy,
                                        const bool *failed, struct ix_error *err)
{
    const size_t n = f->table.rows, tried = n < TRIED ? n : TRIED;
    struct survey s = {.cluster = calloc(n + 1, sizeof *s.cluster),
                       .tried = calloc(n + 1, sizeof *s.tried),
                       .best = table->curves ? calloc(n, ORDERS * sizeof *s.best) : NULL};
    s.labelled = (struct roxi_labelled){.n = n, .cluster = s.cluster, .failed = failed};
    const bool got = s.cluster && s.tried && (s.best || !table->curves);
    int result = got ? 0 : ix_fail(err, "out of memory");
    for (size_t i = 0; result == 0 && i < tried; i++)
        s.tried[tried > 1 ? 1 + i * (n - 1) / (tried - 1) : 1] = true;
    for (int i = 0; i < ROXI_SHARES; i++)
        s.ladder[i] = roxi_evaluate_clusters(roxi_evaluate_shares[i], n);
    if (result == 0)
        result = roxi_six_clusterings(f, add_clustering, &s, err);
    if (result == 0 && add_rows(table, &s, strategy) != 0)
        result = ix_fail(err, "out of memory");
    free(s.cluster);
    free(s.tried);
    free(s.best);
    return result;
}
