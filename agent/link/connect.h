/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the TCP connection of a session. Blocks only in getaddrinfo. */
#ifndef IX_AGENT_CONNECT_H
#define IX_AGENT_CONNECT_H

#include <netdb.h>
#include <stdint.h>
#include <sys/socket.h>

struct ixa_dialer {
    const char *host; /* borrowed */
    uint16_t port;
    struct addrinfo *addresses, *next; /* all addresses of the name; the next one to try */
};

/* Starts a non-blocking connection to the next address; resolves the name again when all have been
 * tried. Returns the socket, connected or in progress (wait for POLLOUT, then call
 * ixa_dial_result). -1 if the name cannot be resolved or its last address failed: pause before the
 * next call. */
int ixa_dial(struct ixa_dialer *d);
/* 0 if the socket is connected, and its local address; -1 if the attempt failed. */
int ixa_dial_result(int fd, struct sockaddr_storage *local);
void ixa_dialer_free(struct ixa_dialer *d);

#endif
