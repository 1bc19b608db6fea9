/* SPDX-License-Identifier: Apache-2.0 */
/* The clusters of a campaign's runs. */
#ifndef ROXI_CLUSTERING_H
#define ROXI_CLUSTERING_H

#include "roxi/cluster/cluster.h"
#include "roxi/cluster/similarity.h"
#include "roxi/distance/run_matrix.h"

struct roxi_clustering_options {
    enum roxi_measure measure;
    enum roxi_linkage linkage;
    struct roxi_similarity_options similarity; /* with ROXI_ON_COSINE */
    /* At most one of these gives the number of clusters: */
    size_t clusters;    /* 0: not given */
    bool clusters_auto; /* choose the number by the mean silhouette */
    bool height_given;
    double height;
};

struct roxi_clustering {
    struct roxi_condensed apart;
    struct roxi_dendrogram tree;
    size_t k;          /* number of clusters; 0: not requested */
    size_t *cluster;   /* owned; by run, if k is not 0 */
    double silhouette; /* with clusters_auto */
};

/* With clusters_auto, reports the choice on stderr. Nothing to free after -1. */
int roxi_clustering_make(struct roxi_clustering *c, const struct roxi_run_matrix *f,
                         const struct roxi_clustering_options *o, struct ix_error *err);
void roxi_clustering_free(struct roxi_clustering *c);

/* Only the distances, before any linkage. -1: out of memory, or counts have no distances. */
int roxi_clustering_apart(struct roxi_condensed *apart, const struct roxi_run_matrix *f,
                          const struct roxi_clustering_options *o, struct ix_error *err);

#endif
