/* Who is connected to the viewer: bounds what evhttp itself does not (libevent 2.1), the number of
 * connections and the time that a peer may spend without showing the token. */
#ifndef IXOR_HTTP_PEERS_H
#define IXOR_HTTP_PEERS_H

#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>

#include "schema/error.h"

struct ixor_http_peers;

/* From now on `listener`, which evhttp accepts from, is held back while IXOR_HTTP_PEERS are there.
 * Both must outlive the struct. NULL on failure. */
struct ixor_http_peers *ixor_http_peers_new(struct event_base *base, struct evhttp *evhttp,
                                            struct evconnlistener *listener, struct ix_error *err);
/* After evhttp_free. p may be NULL. */
void ixor_http_peers_free(struct ixor_http_peers *p);

/* The one behind this request has shown the token. */
void ixor_http_peers_trust(struct ixor_http_peers *p, struct evhttp_request *req);

#endif
