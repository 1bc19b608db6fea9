/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's side of the protocol: connects to the server, keeps the session, hands out requests
 * one by one and sends reports. Independent of the JVM; used on one thread.
 *
 * All waiting is one poll(2), which a readable `stop_fd` ends at once. (Only getaddrinfo, for a
 * server given by name, cannot be interrupted.) A connection that fails or breaks is retried
 * forever, after 100 ms at first, rising to 5 s, with jitter.
 *
 *     DOWN -> CONNECTING -> SECURING -> GREETED -> UP      any of them -> DOWN: failed, timed out
 *                                          +-> REFUSED     final */
#ifndef IX_AGENT_LINK_H
#define IX_AGENT_LINK_H

#include "agent/base/instant.h"
#include "agent/link/requests.h"
#include "schema/base/error.h"
#include "schema/protocol/key.h"
#include "schema/protocol/protocol.h"
#include "schema/protocol/tls.h"

struct ixa_link;

enum ixa_event {
    IXA_STOP,        /* stop_fd is readable, and stays so */
    IXA_REQUEST,     /* a packet: it is time to prepare for its instant, which is named */
    IXA_WELCOME,     /* a session has begun */
    IXA_REFUSED,     /* the server rejects this JVM: no other event will follow */
    IXA_UNREACHABLE, /* no server for the first three seconds; reported once, attempts continue */
    IXA_UNTRUSTED,   /* server and agent have different keys; reported once, attempts continue */
};

/* Another module's messages on the same connection (upload.h). While a session is up, `send` is
 * called whenever everything earlier has been sent. It may append frames, and returns when to call
 * it again (monotonic ns; INT64_MAX: after the next message). `receive` gets messages of types that
 * the link does not know; -1: the server violates the protocol. */
struct ixa_extension {
    int64_t (*send)(void *user, struct ix_out *out, int64_t now_ns);
    int (*receive)(void *user, const struct ix_message_frame *m);
    void *user;
};

struct ixa_link_config {
    const char *host; /* name or address; outlives the link, like hello */
    uint16_t port;
    int stop_fd;                    /* borrowed */
    struct ixa_instant *instant;    /* borrowed: when to take a packet */
    struct ixa_extension extension; /* all NULL: none */
    /* Asked before each HELLO, after which the server expects a GOODBYE. False: stop_fd is readable
     * or about to be. NULL: always greet. */
    bool (*may_greet)(void);
    /* Called before the HELLO to another campaign than that of the last session. Packets are
     * numbered from 1 again, queued reports are dropped, and *hello may be changed. May be NULL. */
    void (*other_campaign)(void *user);
    void *user;
    const struct ix_hello *hello; /* udp_port, mono_ns and last_packet are filled in by the link */
    const struct ix_key *key;     /* if NULL, or not the server's key: the one that keyplace.h
                                   * finds */
    const struct ix_tls_files *files; /* NULL: no certificates; read by ixa_link_new */
};

struct ixa_link *ixa_link_new(const struct ixa_link_config *config, struct ix_error *err);
void ixa_link_free(struct ixa_link *l); /* closes everything; l may be NULL */

/* Waits for the next event. Sets *request for IXA_REQUEST. */
enum ixa_event ixa_link_wait(struct ixa_link *l, struct ixa_request *request);

/* After IXA_WELCOME: the run to which the server assigns this JVM. After IXA_REFUSED and
 * IXA_UNTRUSTED: why, as the end of a sentence that starts with "the server". */
const char *ixa_link_execution(const struct ixa_link *l);
const char *ixa_link_refusal(const struct ixa_link *l);
const char *ixa_link_untrusted(const struct ixa_link *l);

/* The descriptor of the connection to the server; -1: there is none. */
int ixa_link_descriptor(const struct ixa_link *l);

/* Queues a report on a packet that was taken. It is sent within IX_REPORT_DELAY_MS or the delay set
 * by WELCOME, sooner if many are queued, or after the next WELCOME. The queue holds 4,096. */
void ixa_link_taken(struct ixa_link *l, const struct ix_taken *taken);

/* Serves only the extension until `done` returns true, the time (monotonic ns) has come, or the
 * connection breaks. Ignores requests and stop_fd. */
void ixa_link_linger(struct ixa_link *l, bool (*done)(void *user), int64_t until_ns);

/* The verdict that the GOODBYE will have: for a session that is a test's run. */
void ixa_link_verdict(struct ixa_link *l, enum ix_test_verdict verdict);

/* Sends what is queued and, if a HELLO was sent, a GOODBYE, for at most timeout_ms. Waits at most
 * 100 ms for the server to read it, and closes the connection. Afterwards only ixa_link_free may be
 * called. */
void ixa_link_goodbye(struct ixa_link *l, enum ix_goodbye_reason reason, const char *text,
                      int timeout_ms);

#endif
