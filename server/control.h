/* The commands of a control connection, on the server's side: what `ixor snapshot`, `mark`, `pause`
 * and `resume` ask for (protocol.md, "Control"). */
#ifndef IXOR_CONTROL_H
#define IXOR_CONTROL_H

#include "schema/bytes.h"
#include "schema/control.h"

struct ixor_service;

/* Carries the command out and appends the REPLY to `out`. */
void ixor_control_answer(struct ixor_service *s, const struct ix_control *command,
                         struct ix_out *out);

#endif
