/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts connections, no more at a time than the server can handle: under a rush of connections
 * some are accepted, the others wait in the kernel's queue, and packets still go out. Idle
 * connections that have proven no key are closed to make room.
 */
#ifndef IXOR_LISTENER_H
#define IXOR_LISTENER_H

#include <event2/event.h>
#include <stdbool.h>

#include "server/base/units.h"

struct ixor_listener;

struct ixor_listener_events {
    /* A new connection, whose socket the callback takes over. True if it stays, as a stranger: the
     * caller must later call ixor_listener_stranger_left for it. */
    bool (*came)(void *user, evutil_socket_t fd, const struct sockaddr *peer, socklen_t len);
    /* There are too many strangers: end one that can be spared (and call
     * ixor_listener_stranger_left for it). False if there is none. */
    bool (*make_room)(void *user);
    /* Connections cannot be accepted; called once until one can. */
    void (*shut)(void *user, const char *why);
    void *user;
};

/* NULL on failure: the address is in use, or not one of this host's. */
struct ixor_listener *ixor_listener_new(struct event_base *base, const struct ixor_address *listen,
                                        const struct ixor_listener_events *events,
                                        struct ix_error *err);
void ixor_listener_free(struct ixor_listener *l); /* l may be NULL */

const struct ixor_address *ixor_listener_address(const struct ixor_listener *l);
/* Call when a stranger has proven a key or ended. */
void ixor_listener_stranger_left(struct ixor_listener *l);
/* Retries failed operations; called now and then. */
void ixor_listener_check(struct ixor_listener *l);

#endif
