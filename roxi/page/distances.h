/* SPDX-License-Identifier: Apache-2.0 */
/* How far apart the runs are, for the page: a map, and the data of a heat map in the order of the
 * dendrogram. Runs are compared by how often each frame was on a stack, by the cosine of the roots
 * of the counts, and clustered by average linkage, as `roxi cluster --strategy frame-count
 * --scaling sqrt` does. */
#ifndef ROXI_PAGE_DISTANCES_H
#define ROXI_PAGE_DISTANCES_H

#include "roxi/cluster/cluster.h"
#include "roxi/page/map.h"
#include "roxi/page/sheet.h"

enum { ROXI_DISTANCES_MOST = 1000 }; /* runs: a heat map of more is half a MB and hides its cells */

struct roxi_distances {
    struct roxi_condensed apart; /* n is 0: there are too few runs, or too many */
    struct roxi_dendrogram tree;
    struct roxi_map map;
    size_t *order; /* the runs in the order of the dendrogram; owned */
};

/* O(runs^2 x frames). -1 with a message and nothing to free. */
int roxi_distances_make(struct roxi_distances *d, const struct roxi_sheet *s, struct ix_error *err);
void roxi_distances_free(struct roxi_distances *d);

/* The map as an SVG element; only if there are distances. */
void roxi_distances_map(FILE *out, const struct roxi_distances *d, const struct roxi_sheet *s);

/* The object {"runs": [[name, kind], ...], "order": [run], "merges": [a, b, height, ...], "most",
 * "cells"}. Kinds: 0 neither failed nor unusual, 1 unusual, 2 failed. Runs and merges are numbered
 * as in cluster.h. Distances are those of the map; heights are thousandths of `most`, the greatest
 * one. For each pair (0,1), (0,2), ... `cells` has a letter for 0 to 63, its share of `most`: A-Z,
 * a-z, 0-9, +, -. null if there are no distances. */
void roxi_distances_data(FILE *out, const struct roxi_distances *d, const struct roxi_sheet *s);

#endif
