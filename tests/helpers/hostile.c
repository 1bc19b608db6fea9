/* SPDX-License-Identifier: Apache-2.0 */
/* A server that has the right key and means ill: whoever comes gets mutated messages of every kind
 * that a server sends, within TLS and instead of it, and mutated datagrams, sealed before or after.
 *
 *   hostile [--mutants N] [--seed N]
 * Takes the key from IXOR_KEY. Prints "port P", and when N mutants (10,000) have been sent "sent N,
 * connections N, sessions N, taken N" and "seed N"; goes on being hostile until it is told to end.
 * REFUSE, which ends an agent for good, is only for JVMs whose role begins with "Refused". Good
 * requests come every 5 ms at most: stopping JVMs is what the key is good for.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "schema/protocol/datagram.h"
#include "schema/protocol/encoding.h"
#include "schema/protocol/protocol.h"
#include "schema/protocol/transfer.h"
#include "tests/support/mutants.h"
#include "tests/support/wire_support.h"

#define CLIENTS 32
#define TICK_MS 2
#define REQUEST_MS 5
#define MUTANT_MAX 4096

struct client {
    int fd; /* -1: free place */
    struct ix_wire *wire;
    struct ix_sealer *sealer; /* NULL: no HELLO yet */
    uint64_t session;
    int64_t clock_ahead; /* ns, of its clock */
    struct sockaddr_in udp;
    struct ix_log_name name;
    bool refused;
    uint8_t in[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    size_t len;
    int64_t asked; /* ms */
};

static struct client clients[CLIENTS];
static int listener, udp;
static struct ix_tls *tls;
static uint64_t packet = 1, probe = 1;
static unsigned long long sent, connections, sessions, taken;

static void die(const char *what)
{
    fprintf(stderr, "hostile: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t mono_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- what mutants are made of ---- */

/* A number that bounds are tried with. */
static uint64_t odd(void)
{
    switch (below(5)) {
    case 0:
        return below(8);
    case 1:
        return UINT64_C(1) << below(64);
    case 2:
        return (UINT64_C(1) << below(64)) - 1;
    case 3:
        return next_random() >> below(64);
    default:
        return below(1000) * 1000000;
    }
}

static void put_odd_text(struct ix_out *out)
{
    static const char *const texts[] = {"",     "run0001",  "../../x",      "%s%n",
                                        "a\nb", "\xff\xfe", "\xe2\x80\xae", "{\"a\":1}"};
    static const char fill[70000];
    const char *text = texts[below(sizeof texts / sizeof *texts)];
    if (below(50) == 0)
        ix_put_string(out, fill, below(2) ? 257 + below(1000) : below(60000));
    else
        ix_put_string(out, text, strlen(text));
}

/* ---- messages: written by hand, for the encoders keep to the rules ---- */

static void put_welcome(struct client *c, struct ix_out *out)
{
    const size_t at = ix_begin_frame(out, IX_WELCOME);
    const size_t which = below(12); /* of 0 to 4: what is odd */
    c->session = which == 0 ? odd() : next_random() | 1;
    ix_put_u64(out, c->session);
    ix_put_varint(out, which == 1 ? odd() : 100000000);
    if (which == 2)
        put_odd_text(out);
    else
        ix_put_string(out, "hostile", 7);
    ix_put_varint(out, which == 3 || which == 4 ? odd() : below(2) * 100000000);
    ix_end_frame(out, at);
    sessions++;
}

static void put_refuse(struct ix_out *out)
{
    const size_t at = ix_begin_frame(out, IX_REFUSE);
    put_odd_text(out);
    ix_end_frame(out, at);
}

static void put_log_message(const struct client *c, struct ix_out *out)
{
    const uint8_t type = (uint8_t)(IX_LOG_ACCEPT + below(5));
    if (type == IX_LOG_WANTED && below(2)) {
        struct ix_log_name name = c->name;
        static const char *const logs[] = {"/etc/passwd", "/", "relative", "/proc/self/mem"};
        name.pid = below(2) ? 4194399 : name.pid;
        name.started_ns ^= below(2);
        if (below(2)) {
            snprintf(name.log, sizeof name.log, "%s", logs[below(4)]);
        } else {
            char *file = strrchr(name.log, '/') + 1;
            snprintf(file, sizeof name.log - (size_t)(file - name.log), "%s",
                     below(2) ? "control.ixl" : "none.ixl");
        }
        ix_encode_log_wanted(out, &name);
        return;
    }
    const size_t at = ix_begin_frame(out, type);
    ix_put_u8(out, (uint8_t)below(5));
    if (type == IX_LOG_ACCEPT) {
        ix_put_varint(out, below(2) ? 0 : odd());
        ix_put_varint(out, odd());
    }
    put_odd_text(out);
    ix_end_frame(out, at);
}

/* Of a later version, as far as an agent knows. */
static void put_unknown(struct ix_out *out)
{
    const size_t at = ix_begin_frame(out, (uint8_t)(15 + below(240)));
    put_odd_text(out);
    ix_end_frame(out, at);
}

static void put_message(struct client *c, struct ix_out *out)
{
    switch (below(8)) {
    case 0:
        put_welcome(c, out);
        break;
    case 1:
        if (c->refused)
            put_refuse(out);
        break;
    case 2:
        put_unknown(out);
        break;
    case 3:
        ix_encode_keepalive(out);
        break;
    default:
        put_log_message(c, out);
    }
}

/* ---- connections ---- */

static void leave(struct client *c)
{
    ix_wire_free(c->wire);
    ix_sealer_free(c->sealer);
    close(c->fd);
    *c = (struct client){.fd = -1};
}

/* What is not taken at once breaks the stream, which is as good as any. */
static void say(struct client *c, struct ix_out *out, bool mutated)
{
    size_t size = out->len;
    if (mutated && size <= MUTANT_MAX) {
        uint8_t bytes[MUTANT_MAX];
        memcpy(bytes, out->data, size);
        size = mutate(bytes, size, MUTANT_MAX);
        ix_out_clear(out);
        ix_put_bytes(out, bytes, size);
    }
    if (size && ix_wire_write(c->wire, out->data, size) <= 0)
        leave(c);
    ix_out_free(out);
    sent++;
}

static void on_hello(struct client *c, const struct ix_message_frame *m)
{
    static struct ix_hello hello;
    socklen_t size = sizeof c->udp;
    uint8_t secret[IX_SECRET_SIZE];
    struct ix_out out = {0};
    if (ix_decode_hello(m->payload, m->payload_size, &hello, NULL) != 0)
        die("HELLO");
    if (getpeername(c->fd, (struct sockaddr *)&c->udp, &size) != 0 ||
        ix_wire_secret(c->wire, secret) != 0 || !(c->sealer = ix_sealer_new(secret)))
        return;
    c->udp.sin_port = htons(hello.udp_port);
    c->clock_ahead = (int64_t)hello.mono_ns - mono_ns();
    c->refused = strncmp(hello.role, "Refused", 7) == 0;
    c->name = (struct ix_log_name){.pid = hello.pid, .started_ns = hello.started_ns};
    memcpy(c->name.execution, hello.execution, sizeof hello.execution);
    memcpy(c->name.host, hello.host, sizeof hello.host);
    memcpy(c->name.log, hello.log, sizeof hello.log);
    packet = packet > hello.last_packet ? packet : hello.last_packet + 1;
    put_welcome(c, &out);
    if (c->refused && below(4) == 0) {
        ix_out_clear(&out);
        put_refuse(&out);
    }
    say(c, &out, below(8) == 0);
}

static void on_message(struct client *c, const struct ix_message_frame *m)
{
    static struct ix_report report;
    if (m->type == IX_HELLO)
        on_hello(c, m);
    else if (m->type == IX_REPORT &&
             ix_decode_report(m->payload, m->payload_size, &report, NULL) == 0)
        taken += report.count;
}

static void on_bytes(struct client *c)
{
    struct ix_message_frame m;
    const ssize_t n = ix_wire_read(c->wire, c->in + c->len, sizeof c->in - c->len);
    if (n <= 0) {
        if (n < 0)
            leave(c);
        return;
    }
    c->len += (size_t)n;
    size_t at = 0;
    while (c->fd >= 0 && ix_next_message(c->in + at, c->len - at, &m, NULL) > 0) {
        at += m.size;
        on_message(c, &m);
    }
    if (c->fd < 0)
        return;
    memmove(c->in, c->in + at, c->len - at);
    c->len -= at;
}

/* Something instead of TLS, or a record of it with something else in it. */
static void mumble(int fd)
{
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_random();
    if (below(2))
        memcpy(bytes, "\x16\x03\x03\x01\x00\x02\x00\x00\xfc\x03\x03", 11); /* ServerHello */
    if (send(fd, bytes, below(sizeof bytes) + 1, MSG_NOSIGNAL) > 0)
        sent++;
    close(fd);
}

static void on_connection(void)
{
    const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    connections++;
    size_t i = 0;
    while (i < CLIENTS && clients[i].fd >= 0)
        i++;
    if (i == CLIENTS || below(20) == 0) {
        mumble(fd);
        return;
    }
    struct ix_wire *wire = wire_meet(tls, fd);
    if (!wire) {
        close(fd);
        return;
    }
    clients[i] = (struct client){.fd = fd, .wire = wire};
}

/* ---- datagrams ---- */

static void send_bytes(const struct client *c, const uint8_t *bytes, size_t size)
{
    sendto(udp, bytes, size, MSG_DONTWAIT, (const struct sockaddr *)&c->udp, sizeof c->udp);
    sent++;
}

static void send_request(struct client *c, int64_t now_ms)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ix_datagram d = {.kind = IX_REQUEST, .session = c->session, .number = packet++};
    if (below(2))
        d.time_ns = (uint64_t)(mono_ns() + c->clock_ahead + (int64_t)below(20000000));
    if (ix_datagram_seal(c->sealer, &d, bytes) == 0)
        send_bytes(c, bytes, sizeof bytes);
    c->asked = now_ms;
}

/* Its number and time are odd, or its bytes; the seal is good or was. Numbers that are taken for
 * packets stay small: what is above the last one counts, and one of 2^63 would be the last. */
static void send_mutant(const struct client *c)
{
    uint8_t bytes[MUTANT_MAX] = {0};
    struct ix_datagram d = {.kind = (enum ix_datagram_kind)(1 + below(3)),
                            .session = below(8) ? c->session : odd(),
                            .number = below(4) ? probe++ : odd(),
                            .time_ns = odd(),
                            .sent_ns = odd()};
    if (d.kind == IX_REQUEST && d.number > packet)
        d.number = packet;
    if (ix_datagram_seal(c->sealer, &d, bytes) != 0)
        return;
    send_bytes(c, bytes, below(2) ? mutate(bytes, IX_DATAGRAM_SIZE, MUTANT_MAX) : IX_DATAGRAM_SIZE);
}

/* ---- from start to end ---- */

static void act(struct client *c, int64_t now_ms)
{
    struct ix_out out = {0};
    if (now_ms - c->asked >= REQUEST_MS)
        send_request(c, now_ms);
    for (size_t n = below(8); n > 0; n--)
        send_mutant(c);
    const size_t which = below(200);
    if (which < 20) {
        put_log_message(c, &out);
        say(c, &out, which < 4);
    } else if (which < 80) {
        put_unknown(&out);
        say(c, &out, false);
    } else if (which < 82) {
        put_message(c, &out);
        say(c, &out, true);
    } else if (which < 83) {
        leave(c);
    }
}

static void open_sockets(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || udp < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, CLIENTS) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        die("socket");
    printf("port %d\n", ntohs(address.sin_port));
}

static void open_tls(void)
{
    const char *text = getenv("IXOR_KEY");
    struct ix_key key;
    if (!text || ix_key_parse(IX_KEY_AGENT, text, &key, NULL) != 0 ||
        !(tls = wire_tls(IX_TLS_SERVER, &key)))
        die("IXOR_KEY");
}

static void serve(void)
{
    struct pollfd fds[CLIENTS + 1] = {{.fd = listener, .events = POLLIN}};
    for (size_t i = 0; i < CLIENTS; i++)
        fds[i + 1] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
    poll(fds, CLIENTS + 1, TICK_MS);
    for (size_t i = 0; i < CLIENTS; i++)
        if (fds[i + 1].revents || (clients[i].fd >= 0 && ix_wire_pending(clients[i].wire)))
            on_bytes(&clients[i]);
    if (fds[0].revents)
        on_connection();
}

int main(int argc, char **argv)
{
    unsigned long long mutants = 10000, seed = (unsigned long long)mono_ns();
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--mutants") == 0)
            mutants = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
    }
    mutants_seed(seed);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < CLIENTS; i++)
        clients[i].fd = -1;
    open_tls();
    open_sockets();
    int64_t due = 0;
    for (bool told = false;;) {
        serve();
        const int64_t now = mono_ns() / 1000000;
        for (size_t i = 0; i < CLIENTS && now >= due; i++)
            if (clients[i].fd >= 0 && clients[i].sealer)
                act(&clients[i], now);
        due = now >= due ? now + TICK_MS : due;
        if (told || sent < mutants)
            continue;
        printf("sent %llu, connections %llu, sessions %llu, taken %llu\nseed %llu\n", sent,
               connections, sessions, taken, seed);
        told = true;
    }
}
