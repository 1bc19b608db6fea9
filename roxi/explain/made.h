/* SPDX-License-Identifier: Apache-2.0 */
/* Where normal runs make exceptions: how many of them make one of a class at a place. A place is
 * the innermost method of the application on the call stack, whatever line it is at; where there is
 * none, the method that makes it. */
#ifndef ROXI_MADE_H
#define ROXI_MADE_H

#include <stdbool.h>

#include "roxi/campaign/profile.h"

/* All zero: none. Owned. */
struct roxi_made {
    const struct roxi_symbols *symbols;
    struct roxi_tally methods; /* roxi_pair(class, method) */
    struct roxi_tally runs;    /* roxi_pair(class of the exception, method's number): normal runs */
    uint32_t *last;            /* by pair: the last run that counted, + 1 */
    size_t last_cap;
};

/* Of the runs in `normal`, by run. -1: memory ran out; to be freed in any case.
 * O(exceptions x depth). */
int roxi_made_count(struct roxi_made *m, const struct roxi_profiles *p, const bool *normal);
void roxi_made_free(struct roxi_made *m);

/* How many of them made an exception of that class at the place of this one. O(depth). */
size_t roxi_made_runs(const struct roxi_made *m, const struct roxi_first *first);

#endif
