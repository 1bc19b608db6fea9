/* The session with the server, over real sockets: the link runs on a thread of its own, as in the
 * agent, and the test is the server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/link.h"
#include "schema/keyplace.h"
#include "tests/unit/wire_support.h"

#define SESSION 0x1122334455667788u
#define MS 1000000ll

static const struct ix_key ours = {.bytes = "the agents'"};

struct told {
    enum ixa_event event;
    uint64_t packet;
    int64_t at;
    char refusal[64], execution[16];
};

struct fixture {
    struct ixa_link *link;
    struct ix_hello hello;
    int stop_fd, told_in, told_out;
    int listener, fd, udp;
    struct ix_tls *tls;
    struct ix_wire *wire;     /* over fd */
    struct ix_sealer *sealer; /* of the session that began last */
    struct sockaddr_in agent; /* where requests go */
    uint8_t in[8192];
    size_t len;
    pthread_t thread;
};

/* The agent's loop without a JVM: every request is taken at once, with 7 threads. */
static void *run(void *user)
{
    struct fixture *f = user;
    struct ixa_request request = {0};
    struct told told;
    do {
        memset(&told, 0, sizeof told);
        told.event = ixa_link_wait(f->link, &request);
        told.at = ixa_mono_ns();
        if (told.event == IXA_REQUEST) {
            told.packet = request.packet;
            ixa_link_taken(f->link, &(struct ix_taken){.packet = request.packet, .threads = 7});
        } else if (told.event == IXA_REFUSED) {
            memcpy(told.refusal, ixa_link_refusal(f->link), sizeof told.refusal);
        } else if (told.event == IXA_UNTRUSTED) {
            snprintf(told.refusal, sizeof told.refusal, "%.63s", ixa_link_distrust(f->link));
        } else if (told.event == IXA_WELCOME) {
            memcpy(told.execution, ixa_link_execution(f->link), sizeof told.execution);
        } else if (told.event == IXA_STOP) {
            ixa_link_goodbye(f->link, IX_BYE_EXIT, "the end", 300);
        }
        if (write(f->told_in, &told, sizeof told) != sizeof told)
            break;
    } while (told.event != IXA_STOP && told.event != IXA_REFUSED);
    return NULL;
}

static struct fixture *begin_with(bool with_server, const struct ix_key *key)
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
    if (with_server) /* else the port is taken, and nobody listens */
        assert_int_equal(listen(f->listener, 4), 0);
    assert_int_equal(getsockname(f->listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(pipe(pipes), 0);
    f->told_out = pipes[0];
    f->told_in = pipes[1];
    f->stop_fd = eventfd(0, 0);
    f->hello = (struct ix_hello){.pid = 42, .started_ns = 99, .role = "r", .log = "/x.ixl"};
    struct ix_error err;
    f->tls = wire_tls(IX_TLS_SERVER, &ours);
    assert_non_null(f->tls);
    f->link = ixa_link_new(&(struct ixa_link_config){.host = "127.0.0.1",
                                                     .port = ntohs(address.sin_port),
                                                     .stop_fd = f->stop_fd,
                                                     .hello = &f->hello,
                                                     .key = key},
                           &err);
    assert_non_null(f->link);
    assert_int_equal(pthread_create(&f->thread, NULL, run, f), 0);
    return f;
}

static struct fixture *begin(bool with_server)
{
    return begin_with(with_server, &ours);
}

static struct told next_event(struct fixture *f, int timeout_ms)
{
    struct told told;
    struct pollfd p = {.fd = f->told_out, .events = POLLIN};
    if (poll(&p, 1, timeout_ms) != 1)
        fail_msg("no event within %d ms", timeout_ms);
    assert_int_equal(read(f->told_out, &told, sizeof told), sizeof told);
    return told;
}

static void no_event(struct fixture *f, int timeout_ms)
{
    struct pollfd p = {.fd = f->told_out, .events = POLLIN};
    assert_int_equal(poll(&p, 1, timeout_ms), 0);
}

static void stop(struct fixture *f)
{
    assert_int_equal(eventfd_write(f->stop_fd, 1), 0);
}

static void hang_up(struct fixture *f)
{
    ix_wire_free(f->wire);
    ix_sealer_free(f->sealer);
    if (f->fd >= 0)
        close(f->fd);
    f->wire = NULL;
    f->sealer = NULL;
    f->fd = -1;
}

static void finish(struct fixture *f)
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

static void end(struct fixture *f)
{
    stop(f);
    assert_int_equal(next_event(f, 2000).event, IXA_STOP);
    finish(f);
}

/* One message; the frame's payload stays good until the next call. */
static struct ix_message_frame receive(struct fixture *f, int timeout_ms)
{
    struct ix_message_frame m;
    struct ix_error err;
    static uint8_t copy[sizeof f->in];
    int64_t limit = ixa_mono_ns() + timeout_ms * MS;
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

static struct ix_hello meet(struct fixture *f, int timeout_ms)
{
    struct pollfd p = {.fd = f->listener, .events = POLLIN};
    struct ix_hello hello;
    struct ix_error err;
    socklen_t size = sizeof f->agent;
    uint8_t secret[IX_SECRET_SIZE];
    hang_up(f);
    f->len = 0;
    if (poll(&p, 1, timeout_ms) != 1)
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

static void send_all(struct fixture *f, const struct ix_out *out)
{
    assert_true(wire_send(f->wire, f->fd, out->data, out->len));
}

static void put_welcome(struct ix_out *out, uint64_t session)
{
    struct ix_welcome welcome = {.session = session, .interval_ns = 1, .execution = "run-1"};
    ix_encode_welcome(out, &welcome);
}

static void welcome(struct fixture *f)
{
    struct ix_out out = {0};
    put_welcome(&out, SESSION);
    send_all(f, &out);
    ix_out_free(&out);
    struct told told = next_event(f, 1000);
    assert_int_equal(told.event, IXA_WELCOME);
    assert_string_equal(told.execution, "run-1");
}

static void ask(struct fixture *f, uint64_t session, uint64_t packet, int64_t target)
{
    uint8_t datagram[IX_DATAGRAM_SIZE];
    const struct ix_datagram request = {IX_REQUEST, session, packet, (uint64_t)target, 0};
    assert_int_equal(ix_datagram_seal(f->sealer, &request, datagram), 0);
    assert_int_equal(sendto(f->udp, datagram, sizeof datagram, 0, (struct sockaddr *)&f->agent,
                            sizeof f->agent),
                     sizeof datagram);
}

static const struct ix_report *receive_report(struct fixture *f, int timeout_ms)
{
    static struct ix_report report;
    struct ix_error err;
    struct ix_message_frame m = receive(f, timeout_ms);
    assert_int_equal(m.type, IX_REPORT);
    assert_int_equal(ix_decode_report(m.payload, m.payload_size, &report, &err), 0);
    return &report;
}

static void session(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    int64_t before = ixa_mono_ns();
    struct ix_hello hello = meet(f, 1000);
    assert_int_equal(hello.pid, 42);
    assert_int_equal(hello.started_ns, 99);
    assert_int_equal(hello.last_packet, 0);
    assert_true(hello.udp_port > 0);
    assert_string_equal(hello.role, "r");
    assert_string_equal(hello.log, "/x.ixl");
    assert_true(llabs((long long)hello.mono_ns - before) < 1000 * MS);
    welcome(f);
    ask(f, SESSION, 5, 0);
    struct told told = next_event(f, 1000);
    assert_int_equal(told.event, IXA_REQUEST);
    assert_int_equal(told.packet, 5);
    ask(f, SESSION, 9, 0);
    assert_int_equal(next_event(f, 1000).packet, 9);
    const struct ix_report *report = receive_report(f, IX_REPORT_DELAY_MS + 100);
    assert_true(ixa_mono_ns() - told.at >= 100 * MS); /* batched, not one by one */
    assert_int_equal(report->count, 2);
    assert_int_equal(report->taken[0].packet, 5);
    assert_int_equal(report->taken[1].packet, 9);
    assert_int_equal(report->taken[1].threads, 7);
    /* What is taken right before the end is still reported, before the goodbye. */
    ask(f, SESSION, 10, 0);
    assert_int_equal(next_event(f, 1000).packet, 10);
    stop(f);
    assert_int_equal(receive_report(f, 1000)->taken[0].packet, 10);
    struct ix_message_frame m = receive(f, 1000);
    struct ix_goodbye bye;
    assert_int_equal(m.type, IX_GOODBYE);
    assert_int_equal(ix_decode_goodbye(m.payload, m.payload_size, &bye, NULL), 0);
    assert_int_equal(bye.reason, IX_BYE_EXIT);
    assert_string_equal(bye.text, "the end");
    assert_int_equal(next_event(f, 1000).event, IXA_STOP);
    assert_int_equal(wire_receive(f->wire, f->fd, f->in, 1), -1);
    finish(f);
}

static void dropped(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    meet(f, 1000);
    welcome(f);
    ask(f, SESSION, 5, 0);
    assert_int_equal(next_event(f, 1000).packet, 5);
    ask(f, SESSION, 5, 0);
    ask(f, SESSION, 4, 0);
    ask(f, SESSION ^ 1, 6, 0);
    ask(f, SESSION, 0, 0);
    assert_int_equal(sendto(f->udp, "IXRQ", 4, 0, (struct sockaddr *)&f->agent, sizeof f->agent),
                     4);
    no_event(f, 50);
    const struct ix_report *report = receive_report(f, IX_REPORT_DELAY_MS + 100);
    assert_int_equal(report->count, 1);
    assert_int_equal(report->stale, 2);
    assert_int_equal(report->foreign, 3);
    assert_int_equal(report->superseded, 0);
    ask(f, SESSION ^ 1, 7, 0); /* a drop alone is reported too */
    report = receive_report(f, IX_REPORT_DELAY_MS + 200);
    assert_int_equal(report->count, 0);
    assert_int_equal(report->foreign, 4);
    end(f);
}

static void targets(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    meet(f, 1000);
    welcome(f);
    int64_t target = ixa_mono_ns() + 40 * MS;
    ask(f, SESSION, 1, target);
    assert_true(next_event(f, 2000).at >= target);
    ask(f, SESSION, 2, ixa_mono_ns() - 1000 * MS); /* passed: at once */
    next_event(f, 500);
    ask(f, SESSION, 3, ixa_mono_ns() + 60000 * MS); /* too far ahead: at once */
    next_event(f, 500);
    ask(f, SESSION, 4, -1);
    next_event(f, 500);
    ask(f, SESSION, 5, ixa_mono_ns() + 900 * MS); /* the end does not wait for it */
    no_event(f, 50);
    int64_t before = ixa_mono_ns();
    end(f);
    assert_true(ixa_mono_ns() - before < 600 * MS);
}

static void comes_back(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    meet(f, 1000);
    welcome(f);
    ask(f, SESSION, 5, 0);
    assert_int_equal(next_event(f, 1000).packet, 5);
    ask(f, SESSION, 5, 0); /* a drop of the first session */
    shutdown(f->fd, SHUT_RDWR);
    struct ix_hello hello = meet(f, 1000);
    assert_int_equal(hello.last_packet, 5);
    ask(f, SESSION, 6, 0); /* nothing is taken before the welcome, but it waits */
    no_event(f, 50);
    welcome(f);
    assert_int_equal(next_event(f, 1000).packet, 6);
    const struct ix_report *report = receive_report(f, 1000);
    assert_int_equal(report->taken[0].packet, 5); /* what the first session could not say */
    assert_int_equal(report->stale, 0);           /* counted anew */
    end(f);
}

static void in_pieces(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    struct ix_out out = {0};
    meet(f, 1000);
    ix_put_u32(&out, 3); /* a message of a later version comes first and is skipped */
    ix_put_bytes(&out, "\x63qq", 3);
    ix_encode_keepalive(&out);
    put_welcome(&out, SESSION);
    for (size_t i = 0; i + 1 < out.len; i++)
        assert_true(wire_send(f->wire, f->fd, out.data + i, 1));
    no_event(f, 20);
    assert_true(wire_send(f->wire, f->fd, out.data + out.len - 1, 1));
    assert_int_equal(next_event(f, 1000).event, IXA_WELCOME);
    ix_out_free(&out);
    end(f);
}

static void rule_breakers(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    meet(f, 1000);
    welcome(f); /* so that the server does not count as unreachable later */
    shutdown(f->fd, SHUT_RDWR);
    for (int i = 0; i < 5; i++) {
        struct ix_out out = {0};
        meet(f, 6000);
        if (i == 0)
            ix_put_u32(&out, 0); /* no type */
        else if (i == 1)
            ix_put_u32(&out, 65537); /* too long */
        else if (i == 2)
            put_welcome(&out, 0); /* no session */
        else if (i == 3)
            ix_encode_goodbye(&out, &(struct ix_goodbye){.reason = 1}); /* not for servers */
        else
            ix_put_bytes(&out, "\x02\0\0\0\x02\x01", 6); /* WELCOME cut short */
        send_all(f, &out);
        ix_out_free(&out);
        assert_int_equal(wire_receive(f->wire, f->fd, f->in, 1), -1);
    }
    meet(f, 6000);
    end(f);
}

static void refused(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    struct ix_out out = {0};
    meet(f, 1000);
    ix_encode_refuse(&out, &(struct ix_refuse){.reason = "full"});
    send_all(f, &out);
    ix_out_free(&out);
    struct told told = next_event(f, 1000);
    assert_int_equal(told.event, IXA_REFUSED);
    assert_string_equal(told.refusal, "full");
    assert_int_equal(wire_receive(f->wire, f->fd, f->in, 1), -1);
    finish(f);
}

/* A stranger's connection is accepted and left to its handshake, until the link says something. */
static void distrusted(struct fixture *f, const char *why)
{
    struct pollfd p[2] = {{.fd = f->listener, .events = POLLIN},
                          {.fd = f->told_out, .events = POLLIN}};
    const int64_t before = ixa_mono_ns();
    unsigned met = 0;
    while (poll(p, 2, 5000) > 0 && !p[1].revents) {
        hang_up(f);
        f->fd = accept(f->listener, NULL, NULL);
        f->wire = wire_meet(f->tls, f->fd);
        assert_null(f->wire);
        met++;
    }
    assert_true(met >= 3);
    const struct told told = next_event(f, 0);
    assert_int_equal(told.event, IXA_UNTRUSTED);
    assert_non_null(strstr(told.refusal, why));
    assert_true(told.at - before >= 900 * MS);
    hang_up(f);
    while (poll(p, 1, 0) > 0) /* that attempt may wait to be accepted */
        close(accept(f->listener, NULL, NULL));
}

static void another_key(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    const struct ix_key other = {.bytes = "another"};
    ix_tls_set_key(f->tls, IX_KEY_AGENT, &other);
    distrusted(f, "does not accept");
    ix_tls_set_key(f->tls, IX_KEY_AGENT, &ours); /* now it is the right server */
    meet(f, 6000);
    welcome(f);
    end(f);
}

/* A link without a key finds the one that the server leaves. */
static void no_key(void **state)
{
    (void)state;
    struct fixture *f = begin_with(true, NULL);
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    assert_int_equal(getsockname(f->listener, (struct sockaddr *)&address, &size), 0);
    const uint16_t port = ntohs(address.sin_port);
    distrusted(f, "has no key for it");
    assert_int_equal(ix_keyplace_put(port, &ours, NULL), 0);
    meet(f, 6000);
    ix_keyplace_remove(port, &ours);
    welcome(f);
    end(f);
}

/* What the environment says is of an older campaign, perhaps. */
static void the_other_key(void **state)
{
    (void)state;
    const struct ix_key older = {.bytes = "older"};
    struct fixture *f = begin_with(true, &older);
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    assert_int_equal(getsockname(f->listener, (struct sockaddr *)&address, &size), 0);
    const uint16_t port = ntohs(address.sin_port);
    assert_int_equal(ix_keyplace_put(port, &ours, NULL), 0);
    f->fd = accept(f->listener, NULL, NULL);
    f->wire = wire_meet(f->tls, f->fd);
    assert_null(f->wire);
    meet(f, 6000);
    ix_keyplace_remove(port, &ours);
    welcome(f);
    end(f);
}

static void keeps_alive(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    meet(f, 1000);
    welcome(f);
    assert_int_equal(receive(f, IX_KEEPALIVE_MS + 500).type, IX_KEEPALIVE);
    end(f);
}

static void unreachable(void **state)
{
    (void)state;
    struct fixture *f = begin(false);
    int64_t before = ixa_mono_ns();
    no_event(f, 2500);
    assert_int_equal(next_event(f, 1500).event, IXA_UNREACHABLE);
    assert_true(ixa_mono_ns() - before >= 2900 * MS);
    assert_int_equal(listen(f->listener, 4), 0); /* now it comes */
    meet(f, 6000);
    welcome(f);
    end(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session),   cmocka_unit_test(dropped),       cmocka_unit_test(targets),
        cmocka_unit_test(comes_back), cmocka_unit_test(in_pieces),
        cmocka_unit_test(rule_breakers), cmocka_unit_test(refused),
        cmocka_unit_test(another_key), cmocka_unit_test(no_key), cmocka_unit_test(the_other_key),
        cmocka_unit_test(keeps_alive), cmocka_unit_test(unreachable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
