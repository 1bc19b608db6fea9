/* The UDP side of a session: the socket that requests arrive on, which of them counts, and answers
 * to the server's probes, which ask for this host's clock. */
#ifndef IX_AGENT_REQUESTS_H
#define IX_AGENT_REQUESTS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "schema/datagram.h"
#include "schema/error.h"

/* A packet to take. */
struct ixa_request {
    uint64_t packet;
    uint64_t target_ns;  /* monotonic clock, 0: at once */
    uint64_t arrived_ns; /* monotonic clock when it was read */
};

struct ixa_requests {
    int fd;                   /* -1: closed */
    uint64_t session;         /* the only one that counts */
    struct ix_sealer *sealer; /* owned; NULL: no session */
    uint64_t last;            /* highest packet number handed out so far; survives sessions */
    uint64_t stale;           /* dropped in this session: not above the last or a waiting one */
    uint64_t superseded;      /* ... because a newer one waited already */
    uint64_t foreign;         /* ... because malformed, forged or of another session */
    uint64_t probe;           /* highest probe number answered in this session */
    int64_t answers_since;    /* the second in which `answers` were sent began then */
    unsigned answers;
};

/* Probes that are answered within a second; a server sends 20 at most. */
#define IXA_ANSWERS_MAX 64

/* Opens a socket on `local`, an IPv4 or IPv6 address whose port is ignored, and gives its port. */
int ixa_requests_open(struct ixa_requests *r, const struct sockaddr_storage *local, uint16_t *port,
                      struct ix_error *err);
void ixa_requests_close(struct ixa_requests *r);
/* From now on requests must bear `session` and be sealed with its secret; the counters start at 0.
 * -1: out of memory. */
int ixa_requests_start(struct ixa_requests *r, uint64_t session,
                       const uint8_t secret[IX_SECRET_SIZE]);
/* Reads what waits, without blocking and at most 1,024 datagrams so that a flood cannot hold the
 * caller; true and the newest valid request if there is one, which counts as handed out. Answers
 * probes, each number once and IXA_ANSWERS_MAX a second; others are dropped without a trace, for a
 * lost answer costs the server nothing. */
bool ixa_requests_newest(struct ixa_requests *r, struct ixa_request *newest);
/* While a target time is awaited: answers the probe that waits first, so that its answer is no
 * later than it has to be. False if what waits first is something else, which stays. */
bool ixa_requests_answer(struct ixa_requests *r);

#endif
