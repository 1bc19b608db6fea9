/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's side of a session (agent/link/link.h) over real sockets: the link runs on its own
 * thread, as in the agent, and the test is the server. */
#ifndef IX_TESTS_LINK_FIXTURE_H
#define IX_TESTS_LINK_FIXTURE_H

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/link/link.h"
#include "schema/protocol/keyplace.h"
#include "tests/support/wire_support.h"

#define SESSION 0x1122334455667788u
#define MS 1000000ll

extern const struct ix_key ours; /* the agent key of both sides */

struct told {
    enum ixa_event event;
    uint64_t packet;
    int64_t at;
    char refusal[64], execution[16];
};

struct fixture {
    struct ixa_link *link;
    struct ix_hello hello;
    struct ixa_instant instant; /* the thread has reached it when it tells of a request */
    int stop_fd, told_in, told_out;
    int listener, fd, udp;
    struct ix_tls *tls;
    struct ix_wire *wire;     /* over fd */
    struct ix_sealer *sealer; /* of the session that began last */
    struct sockaddr_in agent; /* destination of requests */
    uint8_t in[8192];
    size_t len;
    pthread_t thread;
};

/* Starts the agent's thread with this key. Without a server, the port is taken but nothing
 * listens. */
struct fixture *begin_with(bool with_server, const struct ix_key *key);

/* The same with our key. */
struct fixture *begin(bool with_server);

/* The next event of the agent's thread, which comes within the time on a machine with nothing else
 * to do; or none must come. */
struct told next_event(struct fixture *f, int timeout_ms);
void no_event(struct fixture *f, int timeout_ms);

/* Tells the agent's thread to end, without waiting. */
void stop(struct fixture *f);

/* Closes the connection. */
void hang_up(struct fixture *f);

/* Waits for the agent's thread, which must be about to end, and frees the fixture. */
void finish_fixture(struct fixture *f);

/* stop() and finish_fixture(). */
void end_fixture(struct fixture *f);

/* Receives one message; the frame's payload is valid until the next call. */
struct ix_message_frame receive(struct fixture *f, int timeout_ms);

/* Accepts the next connection and its HELLO. */
struct ix_hello meet(struct fixture *f, int timeout_ms);

void send_all(struct fixture *f, const struct ix_out *out);

void put_welcome(struct ix_out *out, uint64_t session);

/* Sends WELCOME for SESSION and waits until the agent has received it. */
void welcome(struct fixture *f);

/* Sends a request for a packet; target 0: at once. */
void ask(struct fixture *f, uint64_t session, uint64_t packet, int64_t target);

/* The next message, which must be a report; valid until the next call. */
const struct ix_report *receive_report(struct fixture *f, int timeout_ms);

#endif
