/* SPDX-License-Identifier: Apache-2.0 */
/* The handshake and the stream within it: who gets in, and what both sides then have in common. Two
 * ends in one thread, over a pair of sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <poll.h>

#include "tests/support/wire_support.h"

static const struct ix_key right = {.bytes = "right"}, wrong = {.bytes = "wrong"};

struct end {
    int fd, done; /* done: what ix_wire_shake said last */
    struct ix_tls *tls;
    struct ix_wire *wire;
};

static struct end server, client;

static void open_end(struct end *e, int fd, enum ix_tls_side side)
{
    *e = (struct end){.fd = fd, .tls = ix_tls_new(side, NULL)};
    assert_non_null(e->tls);
}

static int set_up(void **state)
{
    (void)state;
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return -1;
    open_end(&server, fds[0], IX_TLS_SERVER);
    open_end(&client, fds[1], IX_TLS_CLIENT);
    return 0;
}

static void close_end(struct end *e)
{
    ix_wire_free(e->wire);
    ix_tls_free(e->tls);
    close(e->fd);
}

static int tear_down(void **state)
{
    (void)state;
    close_end(&server);
    close_end(&client);
    return 0;
}

static void shake(void)
{
    struct end *ends[] = {&client, &server};
    for (int i = 0; i < 2; i++) {
        ends[i]->wire = ix_wire_new(ends[i]->tls, ends[i]->fd);
        assert_non_null(ends[i]->wire);
    }
    for (int i = 0; i < 10; i++) {
        struct end *e = ends[i % 2];
        if (e->done == 0)
            e->done = ix_wire_shake(e->wire);
    }
}

static void keys(enum ix_key_kind kind, const struct ix_key *key)
{
    ix_tls_set_key(server.tls, IX_KEY_AGENT, &right);
    ix_tls_set_key(server.tls, IX_KEY_CONTROL, &wrong);
    ix_tls_set_key(client.tls, kind, key);
}

static void in_common(void **state)
{
    (void)state;
    uint8_t a[IX_SECRET_SIZE], b[IX_SECRET_SIZE];
    char text[16] = "";
    keys(IX_KEY_AGENT, &right);
    shake();
    assert_int_equal(server.done, 1);
    assert_int_equal(client.done, 1);
    assert_int_equal(ix_wire_proven(server.wire), IX_KEY_AGENT);
    assert_int_equal(ix_wire_secret(server.wire, a), 0);
    assert_int_equal(ix_wire_secret(client.wire, b), 0);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(ix_wire_read(server.wire, text, sizeof text), 0); /* nothing is there */
    assert_int_equal(ix_wire_events(server.wire), POLLIN);
    assert_int_equal(ix_wire_write(client.wire, "hello", 5), 5);
    assert_int_equal(ix_wire_read(server.wire, text, 2), 2);
    assert_true(ix_wire_pending(server.wire));
    assert_int_equal(ix_wire_read(server.wire, text + 2, 9), 3);
    assert_false(ix_wire_pending(server.wire));
    assert_string_equal(text, "hello");
    ix_wire_end(client.wire);
    assert_int_equal(ix_wire_read(server.wire, text, sizeof text), -1);
    assert_int_equal(ix_wire_fault(server.wire), IX_TLS_BROKEN);
}

static void another_secret_each_time(void **state)
{
    uint8_t a[IX_SECRET_SIZE], b[IX_SECRET_SIZE];
    keys(IX_KEY_AGENT, &right);
    shake();
    assert_int_equal(ix_wire_secret(server.wire, a), 0);
    tear_down(state);
    set_up(state);
    keys(IX_KEY_AGENT, &right);
    shake();
    assert_int_equal(ix_wire_secret(server.wire, b), 0);
    assert_memory_not_equal(a, b, sizeof a);
}

static void the_kind_counts(void **state)
{
    (void)state;
    keys(IX_KEY_CONTROL, &wrong);
    shake();
    assert_int_equal(server.done, 1);
    assert_int_equal(ix_wire_proven(server.wire), IX_KEY_CONTROL);
}

/* Neither side gets through, and both know why. */
static void wrong_keys(void **state)
{
    static const struct {
        enum ix_key_kind kind;
        const struct ix_key *key;
    } table[] = {{IX_KEY_AGENT, &wrong}, {IX_KEY_CONTROL, &right}, {IX_KEY_NONE, &right}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        keys(table[i].kind, table[i].key);
        shake();
        assert_int_equal(server.done, -1);
        assert_int_equal(client.done, -1);
        assert_int_equal(ix_wire_fault(server.wire), IX_TLS_KEY);
        assert_int_equal(ix_wire_fault(client.wire), IX_TLS_KEY);
        tear_down(state);
        set_up(state);
    }
}

/* A server that knows no key, as one that is none of ours. */
static void servers_without_the_key(void **state)
{
    (void)state;
    ix_tls_set_key(client.tls, IX_KEY_AGENT, &right);
    shake();
    assert_int_equal(client.done, -1);
    assert_int_equal(ix_wire_fault(client.wire), IX_TLS_KEY);
}

static void no_tls(void **state)
{
    (void)state;
    static const char *const said[] = {"HTTP/1.1 400 Bad Request\r\n\r\n",
                                       "SSH-2.0-OpenSSH_9.2\r\n"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        keys(IX_KEY_AGENT, &right);
        assert_int_equal(send(server.fd, said[i], strlen(said[i]) + 1, 0), strlen(said[i]) + 1);
        client.wire = ix_wire_new(client.tls, client.fd);
        assert_non_null(client.wire);
        while ((client.done = ix_wire_shake(client.wire)) == 0)
            shutdown(server.fd, SHUT_WR);
        assert_int_equal(client.done, -1);
        assert_int_equal(ix_wire_fault(client.wire), IX_TLS_OTHER);
        tear_down(state);
        set_up(state);
    }
}

/* The peer goes within the handshake, wherever that is: an end, not a signal and not a wait. */
static void cut_handshakes(void **state)
{
    for (size_t cut = 0; cut < 200; cut += 7) {
        uint8_t hello[1024];
        keys(IX_KEY_AGENT, &right);
        client.wire = ix_wire_new(client.tls, client.fd);
        assert_int_equal(ix_wire_shake(client.wire), 0);
        const ssize_t size = recv(server.fd, hello, sizeof hello, MSG_DONTWAIT);
        assert_true(size > (ssize_t)cut);
        tear_down(state);
        set_up(state);
        keys(IX_KEY_AGENT, &right);
        server.wire = ix_wire_new(server.tls, server.fd);
        if (cut)
            assert_int_equal(send(client.fd, hello, cut, 0), cut);
        assert_int_equal(ix_wire_shake(server.wire), 0);
        shutdown(client.fd, SHUT_RDWR);
        assert_int_equal(ix_wire_shake(server.wire), -1);
        assert_int_equal(ix_wire_fault(server.wire), IX_TLS_BROKEN);
        tear_down(state);
        set_up(state);
    }
}

/* More than the socket takes at once, in both directions, with a reader that is slow. */
static void much(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    uint8_t *out = malloc(SIZE), *in = malloc(SIZE);
    assert_non_null(out);
    assert_non_null(in);
    for (size_t i = 0; i < SIZE; i++)
        out[i] = (uint8_t)(i * 2654435761u >> 24);
    keys(IX_KEY_AGENT, &right);
    shake();
    size_t sent = 0, got = 0, waits = 0;
    while (got < SIZE) {
        ssize_t n = 0;
        while (sent < SIZE && (n = ix_wire_write(client.wire, out + sent, SIZE - sent)) > 0)
            sent += (size_t)n;
        assert_true(n >= 0);
        waits += sent < SIZE;
        if (sent < SIZE)
            assert_int_equal(ix_wire_events(client.wire), POLLIN | POLLOUT);
        n = ix_wire_read(server.wire, in + got, SIZE - got < 5000 ? SIZE - got : 5000);
        assert_true(n >= 0);
        got += (size_t)n;
    }
    assert_true(waits > 0);
    assert_memory_equal(in, out, SIZE);
    free(in);
    free(out);
}

/* A byte that was changed on its way ends the connection. */
static void changed_on_the_way(void **state)
{
    (void)state;
    uint8_t record[64];
    char text[16];
    keys(IX_KEY_AGENT, &right);
    shake();
    assert_int_equal(ix_wire_read(client.wire, text, sizeof text), 0);
    assert_int_equal(ix_wire_write(client.wire, "hello", 5), 5);
    const ssize_t size = recv(server.fd, record, sizeof record, MSG_DONTWAIT);
    assert_true(size > 5 && size < (ssize_t)sizeof record);
    record[size - 1] ^= 1;
    assert_int_equal(send(client.fd, record, (size_t)size, 0), size);
    assert_int_equal(ix_wire_read(server.wire, text, sizeof text), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(in_common),
        TEST(another_secret_each_time),
        TEST(the_kind_counts),
        TEST(wrong_keys),
        TEST(servers_without_the_key),
        TEST(no_tls),
        TEST(cut_handshakes),
        TEST(much),
        TEST(changed_on_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
