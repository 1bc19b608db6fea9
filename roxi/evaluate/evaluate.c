/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/evaluate/evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/cluster/six_clusterings.h"
#include "roxi/evaluate/sampling.h"

const double roxi_evaluate_shares[ROXI_SHARES] = {1, 2.5, 5, 10, 15, 20, 25, 30};
const double roxi_evaluate_smallest[ROXI_SMALLEST] = {2, 5, 10, 25, 50};

size_t roxi_evaluate_clusters(double share, size_t n)
{
    size_t k = (size_t)lround(share / 100 * (double)n);
    return k ? k : 1;
}

struct job {
    struct roxi_labelled labelled;
    size_t *cluster; /* owned */
    double failures;
    struct roxi_figures *out;
};

/* Adds the figures of one clustering, cut to one number of clusters. */
static int add_cut(struct job *j, size_t share)
{
    struct roxi_expected adaptive, smallest;
    struct roxi_quality quality;
    if (roxi_expect(&j->labelled, ROXI_ADAPTIVE, 0, &adaptive) != 0 ||
        roxi_quality(&j->labelled, &quality) != 0)
        return -1;
    j->out->found[share] += 100 * adaptive.found / j->failures / ROXI_CLUSTERINGS;
    j->out->checked[share] += adaptive.checked / ROXI_CLUSTERINGS;
    j->out->purity[share] += quality.purity / ROXI_CLUSTERINGS;
    j->out->lone_failures[share] += 100 * quality.lone_failures / ROXI_CLUSTERINGS;
    j->out->lone_executions[share] += 100 * quality.lone_executions / ROXI_CLUSTERINGS;
    for (size_t i = 0; i < ROXI_SMALLEST; i++) {
        double size = roxi_evaluate_smallest[i] / 100 * (double)j->labelled.n;
        if (roxi_expect(&j->labelled, ROXI_SMALL_CLUSTERS, size, &smallest) != 0)
            return -1;
        j->out->smallest[i] +=
            100 * smallest.found / j->failures / (ROXI_CLUSTERINGS * ROXI_SHARES);
    }
    return 0;
}

static int add_clustering(void *user, const struct roxi_dendrogram *tree, const char *name,
                          struct ix_error *err)
{
    struct job *j = user;
    (void)name;
    int result = 0;
    for (size_t i = 0; result == 0 && i < ROXI_SHARES; i++) {
        j->labelled.k = roxi_evaluate_clusters(roxi_evaluate_shares[i], tree->n);
        result = roxi_cluster_cut(tree, j->labelled.k, j->cluster, err);
        if (result == 0 && add_cut(j, i) != 0)
            result = ix_fail(err, "out of memory");
    }
    return result;
}

int roxi_evaluate(const struct roxi_run_matrix *f, const bool *failed, struct roxi_figures *out,
                  struct ix_error *err)
{
    size_t n = f->table.rows;
    struct job j = {.cluster = calloc(n, sizeof *j.cluster), .out = out};
    if (!j.cluster)
        return ix_fail(err, "out of memory");
    j.labelled = (struct roxi_labelled){.n = n, .cluster = j.cluster, .failed = failed};
    *out = (struct roxi_figures){0};
    for (size_t i = 0; i < n; i++)
        j.failures += failed[i];
    const int result = roxi_six_clusterings(f, add_clustering, &j, err);
    free(j.cluster);
    return result;
}
