/* Opens the TCP connection of a session without ever blocking but in getaddrinfo. */
#ifndef IX_AGENT_CONNECT_H
#define IX_AGENT_CONNECT_H

#include <netdb.h>
#include <stdint.h>
#include <sys/socket.h>

struct ixa_dialer {
    const char *host; /* borrowed */
    uint16_t port;
    struct addrinfo *addresses, *next; /* what the name resolved to; the next one to try */
};

/* Starts a connection to the next address (resolves the name when they have all been tried):
 * a non-blocking socket, connected or on the way (wait for POLLOUT, then ask ixa_dial_result); or
 * -1 when the name cannot be resolved or its last address failed: pause before the next call. */
int ixa_dial(struct ixa_dialer *d);
/* 0 if the socket is connected, and the address of its own end; -1 if the attempt failed. */
int ixa_dial_result(int fd, struct sockaddr_storage *local);
void ixa_dialer_free(struct ixa_dialer *d);

#endif
