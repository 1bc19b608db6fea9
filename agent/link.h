/* The agent's side of the protocol: finds the server, keeps the session, gives the requests out one
 * by one and brings the reports home. Knows nothing of the JVM; one thread.
 *
 * All waiting is one poll(2) that a readable `stop_fd` ends at once. (One thing cannot be ended:
 * getaddrinfo, when the server is given by name.) A connection that fails or breaks is tried again
 * for ever, after 100 ms at first and 5 s at last, with jitter.
 */
#ifndef IX_AGENT_LINK_H
#define IX_AGENT_LINK_H

#include "agent/requests.h"
#include "schema/error.h"
#include "schema/key.h"
#include "schema/protocol.h"
#include "schema/tls.h"

struct ixa_link;

enum ixa_event {
    IXA_STOP,        /* stop_fd is readable; it stays so */
    IXA_REQUEST,     /* a packet to take now; its target time has come */
    IXA_WELCOME,     /* a session has begun */
    IXA_REFUSED,     /* the server does not want this JVM: nothing else will ever come */
    IXA_UNREACHABLE, /* no server for the first three seconds; said once, attempts go on */
    IXA_UNTRUSTED,   /* server and agent have not the same key; said once, attempts go on */
};

/* Somebody else's messages on the same connection (upload.h). While a session is up, `send` is called
 * when all that was said before has left: it may append frames, and returns when to call it again
 * (monotonic ns; INT64_MAX: after the next message). `receive` gets the messages of types that the
 * link does not know; -1: the server breaks the protocol. */
struct ixa_passenger {
    int64_t (*send)(void *user, struct ix_out *out, int64_t now_ns);
    int (*receive)(void *user, const struct ix_message_frame *m);
    void *user;
};

struct ixa_link_config {
    const char *host; /* name or address; outlives the link, as hello does */
    uint16_t port;
    int stop_fd;                  /* borrowed */
    struct ixa_passenger passenger; /* all NULL: none */
    const struct ix_hello *hello; /* udp_port, mono_ns and last_packet are filled in by the link */
    const struct ix_key *key;     /* NULL, or not the server's: the one that keyplace.h knows */
    const struct ix_tls_files *files; /* NULL: no certificates; read by ixa_link_new */
};

struct ixa_link *ixa_link_new(const struct ixa_link_config *config, struct ix_error *err);
void ixa_link_free(struct ixa_link *l); /* closes everything; l may be NULL */

/* Waits for the next event; *request is set with IXA_REQUEST. */
enum ixa_event ixa_link_wait(struct ixa_link *l, struct ixa_request *request);

/* After IXA_WELCOME: the execution that the server files this JVM under. After IXA_REFUSED and
 * IXA_UNTRUSTED: why, as what follows "the server". */
const char *ixa_link_execution(const struct ixa_link *l);
const char *ixa_link_refusal(const struct ixa_link *l);
const char *ixa_link_distrust(const struct ixa_link *l);

/* Queues a report on a packet that was taken; it is sent within IX_REPORT_DELAY_MS or what WELCOME
 * asked for, sooner if many wait, or after the next WELCOME. At most 4,096 wait. */
void ixa_link_taken(struct ixa_link *l, const struct ix_taken *taken);

/* Goes on with the passenger alone, until `done` says so, the time (monotonic ns) has come, or the
 * connection breaks. Requests are not taken any more, and stop_fd does not count. */
void ixa_link_linger(struct ixa_link *l, bool (*done)(void *user), int64_t until_ns);

/* Sends what waits and a GOODBYE, if there is a session, for at most timeout_ms, and closes the
 * connection. Afterwards only ixa_link_free may be called. */
void ixa_link_goodbye(struct ixa_link *l, enum ix_goodbye_reason reason, const char *text,
                      int timeout_ms);

#endif
