/* SPDX-License-Identifier: Apache-2.0 */
/* With what tests failed: "org.opentest4j.AssertionFailedError: expected: <15> but was: <10>". */
#ifndef ROXI_FAILURES_H
#define ROXI_FAILURES_H

#include <stdio.h>

#include "roxi/campaign/profile.h"

/* Runs whose tests failed with the same, but for numbers. */
struct roxi_failure {
    const char *text; /* of the first one; of its profile */
    size_t runs;
};

struct roxi_failures {
    struct roxi_failure *list; /* those of most runs first; owned */
    size_t count, cap;
};

/* Those of some of the runs; `of`: by run. -1: memory ran out, and nothing is left to free.
 * O(runs x failures). */
int roxi_failures_make(struct roxi_failures *f, const struct roxi_profiles *p, const bool *of);
void roxi_failures_free(struct roxi_failures *f);

/* "Its test failed with ..." in lines, or nothing. `quote` is put around what comes from the test.
 * -1: memory ran out, as for the other. */
int roxi_failure_show(FILE *out, const struct roxi_profile *run, const char *quote);
/* How many runs failed with what, or nothing. `item`: the beginning of a line; not `all`: the first
 * five. */
int roxi_failures_show(FILE *out, const struct roxi_failures *f, const char *item,
                       const char *quote, bool all);

#endif
