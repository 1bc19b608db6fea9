/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/connect.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/base/descriptor.h"

void ixa_dialer_free(struct ixa_dialer *d)
{
    if (d->addresses)
        freeaddrinfo(d->addresses);
    d->addresses = d->next = NULL;
}

static int resolve(struct ixa_dialer *d)
{
    char port[8];
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    snprintf(port, sizeof port, "%u", d->port);
    ixa_dialer_free(d);
    if (getaddrinfo(d->host, port, &hints, &d->addresses) != 0) {
        d->addresses = NULL;
        return -1;
    }
    d->next = d->addresses;
    return 0;
}

static int start(const struct addrinfo *address)
{
    const int fd =
        ix_above_streams(socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (fd < 0)
        return -1;
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* small messages, a few a second */
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS)
        return fd;
    close(fd);
    return -1;
}

int ixa_dial(struct ixa_dialer *d)
{
    if (!d->next && resolve(d) != 0)
        return -1;
    int fd = -1;
    while (fd < 0 && d->next) {
        fd = start(d->next);
        d->next = d->next->ai_next;
    }
    return fd;
}

int ixa_dial_result(int fd, struct sockaddr_storage *local)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error)
        return -1;
    /* On one host, connecting to a port without a listener can connect the socket to itself, if the
     * kernel picks that port as the source port too (TCP's simultaneous open). That would keep the
     * server from starting again. */
    struct sockaddr_storage peer;
    socklen_t local_size = sizeof *local, peer_size = sizeof peer;
    memset(local, 0, sizeof *local);
    memset(&peer, 0, sizeof peer);
    if (getsockname(fd, (struct sockaddr *)local, &local_size) != 0 ||
        getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0)
        return -1;
    if (local_size == peer_size && memcmp(local, &peer, local_size) == 0) {
        struct linger reset = {.l_onoff = 1, .l_linger = 0};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        return -1;
    }
    return 0;
}
