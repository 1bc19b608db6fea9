/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer: a page and the JSON behind it (docs/viewer.md), served in the server's event loop by
 * libevent's evhttp.
 *
 * Anyone who knows the URL can see and control the campaign; others get 403. The URL contains a
 * random token; on a loopback address the Host header must name that address, so that another
 * site's page cannot reach the viewer through its own host name (DNS rebinding). Limits:
 * IXOR_HTTP_PEERS connections plus those waiting when the last of these is accepted, requests of
 * IXOR_HTTP_HEAD bytes, and IXOR_HTTP_SECONDS for a request and the same again for reading its
 * reply. When all places are taken, the idlest connections are closed to make room.
 */
#ifndef IXOR_HTTP_H
#define IXOR_HTTP_H

#include <event2/event.h>

#include "server/session/service.h"

#define IXOR_HTTP_HEAD 8192
#define IXOR_HTTP_BODY 1024

struct ixor_http;

/* `text`: "PORT" or ":PORT" (127.0.0.1), "ADDR:PORT", "ADDR" (any free port). 0 or -1. */
int ixor_http_parse_address(const char *text, struct ixor_address *address, struct ix_error *err);

/* `dir` must have a catalogue; `service` must outlive the viewer. NULL on failure. */
struct ixor_http *ixor_http_new(struct event_base *base, struct ixor_service *service,
                                const char *dir, const struct ixor_address *listen,
                                struct ix_error *err);
void ixor_http_free(struct ixor_http *h); /* h may be NULL */

/* "http://127.0.0.1:1234/TOKEN/". */
const char *ixor_http_url(const struct ixor_http *h);
/* Prints the URL, and a warning if other hosts can reach it. */
void ixor_http_announce(const struct ixor_http *h);

#endif
