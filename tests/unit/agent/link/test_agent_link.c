/* SPDX-License-Identifier: Apache-2.0 */
/* The session with the server, over real sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/wait.h>

#include "tests/support/link_fixture.h"

#define REPORT_MS (IX_REPORT_DELAY_MS + 2000) /* on a loaded machine */

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
    const struct ix_report *report = receive_report(f, REPORT_MS);
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
    finish_fixture(f);
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
    const struct ix_report *report = receive_report(f, REPORT_MS);
    assert_int_equal(report->count, 1);
    assert_int_equal(report->stale, 2);
    assert_int_equal(report->foreign, 3);
    assert_int_equal(report->superseded, 0);
    ask(f, SESSION ^ 1, 7, 0); /* a drop alone is reported too */
    report = receive_report(f, REPORT_MS);
    assert_int_equal(report->count, 0);
    assert_int_equal(report->foreign, 4);
    end_fixture(f);
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
    next_event(f, 2000);
    ask(f, SESSION, 3, ixa_mono_ns() + 60000 * MS); /* too far ahead: at once */
    next_event(f, 2000);
    ask(f, SESSION, 4, -1); /* out of bounds: none */
    no_event(f, 50);
    ask(f, SESSION, 5, ixa_mono_ns() + 900 * MS); /* the end does not wait for it */
    no_event(f, 50);
    int64_t before = ixa_mono_ns();
    end_fixture(f);
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
    end_fixture(f);
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
    end_fixture(f);
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
    end_fixture(f);
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
    finish_fixture(f);
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
    end_fixture(f);
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
    end_fixture(f);
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
    end_fixture(f);
}

/* Another campaign on the same port: it numbers its packets from 1, and the old one's reports are
 * nothing to it. */
static void another_campaign(void **state)
{
    (void)state;
    const struct ix_key theirs = {.bytes = "another campaign's"};
    struct fixture *f = begin_with(true, NULL);
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    assert_int_equal(getsockname(f->listener, (struct sockaddr *)&address, &size), 0);
    const uint16_t port = ntohs(address.sin_port);
    distrusted(f, "has no key for it");
    assert_int_equal(ix_keyplace_put(port, &ours, NULL), 0);
    assert_int_equal(meet(f, 6000).last_packet, 0);
    welcome(f);
    ask(f, SESSION, 7, 0);
    assert_int_equal(next_event(f, 1000).packet, 7); /* it waits to be reported */

    ix_keyplace_remove(port, &ours);
    assert_int_equal(ix_keyplace_put(port, &theirs, NULL), 0);
    ix_tls_set_key(f->tls, IX_KEY_AGENT, &theirs);
    assert_int_equal(meet(f, 6000).last_packet, 0);
    ix_keyplace_remove(port, &theirs);
    welcome(f);
    ask(f, SESSION, 1, 0);
    assert_int_equal(next_event(f, 1000).packet, 1);
    const struct ix_report *report = receive_report(f, 1000);
    assert_int_equal(report->count, 1);
    assert_int_equal(report->taken[0].packet, 1);
    assert_int_equal(report->stale, 0);
    end_fixture(f);
}

static void keeps_alive(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    meet(f, 1000);
    welcome(f);
    assert_int_equal(receive(f, IX_KEEPALIVE_MS + 500).type, IX_KEEPALIVE);
    end_fixture(f);
}

static void unreachable(void **state)
{
    (void)state;
    int64_t before = ixa_mono_ns();
    struct fixture *f = begin(false);
    no_event(f, 2500);
    assert_int_equal(next_event(f, 1500).event, IXA_UNREACHABLE);
    assert_true(ixa_mono_ns() - before >= 2900 * MS);
    assert_int_equal(listen(f->listener, 4), 0); /* now it comes */
    meet(f, 6000);
    welcome(f);
    end_fixture(f);
}

/* ---- those that mostly wait, all at the same time: each in a process of its own ---- */

static const struct CMUnitTest waiting[] = {
    cmocka_unit_test(rule_breakers), cmocka_unit_test(another_key), cmocka_unit_test(no_key),
    cmocka_unit_test(keeps_alive),   cmocka_unit_test(unreachable),
};

enum { WAITING = sizeof waiting / sizeof *waiting };

static pid_t children[WAITING];

/* What a child prints goes to standard error: the lines on standard output are the parent's. */
static void start_waiting(void)
{
    fflush(NULL);
    for (size_t i = 0; i < WAITING; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            dup2(STDERR_FILENO, STDOUT_FILENO);
            exit(_cmocka_run_group_tests(waiting[i].name, &waiting[i], 1, NULL, NULL));
        }
    }
}

static void child_passed(void **state)
{
    int status;
    const pid_t *child = *state;
    assert_int_equal(waitpid(*child, &status, 0), *child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    struct CMUnitTest tests[8 + WAITING] = {
        cmocka_unit_test(session),       cmocka_unit_test(dropped),
        cmocka_unit_test(targets),       cmocka_unit_test(comes_back),
        cmocka_unit_test(in_pieces),     cmocka_unit_test(refused),
        cmocka_unit_test(the_other_key), cmocka_unit_test(another_campaign),
    };
    start_waiting();
    for (size_t i = 0; i < WAITING; i++)
        tests[8 + i] = (struct CMUnitTest){
            .name = waiting[i].name, .test_func = child_passed, .initial_state = &children[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
