/* SPDX-License-Identifier: Apache-2.0 */
/* The verdicts of a campaign's runs in the catalogue, and who gave them. */
#ifndef ROXI_VERDICTS_H
#define ROXI_VERDICTS_H

#include <stdbool.h>

#include "roxi/campaign/profile.h"
#include "schema/catalogue/catalogue.h"

struct roxi_verdict {
    enum ix_verdict verdict;
    bool by_user; /* by `ixor label`; else by the harness, or no verdict */
};

/* One for each run of the profiles, in their order; the caller frees them. Runs that are no
 * longer in the catalogue are unknown. NULL with a message on failure. */
struct roxi_verdict *roxi_verdicts_load(const char *campaign, const struct roxi_profiles *p,
                                        struct ix_error *err);

/* Did the run pass, and was something of it recorded? One without call stacks, as of a command that
 * started no JVM, does not show what good runs do. `v`: by run. */
static inline bool roxi_run_passed(const struct roxi_profiles *p, const struct roxi_verdict *v,
                                   size_t run)
{
    return v[run].verdict == IX_VERDICT_PASSED && p->executions[run].total;
}

struct roxi_verdict_counts {
    size_t passed; /* roxi_run_passed */
    size_t failed, all;
};
/* O(runs). */
struct roxi_verdict_counts roxi_verdicts_count(const struct roxi_profiles *p,
                                               const struct roxi_verdict *v);

/* Did half of the runs fail, or more, so that most no longer show what is normal? Those that passed
 * do, then. */
static inline bool roxi_most_failed(struct roxi_verdict_counts c)
{
    return c.passed && 2 * c.failed >= c.all;
}

/* True if the run need not be inspected. A user's verdict is final, and so is a failure that the
 * harness saw. A passing exit status counts only with trust_passed: roxi looks for failures that
 * no exit status shows. */
bool roxi_verdict_settled(struct roxi_verdict v, bool trust_passed);

/* By run, whether it failed; the caller frees it. *count: how many did. NULL: out of memory. */
bool *roxi_verdicts_failed(const struct roxi_verdict *v, size_t n, size_t *count,
                           struct ix_error *err);

/* Removes runs without a verdict from the profiles and from the array; returns how many it
 * removed. */
size_t roxi_verdicts_drop_unknown(struct roxi_profiles *p, struct roxi_verdict *v);

#endif
