/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side of a control connection: the commands `ixor snapshot`, `mark`, `pause` and
 * `resume` (protocol.md, "Control"). */
#ifndef IXOR_CONTROL_H
#define IXOR_CONTROL_H

#include "schema/base/bytes.h"
#include "schema/protocol/control.h"
#include "server/session/context.h"

/* Carries the command out and appends the REPLY to `out`. */
void ixor_control_answer(struct ixor_context *c, const struct ix_control *command,
                         struct ix_out *out);

#endif
