/* How near the clusters of a growing dendrogram are, in exact arithmetic.
 *
 * The distances are rounded to whole multiples of a unit first: 2^-36 of the largest, or a little
 * coarser for many objects (roxi_links_new says when). From there on everything is integers and
 * fractions of integers: for average linkage the sum over all pairs of two clusters, for Ward's the
 * sums between and within them. So two linkages are equal or they are not, and a linkage does not
 * depend on the order in which its clusters were put together. On that rests that the fast
 * algorithms of cluster.c give what the plain one gives, ties included.
 */
#ifndef ROXI_LINKS_H
#define ROXI_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "roxi/condensed.h"
#include "schema/error.h"

/* How far apart two clusters are: as their nearest pair, as their farthest pair, the mean over all
 * pairs (UPGMA), or Ward's: by how much merging them adds to the squared distances from the
 * centres, as R's ward.D2 and SciPy's ward give it. */
enum roxi_linkage { ROXI_SINGLE, ROXI_COMPLETE, ROXI_AVERAGE, ROXI_WARD };

/* A cluster is known by its first object. */
struct roxi_links {
    enum roxi_linkage linkage;
    enum roxi_measure measure;
    size_t n;
    double unit;    /* a linkage of 1 in the condensed cells' terms */
    int64_t *link;  /* owned; condensed: single, complete: the pair; others: the sum of all pairs */
    uint64_t *size; /* owned; by first object */
    int64_t *within; /* owned; Ward: sum of the pairs inside */
    double *spread;  /* owned; Ward: that by size^2, about */
    size_t *live;    /* owned; the clusters, ascending */
    size_t live_count;
};

/* A fraction; the denominator is above 0. Two of them compare exactly in 128 bits. */
struct roxi_linked {
    __int128 above;
    uint64_t below;
};

/* Each object a cluster. The unit is a power of two such that the largest cell, for cosine 2, is at
 * most 2^37 of them; from 11,586 objects on 2^2 less for each doubling of their number with average
 * linkage, 2^7 with Ward's. -1: memory ran out; or Ward's, and a distance is negative, or objects
 * are more than can be told apart (some 90,000). */
int roxi_links_new(struct roxi_links *l, const struct roxi_condensed *apart,
                   enum roxi_linkage linkage, struct ix_error *err);
void roxi_links_free(struct roxi_links *l);

/* The number that `link` has for two different clusters. */
static inline int64_t *roxi_links_cell(const struct roxi_links *l, size_t a, size_t b)
{
    return &l->link[a < b ? roxi_pair_at(l->n, a, b) : roxi_pair_at(l->n, b, a)];
}

/* Of two different clusters. */
struct roxi_linked roxi_links_of(const struct roxi_links *l, size_t a, size_t b);
/* Below 0, 0 or above 0: as x is less than y, equal, or more. */
int roxi_linked_compare(struct roxi_linked x, struct roxi_linked y);
/* The linkage as a height in a dendrogram. */
double roxi_links_height(const struct roxi_links *l, struct roxi_linked linked);

/* The nearest cluster to x: of equally near ones the first. At least two clusters. O(clusters). */
size_t roxi_links_nearest(const struct roxi_links *l, size_t x);

/* b becomes a part of a, a < b, and is no cluster any more. O(clusters). */
void roxi_links_merge(struct roxi_links *l, size_t a, size_t b);

#endif
