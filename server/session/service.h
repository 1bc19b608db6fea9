/* SPDX-License-Identifier: Apache-2.0 */
/* The server proper: listens, admits agents to runs, keeps their sessions, and sends packets.
 *
 * Everything runs in the caller's event loop, in one thread. Nothing here prints: events go to
 * struct ixor_service_events.
 */
#ifndef IXOR_SERVICE_H
#define IXOR_SERVICE_H

#include "server/session/context.h"
#include "server/session/executions.h"

struct ixor_service;

/* `writer` must outlive the service. NULL on failure. */
struct ixor_service *ixor_service_new(struct event_base *base, struct ixor_writer *writer,
                                      const struct ixor_service_options *options,
                                      const struct ixor_service_events *events,
                                      struct ix_error *err);
/* JVMs that are still there are recorded as server-stopped. s may be NULL. */
void ixor_service_free(struct ixor_service *s);

/* The address it listens on. */
const struct ixor_address *ixor_service_address(const struct ixor_service *s);
/* Valid until the service is freed. */
struct ixor_context *ixor_service_context(struct ixor_service *s);

#endif
