/* The thesis' six clusterings of what a strategy makes of a campaign [3.7]: single, complete and
 * average linkage of cosines, each with row scaling none and sqrt. */
#ifndef ROXI_SIX_CLUSTERINGS_H
#define ROXI_SIX_CLUSTERINGS_H

#include "roxi/cluster.h"
#include "roxi/features.h"

enum { ROXI_CLUSTERINGS = 6 };

/* What is done with each: `name` is as in "single" or "single-sqrt", a constant. Nonzero, with a
 * message: it failed, and no further one follows. */
typedef int roxi_each_clustering(void *user, const struct roxi_dendrogram *tree, const char *name,
                                 struct ix_error *err);

/* 0; -1: memory ran out, or what `each` returned. As roxi_similarity and roxi_cluster. */
int roxi_six_clusterings(const struct roxi_features *f, roxi_each_clustering *each, void *user,
                         struct ix_error *err);

#endif
