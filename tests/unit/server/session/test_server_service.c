/* SPDX-License-Identifier: Apache-2.0 */
/* The server against agents on real sockets: who gets in, what is sent, what is recorded, and what
 * becomes of those that do not keep to the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/service_fixture.h"

/* ---- the course of things ---- */

static void same_numbers_for_all(void **state)
{
    (void)state;
    enter(&a, 1);
    enter(&b, 2);
    assert_string_equal(a.welcome.execution, "run0001");
    assert_int_equal(a.welcome.interval_ns, EVERY_NS);
    assert_true(a.welcome.session != 0 && a.welcome.session != b.welcome.session);
    WAIT(b.requests >= 3);
    WAIT(a.requests >= 1 && a.request[a.requests - 1].number >= b.request[b.requests - 1].number);
    size_t skip = 0;
    while (a.request[skip].number < b.request[0].number)
        skip++;
    for (size_t i = 0; i < b.requests; i++) {
        const struct ix_datagram *x = &a.request[skip + i], *y = &b.request[i];
        assert_int_equal(x->number, y->number);
        assert_int_equal(x->time_ns, y->time_ns);
        assert_int_equal(x->session, a.welcome.session);
        assert_int_equal(y->session, b.welcome.session);
        if (i)
            assert_int_equal(y->number, b.request[i - 1].number + 1);
        /* Ahead of when it was sent, but not by more than was asked for. */
        assert_true(y->time_ns <= ixor_mono_ns() + LEAD_NS);
        assert_true(y->time_ns > b.hello.mono_ns);
    }
}

static void nobody_there_spends_no_number(void **state)
{
    (void)state;
    uint64_t until = ixor_mono_ns() + 10 * EVERY_NS;
    WAIT(ixor_mono_ns() > until);
    enter(&a, 1);
    WAIT(a.requests >= 1);
    assert_int_equal(a.request[0].number, 1);
}

static void a_vm_is_recorded(void **state)
{
    (void)state;
    double_open(&a, ixor_service_address(service), 7);
    snprintf(a.hello.log, sizeof a.hello.log, "%s", in_tempdir("a.ixl"));
    double_hello(&a);
    WAIT(a.requests >= 4);
    double_report(&a, 1, 3, 1234);
    double_goodbye(&a, IX_BYE_EXIT, "done");
    WAIT(live() == 0);
    struct ixor_vm_list *list = vms();
    assert_int_equal(list->count, 1);
    const struct ix_vm *vm = &list->at[0];
    assert_string_equal(vm->role, "Role7");
    assert_int_equal(vm->pid, 7);
    assert_int_equal(vm->started_ns, 1007);
    assert_int_equal(vm->clock_offset_ns, 0);
    assert_string_equal(vm->log, in_tempdir("a.ixl"));
    assert_string_equal(vm->ended, "orderly");
    assert_string_equal(vm->ended_text, "done");
    assert_int_equal(vm->stale, 1);
    assert_int_equal(vm->superseded, 2);
    assert_int_equal(vm->foreign_count, 3);
    double_receive(&a);
    assert_int_equal(vm->requests, a.requests);
    assert_int_equal(snapshots(), 3);
    int64_t packets;
    assert_int_equal(ix_catalogue_packet_count(catalogue, current->id, &packets, NULL), 0);
    assert_int_equal(packets, a.requests);
}

static void ways_to_end(void **state)
{
    (void)state;
    static const struct {
        int reason; /* 0: none */
        const char *ended;
    } table[] = {{IX_BYE_EXIT, "orderly"},
                 {IX_BYE_REQUEST, "orderly"},
                 {IX_BYE_LOG, "log-failed"},
                 {0, "vanished"}};
    for (uint32_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        enter(&a, i + 1);
        if (table[i].reason)
            double_goodbye(&a, (uint8_t)table[i].reason, "");
        double_close(&a);
        WAIT(live() == 0);
        assert_string_equal(vms()->at[i].ended, table[i].ended);
    }
}

static void a_report_and_goodbye_sent_before_the_end_count(void **state)
{
    (void)state;
    enter(&a, 1);
    WAIT(a.requests >= 2);
    double_report(&a, 1, 2, 5);
    double_goodbye(&a, IX_BYE_EXIT, "");
    double_close(&a); /* unread keepalives and all: the kernel may answer with a reset */
    WAIT(live() == 0);
    assert_int_equal(snapshots(), 2);
    assert_string_equal(vms()->at[0].ended, "orderly");
}

static void a_closed_execution_takes_nobody(void **state)
{
    (void)state;
    enter(&a, 1);
    ixor_executions_close(ixor_service_context(service), current, "over");
    assert_string_equal(vms()->at[0].ended, "server-stopped");
    for (int named = 0; named < 2; named++) {
        double_open(&b, ixor_service_address(service), 2);
        if (named)
            snprintf(b.hello.execution, sizeof b.hello.execution, "run0001");
        double_hello(&b);
        WAIT(b.refused);
        assert_non_null(strstr(b.refuse.reason, named ? "run0001" : "no run"));
        WAIT(b.eof);
        double_close(&b);
    }
    assert_int_equal(vms()->count, 1);
    ixor_executions_open(ixor_service_context(service), "run0002", NULL, 1, NULL);
    enter(&b, 3);
    assert_string_equal(b.welcome.execution, "run0002");
}

static void sampling_can_stop_before_the_end(void **state)
{
    (void)state;
    enter(&a, 1);
    WAIT(a.requests >= 1);
    current->sampling = false;
    step();
    size_t before = a.requests;
    uint64_t until = ixor_mono_ns() + 10 * EVERY_NS;
    WAIT(ixor_mono_ns() > until);
    assert_int_equal(a.requests, before);
    assert_int_equal(live(), 1);
}

static void unknown_executions(void **state)
{
    (void)state;
    double_open(&a, ixor_service_address(service), 1);
    snprintf(a.hello.execution, sizeof a.hello.execution, "other");
    double_hello(&a);
    WAIT(a.refused);
    double_close(&a);
    stop_serving();

    serve((struct ixor_service_options){.on_demand = true}, "serve0001");
    double_open(&a, ixor_service_address(service), 1);
    snprintf(a.hello.execution, sizeof a.hello.execution, "other");
    double_hello(&a);
    WAIT(a.welcomed);
    assert_string_equal(a.welcome.execution, "other");
    int64_t id;
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    assert_int_equal(ix_catalogue_find_execution(catalogue, "other", &id, NULL), 1);
    /* run0001 belongs to a command that has ended, whoever serves now. */
    double_open(&b, ixor_service_address(service), 2);
    snprintf(b.hello.execution, sizeof b.hello.execution, "run0001");
    double_hello(&b);
    WAIT(b.refused);
}

static void the_same_vm_again(void **state)
{
    (void)state;
    enter(&a, 1);
    WAIT(a.requests >= 2);
    double_report(&a, 1, 1, 5);
    double_open(&b, ixor_service_address(service), 1);
    b.hello.last_packet = 2;
    double_hello(&b);
    WAIT(b.welcomed && a.eof);
    assert_int_equal(live(), 1);
    assert_int_equal(vms()->count, 1);
    assert_string_equal(vms()->at[0].ended, "running");
    double_report(&b, 1, 2, 5); /* the first one twice */
    WAIT(snapshots() == 2);
}

static void numbers_go_on_after_a_restart(void **state)
{
    (void)state;
    enter(&a, 1);
    WAIT(a.requests >= 3);
    uint64_t last = a.request[a.requests - 1].number;
    double_close(&a);
    stop_serving();

    serve((struct ixor_service_options){0}, "run0002");
    enter(&b, 2);
    WAIT(b.requests >= 1);
    assert_true(b.request[0].number > last);
    uint64_t far = b.request[0].number + 1000;
    double_open(&a, ixor_service_address(service), 3);
    a.hello.last_packet = far;
    double_hello(&a);
    WAIT(a.requests >= 1);
    assert_int_equal(a.request[0].number, far + 1);
    double_close(&a);
    stop_serving();

    /* What a crashed server sent last may not be in the catalogue. */
    serve((struct ixor_service_options){.after_crash = true}, "run0003");
    enter(&a, 4);
    WAIT(a.requests >= 1);
    assert_true(a.request[0].number > far + 10000000000 / EVERY_NS);
}

/* Highest number that a JVM may say it has taken: what was sent, and the gap. */
#define GAP (10000000000 / EVERY_NS + 1)

static void says_packet(uint32_t pid, uint64_t last_packet)
{
    double_open(&a, ixor_service_address(service), pid);
    a.hello.last_packet = last_packet;
    double_hello(&a);
}

static void a_number_that_nobody_sent_is_not_believed(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        says_packet(1, i ? UINT64_C(1) << 53 : 2 * GAP);
        WAIT(a.refused && a.eof);
        double_close(&a);
    }
    enter(&b, 2);
    WAIT(b.requests >= 1);
    assert_int_equal(b.request[0].number, 1);
    double_close(&b);

    /* A JVM of this campaign comes again after a restart: it is let in. */
    stop_serving();
    serve((struct ixor_service_options){0}, "run0002");
    says_packet(3, 1);
    WAIT(a.welcomed);
}

static void such_a_number_in_the_catalogue_is_ignored(void **state)
{
    (void)state;
    const struct ix_packet_row row = {current->id, (INT64_C(1) << 53) + 1, 1, 1, 0, 0, "clock"};
    enter(&b, 2);
    WAIT(b.requests >= 3);
    double_close(&b);
    WAIT(live() == 0);
    const uint64_t last = ixor_ticker_last(ixor_service_context(service)->ticker);
    stop_serving();

    struct ix_catalogue *c = ix_catalogue_open(tempdir, IX_CATALOGUE_WRITE, NULL);
    assert_int_equal(ix_catalogue_add_packet(c, &row, NULL), 0);
    ix_catalogue_close(c);
    serve((struct ixor_service_options){0}, "run0002");
    assert_int_equal(warnings, 1);
    assert_int_equal(ixor_ticker_last(ixor_service_context(service)->ticker), last);
    enter(&b, 2);
    WAIT(b.requests >= 1);
    assert_int_equal(b.request[0].number, last + 1);
}

/* A server that was killed after it could not write for long: what the JVMs took meanwhile counts.
 */
static void after_a_crash_as_many_as_there_was_time_for(void **state)
{
    (void)state;
    const int64_t minute = INT64_C(60000000000);
    const struct ix_packet_row row = {current->id, 5, ixor_wall_ns() - minute, 1, 0, 0, "clock"};
    assert_int_equal(ix_catalogue_add_packet(catalogue, &row, NULL), 0);
    stop_serving();

    serve((struct ixor_service_options){.after_crash = true}, "run0002");
    says_packet(1, 2 * (uint64_t)minute / EVERY_NS);
    WAIT(a.refused && a.eof);
    double_close(&a);
    says_packet(2, (uint64_t)minute / EVERY_NS);
    WAIT(a.requests >= 1);
    assert_int_equal(a.request[0].number, minute / EVERY_NS + 1);
}

/* ---- those that do not keep to the rules ---- */

static void garbage_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *data;
        size_t size;
    } table[] = {
        {"GET / HTTP/1.1\r\n\r\n", 18}, /* a length beyond the bound */
        {"\0\0\0\0", 4},                /* length 0 */
        {"\xff\xff\xff\xff", 4},        /* oversize */
        {"\1\0\0\0\5", 5},              /* KEEPALIVE before HELLO */
        {"\3\0\0\0\1zz", 7},            /* HELLO too short */
        {"\1\0\0\0\xff", 5},            /* a type that there is not */
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double_open(&a, ixor_service_address(service), 1);
        double_send(&a, table[i].data, table[i].size);
        WAIT(a.refused && a.eof);
        double_close(&a);
    }
    assert_int_equal(warnings, sizeof table / sizeof table[0]);
    assert_int_equal(vms()->count, 0);
}

static void bad_hellos_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        double_open(&a, ixor_service_address(service), 1);
        switch (i) {
        case 0:
            a.hello.udp_port = 0;
            break;
        case 1:
            a.hello.last_packet = UINT64_MAX;
            break;
        case 2:
            snprintf(a.hello.log, sizeof a.hello.log, "relative.ixl");
            break;
        }
        double_hello(&a);
        WAIT(a.refused && a.eof);
        double_close(&a);
    }
    enter(&b, 2);
    WAIT(b.requests >= 1);
    assert_int_equal(b.request[0].number, 1);
}

/* A JVM that ends before it could read WELCOME: it did not vanish. */
static void short_lives_are_orderly(void **state)
{
    (void)state;
    double_open(&a, ixor_service_address(service), 1);
    double_hello(&a);
    double_goodbye(&a, IX_BYE_EXIT, "");
    WAIT(a.eof);
    assert_int_equal(vms()->count, 1);
    assert_string_equal(vms()->at[0].ended, "orderly");
    double_close(&a);
}

static void bad_messages_end_a_session(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        enter(&a, i + 1);
        switch (i) {
        case 0:
            double_hello(&a);
            break; /* once is enough */
        case 1:
            double_report(&a, 1000000, 1000000, 5);
            break; /* never sent */
        case 2:
            double_send(&a, "\2\0\0\0\4\xff", 6);
            break; /* REPORT too short */
        case 3:
            double_send(&a, "\xff\xff\xff\xff", 4);
            break; /* oversize */
        }
        WAIT(a.eof);
        assert_int_equal(live(), 0);
        assert_string_equal(vms()->at[i].ended, "vanished");
        assert_non_null(vms()->at[i].ended_text);
        double_close(&a);
    }
    assert_int_equal(snapshots(), 0);
    assert_int_equal(warnings, 4);
}

/* Who has no key of this campaign is not told anything, and leaves nothing. */
static void strangers_are_turned_away(void **state)
{
    (void)state;
    static const char request[] = "GET / HTTP/1.1\r\n\r\n";
    for (int i = 0; i < 3; i++) {
        const struct ix_key other = {.bytes = "another campaign's"};
        double_open(&a, ixor_service_address(service), 1);
        if (i == 0) {
            ix_tls_set_key(a.tls, IX_KEY_AGENT, &other);
        } else if (i == 1) { /* no TLS at all */
            assert_int_equal(send(a.tcp, request, strlen(request), 0), strlen(request));
            a.known = true;
        } else { /* a key, but not an agent's */
            double_close(&a);
            double_open_as(&a, ixor_service_address(service), 1, IX_KEY_CONTROL);
        }
        double_hello(&a);
        WAIT(a.eof);
        assert_false(a.welcomed);
        assert_int_equal(a.refused, i == 2);
        double_close(&a);
    }
    WAIT(ixor_service_context(service)->roster.count == 0);
    assert_int_equal(warnings, 3);
    assert_int_equal(vms()->count, 0);
    /* Who only looks whether somebody listens is not worth a word. */
    double_open(&a, ixor_service_address(service), 1);
    step();
    double_close(&a);
    WAIT(ixor_service_context(service)->roster.count == 0);
    assert_int_equal(warnings, 3);
}

/* A JVM may end before its agent's handshake is done. If it has not read the server's answer, that
 * resets the connection. */
static void a_handshake_that_is_broken_off(void **state)
{
    (void)state;
    static const uint8_t beginning[] = {0x16, 3, 1, 2, 0, 1}; /* of a ClientHello */
    for (int answered = 0; answered < 2; answered++) {
        double_open(&a, ixor_service_address(service), 1);
        struct pollfd answer = {.fd = a.tcp, .events = POLLIN};
        if (answered)
            assert_int_equal(ix_wire_shake(a.wire), 0);
        else
            assert_int_equal(send(a.tcp, beginning, sizeof beginning, 0), sizeof beginning);
        while (poll(&answer, 1, 0) < answered)
            event_base_loop(base, EVLOOP_NONBLOCK);
        event_base_loop(base, EVLOOP_NONBLOCK);
        double_close(&a);
        WAIT(ixor_service_context(service)->roster.count == 0);
    }
    assert_int_equal(warnings, 0);
}

/* A crowd of strangers does not fill the log. */
static void warnings_are_bounded(void **state)
{
    (void)state;
    const struct ix_key other = {.bytes = "another campaign's"};
    for (int i = 0; i < 60; i++) {
        double_open(&a, ixor_service_address(service), 1);
        ix_tls_set_key(a.tls, IX_KEY_AGENT, &other);
        WAIT(a.eof);
        double_close(&a);
    }
    assert_true(warnings >= 20 && warnings < 40);
}

static void messages_come_in_pieces(void **state)
{
    (void)state;
    struct ix_out out = {0};
    double_open(&a, ixor_service_address(service), 1);
    ix_encode_hello(&out, &a.hello);
    for (size_t i = 0; i < out.len; i++) {
        double_send(&a, out.data + i, 1);
        step();
    }
    ix_out_free(&out);
    WAIT(a.welcomed);
    /* and several at once */
    WAIT(a.requests >= 1);
    for (int i = 0; i < 100; i++)
        ix_encode_keepalive(&out);
    ix_encode_goodbye(&out, &(struct ix_goodbye){.reason = IX_BYE_EXIT});
    double_say(&a, &out);
    WAIT(live() == 0);
    assert_string_equal(vms()->at[0].ended, "orderly");
}

/* Keepalives go out, and a peer that says nothing for too long is closed. */
static void silence(void **state)
{
    (void)state;
    stop_serving();
    serve((struct ixor_service_options){.keepalive_ms = 16, .silence_ms = 1000}, "run0002");
    enter(&a, 1);
    enter(&b, 2);
    uint64_t began = ixor_mono_ns();
    WAIT(a.keepalives >= 3);
    for (uint64_t next = 0; !b.eof;) {
        step();
        if (ixor_mono_ns() >= next) {
            struct ix_out out = {0};
            ix_encode_keepalive(&out);
            double_say(&a, &out);
            next = ixor_mono_ns() + 50000000;
        }
        assert_true(ixor_mono_ns() - began < 60000000000);
    }
    assert_true(ixor_mono_ns() - began >= 990000000);
    assert_false(a.eof);
    assert_int_equal(live(), 1);
    assert_string_equal(vms()->at[1].ended, "silent");
    assert_string_equal(vms()->at[1].ended_text, "it took no packet");
    assert_true(vms()->at[1].ended_ns > 0);
    /* The other one is there, but takes no packets. */
    WAIT(strcmp(vms()->at[0].ended, "silent") == 0);
    assert_true(vms()->at[0].ended_ns == 0 && live() == 1);
    WAIT(a.requests >= 2);
    double_report(&a, a.request[0].number, a.request[1].number, 5);
    WAIT(strcmp(vms()->at[0].ended, "running") == 0);
    assert_null(vms()->at[0].ended_text);
    char text[64];
    snprintf(text, sizeof text, "since packet %llu", (unsigned long long)a.request[1].number);
    WAIT(a.eof); /* nothing at all is heard of it now */
    assert_string_equal(vms()->at[0].ended, "silent");
    assert_string_equal(vms()->at[0].ended_text, text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, service_set_up, stop_and_leave)
    const struct CMUnitTest tests[] = {
        TEST(same_numbers_for_all),
        TEST(nobody_there_spends_no_number),
        TEST(a_vm_is_recorded),
        TEST(ways_to_end),
        TEST(a_report_and_goodbye_sent_before_the_end_count),
        TEST(a_closed_execution_takes_nobody),
        TEST(sampling_can_stop_before_the_end),
        TEST(unknown_executions),
        TEST(the_same_vm_again),
        TEST(numbers_go_on_after_a_restart),
        TEST(a_number_that_nobody_sent_is_not_believed),
        TEST(such_a_number_in_the_catalogue_is_ignored),
        TEST(after_a_crash_as_many_as_there_was_time_for),
        TEST(garbage_is_refused),
        TEST(bad_hellos_are_refused),
        TEST(short_lives_are_orderly),
        TEST(bad_messages_end_a_session),
        TEST(strangers_are_turned_away),
        TEST(a_handshake_that_is_broken_off),
        TEST(warnings_are_bounded),
        TEST(messages_come_in_pieces),
        TEST(silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
