/* SPDX-License-Identifier: Apache-2.0 */
/* A fake agent made of two sockets, in the same thread as the server under test: it speaks the real
 * protocol, and anything else a test wants. */
#ifndef IX_TESTS_AGENT_DOUBLE_H
#define IX_TESTS_AGENT_DOUBLE_H

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "schema/protocol/control.h"
#include "schema/protocol/datagram.h"
#include "schema/protocol/machine.h"
#include "schema/protocol/protocol.h"
#include "schema/protocol/transfer.h"
#include "schema/protocol/wire.h"
#include "server/base/units.h"

/* The campaign's key of the server under test. */
extern const struct ix_key double_campaign;

struct double_agent {
    int tcp, udp;
    struct ix_tls *tls;
    struct ix_wire *wire;
    struct ix_out out; /* waiting for the handshake or for the socket */
    bool known;        /* the handshake is complete */
    struct ix_hello hello;
    uint8_t in[2 * IX_MESSAGE_MAX];
    size_t in_size;
    bool eof; /* the server has closed the connection */

    /* Received so far: */
    bool welcomed, refused;
    struct ix_welcome welcome;
    struct ix_refuse refuse;
    unsigned keepalives, replies;
    unsigned accepts, storeds, wanteds; /* how many of each, and the last one */
    struct ix_log_accept accept;
    struct ix_log_stored stored;
    struct ix_log_name wanted;
    struct ix_reply reply; /* the last */
    size_t requests;
    struct ix_datagram request[1000]; /* the first ones */
    struct ix_sealer *sealer;
    unsigned probes;
    bool mute;                      /* does not answer probes */
    int64_t ahead_ns;               /* its clock relative to the server's */
    struct ix_datagram answer;      /* the last one */
    struct sockaddr_storage prober; /* where the last probe came from */
    socklen_t prober_size;
};

/* Connects to the server with this kind of campaign key. Each call below continues the
 * handshake. */
void double_open_as(struct double_agent *a, const struct ixor_address *server, uint32_t pid,
                    enum ix_key_kind kind);

/* The same with the agent key. */
void double_open(struct double_agent *a, const struct ixor_address *server, uint32_t pid);

void double_close(struct double_agent *a);

/* Sends these bytes; they are dropped if the server has closed its end. */
void double_send(struct double_agent *a, const void *data, size_t size);

/* Sends the contents of `out` and frees them. */
void double_say(struct double_agent *a, struct ix_out *out);

void double_hello(struct double_agent *a);

void double_goodbye(struct double_agent *a, uint8_t reason, const char *text);

/* Reports packets first..last, 1 ms apart, each with a stop of `stop_ns`. */
void double_report(struct double_agent *a, uint64_t first, uint64_t last, uint64_t stop_ns);

/* Sends it to the address that sent the last probe. */
void double_send_datagram(struct double_agent *a, const struct ix_datagram *d);

/* The agent's clock, ns. */
uint64_t double_now(const struct double_agent *a);

/* Reads what has arrived, without waiting. */
void double_receive(struct double_agent *a);

#endif
