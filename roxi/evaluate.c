#include "roxi/evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/cluster.h"
#include "roxi/sampling.h"
#include "roxi/similarity.h"

const double roxi_evaluate_shares[ROXI_SHARES] = {1, 2.5, 5, 10, 15, 20, 25, 30};
const double roxi_evaluate_smallest[ROXI_SMALLEST] = {2, 5, 10, 25, 50};

enum { CLUSTERINGS = 6 };

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

/* One clustering cut to one number of clusters. */
static int add_cut(struct job *j, size_t share)
{
    struct roxi_expected adaptive, smallest;
    struct roxi_quality quality;
    if (roxi_expect(&j->labelled, ROXI_ADAPTIVE, 0, &adaptive) != 0 ||
        roxi_quality(&j->labelled, &quality) != 0)
        return -1;
    j->out->found[share] += 100 * adaptive.found / j->failures / CLUSTERINGS;
    j->out->checked[share] += adaptive.checked / CLUSTERINGS;
    j->out->purity[share] += quality.purity / CLUSTERINGS;
    j->out->lone_failures[share] += 100 * quality.lone_failures / CLUSTERINGS;
    j->out->lone_executions[share] += 100 * quality.lone_executions / CLUSTERINGS;
    for (size_t i = 0; i < ROXI_SMALLEST; i++) {
        double size = roxi_evaluate_smallest[i] / 100 * (double)j->labelled.n;
        if (roxi_expect(&j->labelled, ROXI_SMALL_CLUSTERS, size, &smallest) != 0)
            return -1;
        j->out->smallest[i] += 100 * smallest.found / j->failures / (CLUSTERINGS * ROXI_SHARES);
    }
    return 0;
}

static int add_clustering(struct job *j, const struct roxi_condensed *apart,
                          enum roxi_linkage linkage, struct ix_error *err)
{
    struct roxi_dendrogram tree;
    if (roxi_cluster(apart, linkage, &tree, err) != 0)
        return -1;
    int result = 0;
    for (size_t i = 0; result == 0 && i < ROXI_SHARES; i++) {
        j->labelled.k = roxi_evaluate_clusters(roxi_evaluate_shares[i], apart->n);
        result = roxi_cluster_cut(&tree, j->labelled.k, j->cluster, err);
        if (result == 0 && add_cut(j, i) != 0)
            result = ix_fail(err, "out of memory");
    }
    roxi_dendrogram_free(&tree);
    return result;
}

int roxi_evaluate(const struct roxi_features *f, const bool *failed, struct roxi_figures *out,
                  struct ix_error *err)
{
    struct roxi_rows rows = {.whole = f->table.whole, .sparse = f->table.sparse};
    size_t n = f->table.rows;
    struct job j = {.cluster = calloc(n, sizeof *j.cluster), .out = out};
    if (!j.cluster)
        return ix_fail(err, "out of memory");
    j.labelled = (struct roxi_labelled){.n = n, .cluster = j.cluster, .failed = failed};
    *out = (struct roxi_figures){0};
    for (size_t i = 0; i < n; i++)
        j.failures += failed[i];
    int result = 0;
    for (int scaling = 0; result == 0 && scaling < 2; scaling++) {
        struct roxi_similarity_options how = {.sqrt_rows = scaling == 1};
        struct roxi_condensed apart;
        result = roxi_similarity(&rows, &how, &apart, err);
        for (enum roxi_linkage l = ROXI_SINGLE; result == 0 && l <= ROXI_AVERAGE; l++)
            result = add_clustering(&j, &apart, l, err);
        roxi_condensed_free(&apart);
    }
    free(j.cluster);
    return result;
}
