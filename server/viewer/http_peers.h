/* SPDX-License-Identifier: Apache-2.0 */
/* Limits what evhttp (libevent 2.1) does not: the number of the viewer's connections, and the time
 * that a peer may take to send a request or read its reply. At the limit connections are closed to
 * make room: first those that have not shown the token, then those without a request, the oldest
 * first. */
#ifndef IXOR_HTTP_PEERS_H
#define IXOR_HTTP_PEERS_H

#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>

#include "schema/base/error.h"

#define IXOR_HTTP_PEERS 64u
#define IXOR_HTTP_BACKLOG 256 /* more that may wait to be accepted */
#define IXOR_HTTP_SECONDS 20  /* for a request, and as long for its reply to be read */

struct ixor_http_peers;

/* From now on `listener`, from which evhttp accepts, is disabled while IXOR_HTTP_PEERS connections
 * are open. Both must outlive the struct. NULL on failure. */
struct ixor_http_peers *ixor_http_peers_new(struct event_base *base, struct evhttp *evhttp,
                                            struct evconnlistener *listener, struct ix_error *err);
/* After evhttp_free. p may be NULL. */
void ixor_http_peers_free(struct ixor_http_peers *p);

/* The peer of this request has shown the token and waits for a reply. */
void ixor_http_peers_asked(struct ixor_http_peers *p, struct evhttp_request *req);

#endif
