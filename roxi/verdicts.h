/* What is known about a campaign's executions: their verdicts in the catalogue, and who gave them.
 */
#ifndef ROXI_VERDICTS_H
#define ROXI_VERDICTS_H

#include <stdbool.h>

#include "roxi/profile.h"
#include "schema/catalogue.h"

struct roxi_verdict {
    enum ix_verdict verdict;
    bool by_user; /* `ixor label`; else the exit status or the time limit said so, or nobody */
};

/* One for each execution of the profiles, in their order; the caller frees them. Executions that
 * the catalogue has not (any more) are unknown. NULL with a message on failure. */
struct roxi_verdict *roxi_verdicts_load(const char *campaign, const struct roxi_profiles *p,
                                        struct ix_error *err);

/* Has somebody to look at it no more? A user's verdict settles it, and so does a failure that the
 * harness saw. That a run passed by its exit status says little, finding failures that show in no
 * exit status being what roxi is for; it counts only with trust_passed. */
bool roxi_verdict_settled(struct roxi_verdict v, bool trust_passed);

/* Takes executions without a verdict out of the profiles and of the array alike; how many. */
size_t roxi_verdicts_drop_unknown(struct roxi_profiles *p, struct roxi_verdict *v);

#endif
