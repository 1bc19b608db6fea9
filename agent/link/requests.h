/* SPDX-License-Identifier: Apache-2.0 */
/* The UDP side of a session: receives requests, picks the newest, and answers the probes with which
 * the server reads this host's clock. */
#ifndef IX_AGENT_REQUESTS_H
#define IX_AGENT_REQUESTS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "schema/base/error.h"
#include "schema/protocol/datagram.h"

/* A packet to take. */
struct ixa_request {
    uint64_t packet;
    uint64_t target_ns;  /* monotonic clock; 0: at once */
    uint64_t arrived_ns; /* monotonic clock, when it was read */
};

struct ixa_requests {
    int fd;                   /* -1: closed */
    uint64_t session;         /* datagrams of other sessions are dropped */
    struct ix_sealer *sealer; /* owned; NULL: no session */
    uint64_t last;            /* highest packet number handed out so far; survives sessions */
    uint64_t stale;           /* dropped in this session because not newer than the last or a
                               * waiting one */
    uint64_t superseded;      /* ... because a newer one was already waiting */
    uint64_t foreign;         /* ... because malformed, forged or of another session */
    uint64_t probe;           /* highest probe number answered in this session */
    int64_t answers_since;    /* start of the second in which `answers` were sent */
    unsigned answers;
};

/* Probes answered in one second; a server sends at most 20. */
#define IXA_ANSWERS_MAX 64

/* Opens a socket on `local`, an IPv4 or IPv6 address whose port is ignored, and stores its port. */
int ixa_requests_open(struct ixa_requests *r, const struct sockaddr_storage *local, uint16_t *port,
                      struct ix_error *err);
void ixa_requests_close(struct ixa_requests *r);
/* From now on requests must carry `session` and be sealed with its secret. The counters start at 0.
 * -1: out of memory. */
int ixa_requests_start(struct ixa_requests *r, uint64_t session,
                       const uint8_t secret[IX_SECRET_SIZE]);
/* Reads everything that is waiting, without blocking, but at most 1,024 datagrams, so that a flood
 * cannot hold up the caller. True with the newest valid request, if any, which then counts as
 * handed out. Answers probes, each number once and IXA_ANSWERS_MAX a second. The others are dropped
 * silently, since a lost answer costs the server nothing. */
bool ixa_requests_newest(struct ixa_requests *r, struct ixa_request *newest);
/* While a target time is awaited: answers the first waiting datagram at once if it is a probe.
 * False if it is something else, which stays in the socket. */
bool ixa_requests_answer(struct ixa_requests *r);

#endif
