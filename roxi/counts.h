/* Count profiles [3.6]: how often each frame, or each call stack, occurs in each execution. Roles
 * and threads are not told apart. */
#ifndef ROXI_COUNTS_H
#define ROXI_COUNTS_H

#include "roxi/matrix.h"
#include "roxi/profile.h"
#include "roxi/strategy.h"

/* Executions x frames or stacks (kind: ROXI_FRAME_COUNT or ROXI_STACK_COUNT), columns in order of
 * first appearance. *symbols, which the caller frees: by column, the dictionary's frame or stack. A
 * frame that is in a stack twice counts twice. -1: memory ran out, and nothing is left to free. */
int roxi_counts(const struct roxi_profiles *p, enum roxi_kind kind, struct roxi_sparse *out,
                uint32_t **symbols, struct ix_error *err);

#endif
