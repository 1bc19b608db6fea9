/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/cluster/silhouette.h"

#include <stdlib.h>

/* For fewer objects, waking other threads costs more than they save. */
enum { PARALLEL_FROM = 500 };

/* Each cluster has a column; when two merge, one column takes over the other's sums. */
struct state {
    const struct roxi_condensed *apart;
    const struct roxi_dendrogram *tree;
    size_t n, columns;
    double *sum;        /* by object and column: sum of distances to the cluster's objects */
    size_t *column;     /* by cluster of the tree */
    size_t *own;        /* by object: its cluster's column */
    size_t *size;       /* by column; 0: merged into another cluster */
    double *silhouette; /* by object */
};

static int start(struct state *s, size_t most)
{
    s->n = s->apart->n;
    s->columns = most;
    s->sum = calloc(s->n * most, sizeof *s->sum);
    s->column = calloc(2 * s->n, sizeof *s->column);
    s->own = calloc(s->n, sizeof *s->own);
    s->size = calloc(most, sizeof *s->size);
    s->silhouette = calloc(s->n, sizeof *s->silhouette);
    return s->sum && s->column && s->own && s->size && s->silhouette ? 0 : -1;
}

static void release(struct state *s)
{
    free(s->sum);
    free(s->column);
    free(s->own);
    free(s->size);
    free(s->silhouette);
}

static int begin(struct state *s, struct ix_error *err)
{
    size_t n = s->n;
    if (roxi_cluster_cut(s->tree, s->columns, s->own, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        s->column[i] = s->own[i];
        s->size[s->own[i]]++;
    }
    for (size_t m = 0; m < n - s->columns; m++) /* parts before the clusters that contain them */
        s->column[n + m] = s->column[s->tree->merges[m].a];
#pragma omp parallel for schedule(dynamic, 16) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (j != i)
                s->sum[i * s->columns + s->own[j]] += roxi_apart(s->apart, i, j);
    return 0;
}

static double silhouette(const struct state *s, size_t i)
{
    const double *sum = &s->sum[i * s->columns];
    size_t own = s->own[i];
    if (s->size[own] == 1)
        return 0;
    double inside = sum[own] / (double)(s->size[own] - 1), outside = -1;
    for (size_t c = 0; c < s->columns; c++) {
        double mean = s->size[c] && c != own ? sum[c] / (double)s->size[c] : -1;
        if (mean >= 0 && (outside < 0 || mean < outside))
            outside = mean;
    }
    double more = inside > outside ? inside : outside;
    return more > 0 ? (outside - inside) / more : 0;
}

static double mean_silhouette(struct state *s)
{
    double sum = 0;
#pragma omp parallel for if (s->n >= PARALLEL_FROM)
    for (size_t i = 0; i < s->n; i++)
        s->silhouette[i] = silhouette(s, i);
    for (size_t i = 0; i < s->n; i++) /* in order, whatever the number of threads */
        sum += s->silhouette[i];
    return sum / (double)s->n;
}

/* From k clusters to k - 1. */
static void merge(struct state *s, size_t k)
{
    const struct roxi_merge *m = &s->tree->merges[s->n - k];
    size_t a = s->column[m->a], b = s->column[m->b];
    for (size_t i = 0; i < s->n; i++) {
        s->sum[i * s->columns + a] += s->sum[i * s->columns + b];
        if (s->own[i] == b)
            s->own[i] = a;
    }
    s->size[a] += s->size[b];
    s->size[b] = 0;
    s->column[2 * s->n - k] = a;
}

int roxi_silhouette_choose(const struct roxi_condensed *apart, const struct roxi_dendrogram *tree,
                           size_t *k, double *score, struct ix_error *err)
{
    struct state s = {.apart = apart, .tree = tree};
    size_t n = apart->n, most = n > ROXI_SILHOUETTE_MOST ? ROXI_SILHOUETTE_MOST : n - 1;
    *k = 1;
    *score = 0;
    if (n < 3)
        return 0;
    for (size_t i = 0; i < roxi_condensed_cells(apart); i++)
        if (apart->cells[i] < 0)
            return ix_fail(err, "silhouettes are not defined where distances are negative; choose "
                                "the number of clusters, or another strategy");
    int result = start(&s, most) == 0 ? begin(&s, err) : ix_fail(err, "out of memory");
    for (size_t now = most; result == 0 && now >= 2; now--) {
        double mean = mean_silhouette(&s);
        if (now == most || mean >= *score) {
            *score = mean;
            *k = now;
        }
        merge(&s, now);
    }
    release(&s);
    return result;
}
