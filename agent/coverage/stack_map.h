/* SPDX-License-Identifier: Apache-2.0 */
/* A method's StackMapTable: types of variables and operands at the beginning of blocks. */
#ifndef IX_AGENT_STACK_MAP_H
#define IX_AGENT_STACK_MAP_H

#include <stdbool.h>

#include "agent/coverage/layout.h"
#include "schema/base/bytes.h"

/* Appends the content of the attribute `in` for the code's new places. False: something is not
 * understood. */
bool ixa_stack_map_move(const struct ixa_layout *l, struct ix_in *in, struct ix_out *out);

#endif
