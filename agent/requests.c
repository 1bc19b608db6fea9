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
    r->stale = r->superseded = r->foreign = r->probe = 0;
    r->answers = 0;
    ix_sealer_free(r->sealer);
    r->sealer = ix_sealer_new(secret);
    return r->sealer ? 0 : -1;
}

static bool may_answer(struct ixa_requests *r, uint64_t number, int64_t now)
{
    if (number <= r->probe)
        return false; /* repeated or overtaken: its time says nothing any more */
    if (now - r->answers_since > 1000000000) {
        r->answers_since = now;
        r->answers = 0;
    }
    return r->answers < IXA_ANSWERS_MAX;
}

/* The time of sending is read last; sealing comes after it, and a microsecond later. */
static void answer(struct ixa_requests *r, const struct ix_datagram *probe, int64_t arrived,
                   const struct sockaddr_storage *from, socklen_t from_size)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    if (!may_answer(r, probe->number, arrived))
        return;
    r->probe = probe->number;
    r->answers++;
    struct ix_datagram answer = {.kind = IX_ANSWER,
                                 .session = r->session,
                                 .number = probe->number,
                                 .time_ns = (uint64_t)arrived,
                                 .sent_ns = (uint64_t)ixa_mono_ns()};
    if (ix_datagram_seal(r->sealer, &answer, bytes) == 0)
        sendto(r->fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
               (const struct sockaddr *)from, from_size); /* lost if it fails, as any may be */
}

static bool open_datagram(struct ixa_requests *r, const uint8_t *bytes, size_t size,
                          struct ix_datagram *d)
{
    return r->sealer && ix_datagram_open(r->sealer, bytes, size, d) && d->session == r->session &&
           d->kind != IX_ANSWER;
}

bool ixa_requests_newest(struct ixa_requests *r, struct ixa_request *newest)
{
    bool found = false;
    uint64_t highest = r->last;
    for (int i = 0; i < DRAIN_MAX; i++) {
        uint8_t bytes[IX_DATAGRAM_SIZE + 1]; /* one more shows that it is too long */
        struct ix_datagram d;
        struct sockaddr_storage from;
        socklen_t from_size = sizeof from;
        ssize_t size =
            recvfrom(r->fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &from_size);
        int64_t arrived = ixa_mono_ns();
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (size < 0)
            continue; /* an ICMP error of an earlier datagram, a signal: the next one may be good */
        if (!open_datagram(r, bytes, (size_t)size, &d)) {
            r->foreign++;
        } else if (d.kind == IX_PROBE) {
            answer(r, &d, arrived, &from, from_size);
        } else if (d.number <= highest) {
            r->stale++;
        } else {
            r->superseded += found;
            *newest = (struct ixa_request){
                .packet = d.number, .target_ns = d.time_ns, .arrived_ns = (uint64_t)arrived};
            highest = d.number;
            found = true;
        }
    }
    r->last = highest;
    return found;
}
