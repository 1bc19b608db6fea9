/* SPDX-License-Identifier: Apache-2.0 */
/* Throws mutated messages at a live server: real ones of every kind (schema/), in which bytes are
 * flipped, cut out, doubled or put in, as an agent with the right key, without TLS, and by UDP.
 *
 *   mutate --server ADDR:PORT --key FILE [--count N] [--seed N] [--udp PORT]...
 * Some go raw to the TCP port, some as messages in a session of TLS (each connection until the
 * server ends it), some as datagrams to the ports given and to those that probes and requests come
 * from. Prints "sent N, connections N, refused N" and the seed; fails if the server does not take
 * connections any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "schema/protocol/control.h"
#include "schema/protocol/datagram.h"
#include "schema/protocol/machine.h"
#include "schema/protocol/protocol.h"
#include "schema/protocol/wire.h"
#include "server/base/units.h"
#include "tests/support/mutants.h"

#define PORTS_MAX 64
#define SIZE_MAX_ 4096 /* of a mutated message */
#define PATIENCE_MS 10000

static struct ixor_address server;
static struct ix_tls *tls;
static int udp;
static struct ixor_address targets[PORTS_MAX];
static size_t target_count;
static unsigned long long sent, connections, refused;

static void die(const char *what)
{
    fprintf(stderr, "mutate: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- messages ---- */

static void put_hello(struct ix_out *out)
{
    static struct ix_hello hello;
    struct ixor_address own = {.len = sizeof own.sa};
    getsockname(udp, (struct sockaddr *)&own.sa, &own.len);
    hello = (struct ix_hello){.udp_port = ixor_address_port(&own), .pid = 1, .started_ns = 1};
    ix_machine_name(hello.machine);
    hello.mono_ns = ixor_mono_ns();
    snprintf(hello.role, sizeof hello.role, "Mutant%zu", below(10));
    snprintf(hello.host, sizeof hello.host, "mutated");
    snprintf(hello.jvm, sizeof hello.jvm, "mutate");
    snprintf(hello.log, sizeof hello.log, "/mutated/%zu.ixl", below(10));
    ix_encode_hello(out, &hello);
}

static void put_report(struct ix_out *out)
{
    static struct ix_report report;
    report.count = below(20);
    uint64_t packet = below(1000);
    for (size_t i = 0; i < report.count; i++)
        report.taken[i] = (struct ix_taken){.packet = packet += 1 + below(3),
                                            .mono_ns = next_random() >> below(64),
                                            .real_ns = next_random() >> below(64),
                                            .stop_ns = next_random() >> below(64),
                                            .threads = below(100)};
    ix_encode_report(out, &report);
}

/* One of a random kind, whole. */
static void put_message(struct ix_out *out)
{
    static struct ix_reply reply;
    switch (below(9)) {
    case 0:
        put_hello(out);
        break;
    case 1:
    case 2:
        put_report(out);
        break;
    case 3:
        ix_encode_keepalive(out);
        break;
    case 4:
        ix_encode_goodbye(out, &(struct ix_goodbye){.reason = 1, .text = "bye"});
        break;
    case 5:
        ix_encode_control(out, &(struct ix_control){.verb = "pause"});
        break;
    case 6:
        ix_encode_refuse(out, &(struct ix_refuse){.reason = "no"});
        break;
    case 7:
        ix_encode_reply(out, &reply);
        break;
    default:
        ix_encode_welcome(out, &(struct ix_welcome){.session = next_random() | 1});
        break;
    }
}

static size_t mutant(uint8_t bytes[SIZE_MAX_])
{
    struct ix_out out = {0};
    put_message(&out);
    const size_t size = out.len < SIZE_MAX_ / 2 ? out.len : SIZE_MAX_ / 2;
    memcpy(bytes, out.data, size);
    ix_out_free(&out);
    return mutate(bytes, size, SIZE_MAX_);
}

/* ---- connections ---- */

static int dial(void)
{
    const int fd = socket(server.sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&server.sa, server.len) != 0)
        die("the server takes no connection");
    fcntl(fd, F_SETFL, O_NONBLOCK);
    connections++;
    return fd;
}

static bool await(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    return poll(&p, 1, PATIENCE_MS) > 0;
}

static void raw(void)
{
    uint8_t bytes[SIZE_MAX_];
    const int fd = dial();
    for (size_t n = below(8) + 1; n > 0; n--, sent++) {
        const size_t size = mutant(bytes);
        if (send(fd, bytes, size, MSG_NOSIGNAL) < 0)
            break;
    }
    close(fd);
}

static bool shake(struct ix_wire *w, int fd)
{
    int done;
    while ((done = ix_wire_shake(w)) == 0) {
        if (!await(fd, ix_wire_events(w)))
            die("the server does not shake hands");
    }
    return done > 0;
}

static bool put(struct ix_wire *w, int fd, const uint8_t *bytes, size_t size)
{
    while (size) {
        const ssize_t n = ix_wire_write(w, bytes, size);
        if (n < 0 || (n == 0 && !await(fd, ix_wire_events(w))))
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* What the server says; false when it has ended the connection. */
static bool listen_to(struct ix_wire *w)
{
    uint8_t bytes[4096];
    ssize_t n;
    while ((n = ix_wire_read(w, bytes, sizeof bytes)) > 0)
        refused += n > 4 && bytes[4] == IX_REFUSE;
    return n == 0;
}

/* A session with the agents' key, good at first or not, until the server has had enough. */
static void session(void)
{
    uint8_t bytes[SIZE_MAX_];
    const int fd = dial();
    struct ix_wire *w = ix_wire_new(tls, fd);
    bool up = w && shake(w, fd);
    if (up && below(4)) {
        struct ix_out out = {0};
        put_hello(&out);
        up = put(w, fd, out.data, out.len);
        ix_out_free(&out);
    }
    for (size_t n = below(50) + 1; up && n > 0; n--, sent++) {
        const size_t size = mutant(bytes);
        up = !size || put(w, fd, bytes, size);
        up = up && listen_to(w);
    }
    ix_wire_free(w);
    close(fd);
}

/* ---- datagrams ---- */

/* Ports that requests and probes come from are ports of the server. */
static void receive_sources(void)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ixor_address from = {.len = sizeof from.sa};
    while (recvfrom(udp, bytes, sizeof bytes, 0, (struct sockaddr *)&from.sa, &from.len) > 0) {
        bool known = false;
        for (size_t i = 0; i < target_count; i++)
            known = known || ixor_address_port(&targets[i]) == ixor_address_port(&from);
        if (!known && target_count < PORTS_MAX)
            targets[target_count++] = from;
        from.len = sizeof from.sa;
    }
}

static void datagrams(void)
{
    static struct ix_sealer *sealer;
    uint8_t bytes[SIZE_MAX_], secret[IX_SECRET_SIZE] = {0};
    if (!sealer && !(sealer = ix_sealer_new(secret)))
        die("out of memory");
    receive_sources();
    for (size_t n = 20; n > 0; n--, sent++) {
        const struct ix_datagram d = {.kind = (enum ix_datagram_kind)(below(3) + 1),
                                      .session = next_random() >> below(64) | 1,
                                      .number = below(1000) + 1,
                                      .time_ns = next_random(),
                                      .sent_ns = ixor_mono_ns()};
        if (ix_datagram_seal(sealer, &d, bytes) != 0)
            die("seal");
        const size_t size = mutate(bytes, IX_DATAGRAM_SIZE, SIZE_MAX_);
        if (target_count) {
            const struct ixor_address *to = &targets[below(target_count)];
            sendto(udp, bytes, size, 0, (const struct sockaddr *)&to->sa, to->len);
        }
    }
}

/* ---- from start to end ---- */

static void fail(const struct ix_error *err)
{
    fprintf(stderr, "mutate: %s\n", err->text);
    exit(2);
}

static uint64_t number_of(const char *text)
{
    uint64_t n;
    struct ix_error err;
    if (ixor_parse_count(text, 1, UINT32_MAX, &n, &err) != 0)
        fail(&err);
    return n;
}

static void start_tls(const char *file)
{
    struct ix_error err;
    struct ix_key key;
    if (ix_key_read(IX_KEY_AGENT, file, &key, &err) != 0 ||
        !(tls = ix_tls_new(IX_TLS_CLIENT, &err)))
        fail(&err);
    ix_tls_set_key(tls, IX_KEY_AGENT, &key);
}

static void open_udp(void)
{
    struct ixor_address own;
    struct ix_error err;
    if (ixor_parse_address("127.0.0.1:0", &own, &err) != 0)
        fail(&err);
    udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (udp < 0 || bind(udp, (struct sockaddr *)&own.sa, own.len) != 0)
        die("UDP socket");
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"server", required_argument, NULL, 's'}, {"key", required_argument, NULL, 'k'},
        {"count", required_argument, NULL, 'n'},  {"seed", required_argument, NULL, 'r'},
        {"udp", required_argument, NULL, 'u'},    {0}};
    struct ix_error err = {"--server or --key is missing"};
    uint64_t count = 10000, seed = ixor_mono_ns();
    const char *address = NULL, *key = NULL, *ports[PORTS_MAX];
    size_t port_count = 0;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 's':
            address = optarg;
            break;
        case 'k':
            key = optarg;
            break;
        case 'n':
            count = number_of(optarg);
            break;
        case 'r':
            seed = number_of(optarg);
            break;
        case 'u':
            if (port_count < PORTS_MAX)
                ports[port_count++] = optarg;
            break;
        default:
            return 2;
        }
    }
    if (!address || !key || ixor_parse_address(address, &server, &err) != 0)
        fail(&err);
    signal(SIGPIPE, SIG_IGN);
    mutants_seed(seed);
    start_tls(key);
    open_udp();
    for (size_t i = 0; i < port_count; i++) {
        targets[target_count] = server;
        ixor_address_set_port(&targets[target_count++], (uint16_t)number_of(ports[i]));
    }
    while (sent < count) {
        const size_t which = below(8);
        if (which < 2)
            raw();
        else if (which < 6)
            session();
        else
            datagrams();
    }
    printf("sent %llu, connections %llu, refused %llu\nseed %llu\n", sent, connections, refused,
           (unsigned long long)seed);
    ix_tls_free(tls);
    return 0;
}
