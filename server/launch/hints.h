/* SPDX-License-Identifier: Apache-2.0 */
/* What to tell a user whose command started no JVM that loaded the agent. */
#ifndef IXOR_HINTS_H
#define IXOR_HINTS_H

#include "server/launch/progress.h"

/* `output`: the command's output file, or NULL if its output was shown; its first lines are
 * repeated if the command failed. */
void ixor_hint_no_vm(struct ixor_progress *p, const char *run, const char *output, bool failed);

#endif
