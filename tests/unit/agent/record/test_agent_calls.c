/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says of a thread's call, and of the socket that it waits for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/record/calls.h"
#include "tests/support/tcp_pair.h"

/* ---- what a thread's call is ---- */

static void calls_are_parsed(void **state)
{
    (void)state;
    const struct {
        long call;
        enum ix_wait_kind kind;
        int fd;
    } known[] = {
        {SYS_read, IX_WAIT_READ, 6},         {SYS_recvfrom, IX_WAIT_READ, 6},
        {SYS_write, IX_WAIT_WRITE, 6},       {SYS_sendto, IX_WAIT_WRITE, 6},
        {SYS_accept, IX_WAIT_ACCEPT, 6},     {SYS_accept4, IX_WAIT_ACCEPT, 6},
        {SYS_connect, IX_WAIT_CONNECT, 6},   {SYS_ppoll, IX_WAIT_POLL, -1},
        {SYS_epoll_pwait, IX_WAIT_POLL, -1},
    };
    static const char *const others[] = {
        "",
        "running\n",
        "-1 0x7ffe 0x7f\n",
        "202 0x1 0x2 0x3 0x0 0x0 0x0\n",
        "0 0x6\n",
        "0 6 7 8\n",
        "0x0 0x6 0x7 0x8 0x9 0x0\n",
        "0 0x6 0x7 -\n",
        "99999999",
        "0",
        "99999999999999999999 0x6 0x7 0x8\n",
    };
    struct ixa_call call;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[96];
        snprintf(text, sizeof text, "%ld 0x6 0x7f00 0x10 0x0 0x0 0x0 0x7ffe 0x7f01\n",
                 known[i].call);
        assert_true(ixa_call_parse(text, &call));
        assert_int_equal(call.kind, known[i].kind);
        assert_int_equal(call.fd, known[i].fd);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(ixa_call_parse(others[i], &call));
}

static void polls_are_of_one_descriptor(void **state)
{
    (void)state;
    struct pollfd polled = {.fd = 9, .events = POLLIN};
    struct ixa_call call = {IX_WAIT_POLL, -1, (uintptr_t)&polled, 1};
    ixa_call_resolve(&call);
    assert_int_equal(call.kind, IX_WAIT_READ);
    assert_int_equal(call.fd, 9);
    polled.events = POLLOUT;
    call = (struct ixa_call){IX_WAIT_POLL, -1, (uintptr_t)&polled, 1};
    ixa_call_resolve(&call);
    assert_int_equal(call.kind, IX_WAIT_WRITE);
    call = (struct ixa_call){IX_WAIT_POLL, -1, (uintptr_t)&polled, 2};
    ixa_call_resolve(&call);
    assert_int_equal(call.kind, IX_WAIT_POLL);
    call = (struct ixa_call){IX_WAIT_POLL, -1, 1, 1}; /* memory that is not there */
    ixa_call_resolve(&call);
    assert_int_equal(call.kind, IX_WAIT_POLL);
    assert_int_equal(call.fd, -1);
}

/* ---- addresses ---- */

static void expect_text(const void *address, socklen_t len, const char *want)
{
    struct ixa_address a = {.len = len};
    char text[IXA_ADDRESS_TEXT];
    memcpy(&a.room, address, len);
    assert_string_equal(ixa_address_text(&a, text), want);
}

static void addresses_are_texts(void **state)
{
    (void)state;
    const struct sockaddr_in in = {
        .sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(0x0a000001)};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(8080)};
    struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/tmp/x"};
    const socklen_t path = offsetof(struct sockaddr_un, sun_path);
    expect_text(&in, sizeof in, "10.0.0.1:80");
    in6.sin6_addr = in6addr_loopback;
    expect_text(&in6, sizeof in6, "[::1]:8080");
    inet_pton(AF_INET6, "::ffff:10.1.2.3", &in6.sin6_addr);
    expect_text(&in6, sizeof in6, "10.1.2.3:8080");
    expect_text(&un, path + 6, "unix:/tmp/x");
    expect_text(&un, path + 7, "unix:/tmp/x");
    memcpy(un.sun_path, "\0name", 5);
    expect_text(&un, path + 5, "unix:@name");
    expect_text(&un, path, "");
    expect_text(&in, 1, "");
    expect_text(&in, 4, "");
    memset(un.sun_path, 'x', sizeof un.sun_path); /* without a zero byte */
    struct ixa_address a = {.len = sizeof un};
    char text[IXA_ADDRESS_TEXT];
    memcpy(&a.room, &un, sizeof un);
    assert_int_equal(strlen(ixa_address_text(&a, text)), 5 + sizeof un.sun_path);
}

/* ---- sockets ---- */

static void ends_are_those_of_streams(void **state)
{
    (void)state;
    int pair[2], pipes[2];
    struct ixa_ends ends;
    struct tcp_pair p = tcp_pair_connect(AF_INET);
    assert_true(ixa_ends_of(p.client, &ends) && !ends.listens && ends.remote.len);
    assert_true(ixa_ends_of(p.listens, &ends) && ends.listens && !ends.remote.len);
    tcp_pair_close(&p);
    assert_false(ixa_ends_of(p.client, &ends));
    assert_false(ixa_ends_of(-1, &ends));
    /* What the JDK puts in a socket's place while it closes it. */
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_false(ixa_ends_of(pair[0], &ends));
    assert_int_equal(pipe(pipes), 0);
    assert_false(ixa_ends_of(pipes[0], &ends));
    const int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    assert_false(ixa_ends_of(datagrams, &ends));
    for (int i = 0; i < 2; i++) {
        close(pair[i]);
        close(pipes[i]);
    }
    close(datagrams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_parsed),
        cmocka_unit_test(polls_are_of_one_descriptor),
        cmocka_unit_test(addresses_are_texts),
        cmocka_unit_test(ends_are_those_of_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
