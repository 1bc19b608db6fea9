/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of keys: a handshake on each side, an idle connection's memory, sealing a datagram.
 *   secure [HANDSHAKES]
 * Prints a row of a Markdown table. Both sides run in one thread, over a socket pair; times are
 * processor time. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "schema/protocol/wire.h"

#define IDLE 1000
#define SEALS 200000

static struct ix_tls *tls[2]; /* client, server */

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void die(const char *what)
{
    fprintf(stderr, "secure: %s\n", what);
    exit(1);
}

/* Connects both sides. Stores the time that each side used in used_us, unless it is NULL. */
static void meet(struct ix_wire *wires[2], int fds[2], double used_us[2])
{
    int done[2] = {0, 0};
    double used[2] = {0, 0};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        die("no sockets; ulimit -n 4096 helps");
    for (int i = 0; i < 2; i++) {
        const double begin = now_us();
        wires[i] = ix_wire_new(tls[i], fds[i]);
        used[i] += now_us() - begin;
        if (!wires[i])
            die("out of memory");
    }
    for (int i = 0; done[0] <= 0 || done[1] <= 0; i = !i) {
        const double begin = now_us();
        if (done[i] <= 0)
            done[i] = ix_wire_shake(wires[i]);
        used[i] += now_us() - begin;
        if (done[i] < 0)
            die("a handshake failed");
    }
    for (int i = 0; used_us && i < 2; i++)
        used_us[i] += used[i];
}

static void part(struct ix_wire *wires[2], const int fds[2])
{
    for (int i = 0; i < 2; i++) {
        ix_wire_free(wires[i]);
        close(fds[i]);
    }
}

static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* Bytes of the server's side of an idle connection; the client's side is freed first. */
static size_t idle_bytes(void)
{
    static struct ix_wire *servers[IDLE];
    static int ends[IDLE];
    const size_t before = in_use();
    for (size_t i = 0; i < IDLE; i++) {
        struct ix_wire *wires[2];
        int fds[2];
        meet(wires, fds, NULL);
        ix_wire_free(wires[0]);
        close(fds[0]);
        servers[i] = wires[1];
        ends[i] = fds[1];
    }
    const size_t bytes = (in_use() - before) / IDLE;
    for (size_t i = 0; i < IDLE; i++) {
        ix_wire_free(servers[i]);
        close(ends[i]);
    }
    return bytes;
}

/* ns to seal a datagram, and to open one. */
static void seals(double ns[2])
{
    const uint8_t secret[IX_SECRET_SIZE] = "secret";
    struct ix_sealer *s = ix_sealer_new(secret);
    struct ix_datagram d = {.kind = IX_REQUEST, .session = 1, .number = 1};
    uint8_t bytes[IX_DATAGRAM_SIZE];
    double begin = now_us();
    for (int i = 0; s && i < SEALS; i++) {
        d.number = (uint64_t)i + 1;
        if (ix_datagram_seal(s, &d, bytes) != 0)
            die("cannot seal");
    }
    ns[0] = (now_us() - begin) * 1e3 / SEALS;
    begin = now_us();
    for (int i = 0; s && i < SEALS; i++) {
        if (!ix_datagram_open(s, bytes, sizeof bytes, &d))
            die("cannot open");
    }
    ns[1] = (now_us() - begin) * 1e3 / SEALS;
    ix_sealer_free(s);
}

int main(int argc, char **argv)
{
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    const struct ix_key key = {.bytes = "key"};
    struct ix_error err = {""};
    double used[2] = {0, 0}, ns[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        tls[i] = ix_tls_new(i ? IX_TLS_SERVER : IX_TLS_CLIENT, &err);
        if (!tls[i])
            die(err.text);
        ix_tls_set_key(tls[i], IX_KEY_AGENT, &key);
    }
    if (count < 1)
        die("expected a number of handshakes");
    for (long i = 0; i < count; i++) {
        struct ix_wire *wires[2];
        int fds[2];
        meet(wires, fds, used);
        part(wires, fds);
    }
    const size_t bytes = idle_bytes();
    seals(ns);
    printf("| %.0f | %.0f | %zu | %.0f | %.0f |\n", used[0] / (double)count,
           used[1] / (double)count, bytes, ns[0], ns[1]);
    ix_tls_free(tls[0]);
    ix_tls_free(tls[1]);
    return 0;
}
