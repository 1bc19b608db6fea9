/* SPDX-License-Identifier: Apache-2.0 */
/* How often runs fail, by JUnit test and by how they were disturbed: only runs of one test that
 * were disturbed in the same way are counted together, or compared. */
#ifndef IXOR_RATES_H
#define IXOR_RATES_H

#include <jansson.h>
#include <stdio.h>

#include "schema/base/fisher.h"
#include "server/store/listing.h"

struct ixor_rate {
    const char *test;      /* of the runs' list; NULL: not a JUnit test's */
    const char *disturbed; /* of the runs' list; NULL: not disturbed */
    struct ix_tried tried;
    size_t first; /* place of the first of these runs in the list */
};
struct ixor_rates {
    struct ixor_rate
        *at; /* owned; undisturbed runs first, then in the order of the first of each */
    size_t count;
};

/* Counts runs that have a verdict; `runs` must outlive the rates. 0 or -1. O(runs log runs). */
int ixor_rates_count(struct ixor_rates *rates, const struct ix_execution *runs, size_t count,
                     struct ix_error *err);
void ixor_rates_free(struct ixor_rates *rates);

/* Prints two lines for each kind: the rate with its interval, and how many runs show a failure. Of
 * many tests only some, first those that have failed. */
void ixor_rates_print(FILE *out, const struct ixor_rates *rates);
/* An array of {"test", "disturbed", "failed", "judged", "rate", "low", "high"}. NULL: out of
 * memory. */
json_t *ixor_rates_json(const struct ixor_rates *rates);

/* Prints whether the runs of b fail more or less often than those of a; of tests, only those that
 * have failed. `names`: of both. O(kinds of a x kinds of b). */
void ixor_rates_compare(FILE *out, const char *const names[2], const struct ixor_rates *a,
                        const struct ixor_rates *b);
/* An array of {"test", "disturbed", "chance"}: the probability of ix_fisher for each kind that both
 * have. NULL: out of memory. */
json_t *ixor_rates_chances_json(const struct ixor_rates *a, const struct ixor_rates *b);

#endif
