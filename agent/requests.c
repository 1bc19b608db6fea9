#include "agent/requests.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "agent/clock.h"

#define DRAIN_MAX 1024

static in_port_t *port_of(struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET6)
        return &((struct sockaddr_in6 *)address)->sin6_port;
    return &((struct sockaddr_in *)address)->sin_port;
}

int ixa_requests_open(struct ixa_requests *r, const struct sockaddr_storage *local, uint16_t *port,
                      struct ix_error *err)
{
    struct sockaddr_storage address = *local;
    socklen_t size = sizeof address;
    *port_of(&address) = 0;
    r->fd = socket(address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (r->fd < 0)
        return ix_fail(err, "a UDP socket: %s", strerror(errno));
    if (bind(r->fd, (struct sockaddr *)&address,
             address.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                           : sizeof(struct sockaddr_in)) != 0 ||
        getsockname(r->fd, (struct sockaddr *)&address, &size) != 0) {
        ix_fail(err, "a UDP port: %s", strerror(errno));
        ixa_requests_close(r);
        return -1;
    }
    *port = ntohs(*port_of(&address));
    return 0;
}

void ixa_requests_close(struct ixa_requests *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
    ix_sealer_free(r->sealer);
    r->sealer = NULL;
}

int ixa_requests_start(struct ixa_requests *r, uint64_t session,
                       const uint8_t secret[IX_SECRET_SIZE])
{
    r->session = session;
    r->stale = r->superseded = r->foreign = 0;
    ix_sealer_free(r->sealer);
    r->sealer = ix_sealer_new(secret);
    return r->sealer ? 0 : -1;
}

bool ixa_requests_newest(struct ixa_requests *r, struct ixa_request *newest)
{
    bool found = false;
    uint64_t highest = r->last;
    for (int i = 0; i < DRAIN_MAX; i++) {
        uint8_t bytes[IX_DATAGRAM_SIZE + 1]; /* one more shows that it is too long */
        struct ix_datagram d;
        ssize_t size = recv(r->fd, bytes, sizeof bytes, 0);
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (size < 0)
            continue; /* an ICMP error of an earlier datagram, a signal: the next one may be good */
        if (!r->sealer || !ix_datagram_open(r->sealer, bytes, (size_t)size, &d) ||
            d.session != r->session || d.kind != IX_REQUEST) {
            r->foreign++;
        } else if (d.number <= highest) {
            r->stale++;
        } else {
            r->superseded += found;
            *newest = (struct ixa_request){.packet = d.number,
                                           .target_ns = d.time_ns,
                                           .arrived_ns = (uint64_t)ixa_mono_ns()};
            highest = d.number;
            found = true;
        }
    }
    r->last = highest;
    return found;
}
