/* SPDX-License-Identifier: Apache-2.0 */
/* A packet's datagrams from one thread and from several: each goes once, and those that cannot go
 * keep back nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "server/sampling/udp_batch.h"

enum { PORTS = 60, EACH = 50, MOST = PORTS * EACH }; /* a port's buffer holds some 200 */

static int from, to[PORTS];
static struct sockaddr_in where[PORTS];
static uint32_t numbers[MOST];
static struct iovec vectors[MOST];
static struct mmsghdr messages[MOST];

static int set_up(void **state)
{
    (void)state;
    socklen_t size = sizeof where[0];
    from = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    for (int i = 0; i < PORTS; i++) {
        where[i] =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        to[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
        assert_int_equal(bind(to[i], (struct sockaddr *)&where[i], size), 0);
        assert_int_equal(getsockname(to[i], (struct sockaddr *)&where[i], &size), 0);
    }
    for (int i = 0; i < MOST; i++) {
        vectors[i] = (struct iovec){&numbers[i], sizeof numbers[i]};
        messages[i].msg_hdr = (struct msghdr){.msg_name = &where[i % PORTS],
                                              .msg_namelen = sizeof where[0],
                                              .msg_iov = &vectors[i],
                                              .msg_iovlen = 1};
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(from);
    for (int i = 0; i < PORTS; i++)
        close(to[i]);
    return 0;
}

/* How often each number below `first` + MOST has come, from `first` on. */
static void read_all(uint32_t first, uint8_t seen[MOST])
{
    uint32_t n;
    memset(seen, 0, MOST);
    for (int i = 0; i < PORTS; i++) {
        while (recv(to[i], &n, sizeof n, 0) == (ssize_t)sizeof n) {
            assert_in_range(n, first, first + MOST - 1);
            assert_int_equal((n - first) % PORTS, i);
            seen[n - first]++;
        }
    }
}

static void number_from(uint32_t first)
{
    for (uint32_t i = 0; i < MOST; i++)
        numbers[i] = first + i;
}

static void each_goes_once(void **state)
{
    (void)state;
    static const size_t counts[] = {
        0, 1, 63, 65, IXOR_UDP_BATCH_SHARED - 1, IXOR_UDP_BATCH_SHARED, MOST};
    static uint8_t seen[MOST];
    for (unsigned threads = 0; threads <= IXOR_UDP_BATCH_THREADS + 1; threads++) {
        struct ixor_udp_batch *v = ixor_udp_batch_new(threads);
        assert_non_null(v);
        for (size_t i = 0; i < 5 * sizeof counts / sizeof counts[0]; i++) {
            const size_t count = counts[i % (sizeof counts / sizeof counts[0])];
            const uint32_t first = (uint32_t)(i * MOST);
            number_from(first);
            assert_int_equal(ixor_udp_batch_send(v, from, messages, count), count);
            read_all(first, seen);
            for (size_t j = 0; j < MOST; j++)
                assert_int_equal(seen[j], j < count);
        }
        ixor_udp_batch_free(v);
    }
    ixor_udp_batch_free(NULL);
}

static void what_cannot_go_is_lost_alone(void **state)
{
    (void)state;
    static uint8_t seen[MOST];
    struct ixor_udp_batch *v = ixor_udp_batch_new(2);
    assert_non_null(v);
    number_from(7);
    for (size_t i = 0; i < MOST; i += 100)
        messages[i].msg_hdr.msg_namelen = 1; /* no address */
    assert_int_equal(ixor_udp_batch_send(v, from, messages, MOST), MOST - MOST / 100);
    read_all(7, seen);
    for (size_t j = 0; j < MOST; j++)
        assert_int_equal(seen[j], j % 100 != 0);
    ixor_udp_batch_free(v);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_goes_once),
        TEST(what_cannot_go_is_lost_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
