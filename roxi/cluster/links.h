/* SPDX-License-Identifier: Apache-2.0 */
/* The linkages between the clusters of a growing dendrogram, in exact arithmetic.
 *
 * First the distances are rounded to multiples of a unit: 2^-36 of the largest, or a little
 * coarser for many objects (see roxi_links_new). From then on everything is integers and
 * fractions of integers: for average linkage the sum over all pairs of two clusters, for Ward's
 * the sums between and within them. So comparisons of linkages are exact, and a linkage does not
 * depend on the order in which its clusters were merged. This is why the fast algorithms of
 * cluster.c give the same result as the plain one, including ties.
 */
#ifndef ROXI_LINKS_H
#define ROXI_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "roxi/cluster/condensed.h"
#include "schema/base/error.h"

/* The distance between two clusters: that of their nearest pair, of their farthest pair, the
 * mean over all pairs (UPGMA), or Ward's: how much merging them adds to the squared distances
 * from the centres, as R's ward.D2 and SciPy's ward define it. */
enum roxi_linkage { ROXI_SINGLE, ROXI_COMPLETE, ROXI_AVERAGE, ROXI_WARD };
/* The name of the linkage; a constant. */
const char *roxi_linkage_name(enum roxi_linkage linkage);

/* A cluster is identified by its first object. */
struct roxi_links {
    enum roxi_linkage linkage;
    enum roxi_measure measure;
    size_t n;
    double unit;   /* value of a linkage of 1, in terms of the condensed cells */
    int64_t *link; /* owned; condensed: single, complete: that pair; others: the sum of all pairs */
    uint64_t *size;  /* owned; by first object */
    int64_t *within; /* owned; Ward: sum of the pairs inside the cluster */
    double *spread;  /* owned; Ward: `within` / size^2, approximately */
    size_t *live;    /* owned; the clusters, ascending */
    size_t live_count;
};

/* A fraction; the denominator is above 0. Two fractions compare exactly in 128 bits. */
struct roxi_linked {
    __int128 above;
    uint64_t below;
};

/* Makes each object a cluster. The unit is a power of two such that the largest cell (for
 * cosine: 2) is at most 2^37 units; from 11,586 objects on, 2^2 less for each doubling of their
 * number with average linkage, 2^7 with Ward's. -1: out of memory; or, with Ward's, a distance
 * is negative or there are too many objects to distinguish (some 90,000). */
int roxi_links_new(struct roxi_links *l, const struct roxi_condensed *apart,
                   enum roxi_linkage linkage, struct ix_error *err);
void roxi_links_free(struct roxi_links *l);

/* The cell of `link` for two different clusters. */
static inline int64_t *roxi_links_cell(const struct roxi_links *l, size_t a, size_t b)
{
    return &l->link[a < b ? roxi_pair_at(l->n, a, b) : roxi_pair_at(l->n, b, a)];
}

/* The linkage of two different clusters. */
struct roxi_linked roxi_links_of(const struct roxi_links *l, size_t a, size_t b);
/* Negative, 0 or positive: x is less than, equal to, or greater than y. */
int roxi_linked_compare(struct roxi_linked x, struct roxi_linked y);
/* The linkage as a height in a dendrogram. */
double roxi_links_height(const struct roxi_links *l, struct roxi_linked linked);

/* The cluster nearest to x; of equally near ones the first. There must be at least two clusters.
 * O(clusters). */
size_t roxi_links_nearest(const struct roxi_links *l, size_t x);

/* Merges b into a, a < b; b is no longer a cluster. O(clusters). */
void roxi_links_merge(struct roxi_links *l, size_t a, size_t b);

#endif
