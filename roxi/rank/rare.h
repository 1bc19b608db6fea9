/* SPDX-License-Identifier: Apache-2.0 */
/* Code that few runs execute, in whatever role, where logs tell which code was executed. A branch
 * that is hardly ever taken, for an error or a retry, takes no time. */
#ifndef ROXI_RARE_H
#define ROXI_RARE_H

#include "roxi/campaign/profile.h"

/* All zero: nothing is counted. */
struct roxi_rare {
    size_t runs;            /* that tell */
    struct roxi_tally seen; /* roxi_pair(place, block); owned, as is the rest */
    uint32_t *like, *last;  /* by number in it: runs that execute it, and the last of them + 1 */
    size_t like_cap, last_cap;
    struct roxi_tally classes; /* scratch: of one role, and how rare what it executes of them is */
    double *rarity;
    size_t rarity_cap;
};

/* Counts the runs that `of` has (by run; NULL: all). -1: memory ran out; to be freed in any case.
 * O(blocks of all runs). */
int roxi_rare_count(struct roxi_rare *r, const struct roxi_profiles *p, const bool *of);
void roxi_rare_free(struct roxi_rare *r);
/* Adds up, over the classes of the role that run->use.covered[from] is of, how rare the rarest is
 * that it executes: 0 if a third of the runs do, to 1 if this one alone does. Classes of libraries
 * (library.h) do not count: which branches they take is chance. Returns the first that is of
 * another role; `from`: memory ran out. O(blocks and frames of the role). */
size_t roxi_rare_classes(struct roxi_rare *r, const struct roxi_profiles *p,
                         const struct roxi_profile *run, size_t from, double *classes);
/* How many of the runs execute a block. O(1). */
uint32_t roxi_rare_like(const struct roxi_rare *r, const struct roxi_covered *x);

#endif
