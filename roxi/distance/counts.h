/* SPDX-License-Identifier: Apache-2.0 */
/* Count profiles (docs/thesis.md, section 3.6): how often each frame, or each call stack, occurs
 * in each run. Roles and threads are not distinguished. */
#ifndef ROXI_COUNTS_H
#define ROXI_COUNTS_H

#include "roxi/campaign/profile.h"
#include "roxi/distance/matrix.h"
#include "roxi/distance/strategy.h"

/* Runs x frames or stacks (kind: ROXI_FRAME_COUNT or ROXI_STACK_COUNT), columns in order of
 * first appearance. *symbols, which the caller frees: by column, the dictionary's frame or
 * stack. A frame that occurs twice in a stack counts twice. -1: out of memory, and nothing to
 * free. */
int roxi_counts(const struct roxi_profiles *p, enum roxi_kind kind, struct roxi_sparse *out,
                uint32_t **symbols, struct ix_error *err);

#endif
