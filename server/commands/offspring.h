/* SPDX-License-Identifier: Apache-2.0 */
/* JVMs that JUnit tests start: they know no test and take part in no run (docs/junit.md), which the
 * user must be told, as a distributed test consists of them. */
#ifndef IXOR_OFFSPRING_H
#define IXOR_OFFSPRING_H

#include <event2/event.h>

#include "server/session/context.h"

struct ixor_offspring;

/* Begins to look for them once a second, through /proc, while tests go on. Those that live shorter
 * may be missed. NULL on failure. Both arguments must outlive it. */
struct ixor_offspring *ixor_offspring_new(struct event_base *base,
                                          const struct ixor_context *context, struct ix_error *err);
/* How many of them loaded the agent. */
size_t ixor_offspring_count(const struct ixor_offspring *o);
/* o may be NULL. */
void ixor_offspring_free(struct ixor_offspring *o);

#endif
