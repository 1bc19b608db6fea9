/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of agents without JVMs in one process: they join a server, answer its requests with
 * reports as late as WELCOME allows, and its probes, keep their sessions alive and say goodbye.
 * Made of the protocol's own code; what is measured are the server and the way there.
 *
 *   simulate --server ADDR:PORT --key FILE [--sessions N] [--seconds S] [--storm] [--rate N]
 *            [--first PID] [--execution NAME] [--elsewhere] [--wait S]
 *            [--half N] [--garbage N] [--silent N] [--mute N] [--chatty N]
 * --key: the campaign's agent.key. --storm: all connect at once, instead of --rate (1,000) a
 * second.
 * --seconds count from when the last one has joined, or --wait (60) seconds after the start.
 * --elsewhere: their clocks are not known to be the server's, which has to ask. Some of the
 * sessions can be of another kind:
 *   half     connects and says nothing          garbage  sends a byte of TLS now and then
 *   silent   joins and never says more          mute     joins and never reads its connection
 *   chatty   joins and sends as much as goes
 * Prints, as "NAME VALUE" lines: joined and join_ms (from the first connect to the last WELCOME) as
 * soon as that is known; at the end refused, dropped (connections that the server ended), requests
 * (datagrams), reported (packets), probes (answered), packets, whole (packets that all had),
 * spread_p50_us, spread_p99_us, spread_max_us (first datagram to last one, by the kernel's clock of
 * arrival).
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "schema/protocol/datagram.h"
#include "schema/protocol/machine.h"
#include "schema/protocol/protocol.h"
#include "schema/protocol/wire.h"
#include "server/base/index.h"
#include "tests/helpers/arrivals.h"
#include "tests/helpers/receive.h"
#include "tests/helpers/simulate_options.h"

#define PORT_SESSIONS 64       /* that share a UDP port: their datagrams fit its buffer */
#define ADDRESS_SESSIONS 20000 /* from one address: it has 28,000 ports */
#define IN_MAX 2048
#define STEP_MS 10   /* how often what is due is looked for */
#define SWEEP 10     /* steps until all sessions have been looked at */
#define END_MS 30000 /* for all goodbyes together */
#define MS 1000000ull

enum state { IDLE, CONNECTING, SHAKING, GREETED, LIVE, GONE };

struct session {
    struct ixor_index_link by_key;
    struct ix_wire *wire;
    struct ix_out out; /* what the socket has not taken yet */
    struct ix_sealer *sealer;
    uint64_t key;
    int fd;
    enum kind kind;
    enum state state;
    uint16_t udp_port;
    uint64_t spoke_ns, report_due_ns, report_ns;
    uint64_t *taken; /* packets to report */
    size_t taken_count, taken_room;
    uint8_t in[IN_MAX];
    size_t in_len;
};

static struct session *sessions;
static struct ix_tls *tls;
static char machine[IX_MACHINE_MAX + 1];
static struct ixor_index by_key;
static int epoll;
static int *udp;
static size_t udp_count;
static size_t started, live, joined, refused, dropped, requests, probes, reported;
static uint64_t began_ns, joined_ns;
static volatile sig_atomic_t stopped;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Sessions are known to epoll by their number, UDP sockets by theirs above all those. */
static void watch(int fd, uint32_t events, size_t number)
{
    struct epoll_event e = {.events = events, .data.u64 = number};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) != 0)
        die("epoll_ctl");
}

/* ---- the stream ---- */

/* Hands over what waits; false when the connection is over. */
static bool flush(struct session *s)
{
    size_t sent = 0;
    ssize_t n = 1;
    while (n > 0 && sent < s->out.len) {
        n = ix_wire_write(s->wire, s->out.data + sent, s->out.len - sent);
        sent += n > 0 ? (size_t)n : 0;
    }
    if (sent == s->out.len)
        ix_out_free(&s->out);
    else if (sent)
        memmove(s->out.data, s->out.data + sent, s->out.len -= sent);
    return n >= 0;
}

/* Sends, or keeps for later; `out` is empty then. */
static bool put(struct session *s, struct ix_out *out)
{
    ix_put_bytes(&s->out, out->data, out->len);
    ix_out_free(out);
    s->spoke_ns = ixor_mono_ns();
    return flush(s);
}

/* ---- one session ---- */

static void leave(struct session *s)
{
    if (s->state == LIVE) {
        ixor_index_remove(&by_key, &s->by_key);
        live--;
    }
    if (s->state != IDLE && s->state != GONE) {
        if (s->wire)
            ix_wire_end(s->wire);
        ix_wire_free(s->wire);
        s->wire = NULL;
        close(s->fd);
    }
    ix_out_free(&s->out);
    s->state = GONE;
    ix_sealer_free(s->sealer);
    s->sealer = NULL;
}

static bool ending; /* all have said goodbye */

static void lose(struct session *s)
{
    dropped += !ending;
    leave(s);
}

/* 127.0.0.1, 127.0.0.2 and so on if the server is on loopback. */
static struct ixor_address source(size_t session)
{
    struct ixor_address a = option.server;
    struct sockaddr_in *in = (struct sockaddr_in *)&a.sa;
    if (a.sa.ss_family == AF_INET && ixor_address_is_loopback(&a))
        in->sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(session / ADDRESS_SESSIONS));
    else if (a.sa.ss_family == AF_INET)
        in->sin_addr.s_addr = 0;
    in->sin_port = 0;
    return a;
}

static void dial(size_t i)
{
    struct session *s = &sessions[i];
    const struct ixor_address from = source(i);
    const int on = 1;
    s->fd = socket(from.sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->fd < 0)
        die("socket");
    setsockopt(s->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (bind(s->fd, (const struct sockaddr *)&from.sa, from.len) != 0)
        die("bind");
    if (connect(s->fd, (const struct sockaddr *)&option.server.sa, option.server.len) != 0 &&
        errno != EINPROGRESS)
        die("connect");
    s->state = CONNECTING;
    watch(s->fd, EPOLLIN | EPOLLOUT | EPOLLET, i);
}

/* The record of a handshake of which little will come. */
static void begin_garbage(struct session *s)
{
    static const uint8_t head[] = {22, 3, 1, 0x3f, 0xff};
    (void)!send(s->fd, head, sizeof head, MSG_NOSIGNAL);
}

static void connected(struct session *s)
{
    int why = 0;
    socklen_t size = sizeof why;
    if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &why, &size) != 0 || why) {
        lose(s);
        return;
    }
    s->state = SHAKING;
    if (s->kind == GARBAGE)
        begin_garbage(s);
    if (s->kind == GARBAGE || s->kind == HALF)
        return;
    s->wire = ix_wire_new(tls, s->fd);
    if (!s->wire)
        die("out of memory");
}

static void greet(struct session *s, size_t i)
{
    static struct ix_hello hello;
    struct ix_out out = {0};
    s->state = GREETED;
    hello = (struct ix_hello){.udp_port = s->udp_port,
                              .pid = (uint32_t)(option.first + i),
                              .started_ns = 1000 + i,
                              .mono_ns = ixor_mono_ns()};
    snprintf(hello.machine, sizeof hello.machine, "%s", machine);
    snprintf(hello.execution, sizeof hello.execution, "%s", option.execution);
    snprintf(hello.role, sizeof hello.role, "Role%zu", i % 100);
    snprintf(hello.host, sizeof hello.host, "simulated");
    snprintf(hello.jvm, sizeof hello.jvm, "simulate");
    snprintf(hello.log, sizeof hello.log, "/simulated/campaign/%zu.ixl", option.first + i);
    ix_encode_hello(&out, &hello);
    if (!put(s, &out))
        lose(s);
}

static void shake(struct session *s, size_t i)
{
    const int done = ix_wire_shake(s->wire);
    if (done < 0)
        lose(s);
    else if (done > 0)
        greet(s, i);
}

static void on_welcome(struct session *s, const struct ix_message_frame *frame)
{
    struct ix_welcome welcome;
    if (ix_decode_welcome(frame->payload, frame->payload_size, &welcome, NULL) != 0)
        die("WELCOME");
    s->key = welcome.session;
    s->report_ns = welcome.report_ns ? welcome.report_ns : IX_REPORT_DELAY_MS * MS;
    uint8_t secret[IX_SECRET_SIZE];
    if (ix_wire_secret(s->wire, secret) == 0)
        s->sealer = ix_sealer_new(secret);
    if (!s->sealer || ixor_index_add(&by_key, &s->by_key, s->key) != 0)
        die("out of memory");
    s->state = LIVE;
    live++;
    joined++;
    joined_ns = ixor_mono_ns();
}

static void on_input(struct session *s)
{
    struct ix_message_frame frame;
    while (s->state != GONE && !(s->kind == MUTE && s->state == LIVE)) {
        const ssize_t n = ix_wire_read(s->wire, s->in + s->in_len, sizeof s->in - s->in_len);
        if (n < 0)
            lose(s);
        if (n <= 0)
            return;
        s->in_len += (size_t)n;
        while (ix_next_message(s->in, s->in_len, &frame, NULL) == 1) {
            if (frame.type == IX_WELCOME)
                on_welcome(s, &frame);
            refused += frame.type == IX_REFUSE;
            s->in_len -= frame.size;
            memmove(s->in, s->in + frame.size, s->in_len);
        }
    }
}

static void take(struct session *s, uint64_t number)
{
    if (s->kind == SILENT || s->kind == MUTE)
        return;
    if (s->taken_count == s->taken_room) {
        s->taken_room = s->taken_room ? s->taken_room * 2 : 8;
        s->taken = reallocarray(s->taken, s->taken_room, sizeof *s->taken);
        if (!s->taken)
            die("out of memory");
    }
    if (s->taken_count == 0) /* between a half and the whole of what is allowed, as agents do */
        s->report_due_ns = ixor_mono_ns() + s->report_ns * (50 + (uint64_t)rand() % 30) / 100;
    s->taken[s->taken_count++] = number;
    if (s->taken_count >= IX_REPORT_MAX / 2)
        s->report_due_ns = 0;
}

static void report(struct session *s)
{
    static struct ix_report r;
    struct ix_out out = {0};
    r.count = s->taken_count < IX_REPORT_MAX ? s->taken_count : IX_REPORT_MAX;
    const uint64_t now = ixor_mono_ns(), wall = (uint64_t)ixor_wall_ns();
    for (size_t i = 0; i < r.count; i++)
        r.taken[i] = (struct ix_taken){.packet = s->taken[i],
                                       .mono_ns = now,
                                       .real_ns = wall,
                                       .stop_ns = 100000,
                                       .threads = 50,
                                       .frames = 1000,
                                       .ready_ns = now};
    ix_encode_report(&out, &r);
    if (put(s, &out))
        reported += r.count;
    else
        lose(s);
    s->taken_count = 0;
}

static void say_goodbye(struct session *s)
{
    struct ix_out out = {0};
    if (s->taken_count)
        report(s);
    if (s->state != LIVE)
        return;
    ix_encode_goodbye(&out, &(struct ix_goodbye){.reason = IX_BYE_EXIT});
    put(s, &out);
}

static void chatter(struct session *s)
{
    struct ix_out out = {0};
    for (int i = 0; i < 4000; i++)
        ix_encode_keepalive(&out);
    (void)put(s, &out); /* what does not go, goes not */
}

/* What is due by the clock. */
static void do_what_is_due(struct session *s, uint64_t now)
{
    struct ix_out out = {0};
    if (s->kind == GARBAGE && s->state == SHAKING)
        (void)!send(s->fd, &now, 1, MSG_NOSIGNAL);
    if (s->state != LIVE || s->kind == SILENT || s->kind == MUTE)
        return;
    if (s->kind == CHATTY)
        chatter(s);
    else if (s->taken_count && now >= s->report_due_ns)
        report(s);
    else if (now - s->spoke_ns >=
             (s->report_ns > IX_KEEPALIVE_RARE_MS * MS ? IX_KEEPALIVE_RARE_MS : IX_KEEPALIVE_MS) *
                 MS) {
        ix_encode_keepalive(&out);
        if (!put(s, &out))
            lose(s);
    }
}

/* ---- datagrams ---- */

static void answer(struct session *s, const struct ix_datagram *probe, int fd,
                   const struct msghdr *from)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ix_datagram d = {
        .kind = IX_ANSWER, .session = s->key, .number = probe->number, .time_ns = ixor_mono_ns()};
    probes++;
    d.sent_ns = ixor_mono_ns();
    if (ix_datagram_seal(s->sealer, &d, bytes) == 0)
        sendto(fd, bytes, sizeof bytes, 0, from->msg_name, from->msg_namelen);
}

static void on_datagram(const uint8_t *bytes, size_t size, uint64_t ns, int fd,
                        const struct msghdr *from)
{
    struct ix_datagram d;
    struct ixor_index_link *link = ixor_index_first(&by_key, ix_datagram_session(bytes, size));
    if (!link)
        return;
    struct session *s = ixor_index_of(link, struct session, by_key);
    if (!ix_datagram_open(s->sealer, bytes, size, &d))
        return;
    if (d.kind == IX_REQUEST) {
        requests++;
        arrivals_add(d.number, ns);
        take(s, d.number);
    } else if (d.kind == IX_PROBE) {
        answer(s, &d, fd, from);
    }
}

static void open_ports(void)
{
    udp_count = (option.sessions + PORT_SESSIONS - 1) / PORT_SESSIONS;
    udp = calloc(udp_count, sizeof *udp);
    if (!udp)
        die("out of memory");
    for (size_t i = 0; i < udp_count; i++) {
        struct ixor_address a = source(i * PORT_SESSIONS);
        const int on = 1, room = 1 << 20;
        udp[i] = socket(a.sa.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (udp[i] < 0 || bind(udp[i], (struct sockaddr *)&a.sa, a.len) != 0 ||
            getsockname(udp[i], (struct sockaddr *)&a.sa, &a.len) != 0)
            die("UDP port");
        setsockopt(udp[i], SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
        setsockopt(udp[i], SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
        watch(udp[i], EPOLLIN, option.sessions + i);
        for (size_t s = i * PORT_SESSIONS; s < (i + 1) * PORT_SESSIONS && s < option.sessions; s++)
            sessions[s].udp_port = ixor_address_port(&a);
    }
}

/* ---- from start to end ---- */

static void on_ready(const struct epoll_event *e)
{
    const size_t i = (size_t)e->data.u64;
    if (i >= option.sessions) {
        receive_all(udp[i - option.sessions], on_datagram);
        return;
    }
    struct session *s = &sessions[i];
    if (s->state == CONNECTING && (e->events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
        connected(s);
    if (s->state == SHAKING && s->wire)
        shake(s, i);
    else if (s->state == SHAKING && (e->events & (EPOLLERR | EPOLLHUP | EPOLLIN)))
        lose(s);
    if ((s->state == GREETED || s->state == LIVE) && s->out.len && !flush(s))
        lose(s);
    if (s->state == GREETED || s->state == LIVE)
        on_input(s);
}

/* Some of the sessions, so that all have had their turn after SWEEP calls. */
static void look_at_some(unsigned step, uint64_t now)
{
    for (size_t i = step % SWEEP; i < option.sessions; i += SWEEP)
        do_what_is_due(&sessions[i], now);
}

static void start_some(uint64_t now)
{
    size_t due =
        option.storm ? option.sessions : (size_t)((now - began_ns) * option.rate / 1000000000) + 1;
    while (started < option.sessions && started < due)
        dial(started++);
}

/* Said at once: what measures them begins then. */
static void say_joined(void)
{
    printf("joined %zu\njoin_ms %llu\n", joined, (unsigned long long)((joined_ns - began_ns) / MS));
    fflush(stdout);
}

static void run(uint64_t for_ns)
{
    struct epoll_event events[256];
    uint64_t next = ixor_mono_ns(), until = UINT64_MAX;
    for (unsigned step = 0; !stopped;) {
        const uint64_t now = ixor_mono_ns();
        if (now >= until)
            return;
        if (now >= next) {
            start_some(now);
            look_at_some(step++, now);
            next = now + STEP_MS * MS;
        }
        if (until == UINT64_MAX && started == option.sessions &&
            (joined + refused + dropped + option.kinds[HALF] + option.kinds[GARBAGE] >=
                 option.sessions ||
             now - began_ns > option.wait * 1000 * MS)) {
            until = now + for_ns;
            say_joined();
        }
        const int n = epoll_wait(epoll, events, 256, now < next ? (int)((next - now) / MS) + 1 : 0);
        for (int i = 0; i < n; i++)
            on_ready(&events[i]);
    }
    if (until == UINT64_MAX)
        say_joined();
}

/* Closing at once would answer what the server has yet to say with a reset, and take from it what
 * it has yet to read. */
static void await_ends(void)
{
    struct epoll_event events[256];
    const uint64_t until = ixor_mono_ns() + END_MS * MS;
    ending = true;
    while (live && ixor_mono_ns() < until) {
        const int n = epoll_wait(epoll, events, 256, STEP_MS);
        for (int i = 0; i < n; i++)
            on_ready(&events[i]);
    }
}

static void on_signal(int sig)
{
    (void)sig;
    stopped = 1;
}

static void start_tls(void)
{
    struct ix_key key;
    struct ix_error err;
    if (ix_key_read(IX_KEY_AGENT, option.key, &key, &err) == 0)
        tls = ix_tls_new(IX_TLS_CLIENT, &err);
    if (!tls) {
        fprintf(stderr, "simulate: %s\n", err.text);
        exit(2);
    }
    ix_tls_set_key(tls, IX_KEY_AGENT, &key);
}

int main(int argc, char **argv)
{
    parse(argc, argv);
    start_tls();
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    ix_machine_name(option.elsewhere ? (char[IX_MACHINE_MAX + 1]){0} : machine);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    sessions = calloc(option.sessions + 1, sizeof *sessions);
    if (epoll < 0 || !sessions)
        die("start");
    open_ports();
    size_t i = 0;
    for (enum kind k = HALF; k < KINDS; k++) {
        for (size_t n = 0; n < option.kinds[k] && i < option.sessions; n++)
            sessions[i++].kind = k;
    }
    began_ns = ixor_mono_ns();
    run(option.seconds * UINT64_C(1000000000));
    const size_t there = live;
    for (i = 0; i < option.sessions; i++) {
        if (sessions[i].state == LIVE)
            say_goodbye(&sessions[i]);
    }
    await_ends();
    for (i = 0; i < option.sessions; i++) {
        leave(&sessions[i]);
        free(sessions[i].taken);
    }
    printf("refused %zu\ndropped %zu\nrequests %zu\nreported %zu\nprobes %zu\n", refused, dropped,
           requests, reported, probes);
    arrivals_print(there);
    ix_tls_free(tls);
    free(sessions);
    free(udp);
    ixor_index_free(&by_key);
    return 0;
}
