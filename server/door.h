/* Where connections come in: a listening socket that takes no more of them at a time than the rest
 * can bear. Of a storm of newcomers some are let in, the others wait in the kernel's queue, and
 * packets go out meanwhile.
 */
#ifndef IXOR_DOOR_H
#define IXOR_DOOR_H

#include <event2/event.h>
#include <stdbool.h>

#include "server/units.h"

struct ixor_door;

struct ixor_door_events {
    /* A connection; its socket is the callee's. Whether it stays: a stranger, of whom
     * ixor_door_known will tell. */
    bool (*came)(void *user, evutil_socket_t fd, const struct sockaddr *peer, socklen_t len);
    /* Connections cannot be taken; told once until one can. */
    void (*shut)(void *user, const char *why);
    void *user;
};

/* NULL on failure: the address is taken, or is none of this host's. */
struct ixor_door *ixor_door_new(struct event_base *base, const struct ixor_address *listen,
                                const struct ixor_door_events *events, struct ix_error *err);
void ixor_door_free(struct ixor_door *d); /* d may be NULL */

const struct ixor_address *ixor_door_address(const struct ixor_door *d);
/* One stranger less. */
void ixor_door_known(struct ixor_door *d);
/* Tries again what could not be done; called now and then. */
void ixor_door_check(struct ixor_door *d);

#endif
