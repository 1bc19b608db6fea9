/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the viewer's queries on a separate thread, so that the event loop, which sends packets,
 * never waits for the disk. The thread has its own connection to the catalogue and shares only two
 * short lists of jobs with the loop.
 */
#ifndef IXOR_API_H
#define IXOR_API_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>

#include "schema/base/error.h"
#include "server/viewer/http_route.h"

/* Queries that may wait; more are refused. */
#define IXOR_QUESTIONS_MAX 64u

struct ixor_api;

struct ixor_api_reply {
    int status;       /* of HTTP */
    const char *body; /* JSON; lives until the callback returns */
    size_t size;
};

/* `dir` must have a catalogue. `answered` is called in the event loop. NULL on failure. */
struct ixor_api *ixor_api_new(struct event_base *base, const char *dir,
                              void (*answered)(void *ticket, const struct ixor_api_reply *a),
                              struct ix_error *err);
/* Waits for the current query; every ticket that is left gets its answer (503) before this returns.
 * a may be NULL. */
void ixor_api_free(struct ixor_api *a);

/* Queues a query; `ticket` gets one answer later. `paused`: the sampling state to report. False if
 * too many are waiting; then there is no answer. */
bool ixor_api_ask(struct ixor_api *a, const struct ixor_route *route, bool paused, void *ticket);

#endif
