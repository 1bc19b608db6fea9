/* SPDX-License-Identifier: Apache-2.0 */
/* The marks of a campaign, as `ixor status` shows them. */
#ifndef IXOR_MARKS_H
#define IXOR_MARKS_H

#include <jansson.h>

#include "server/store/listing.h"

/* How the marks of pauses (commands/pauser.h) begin. A run can have hundreds. */
#define IXOR_PAUSE_MARK "paused "

/* Prints one line per mark on stdout, below a heading, and how many pauses there were; nothing if
 * there are no marks. 0 or -1. */
int ixor_marks_print(struct ix_catalogue *c, const struct ixor_execution_list *executions,
                     struct ix_error *err);
/* {"execution", "packet", "at_ns", "text"} each; execution null: none was running. NULL on failure.
 */
json_t *ixor_marks_json(struct ix_catalogue *c, const struct ixor_execution_list *executions,
                        struct ix_error *err);

#endif
