/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/link_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "schema/protocol/keyplace.h"
#include "tests/support/wire_support.h"

const struct ix_key ours = {.bytes = "the agents'"};

/* The agent's loop without a JVM: every request is taken at once, with 7 threads. */
static void *run(void *user)
{
    struct fixture *f = user;
    struct ixa_request request = {0};
    struct told told;
    do {
        memset(&told, 0, sizeof told);
        told.event = ixa_link_wait(f->link, &request);
        if (told.event == IXA_REQUEST)
            ixa_instant_reach(&f->instant);
        told.at = ixa_mono_ns();
        if (told.event == IXA_REQUEST) {
            told.packet = request.packet;
            ixa_link_taken(f->link, &(struct ix_taken){.packet = request.packet, .threads = 7});
        } else if (told.event == IXA_REFUSED) {
            memcpy(told.refusal, ixa_link_refusal(f->link), sizeof told.refusal);
        } else if (told.event == IXA_UNTRUSTED) {
            snprintf(told.refusal, sizeof told.refusal, "%.63s", ixa_link_untrusted(f->link));
        } else if (told.event == IXA_WELCOME) {
            memcpy(told.execution, ixa_link_execution(f->link), sizeof told.execution);
        } else if (told.event == IXA_STOP) {
            ixa_link_goodbye(f->link, IX_BYE_EXIT, "the end", 300);
            told.at = ixa_mono_ns();
        }
        if (write(f->told_in, &told, sizeof told) != sizeof told)
            break;
    } while (told.event != IXA_STOP && told.event != IXA_REFUSED);
    return NULL;
}

struct fixture *begin_with(bool with_server, const struct ix_key *key)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int pipes[2];
    f->listener = socket(AF_INET, SOCK_STREAM, 0);
    f->udp = socket(AF_INET, SOCK_DGRAM, 0);
    f->fd = -1;
    assert_int_equal(bind(f->listener, (struct sockaddr *)&address, sizeof address), 0);
    if (with_server) /* otherwise the port is taken, but nothing listens */
        assert_int_equal(listen(f->listener, 4), 0);
    assert_int_equal(getsockname(f->listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(pipe(pipes), 0);
    f->told_out = pipes[0];
    f->told_in = pipes[1];
    f->stop_fd = eventfd(0, 0);
    f->hello = (struct ix_hello){.pid = 42, .started_ns = 99, .role = "r", .log = "/x.ixl"};
    ixa_instant_init(&f->instant);
    struct ix_error err;
    f->tls = wire_tls(IX_TLS_SERVER, &ours);
    assert_non_null(f->tls);
    f->link = ixa_link_new(&(struct ixa_link_config){.host = "127.0.0.1",
                                                     .port = ntohs(address.sin_port),
                                                     .stop_fd = f->stop_fd,
                                                     .instant = &f->instant,
                                                     .hello = &f->hello,
                                                     .key = key},
                           &err);
    assert_non_null(f->link);
    assert_int_equal(pthread_create(&f->thread, NULL, run, f), 0);
    return f;
}

struct fixture *begin(bool with_server)
{
    return begin_with(with_server, &ours);
}

/* What takes that long on a machine with nothing else to do may take so many times as long. */
#define PATIENCE 10

struct told next_event(struct fixture *f, int timeout_ms)
{
    struct told told;
    struct pollfd p = {.fd = f->told_out, .events = POLLIN};
    if (poll(&p, 1, PATIENCE * timeout_ms) != 1)
        fail_msg("no event within %d ms", timeout_ms);
    assert_int_equal(read(f->told_out, &told, sizeof told), sizeof told);
    return told;
}

void no_event(struct fixture *f, int timeout_ms)
{
    struct pollfd p = {.fd = f->told_out, .events = POLLIN};
    assert_int_equal(poll(&p, 1, timeout_ms), 0);
}

void stop(struct fixture *f)
{
    assert_int_equal(eventfd_write(f->stop_fd, 1), 0);
}

void hang_up(struct fixture *f)
{
    ix_wire_free(f->wire);
    ix_sealer_free(f->sealer);
    if (f->fd >= 0)
        close(f->fd);
    f->wire = NULL;
    f->sealer = NULL;
    f->fd = -1;
}

void finish_fixture(struct fixture *f)
{
    pthread_join(f->thread, NULL);
    ixa_link_free(f->link);
    close(f->told_in);
    close(f->told_out);
    close(f->stop_fd);
    close(f->listener);
    close(f->udp);
    hang_up(f);
    ix_tls_free(f->tls);
    free(f);
}

void end_fixture(struct fixture *f)
{
    stop(f);
    assert_int_equal(next_event(f, 2000).event, IXA_STOP);
    finish_fixture(f);
}

struct ix_message_frame receive(struct fixture *f, int timeout_ms)
{
    struct ix_message_frame m;
    struct ix_error err;
    static uint8_t copy[sizeof f->in];
    int64_t limit = ixa_mono_ns() + PATIENCE * timeout_ms * MS;
    while (ix_next_message(f->in, f->len, &m, &err) == 0) {
        struct pollfd p = {.fd = f->fd, .events = POLLIN};
        int64_t left = (limit - ixa_mono_ns()) / MS;
        if (left < 0 || (!ix_wire_pending(f->wire) && poll(&p, 1, (int)left) != 1))
            fail_msg("no message within %d ms", timeout_ms);
        ssize_t n = ix_wire_read(f->wire, f->in + f->len, sizeof f->in - f->len);
        assert_true(n >= 0);
        f->len += (size_t)n;
    }
    memcpy(copy, f->in, m.size);
    m.payload = copy + (m.payload - f->in);
    memmove(f->in, f->in + m.size, f->len - m.size);
    f->len -= m.size;
    return m;
}

struct ix_hello meet(struct fixture *f, int timeout_ms)
{
    struct pollfd p = {.fd = f->listener, .events = POLLIN};
    struct ix_hello hello;
    struct ix_error err;
    socklen_t size = sizeof f->agent;
    uint8_t secret[IX_SECRET_SIZE];
    hang_up(f);
    f->len = 0;
    if (poll(&p, 1, PATIENCE * timeout_ms) != 1)
        fail_msg("no connection within %d ms", timeout_ms);
    f->fd = accept(f->listener, NULL, NULL);
    f->wire = wire_meet(f->tls, f->fd);
    assert_non_null(f->wire);
    assert_int_equal(ix_wire_secret(f->wire, secret), 0);
    f->sealer = ix_sealer_new(secret);
    assert_non_null(f->sealer);
    struct ix_message_frame m = receive(f, 1000);
    assert_int_equal(m.type, IX_HELLO);
    assert_int_equal(ix_decode_hello(m.payload, m.payload_size, &hello, &err), 0);
    assert_int_equal(getpeername(f->fd, (struct sockaddr *)&f->agent, &size), 0);
    f->agent.sin_port = htons(hello.udp_port);
    return hello;
}

void send_all(struct fixture *f, const struct ix_out *out)
{
    assert_true(wire_send(f->wire, f->fd, out->data, out->len));
}

void put_welcome(struct ix_out *out, uint64_t session)
{
    struct ix_welcome welcome = {.session = session, .interval_ns = 1, .execution = "run-1"};
    ix_encode_welcome(out, &welcome);
}

void welcome(struct fixture *f)
{
    struct ix_out out = {0};
    put_welcome(&out, SESSION);
    send_all(f, &out);
    ix_out_free(&out);
    struct told told = next_event(f, 1000);
    assert_int_equal(told.event, IXA_WELCOME);
    assert_string_equal(told.execution, "run-1");
}

void ask(struct fixture *f, uint64_t session, uint64_t packet, int64_t target)
{
    uint8_t datagram[IX_DATAGRAM_SIZE];
    const struct ix_datagram request = {IX_REQUEST, session, packet, (uint64_t)target, 0};
    assert_int_equal(ix_datagram_seal(f->sealer, &request, datagram), 0);
    assert_int_equal(
        sendto(f->udp, datagram, sizeof datagram, 0, (struct sockaddr *)&f->agent, sizeof f->agent),
        sizeof datagram);
}

const struct ix_report *receive_report(struct fixture *f, int timeout_ms)
{
    static struct ix_report report;
    struct ix_error err;
    struct ix_message_frame m = receive(f, timeout_ms);
    assert_int_equal(m.type, IX_REPORT);
    assert_int_equal(ix_decode_report(m.payload, m.payload_size, &report, &err), 0);
    return &report;
}
