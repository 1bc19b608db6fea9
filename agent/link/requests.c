/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/requests.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "schema/base/descriptor.h"

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
    r->fd =
        ix_above_streams(socket(address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
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
        return false; /* repeated or overtaken: its time is no longer useful */
    if (now - r->answers_since > 1000000000) {
        r->answers_since = now;
        r->answers = 0;
    }
    return r->answers < IXA_ANSWERS_MAX;
}

/* A received datagram. */
struct arrival {
    uint8_t bytes[IX_DATAGRAM_SIZE + 1]; /* one extra byte shows that it is too long */
    ssize_t size; /* -1: an ICMP error of an earlier datagram, or a signal; the next call may
                   * succeed */
    int64_t ns;
    struct sockaddr_storage from;
    socklen_t from_size;
};

/* Receives the first waiting datagram. False: there is none. */
static bool receive(struct ixa_requests *r, int flags, struct arrival *a)
{
    a->from_size = sizeof a->from;
    a->size = recvfrom(r->fd, a->bytes, sizeof a->bytes, flags, (struct sockaddr *)&a->from,
                       &a->from_size);
    a->ns = ixa_mono_ns();
    return a->size >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

/* The sending time is read last; only sealing comes after it, about a microsecond. */
static void answer(struct ixa_requests *r, const struct ix_datagram *probe, const struct arrival *a)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    if (!may_answer(r, probe->number, a->ns))
        return;
    r->probe = probe->number;
    r->answers++;
    struct ix_datagram answer = {.kind = IX_ANSWER,
                                 .session = r->session,
                                 .number = probe->number,
                                 .time_ns = (uint64_t)a->ns,
                                 .sent_ns = (uint64_t)ixa_mono_ns()};
    if (ix_datagram_seal(r->sealer, &answer, bytes) == 0)
        sendto(r->fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
               (const struct sockaddr *)&a->from,
               a->from_size); /* if this fails, the answer is lost, as any datagram may be */
}

static bool open_datagram(struct ixa_requests *r, const struct arrival *a, struct ix_datagram *d)
{
    return r->sealer && ix_datagram_open(r->sealer, a->bytes, (size_t)a->size, d) &&
           d->session == r->session && d->kind != IX_ANSWER;
}

bool ixa_requests_newest(struct ixa_requests *r, struct ixa_request *newest)
{
    bool found = false;
    uint64_t highest = r->last;
    for (int i = 0; i < DRAIN_MAX; i++) {
        struct arrival a;
        struct ix_datagram d;
        if (!receive(r, 0, &a))
            break;
        if (a.size < 0)
            continue;
        if (!open_datagram(r, &a, &d)) {
            r->foreign++;
        } else if (d.kind == IX_PROBE) {
            answer(r, &d, &a);
        } else if (d.number <= highest) {
            r->stale++;
        } else {
            r->superseded += found;
            *newest = (struct ixa_request){
                .packet = d.number, .target_ns = d.time_ns, .arrived_ns = (uint64_t)a.ns};
            highest = d.number;
            found = true;
        }
    }
    r->last = highest;
    return found;
}

bool ixa_requests_answer(struct ixa_requests *r)
{
    struct arrival a;
    struct ix_datagram d;
    if (!receive(r, MSG_PEEK, &a) || a.size < 0)
        return true; /* the error has been consumed */
    if (!open_datagram(r, &a, &d) || d.kind != IX_PROBE)
        return false;
    answer(r, &d, &a);
    return recv(r->fd, a.bytes, sizeof a.bytes, 0) >= 0;
}
