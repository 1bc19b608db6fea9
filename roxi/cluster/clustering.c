/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/cluster/clustering.h"

#include <stdlib.h>

#include "roxi/base/warn.h"
#include "roxi/cluster/silhouette.h"

int roxi_clustering_apart(struct roxi_condensed *apart, const struct roxi_run_matrix *f,
                          const struct roxi_clustering_options *o, struct ix_error *err)
{
    if (o->measure == ROXI_ON_DISTANCE)
        return roxi_condensed_of(apart, f->table.whole) == 0 ? 0 : ix_fail(err, "out of memory");
    const struct roxi_rows rows = {.whole = f->table.whole, .sparse = f->table.sparse};
    return roxi_similarity(&rows, &o->similarity, apart, err);
}

static int choose(struct roxi_clustering *c, const struct roxi_clustering_options *o,
                  struct ix_error *err)
{
    c->k = o->clusters;
    if (o->height_given)
        c->k = roxi_cluster_count_at(&c->tree, o->height);
    if (o->clusters_auto) {
        if (roxi_silhouette_choose(&c->apart, &c->tree, &c->k, &c->silhouette, err) != 0)
            return -1;
        if (c->k > 1)
            roxi_warn("%zu clusters have the highest mean silhouette, %.3f", c->k, c->silhouette);
        else
            roxi_warn("fewer than 3 runs are one cluster");
    }
    if (!c->k)
        return 0;
    c->cluster = calloc(c->tree.n, sizeof *c->cluster);
    if (!c->cluster)
        return ix_fail(err, "out of memory");
    return roxi_cluster_cut(&c->tree, c->k, c->cluster, err);
}

int roxi_clustering_make(struct roxi_clustering *c, const struct roxi_run_matrix *f,
                         const struct roxi_clustering_options *o, struct ix_error *err)
{
    *c = (struct roxi_clustering){0};
    int result = roxi_clustering_apart(&c->apart, f, o, err);
    if (result == 0)
        result = roxi_cluster(&c->apart, o->linkage, &c->tree, err);
    if (result == 0)
        result = choose(c, o, err);
    if (result != 0)
        roxi_clustering_free(c);
    return result;
}

void roxi_clustering_free(struct roxi_clustering *c)
{
    roxi_condensed_free(&c->apart);
    roxi_dendrogram_free(&c->tree);
    free(c->cluster);
    *c = (struct roxi_clustering){0};
}
