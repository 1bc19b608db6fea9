/* SPDX-License-Identifier: Apache-2.0 */
/* Points in the plane that are as far apart as objects are, as well as the plane allows:
 * multidimensional scaling. Classical scaling (Torgerson 1952) gives a start, which is improved by
 * majorisation (SMACOF: de Leeuw 1977). */
#ifndef ROXI_MAP_H
#define ROXI_MAP_H

#include "roxi/cluster/condensed.h"

struct roxi_map {
    size_t n;
    double *x, *y; /* owned; in the unit of the distances */
    double stress; /* Kruskal's stress-1: 0 is exact, above 0.2 is poor */
};

/* The distance of two objects: of cosines that of the rows at unit length. */
double roxi_map_distance(const struct roxi_condensed *apart, size_t i, size_t j);

/* Equal distances give the same result on every machine, except for rounding. O(n^2), some hundred
 * times; memory O(n^2). -1: memory ran out, and nothing to free. */
int roxi_map_make(struct roxi_map *m, const struct roxi_condensed *apart);
void roxi_map_free(struct roxi_map *m);

#endif
