/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses the JVMs of a run of `ixor run`, one at a time, for short random times. Each pause is a
 * mark of the run. The keeper does it (keeper.h), so only JVMs that the command started are paused,
 * and none stays stopped. */
#ifndef IXOR_PAUSER_H
#define IXOR_PAUSER_H

#include <event2/event.h>

#include "server/launch/child.h"
#include "server/session/context.h"

struct ixor_pauser;

/* The seed decides how long pauses and the times between them are, and which JVM is next by the
 * order of roles and process ids. The other arguments must outlive the pauser. NULL on failure. */
struct ixor_pauser *ixor_pauser_new(struct event_base *base, struct ixor_context *context,
                                    const struct ixor_execution *execution, uint64_t seed,
                                    struct ix_error *err);
/* Begins, as soon as there are JVMs. */
void ixor_pauser_start(struct ixor_pauser *p, struct ixor_child *child);
/* No further pause begins; the child ends the current one. p may be NULL, here and below. */
void ixor_pauser_stop(struct ixor_pauser *p);
void ixor_pauser_free(struct ixor_pauser *p);

/* What the child reports (child.h). */
void ixor_pauser_paused(struct ixor_pauser *p, bool stopped);
void ixor_pauser_resumed(struct ixor_pauser *p);

#endif
