/* SPDX-License-Identifier: Apache-2.0 */
/* A minimal server for tests of the agent: welcomes everybody who has the key in IXOR_KEY, sends
 * requests at a steady beat, good ones and odd ones, and prints what the agents say. Made of the
 * protocol's library alone.
 *
 *   beat [--port P] [--packets N] [--every MS] [--first NUMBER] [--lead MS] [--execution NAME]
 *        [--script plain|stale|duplicate|flood|forged|recorded|refuse|mute|mumble] [--once]
 * Lines: "port P" first; then "hello ...", "taken ...", "dropped ...", "goodbye ...", "gone",
 * "stranger" when somebody has no such key, and "sent all" after N packets. Scripts:
 *   stale      before each request the one before it again
 *   duplicate  each request twice
 *   flood      200 requests at once, ascending
 *   forged     before each request: another session, another secret, too short, too long, other
 *              magic, other version, other MAC, number 0
 *   recorded   keeps requests back that are 1,000,000 higher, one at each of the first 10 beats;
 *              then it hangs up, and sends them all at each beat of the next session
 *   refuse     REFUSE instead of WELCOME             mute     never says anything
 *   mumble     speaks no TLS
 * With --once it ends when everybody who came is gone again; --packets counts from the first HELLO.
 * SIGUSR1: it prints "next N", the number of the packet that it asks for next.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "schema/protocol/datagram.h"
#include "schema/protocol/protocol.h"
#include "tests/support/wire_support.h"

#define CLIENTS 16
#define FLOOD 200
#define RECORDED 10
#define FAR 1000000

struct client {
    int fd; /* -1: free place */
    struct ix_wire *wire;
    struct ix_sealer *sealer;
    uint64_t session; /* 0: not welcomed */
    struct sockaddr_in udp;
    uint8_t in[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    size_t len;
    int64_t spoke; /* ms */
    uint64_t dropped;
};

static struct client clients[CLIENTS];
static struct {
    int port, every, lead, once;
    long long packets, first;
    const char *execution, *script;
} option = {.every = 20, .packets = -1, .first = 1, .execution = "", .script = "plain"};
static int listener, udp, questions;
static struct ix_tls *tls;
static uint8_t recorded[RECORDED][IX_DATAGRAM_SIZE];
static size_t recordings;
static long long next_packet, left;
static int present;

static int64_t mono_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now_ms(void)
{
    return mono_ns() / 1000000;
}

static int script_is(const char *name)
{
    return strcmp(option.script, name) == 0;
}

static void die(const char *what)
{
    fprintf(stderr, "beat: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *key = argv[i];
        if (strcmp(key, "--once") == 0) {
            option.once = 1;
            continue;
        }
        const char *value = ++i < argc ? argv[i] : "";
        if (strcmp(key, "--execution") == 0)
            option.execution = value;
        else if (strcmp(key, "--script") == 0)
            option.script = value;
        else if (strcmp(key, "--port") == 0)
            option.port = (int)strtol(value, NULL, 10);
        else if (strcmp(key, "--every") == 0)
            option.every = (int)strtol(value, NULL, 10);
        else if (strcmp(key, "--lead") == 0)
            option.lead = (int)strtol(value, NULL, 10);
        else if (strcmp(key, "--packets") == 0)
            option.packets = strtoll(value, NULL, 10);
        else if (strcmp(key, "--first") == 0)
            option.first = strtoll(value, NULL, 10);
        else {
            fprintf(stderr, "beat: '%s' is not an option\n", key);
            exit(2);
        }
    }
}

static void open_questions(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0 ||
        (questions = signalfd(-1, &set, SFD_CLOEXEC)) < 0)
        die("signalfd");
}

static void open_tls(void)
{
    const char *text = getenv("IXOR_KEY");
    struct ix_key key;
    struct ix_error err = {"no IXOR_KEY in the environment"};
    if (text && ix_key_parse(IX_KEY_AGENT, text, &key, &err) == 0)
        tls = wire_tls(IX_TLS_SERVER, &key);
    if (!tls) {
        fprintf(stderr, "beat: %s\n", err.text);
        exit(1);
    }
}

static void open_sockets(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)option.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int one = 1;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || udp < 0)
        die("socket");
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, CLIENTS) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        die("listen");
    printf("port %d\n", ntohs(address.sin_port));
}

static void leave(struct client *c)
{
    puts("gone");
    ix_wire_free(c->wire);
    ix_sealer_free(c->sealer);
    close(c->fd);
    c->fd = -1;
    present--;
}

static void say(struct client *c, struct ix_out *out)
{
    if (!wire_send(c->wire, c->fd, out->data, out->len))
        fputs("beat: a client takes nothing\n", stderr);
    ix_out_free(out);
    c->spoke = now_ms();
}

static void on_hello(struct client *c, const struct ix_hello *m)
{
    struct ix_out out = {0};
    socklen_t size = sizeof c->udp;
    printf("hello role=%s pid=%u execution=%s last=%llu host=%s log=%s jvm=%s\n", m->role, m->pid,
           m->execution, (unsigned long long)m->last_packet, m->host, m->log, m->jvm);
    if (script_is("mute"))
        return;
    if (script_is("refuse")) {
        struct ix_refuse refuse = {.reason = "not\nwanted"};
        ix_encode_refuse(&out, &refuse);
        say(c, &out);
        return;
    }
    if (getpeername(c->fd, (struct sockaddr *)&c->udp, &size) != 0)
        die("getpeername");
    c->udp.sin_port = htons(m->udp_port);
    uint8_t secret[IX_SECRET_SIZE];
    if (ix_wire_secret(c->wire, secret) != 0 || !(c->sealer = ix_sealer_new(secret)))
        die("secret");
    c->session = (uint64_t)mono_ns() | 1;
    struct ix_welcome welcome = {.session = c->session,
                                 .interval_ns = (uint64_t)option.every * 1000000};
    snprintf(welcome.execution, sizeof welcome.execution, "%s",
             *option.execution ? option.execution
             : *m->execution   ? m->execution
                               : "first");
    ix_encode_welcome(&out, &welcome);
    say(c, &out);
}

static void on_report(struct client *c, const struct ix_report *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct ix_taken *t = &m->taken[i];
        printf("taken %llu threads=%llu frames=%llu missed=%llu stop=%llu mono=%llu\n",
               (unsigned long long)t->packet, (unsigned long long)t->threads,
               (unsigned long long)t->frames, (unsigned long long)t->missed,
               (unsigned long long)t->stop_ns, (unsigned long long)t->mono_ns);
    }
    if (m->stale + m->superseded + m->foreign != c->dropped)
        printf("dropped stale=%llu superseded=%llu foreign=%llu\n", (unsigned long long)m->stale,
               (unsigned long long)m->superseded, (unsigned long long)m->foreign);
    c->dropped = m->stale + m->superseded + m->foreign;
}

static void on_message(struct client *c, const struct ix_message_frame *m)
{
    static struct ix_report report;
    struct ix_hello hello;
    struct ix_goodbye bye;
    struct ix_error err = {"a message that agents do not send"};
    int status = -1;
    if (m->type == IX_HELLO) {
        status = ix_decode_hello(m->payload, m->payload_size, &hello, &err);
        if (status == 0)
            on_hello(c, &hello);
    } else if (m->type == IX_REPORT) {
        status = ix_decode_report(m->payload, m->payload_size, &report, &err);
        if (status == 0)
            on_report(c, &report);
    } else if (m->type == IX_GOODBYE) {
        status = ix_decode_goodbye(m->payload, m->payload_size, &bye, &err);
        if (status == 0)
            printf("goodbye %u %s\n", bye.reason, bye.text);
    } else if (m->type == IX_KEEPALIVE) {
        status = 0;
    }
    if (status != 0)
        printf("bad %s\n", err.text);
}

static void on_bytes(struct client *c)
{
    struct ix_message_frame m;
    struct ix_error err;
    ssize_t n = ix_wire_read(c->wire, c->in + c->len, sizeof c->in - c->len);
    if (n == 0)
        return;
    if (n < 0) {
        leave(c);
        return;
    }
    c->len += (size_t)n;
    size_t at = 0;
    int got;
    while ((got = ix_next_message(c->in + at, c->len - at, &m, &err)) > 0) {
        on_message(c, &m);
        at += m.size;
    }
    if (got < 0)
        printf("bad %s\n", err.text);
    memmove(c->in, c->in + at, c->len - at);
    c->len -= at;
}

static void on_connection(void)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (script_is("mumble") && send(fd, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, MSG_NOSIGNAL) < 0)
        perror("beat: send");
    struct ix_wire *wire = fd >= 0 && !script_is("mumble") ? wire_meet(tls, fd) : NULL;
    if (fd >= 0 && !wire)
        puts("stranger");
    for (size_t i = 0; wire && i < CLIENTS; i++)
        if (clients[i].fd < 0) {
            clients[i] = (struct client){.fd = fd, .wire = wire, .spoke = now_ms()};
            present++;
            return;
        }
    ix_wire_free(wire);
    if (fd >= 0)
        close(fd);
}

static void send_bytes(const struct client *c, const uint8_t *bytes, size_t size)
{
    if (sendto(udp, bytes, size, 0, (const struct sockaddr *)&c->udp, sizeof c->udp) < 0)
        perror("beat: sendto");
}

static void seal(const struct client *c, const struct ix_datagram *d,
                 uint8_t bytes[IX_DATAGRAM_SIZE])
{
    if (ix_datagram_seal(c->sealer, d, bytes) != 0)
        die("seal");
}

static void send_request(const struct client *c, uint64_t session, long long packet)
{
    uint8_t datagram[IX_DATAGRAM_SIZE];
    struct ix_datagram request = {IX_REQUEST, session, (uint64_t)packet, 0, 0};
    if (option.lead)
        request.time_ns = (uint64_t)(mono_ns() + option.lead * 1000000ll);
    seal(c, &request, datagram);
    send_bytes(c, datagram, sizeof datagram);
}

/* As somebody would who knows everything but the session's secret. */
static void send_under_other_secret(const struct client *c, const struct ix_datagram *request)
{
    static const uint8_t guess[IX_SECRET_SIZE];
    struct ix_sealer *sealer = ix_sealer_new(guess);
    uint8_t bytes[IX_DATAGRAM_SIZE];
    if (!sealer || ix_datagram_seal(sealer, request, bytes) != 0)
        die("seal");
    ix_sealer_free(sealer);
    send_bytes(c, bytes, sizeof bytes);
}

/* As somebody would who holds datagrams back on their way and delivers them later. */
static void send_recorded(struct client *c)
{
    if (recordings < RECORDED) {
        const struct ix_datagram later = {IX_REQUEST, c->session, (uint64_t)(next_packet + FAR), 0,
                                          0};
        seal(c, &later, recorded[recordings]);
        if (++recordings == RECORDED)
            leave(c);
        return;
    }
    for (size_t i = 0; i < recordings; i++)
        send_bytes(c, recorded[i], IX_DATAGRAM_SIZE);
}

static void send_forged(const struct client *c, long long packet)
{
    uint8_t good[IX_DATAGRAM_SIZE + 1] = {0}, bad[IX_DATAGRAM_SIZE];
    struct ix_datagram request = {IX_REQUEST, c->session, (uint64_t)packet, 0, 0};
    seal(c, &request, good);
    send_request(c, c->session + 1, packet);
    send_under_other_secret(c, &request);
    send_bytes(c, good, IX_DATAGRAM_SIZE - 1);
    send_bytes(c, good, IX_DATAGRAM_SIZE + 1);
    memcpy(bad, good, sizeof bad);
    bad[3] ^= 1; /* magic */
    send_bytes(c, bad, sizeof bad);
    memcpy(bad, good, sizeof bad);
    bad[4] = 3; /* version */
    send_bytes(c, bad, sizeof bad);
    memcpy(bad, good, sizeof bad);
    bad[63] ^= 1; /* MAC */
    send_bytes(c, bad, sizeof bad);
    send_request(c, c->session, 0);
}

static void beat_for(struct client *c)
{
    if (script_is("stale") && next_packet > option.first)
        send_request(c, c->session, next_packet - 1);
    if (script_is("forged"))
        send_forged(c, next_packet);
    for (int i = 0; i < (script_is("flood") ? FLOOD : 1); i++)
        send_request(c, c->session, next_packet + i);
    if (script_is("duplicate"))
        send_request(c, c->session, next_packet);
    if (script_is("recorded"))
        send_recorded(c);
}

static void beat(void)
{
    int sent = 0;
    for (size_t i = 0; i < CLIENTS && left; i++)
        if (clients[i].fd >= 0 && clients[i].session) {
            beat_for(&clients[i]);
            sent = 1;
        }
    if (!sent)
        return;
    next_packet += script_is("flood") ? FLOOD : 1;
    if (left > 0 && --left == 0)
        puts("sent all");
}

static void answer(void)
{
    struct signalfd_siginfo question;
    if (read(questions, &question, sizeof question) == sizeof question)
        printf("next %lld\n", next_packet);
}

static void keep_alive(void)
{
    for (size_t i = 0; i < CLIENTS; i++)
        if (clients[i].fd >= 0 && clients[i].session &&
            now_ms() - clients[i].spoke >= IX_KEEPALIVE_MS) {
            struct ix_out out = {0};
            ix_encode_keepalive(&out);
            say(&clients[i], &out);
        }
}

int main(int argc, char **argv)
{
    int came = 0;
    parse(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < CLIENTS; i++)
        clients[i].fd = -1;
    next_packet = option.first;
    left = option.packets;
    open_questions();
    open_tls();
    open_sockets();
    int64_t due = now_ms();
    while (!option.once || !came || present) {
        struct pollfd fds[CLIENTS + 2] = {{.fd = listener, .events = POLLIN},
                                          [CLIENTS + 1] = {.fd = questions, .events = POLLIN}};
        for (size_t i = 0; i < CLIENTS; i++)
            fds[i + 1] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
        int64_t wait = due - now_ms();
        poll(fds, CLIENTS + 2, wait > 0 ? (int)wait : 0);
        for (size_t i = 0; i < CLIENTS; i++)
            if (fds[i + 1].revents || (clients[i].fd >= 0 && ix_wire_pending(clients[i].wire)))
                on_bytes(&clients[i]);
        if (fds[0].revents) {
            on_connection();
            came = 1;
        }
        if (fds[CLIENTS + 1].revents)
            answer();
        if (now_ms() >= due) {
            beat();
            keep_alive();
            due += option.every;
        }
    }
    return 0;
}
