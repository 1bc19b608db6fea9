/* SPDX-License-Identifier: Apache-2.0 */
/* roxi evaluate --where: how often findings name the place of a known fault. */
#ifndef ROXI_COMMANDS_EVALUATE_WHERE_H
#define ROXI_COMMANDS_EVALUATE_WHERE_H

#include "roxi/commands/options.h"

struct roxi_evaluate_where {
    const char *campaign;
    const char *truth, *blame; /* tables (explain/truth.h) */
    struct roxi_load_options load;
    struct roxi_ranking_options ranking;
    bool json; /* else text */
};

/* One load, one ranking, and the time to explain each failed run. -1 with a message. */
int roxi_evaluate_where(struct roxi_result *out, const struct roxi_evaluate_where *q,
                        struct ix_error *err);

#endif
