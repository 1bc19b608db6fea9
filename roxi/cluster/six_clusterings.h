/* SPDX-License-Identifier: Apache-2.0 */
/* The thesis's six clusterings of a strategy's matrix (docs/thesis.md, section 3.7): single,
 * complete and average linkage of cosines, each with row scaling none and sqrt. */
#ifndef ROXI_SIX_CLUSTERINGS_H
#define ROXI_SIX_CLUSTERINGS_H

#include "roxi/cluster/cluster.h"
#include "roxi/distance/run_matrix.h"

enum { ROXI_CLUSTERINGS = 6 };

/* Called for each clustering: `name` is a constant such as "single" or "single-sqrt". Nonzero,
 * with a message: it failed; no further clustering follows. */
typedef int roxi_each_clustering(void *user, const struct roxi_dendrogram *tree, const char *name,
                                 struct ix_error *err);

/* 0; -1: out of memory; or what `each` returned. See roxi_similarity and roxi_cluster. */
int roxi_six_clusterings(const struct roxi_run_matrix *f, roxi_each_clustering *each, void *user,
                         struct ix_error *err);

#endif
