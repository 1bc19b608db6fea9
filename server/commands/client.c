/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "schema/protocol/control.h"
#include "schema/protocol/key.h"
#include "schema/protocol/protocol.h"
#include "schema/protocol/wire.h"
#include "server/base/units.h"
#include "server/store/campaign.h"

struct ixor_client {
    int fd; /* non-blocking */
    struct ix_tls *tls;
    struct ix_wire *wire;
    uint64_t limit_ns, until_ns;
    char *server; /* its address, for messages */
    uint8_t in[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    size_t len;
    struct ix_reply reply;
};

/* ---- bytes ---- */

static int fail_lost(struct ixor_client *c, struct ix_error *err)
{
    return ix_fail(err, "the server at %s has closed the connection", c->server);
}

/* Waits until the socket is ready. 0, or -1: the time is up. */
static int await(struct ixor_client *c, short events, struct ix_error *err)
{
    struct pollfd fd = {.fd = c->fd, .events = events};
    for (;;) {
        const int64_t left = (int64_t)(c->until_ns - ixor_mono_ns());
        const int ready = left > 0 ? poll(&fd, 1, (int)(left / 1000000) + 1) : 0;
        if (ready > 0)
            return 0;
        if (ready == 0)
            return ix_fail(err, "the server at %s does not answer", c->server);
        if (errno != EINTR)
            return ix_fail(err, "the server at %s: %s", c->server, strerror(errno));
    }
}

static int put_bytes(struct ixor_client *c, const uint8_t *bytes, size_t size, struct ix_error *err)
{
    while (size) {
        const ssize_t n = ix_wire_write(c->wire, bytes, size);
        if (n < 0)
            return fail_lost(c, err);
        if (n == 0 && await(c, ix_wire_events(c->wire), err) != 0)
            return -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Reads more bytes. */
static int get_bytes(struct ixor_client *c, struct ix_error *err)
{
    for (;;) {
        const ssize_t n = ix_wire_read(c->wire, c->in + c->len, sizeof c->in - c->len);
        if (n > 0) {
            c->len += (size_t)n;
            return 0;
        }
        if (n < 0)
            return fail_lost(c, err);
        if (await(c, ix_wire_events(c->wire), err) != 0)
            return -1;
    }
}

static int connect_to(struct ixor_client *c, const struct ixor_address *address,
                      struct ix_error *err)
{
    int why = 0;
    socklen_t size = sizeof why;
    c->fd = socket(address->sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0)
        return ix_fail(err, "cannot make a socket: %s", strerror(errno));
    if (connect(c->fd, (const struct sockaddr *)&address->sa, address->len) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return ix_fail(err, "cannot connect to the server at %s: %s", c->server, strerror(errno));
    if (await(c, POLLOUT, err) != 0)
        return -1;
    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &why, &size) != 0 || why)
        return ix_fail(err, "cannot connect to the server at %s: %s", c->server, strerror(why));
    return 0;
}

/* Proves to the server that this client may control it, and checks the server's proof. */
static int handshake(struct ixor_client *c, const struct ix_key *control, struct ix_error *err)
{
    c->tls = ix_tls_new(IX_TLS_CLIENT, err);
    if (!c->tls)
        return -1;
    ix_tls_set_key(c->tls, IX_KEY_CONTROL, control);
    c->wire = ix_wire_new(c->tls, c->fd);
    if (!c->wire)
        return ix_fail(err, "out of memory");
    for (int done; (done = ix_wire_shake(c->wire)) <= 0;) {
        if (done < 0)
            return ix_fail(err, "the server at %s %s", c->server,
                           ix_wire_fault(c->wire) == IX_TLS_KEY
                               ? "has another key than this campaign"
                               : "closed the connection before it proved its key");
        if (await(c, ix_wire_events(c->wire), err) != 0)
            return -1;
    }
    return 0;
}

/* ---- messages ---- */

static int read_key(const char *dir, struct ix_key *control, struct ix_error *err)
{
    struct ix_key campaign;
    char *path = NULL;
    if (asprintf(&path, "%s/key", dir) < 0)
        return ix_fail(err, "out of memory");
    const int bad = ix_key_read(IX_KEY_CAMPAIGN, path, &campaign, err);
    free(path);
    return bad ? -1 : ix_key_derive(&campaign, IX_KEY_CONTROL, control, err);
}

struct ixor_client *ixor_client_open(const char *dir, uint64_t limit_ns, struct ix_error *err)
{
    struct ixor_announced announced;
    struct ixor_address address;
    struct ix_key control;
    if (ixor_campaign_announced(dir, &announced, err) != 0)
        return NULL;
    free(announced.run_dir);
    struct ixor_client *c = calloc(1, sizeof *c);
    if (!c) {
        free(announced.server);
        ix_fail(err, "out of memory");
        return NULL;
    }
    c->fd = -1;
    c->server = announced.server;
    c->limit_ns = limit_ns;
    c->until_ns = ixor_mono_ns() + limit_ns;
    if (read_key(dir, &control, err) == 0 && ixor_parse_address(c->server, &address, err) == 0 &&
        connect_to(c, &address, err) == 0 && handshake(c, &control, err) == 0)
        return c;
    ixor_client_close(c);
    return NULL;
}

void ixor_client_close(struct ixor_client *c)
{
    if (!c)
        return;
    ix_wire_free(c->wire);
    ix_tls_free(c->tls);
    if (c->fd >= 0)
        close(c->fd);
    free(c->server);
    free(c);
}

static int send_command(struct ixor_client *c, const char *verb, const char *text,
                        struct ix_error *err)
{
    struct ix_control command;
    struct ix_out out = {0};
    snprintf(command.verb, sizeof command.verb, "%s", verb);
    snprintf(command.text, sizeof command.text, "%s", text);
    ix_encode_control(&out, &command);
    const int bad =
        out.failed ? ix_fail(err, "out of memory") : put_bytes(c, out.data, out.len, err);
    ix_out_free(&out);
    return bad;
}

/* Reads the next REPLY into c->reply. A server that does not admit us sends REFUSE. */
static int read_reply(struct ixor_client *c, struct ix_error *err)
{
    struct ix_message_frame frame;
    for (;;) {
        const int found = ix_next_message(c->in, c->len, &frame, err);
        if (found < 0)
            return -1;
        if (found == 0) {
            if (get_bytes(c, err) != 0)
                return -1;
            continue;
        }
        int bad = 0;
        if (frame.type == IX_REPLY) {
            bad = ix_decode_reply(frame.payload, frame.payload_size, &c->reply, err);
        } else if (frame.type == IX_REFUSE) {
            struct ix_refuse refuse;
            bad = ix_decode_refuse(frame.payload, frame.payload_size, &refuse, err);
            if (!bad)
                return ix_fail(err, "the server refused: %s", refuse.reason);
        }
        c->len -= frame.size;
        memmove(c->in, c->in + frame.size, c->len);
        if (bad || frame.type == IX_REPLY)
            return bad;
    }
}

json_t *ixor_client_ask(struct ixor_client *c, const char *verb, const char *text,
                        struct ix_error *err)
{
    c->until_ns = ixor_mono_ns() + c->limit_ns;
    if (send_command(c, verb, text, err) != 0 || read_reply(c, err) != 0)
        return NULL;
    if (!c->reply.ok) {
        ix_fail(err, "%s", c->reply.text);
        return NULL;
    }
    json_t *answer = json_loads(c->reply.text, 0, NULL);
    if (!json_is_object(answer)) {
        json_decref(answer);
        ix_fail(err, "the server at %s sent an answer that this ixor does not understand",
                c->server);
        return NULL;
    }
    return answer;
}
