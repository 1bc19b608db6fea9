/* What to tell a user whose command started no JVM that loaded the agent. */
#ifndef IXOR_HINTS_H
#define IXOR_HINTS_H

#include "server/progress.h"

/* `output`: the command's output file, or NULL if it was shown; its first lines are repeated when
 * the command failed. */
void ixor_hint_no_vm(struct ixor_progress *p, const char *run, const char *output, bool failed);

#endif
