/* SPDX-License-Identifier: Apache-2.0 */
/* What goes over connections: real ones, with messages of known sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include "agent/base/clock.h"
#include "agent/record/sockets.h"
#include "agent/record/traffic.h"
#include "tests/support/tcp_pair.h"
#include "tests/support/tracelog_fixture.h"

static struct ixa_ends ends_of(int fd)
{
    struct ixa_ends ends;
    assert_true(ixa_ends_of(fd, &ends));
    return ends;
}

/* Sends so many bytes, and waits until they have arrived. */
static void send_bytes(int from, int to, size_t count)
{
    static const char bytes[1000];
    struct pollfd arrived = {.fd = to, .events = POLLIN};
    assert_int_equal(write(from, bytes, count), count);
    assert_int_equal(poll(&arrived, 1, -1), 1);
}

static void read_bytes_of(int fd, size_t count)
{
    char bytes[1000];
    assert_int_equal(read(fd, bytes, count), count);
}

static void expect(const struct ix_traffic *news, uint64_t sent, uint64_t sent_bytes,
                   uint64_t received, uint64_t received_bytes, uint64_t unread)
{
    assert_int_equal(news->sent, sent);
    assert_int_equal(news->sent_bytes, sent_bytes);
    assert_int_equal(news->received, received);
    assert_int_equal(news->received_bytes, received_bytes);
    assert_int_equal(news->unread, unread);
}

static void both_ends_are_counted(int family)
{
    struct tcp_pair p = tcp_pair_connect(family);
    const struct ixa_ends client = ends_of(p.client), server = ends_of(p.server);
    struct ixa_traffic at_client = {0}, at_server = {0};
    struct ix_traffic news;
    assert_false(ixa_traffic_look(&at_client, p.client, &client, &news));
    send_bytes(p.client, p.server, 5);
    assert_true(ixa_traffic_look(&at_client, p.client, &client, &news));
    expect(&news, 1, 5, 0, 0, 0);
    assert_int_equal(news.last, IX_SPOKE_HERE);
    assert_true(ixa_traffic_look(&at_server, p.server, &server, &news));
    expect(&news, 0, 0, 1, 5, 5);
    assert_int_equal(news.last, IX_SPOKE_THERE);
    assert_false(ixa_traffic_look(&at_server, p.server, &server, &news));
    read_bytes_of(p.server, 5);
    assert_true(ixa_traffic_look(&at_server, p.server, &server, &news));
    expect(&news, 0, 0, 0, 0, 0);
    usleep(20000); /* more than the kernel's resolution: so that it is known who spoke last */
    send_bytes(p.server, p.client, 700);
    assert_true(ixa_traffic_look(&at_server, p.server, &server, &news));
    expect(&news, 1, 700, 0, 0, 0);
    assert_int_equal(news.last, IX_SPOKE_HERE);
    assert_true(ixa_traffic_look(&at_client, p.client, &client, &news));
    expect(&news, 0, 0, 1, 700, 700);
    assert_int_equal(news.last, IX_SPOKE_THERE);
    tcp_pair_close(&p);
}

static void both_ends(void **state)
{
    (void)state;
    both_ends_are_counted(AF_INET);
    both_ends_are_counted(AF_INET6);
}

static void what_is_no_connection(void **state)
{
    (void)state;
    struct tcp_pair p = tcp_pair_connect(AF_INET);
    const struct ixa_ends listens = ends_of(p.listens), client = ends_of(p.client);
    struct ixa_traffic traffic = {0};
    struct ix_traffic news;
    int local[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, local), 0);
    struct ixa_ends pair = client;
    send_bytes(p.client, p.server, 5);
    send_bytes(local[0], local[1], 5);
    assert_false(ixa_traffic_look(&traffic, p.listens, &listens, &news));
    assert_false(ixa_traffic_look(&traffic, local[1], &pair, &news));
    pair.local.any.sa_family = AF_UNIX;
    assert_false(ixa_traffic_look(&traffic, local[1], &pair, &news));
    assert_false(ixa_traffic_look(&traffic, -1, &client, &news));
    /* Another file has the descriptor: */
    const int other = open("/dev/null", O_RDONLY);
    dup2(other, p.client);
    assert_false(ixa_traffic_look(&traffic, p.client, &client, &news));
    /* ... or another connection: */
    struct tcp_pair q = tcp_pair_connect(AF_INET);
    send_bytes(q.client, q.server, 5);
    dup2(q.client, p.client);
    assert_false(ixa_traffic_look(&traffic, p.client, &client, &news));
    assert_int_equal(traffic.sent, 0);
    close(other);
    close(local[0]);
    close(local[1]);
    tcp_pair_close(&q);
    tcp_pair_close(&p);
}

/* ---- in turn, and in the log ---- */

enum { CONNECTIONS = 40, ROUND = 64 }; /* in a round of packets all of them have had their turn */

static uint32_t nobody(const void *threads, uint64_t key)
{
    (void)threads;
    (void)key;
    return 0;
}

static void packets(struct ixa_sockets *s, struct ix_log_writer *log, uint64_t *number)
{
    for (int i = 0; i < ROUND; i++) {
        const struct ix_snapshot snapshot = {.packet = ++*number};
        assert_int_equal(ixa_sockets_look(s, log, nobody, NULL), 0);
        assert_int_equal(ixa_sockets_hear(s, log), 0);
        assert_int_equal(ix_log_snapshot(log, &snapshot), 0);
    }
}

/* Messages from clients, in each round. */
static void sum_up(const struct ix_out *bytes, uint64_t rounds, uint64_t sums[])
{
    struct ix_log_reader *r = read_bytes(bytes);
    struct ix_snapshot s;
    memset(sums, 0, rounds * sizeof *sums);
    while (ix_log_next(r, &s, NULL) > 0) {
        const struct ix_facts facts = ix_log_facts(r);
        assert_true(facts.traffic_count <= 16);
        for (size_t i = 0; i < facts.traffic_count; i++) {
            const struct ix_traffic *t = &facts.traffic[i];
            sums[(s.packet - 1) / ROUND] += t->sent;
            assert_true(strncmp(t->local, "127.0.0.1:", 10) == 0);
            assert_true(strncmp(t->remote, "127.0.0.1:", 10) == 0);
        }
    }
    ix_log_reader_close(r);
}

static void each_in_turn(void **state)
{
    (void)state;
    static struct tcp_pair old[CONNECTIONS], new[CONNECTIONS];
    struct ixa_sockets s = {0};
    uint64_t number = 0, sums[3];
    int fd;
    struct ix_log_writer *log = memory_writer(&fd);
    for (int i = 0; i < CONNECTIONS; i++) {
        old[i] = tcp_pair_connect(AF_INET);
        send_bytes(old[i].client, old[i].server, 1); /* before the agent looks: not counted */
    }
    packets(&s, log, &number);
    for (int i = 0; i < CONNECTIONS; i++) {
        new[i] = tcp_pair_connect(AF_INET);
        send_bytes(new[i].client, new[i].server, 1);
        send_bytes(old[i].client, old[i].server, 1);
    }
    s.own = new[0].client + 1; /* the agent's own */
    packets(&s, log, &number);
    packets(&s, log, &number);
    struct ix_out bytes = finish(log, fd);
    sum_up(&bytes, 3, sums);
    assert_int_equal(sums[0], 0);
    assert_int_equal(sums[1] + sums[2], 2 * CONNECTIONS - 1);
    ix_out_free(&bytes);
    ixa_sockets_free(&s);
    for (int i = 0; i < CONNECTIONS; i++) {
        tcp_pair_close(&old[i]);
        tcp_pair_close(&new[i]);
    }
}

/* A client that binds its port can be connected again, with the same ends and descriptor. */
static void another_connection_with_the_same_ends(void **state)
{
    (void)state;
    struct tcp_pair p = tcp_pair_connect(AF_INET);
    const struct ixa_ends client = ends_of(p.client);
    struct ixa_traffic before = {.sent_bytes = 10000, .received_bytes = 10, .sent = 20};
    struct ix_traffic news;
    send_bytes(p.client, p.server, 5);
    assert_true(ixa_traffic_look(&before, p.client, &client, &news));
    expect(&news, 1, 5, 0, 0, 0);
    before = (struct ixa_traffic){.sent_bytes = 2, .sent = 20}; /* has sent more, in fewer pieces */
    assert_true(ixa_traffic_look(&before, p.client, &client, &news));
    expect(&news, 1, 5, 0, 0, 0);
    before = (struct ixa_traffic){.sent_bytes = 2, .sent = UINT32_MAX}; /* has wrapped around */
    assert_true(ixa_traffic_look(&before, p.client, &client, &news));
    expect(&news, 2, 3, 0, 0, 0);
    tcp_pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends),
        cmocka_unit_test(what_is_no_connection),
        cmocka_unit_test(each_in_turn),
        cmocka_unit_test(another_connection_with_the_same_ends),
    };
    /* On a busy machine this thread may wait for a processor for longer than a packet may take. So
     * the clock by which that is limited hardly moves here. */
    ixa_clock_set_shift(0, -999000000);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
