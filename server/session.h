/* One connection, within TLS. An agent's: HELLO, WELCOME or REFUSE, reports, keepalive, the end. A
 * user's: CONTROL and REPLY, again and again.
 *
 * A session is made when a connection is accepted and frees itself when it is over; whoever holds
 * a pointer to one hears of that through the service (service.c), which decides who is admitted.
 * Input is bounded by one message, output by IXOR_OUTPUT_MAX: a peer that sends nonsense or does
 * not read is dropped.
 */
#ifndef IXOR_SESSION_H
#define IXOR_SESSION_H

#include <event2/bufferevent.h>

#include "schema/datagram.h"
#include "schema/key.h"
#include "schema/protocol.h"
#include "server/execution.h"
#include "server/index.h"
#include "server/instant.h"
#include "server/ledger.h"
#include "server/prober.h"
#include "server/units.h"
#include "server/upload.h"

struct ixor_service;

#define IXOR_OUTPUT_MAX 65536u /* bytes that a peer may leave unread: two hours of keepalives */
#define IXOR_MESSAGES_MAX 4000u /* between two checks (keepalive_ms / 8): agents send a handful */
#define IXOR_BACKLOG_MAX 8192u  /* packets of earlier sessions in reports: an agent keeps 4,096 */
#define IXOR_HELLO_MS 5000     /* a connection that has not come to HELLO is closed after this */
#define IXOR_QUIET_REQUESTS 3  /* a VM that takes none of so many, for IX_SILENCE_MS, is silent */
#define IXOR_LINGER_MS 2000    /* time for a refused peer to read why */

enum ixor_session_state {
    IXOR_SESSION_STRANGE, /* TLS's handshake is under way: nothing can be said yet */
    IXOR_SESSION_NEW,     /* the peer has proven a key; its first message has not come */
    IXOR_SESSION_LIVE,    /* admitted: gets requests */
    IXOR_SESSION_CONTROL, /* no agent: gives commands (control.h) */
    IXOR_SESSION_COURIER, /* brings logs, is no VM: began with LOG_OFFER */
    IXOR_SESSION_CLOSING, /* refused; waits for the peer to close */
};

/* struct ix_hello in a tenth of its room: one block, strings and all. */
struct ixor_hello {
    uint16_t udp_port;
    uint32_t pid;
    uint64_t started_ns, mono_ns, last_packet;
    const char *execution, *role, *host, *jvm, *log, *machine;
};
/* NULL: out of memory. free(3) releases it. */
struct ixor_hello *ixor_hello_copy(const struct ix_hello *hello);

struct ixor_session {
    struct ixor_service *service;
    struct bufferevent *bev;
    size_t place; /* in the roster */
    enum ixor_session_state state;
    uint64_t began_ns, heard_ns, said_ns; /* monotonic clock */
    struct ixor_address peer;
    bool known;              /* the service was told (ixor_service_known) */
    enum ix_key_kind proven; /* IX_KEY_AGENT or IX_KEY_CONTROL, once it is not STRANGE */

    /* From HELLO on: */
    uint64_t key;            /* the protocol's session number */
    struct ixor_address udp; /* where requests go */
    struct ix_sealer *sealer; /* owned: seals them */
    struct ixor_execution *execution;
    struct ixor_ledger_vm *vm;
    struct ixor_hello *hello;     /* owned */
    struct ixor_index_link by_vm; /* in the service's index */
    uint64_t asked, taken;        /* packets, in this session */
    unsigned messages;            /* since the last check */
    struct ixor_clock clock;      /* the VM's, against the server's */
    struct ixor_probing probing;  /* prober.c's */
    struct ixor_aim aimed[IXOR_AIMS];
    uint64_t reported; /* highest packet whose outcome has it */
    uint64_t last_taken; /* packet; 0 none */
    uint64_t taken_ns;   /* when that was heard of, or the HELLO; monotonic clock */
    uint64_t unanswered; /* requests sent since */
    bool quiet;          /* the catalogue says silent, though the peer is still heard */
    struct ixor_upload *upload; /* owned; NULL: none */
    struct {
        bool due;     /* has a VM of this host gone whose log is not here? To be looked up */
        bool asking;  /* this one was asked for such a log, and it has not come yet */
        int64_t last; /* VM whose log it was last asked for */
    } search;
};

/* All sessions, in no order. */
struct ixor_roster {
    struct ixor_session **at;
    size_t count, room;
};

/* Takes over an accepted socket and enters the session into the roster. NULL: out of memory; the
 * socket is closed. */
struct ixor_session *ixor_session_new(struct ixor_service *service, struct event_base *base,
                                      evutil_socket_t fd, const struct sockaddr *peer,
                                      socklen_t peer_len);

/* Looks at the clock: sends a keepalive, or ends a session that has been silent for too long. */
void ixor_session_check(struct ixor_session *s, uint64_t now_ns, unsigned keepalive_ms,
                        unsigned silence_ms);

/* Sends and frees `out`. False when nothing can be said any more: out of memory. */
bool ixor_session_say(struct ixor_session *s, struct ix_out *out);

/* Ends and frees the session; a live one's VM is recorded as `ended` (a constant of
 * catalogue.sql). text may be NULL. */
void ixor_session_end(struct ixor_session *s, const char *ended, const char *text);

#endif
