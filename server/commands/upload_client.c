/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/upload_client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "schema/protocol/keyplace.h"
#include "schema/protocol/log_sender.h"
#include "schema/protocol/wire.h"
#include "schema/tracelog/reader.h"
#include "server/base/units.h"

#define MS UINT64_C(1000000) /* ns */
#define CONNECT_S 10

struct upload_client {
    int fd;
    struct ix_tls *tls;
    struct ix_wire *wire;
    const struct ixor_upload_client_options *options;
    const char *server; /* of these */
    struct ix_log_sender *sender;
    uint8_t in[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    size_t in_len;
    uint64_t heard_ns, spoke_ns;
};

/* ---- the connection ---- */

/* The key in `file`, the one in the environment, or the one a server of this user left on this
 * host. */
static int choose_key(const char *file, uint16_t port, struct ix_key *key, struct ix_error *err)
{
    const char *given = getenv("IXOR_KEY");
    if (file)
        return ix_key_read(IX_KEY_AGENT, file, key, err) == 0 ? 0 : ix_fail_in(err, "option --key");
    if (given)
        return ix_key_parse(IX_KEY_AGENT, given, key, err) == 0
                   ? 0
                   : ix_fail_in(err, "environment variable IXOR_KEY");
    return ix_keyplace_find(port, key)
               ? 0
               : ix_fail(err, "there is no key for the server: give a copy of the campaign's "
                              "agent.key with --key");
}

/* Waits until the wire can go on; -1 after CONNECT_S. */
static int await_wire(struct upload_client *k, struct ix_error *err)
{
    struct pollfd ready = {.fd = k->fd, .events = ix_wire_events(k->wire)};
    if (poll(&ready, 1, CONNECT_S * 1000) != 0)
        return 0;
    return ix_fail(err, "the server at %s does not answer", k->server);
}

/* Sets certificates, if given; the server's must be for the host of --server. */
static int certify(struct upload_client *k, struct ix_error *err)
{
    char host[256];
    if (!k->options->files.certificate)
        return 0;
    if (ixor_address_host(k->server, host, sizeof host) != 0)
        return ix_fail(err, "option --server: '%s' has no name that a certificate could be for",
                       k->server);
    return ix_tls_certify(k->tls, &k->options->files, host[0] ? host : "127.0.0.1", err);
}

/* Why the handshake failed. */
static int fail_distrust(const struct upload_client *k, struct ix_error *err)
{
    switch (ix_wire_fault(k->wire)) {
    case IX_TLS_KEY:
        return ix_fail(err, "the server at %s does not accept this key; it is another campaign's",
                       k->server);
    case IX_TLS_CERTIFICATE:
        if (!k->options->files.certificate)
            return ix_fail(err,
                           "the server at %s wants certificates; give --tls-cert, --tls-key "
                           "and --tls-ca",
                           k->server);
        return ix_fail(err,
                       "the server at %s and this host do not accept each other's certificates",
                       k->server);
    default:
        return ix_fail(err, "there is no Ixor server at %s, or one of another version", k->server);
    }
}

static int secure(struct upload_client *k, const struct ix_key *key, struct ix_error *err)
{
    int done = 0;
    k->tls = ix_tls_new(IX_TLS_CLIENT, err);
    if (!k->tls || certify(k, err) != 0)
        return -1;
    ix_tls_set_key(k->tls, IX_KEY_AGENT, key);
    k->wire = ix_wire_new(k->tls, k->fd);
    if (!k->wire)
        return ix_fail(err, "out of memory");
    while ((done = ix_wire_shake(k->wire)) == 0) {
        if (await_wire(k, err) != 0)
            return -1;
    }
    if (done > 0)
        return 0;
    return fail_distrust(k, err);
}

static int open_connection(struct upload_client *k, struct ix_error *err)
{
    struct ixor_address address;
    struct ix_key key;
    const struct timeval patience = {.tv_sec = CONNECT_S}; /* for connecting */
    if (ixor_parse_address(k->server, &address, err) != 0)
        return ix_fail_in(err, "option --server");
    if (choose_key(k->options->key, ixor_address_port(&address), &key, err) != 0)
        return -1;
    k->fd = socket(address.sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (k->fd < 0 || setsockopt(k->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
        connect(k->fd, (const struct sockaddr *)&address.sa, address.len) != 0 ||
        fcntl(k->fd, F_SETFL, O_NONBLOCK) != 0)
        return ix_fail(err, "cannot reach the server at %s: %s", k->server,
                       strerror(errno == EINPROGRESS ? ETIMEDOUT : errno));
    k->heard_ns = k->spoke_ns = ixor_mono_ns();
    return secure(k, &key, err);
}

static int send_all(struct upload_client *k, struct ix_out *out, struct ix_error *err)
{
    size_t sent = 0;
    if (out->failed)
        return ix_fail(err, "out of memory");
    while (sent < out->len) {
        const ssize_t n = ix_wire_write(k->wire, out->data + sent, out->len - sent);
        if (n < 0)
            return ix_fail(err, "the connection to %s broke", k->server);
        if (n == 0 && await_wire(k, err) != 0)
            return -1;
        sent += (size_t)n;
    }
    if (out->len)
        k->spoke_ns = ixor_mono_ns();
    ix_out_clear(out);
    return 0;
}

static int on_message(struct upload_client *k, const struct ix_message_frame *m,
                      struct ix_error *err)
{
    struct ix_refuse refusal;
    if (m->type != IX_REFUSE)
        return ix_log_sender_receive(k->sender, m, err);
    if (ix_decode_refuse(m->payload, m->payload_size, &refusal, err) != 0)
        return -1;
    return ix_fail(err, "the server at %s refused: %s", k->server, refusal.reason);
}

static int take_messages(struct upload_client *k, struct ix_error *err)
{
    struct ix_message_frame m;
    size_t at = 0;
    int got = 0;
    while (at < k->in_len && (got = ix_next_message(k->in + at, k->in_len - at, &m, err)) == 1) {
        if (on_message(k, &m, err) != 0)
            return -1;
        at += m.size;
    }
    memmove(k->in, k->in + at, k->in_len - at);
    k->in_len -= at;
    return got < 0 ? -1 : 0;
}

/* Waits for the server's next message, until `until_ns` at most. */
static int listen_until(struct upload_client *k, uint64_t until_ns, struct ix_error *err)
{
    struct pollfd in = {.fd = k->fd, .events = POLLIN};
    const uint64_t now = ixor_mono_ns();
    const uint64_t left = until_ns > now ? until_ns - now : 0;
    if (!ix_wire_pending(k->wire))
        poll(&in, 1, (int)(left / MS) + (left % MS != 0));
    const ssize_t n = ix_wire_read(k->wire, k->in + k->in_len, sizeof k->in - k->in_len);
    if (n < 0)
        return ix_fail(err, "the server at %s closed the connection", k->server);
    if (n == 0 && ixor_mono_ns() - k->heard_ns > IX_SILENCE_MS * MS)
        return ix_fail(err, "the server at %s no longer answers", k->server);
    if (n == 0)
        return 0;
    k->in_len += (size_t)n;
    k->heard_ns = ixor_mono_ns();
    return take_messages(k, err);
}

/* ---- one log ---- */

static void take_meta(const struct ix_log_reader *log, const char *key, char *to, size_t size)
{
    const char *value = ix_log_meta_value(log, key);
    snprintf(to, size, "%s", value ? value : "");
}

/* Reads from the log which JVM wrote it. */
static int name_log(const char *path, struct ix_log_name *name, struct ix_error *err)
{
    char pid[24], started[24], real[PATH_MAX];
    struct ix_snapshot snapshot;
    uint64_t number;
    *name = (struct ix_log_name){0};
    struct ix_log_reader *log = ix_log_open(path, err);
    if (!log)
        return -1;
    ix_log_next(log, &snapshot, NULL); /* META comes before the first snapshot */
    take_meta(log, "execution", name->execution, sizeof name->execution);
    take_meta(log, "host", name->host, sizeof name->host);
    take_meta(log, "pid", pid, sizeof pid);
    take_meta(log, "started", started, sizeof started);
    ix_log_reader_close(log);
    if (ixor_parse_count(pid, 0, UINT32_MAX, &number, NULL) != 0 ||
        ixor_parse_count(started, 0, INT64_MAX, &name->started_ns, NULL) != 0)
        return ix_fail(err, "'%s' does not say which JVM wrote it", path);
    name->pid = (uint32_t)number;
    if (!realpath(path, real))
        return ix_fail(err, "'%s': %s", path, strerror(errno));
    snprintf(name->log, sizeof name->log, "%s", real);
    return 0;
}

static int work(struct upload_client *k, struct ix_error *err)
{
    struct ix_out out = {0};
    int bad = 0;
    while (!bad && ix_log_sender_state(k->sender) == IX_SENDING_BUSY) {
        const uint64_t now = ixor_mono_ns();
        const int64_t next = ix_log_sender_send(k->sender, &out, (int64_t)now);
        if (out.len == 0 && now - k->spoke_ns >= IX_KEEPALIVE_MS * MS)
            ix_encode_keepalive(&out);
        bad = send_all(k, &out, err);
        uint64_t until = k->spoke_ns + IX_KEEPALIVE_MS * MS;
        if ((uint64_t)next < until)
            until = (uint64_t)next;
        if (!bad && ix_log_sender_state(k->sender) == IX_SENDING_BUSY)
            bad = listen_until(k, until, err);
    }
    ix_out_free(&out);
    return bad;
}

/* 0; 1: this log was not stored; -1: the connection is unusable. */
static int send_log(struct upload_client *k, const char *path, struct ix_error *err)
{
    struct ix_log_name name;
    struct ix_error why;
    if (name_log(path, &name, &why) != 0) {
        fprintf(stderr, "ixor collect: %s\n", why.text);
        return 1;
    }
    ix_log_sender_start(k->sender, &name, false);
    if (work(k, err) != 0)
        return -1;
    const char *text = "stored";
    const enum ix_sending how = ix_log_sender_state(k->sender);
    if (how == IX_SENDING_NOT_NEEDED)
        text = "the server has it";
    else if (how != IX_SENDING_STORED)
        text = ix_log_sender_reason(k->sender);
    char clean[IX_REASON_MAX + 1];
    ixor_safe_text(text, clean, sizeof clean);
    printf("%s: %s\n", path, clean);
    return how == IX_SENDING_STORED || how == IX_SENDING_NOT_NEEDED ? 0 : 1;
}

int ixor_upload_client_send(const struct ixor_upload_client_options *options, char **logs,
                            struct ix_error *err)
{
    struct upload_client k = {
        .fd = -1, .options = options, .server = options->server, .sender = ix_log_sender_new()};
    size_t failed = 0;
    int status = k.sender ? open_connection(&k, err) : ix_fail(err, "out of memory");
    for (char **log = logs; *log && status >= 0; log++) {
        status = send_log(&k, *log, err);
        failed += status > 0;
    }
    if (status >= 0 && failed)
        ix_fail(err, "%zu of these logs %s not stored", failed, failed == 1 ? "was" : "were");
    if (k.wire)
        ix_wire_end(k.wire);
    ix_wire_free(k.wire);
    ix_tls_free(k.tls);
    if (k.fd >= 0)
        close(k.fd);
    ix_log_sender_free(k.sender);
    return status < 0 || failed ? -1 : 0;
}
