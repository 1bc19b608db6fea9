/* A campaign's executions in clusters, as the options that the commands share ask for them. */
#ifndef ROXI_CLUSTERING_H
#define ROXI_CLUSTERING_H

#include "roxi/cluster.h"
#include "roxi/features.h"

struct roxi_clustering {
    struct roxi_condensed apart;
    struct roxi_dendrogram tree;
    size_t k;          /* 0: none was asked for */
    size_t *cluster;   /* owned; of each execution, if k */
    double silhouette; /* of --clusters auto */
};

/* From o->on, scaling, linkage; and o->clusters, o->height or o->clusters_auto, of which the last
 * reports what it chose on stderr. Nothing is left to free after -1. */
int roxi_clustering_make(struct roxi_clustering *c, const struct roxi_features *f,
                         const struct roxi_options *o, struct ix_error *err);
void roxi_clustering_free(struct roxi_clustering *c);

/* Only what comes before the linkage. -1: memory ran out, or counts have no distances. */
int roxi_clustering_apart(struct roxi_condensed *apart, const struct roxi_features *f,
                          const struct roxi_options *o, struct ix_error *err);

/* Do the options of a command that clusters fit together? ROXI_OK, or ROXI_USAGE with a message.
 * must_cut: a number of clusters has to follow from them. */
int roxi_clustering_check(const struct roxi_options *o, bool must_cut, struct ix_error *err);

#endif
