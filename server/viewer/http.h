/* The viewer: a page and the JSON behind it (docs/viewer.md), served in the server's event loop by
 * libevent's evhttp.
 *
 * Whoever knows the URL may look and act; nobody else gets more than 403. The URL holds a random token;
 * on a loopback address the Host header must name it too, so that a web page elsewhere cannot reach
 * the viewer by a name of its own (DNS rebinding). Bounded: IXOR_HTTP_PEERS connections and
 * as many as wait when the last of these is accepted, requests of
 * IXOR_HTTP_HEAD bytes, IXOR_HTTP_SECONDS of silence, and as long for a peer that has not shown the
 * token.
 */
#ifndef IXOR_HTTP_H
#define IXOR_HTTP_H

#include <event2/event.h>

#include "server/service.h"

#define IXOR_HTTP_PEERS 64u
#define IXOR_HTTP_BACKLOG 16 /* wait to be accepted meanwhile */
#define IXOR_HTTP_HEAD 8192
#define IXOR_HTTP_BODY 1024
#define IXOR_HTTP_SECONDS 20

struct ixor_http;

/* `text`: "PORT" or ":PORT" (127.0.0.1), "ADDR:PORT", "ADDR" (any free port). 0 or -1. */
int ixor_http_parse_address(const char *text, struct ixor_address *address, struct ix_error *err);

/* `dir` has a catalogue; `service` must outlive the viewer. NULL on failure. */
struct ixor_http *ixor_http_new(struct event_base *base, struct ixor_service *service,
                                const char *dir, const struct ixor_address *listen,
                                struct ix_error *err);
void ixor_http_free(struct ixor_http *h); /* h may be NULL */

/* "http://127.0.0.1:1234/TOKEN/". */
const char *ixor_http_url(const struct ixor_http *h);
/* Tells the user where it is, and what it means if that is beyond this host. */
void ixor_http_announce(const struct ixor_http *h);

#endif
