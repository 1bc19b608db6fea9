/* SPDX-License-Identifier: Apache-2.0 */
/* How long the kernel takes to send the datagrams of one packet on loopback, by number of sending
 * threads, as rows of a table: bench/udp_batch [DATAGRAMS [ROUNDS]].
 *
 * DATAGRAMS (10,000) go to sockets that get 64 each, like those of tests/helpers/simulate.c, and
 * that are not read meanwhile, because agents would be on other hosts. All numbers of threads take
 * turns, ROUNDS (200) times; prints the minimum and the median of each. On a busy machine only the
 * minimum is meaningful. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "schema/protocol/datagram.h"
#include "server/sampling/udp_batch.h"

enum { EACH = 64, DATAGRAMS_MAX = 1000000, ROUNDS_MAX = 10000 };

static int from, *to;
static size_t datagrams = 10000, sockets, rounds = 200;
static struct mmsghdr *messages;

static void *must(void *p)
{
    if (p)
        return p;
    perror("udp_batch");
    exit(1);
}

static void check(int failed)
{
    must(failed ? NULL : &datagrams);
}

static void prepare(void)
{
    static uint8_t content[IX_DATAGRAM_SIZE];
    static struct iovec vector = {content, sizeof content};
    const int room = 1 << 20;
    sockets = (datagrams + EACH - 1) / EACH;
    to = must(calloc(sockets, sizeof *to));
    messages = must(calloc(datagrams, sizeof *messages));
    struct sockaddr_in *where = must(calloc(sockets, sizeof *where));
    check((from = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) < 0);
    setsockopt(from, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    for (size_t i = 0; i < sockets; i++) {
        socklen_t size = sizeof *where;
        where[i].sin_family = AF_INET;
        where[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        check((to[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) < 0);
        check(bind(to[i], (struct sockaddr *)&where[i], size) != 0);
        check(getsockname(to[i], (struct sockaddr *)&where[i], &size) != 0);
        setsockopt(to[i], SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    }
    for (size_t i = 0; i < datagrams; i++)
        messages[i].msg_hdr = (struct msghdr){.msg_name = &where[i / EACH],
                                              .msg_namelen = sizeof *where,
                                              .msg_iov = &vector,
                                              .msg_iovlen = 1};
}

static size_t drain(void)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    size_t count = 0;
    for (size_t i = 0; i < sockets; i++) {
        while (recv(to[i], bytes, sizeof bytes, 0) > 0)
            count++;
    }
    return count;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(void)
{
    struct ixor_udp_batch *batches[IXOR_UDP_BATCH_THREADS];
    double *took = must(calloc(IXOR_UDP_BATCH_THREADS * rounds, sizeof *took));
    size_t lost = 0;
    for (unsigned t = 0; t < IXOR_UDP_BATCH_THREADS; t++)
        batches[t] = must(ixor_udp_batch_new(t + 1));
    for (size_t round = 0; round < rounds; round++) {
        for (unsigned t = 0; t < IXOR_UDP_BATCH_THREADS; t++) {
            const double begin = now_ms();
            ixor_udp_batch_send(batches[t], from, messages, datagrams);
            took[t * rounds + round] = now_ms() - begin;
            lost += datagrams - drain();
        }
    }
    for (unsigned t = 0; t < IXOR_UDP_BATCH_THREADS; t++) {
        double *mine = took + t * rounds;
        qsort(mine, rounds, sizeof *mine, ascending);
        printf("| %zu | %u | %.1f | %.1f |\n", datagrams, t + 1, mine[0], mine[rounds / 2]);
        ixor_udp_batch_free(batches[t]);
    }
    if (lost)
        printf("\n%zu datagrams did not come.\n", lost);
    free(took);
}

static size_t count_of(const char *text, size_t max)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    if (!*end && n >= 1 && n <= max)
        return n;
    fprintf(stderr, "usage: udp_batch [DATAGRAMS [ROUNDS]]; '%s' is not from 1 to %zu\n", text,
            max);
    exit(2);
}

int main(int argc, char **argv)
{
    datagrams = argc > 1 ? count_of(argv[1], DATAGRAMS_MAX) : datagrams;
    rounds = argc > 2 ? count_of(argv[2], ROUNDS_MAX) : rounds;
    prepare();
    measure();
    return 0;
}
