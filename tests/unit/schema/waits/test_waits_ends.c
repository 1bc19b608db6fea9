/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of a connection: which JVM of the run has it, if any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/tempdir.h"
#include "tests/support/waits_fixture.h"

static void ports_are_enough_where_addresses_are_translated(void **state)
{
    (void)state;
    client_of_server("172.17.0.2:80", "172.17.0.1:4000");
    thread("serves");
    packet();
    expect_waits("  server \"serves\": RUNNABLE, waited for by 1 thread\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void ports_of_two_are_not(void **state)
{
    (void)state;
    client_of_server("172.17.0.2:80", "172.17.0.1:4000");
    thread("serves");
    struct ix_log_writer *second = add_jvm("second", "c");
    has(second, IX_CONNECTION_OPEN, 0, "172.18.0.2:80", "172.18.0.1:4000");
    thread("serves");
    packet();
    expect_waits("");
}

#define ASKS "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n"
#define OUTSIDE "  outside 10.0.0.2:80: outside, waited for by 1 thread\n" ASKS
#define PERHAPS_OUTSIDE                                                                            \
    "  outside 10.0.0.2:80: outside, or a JVM that does not tell, waited for by 1 thread\n" ASKS

static void what_no_jvm_has_is_outside(void **state)
{
    (void)state;
    client_of_server("10.0.0.2:81", HERE);
    thread("serves");
    packets_in_read(LONG, HERE, THERE);
    expect_waits(OUTSIDE);
}

/* What a JVM has just accepted its log has only when the agent has looked at all descriptors. */
static void unless_the_connection_is_new(void **state)
{
    (void)state;
    client_of_server("10.0.0.2:81", HERE);
    thread("serves");
    packets_in_read(LONG - 1, HERE, THERE);
    expect_waits(PERHAPS_OUTSIDE);
}

/* If another connection to that address is an old one, the new one leads to the same. */
static void as_an_old_connection_tells(void **state)
{
    (void)state;
    client_of_server("10.0.0.2:81", HERE);
    thread("serves");
    for (int i = 1; i < LONG; i++)
        packet();
    struct ix_log_writer *late = add_jvm("late", "a");
    thread("asks, too");
    waits(late, 1, IX_WAIT_READ, "10.0.0.1:4001", THERE);
    packets_in_read(1, HERE, THERE);
    expect_waits("  outside 10.0.0.2:80: outside, waited for by 2 threads\n" ASKS
                 "    <- late \"asks, too\": read 10.0.0.1:4001 -> 10.0.0.2:80\n");
}

/* 23 of them take four packets. */
static void how_long_follows_from_the_descriptors(void **state)
{
    for (int packets = 4; packets < 6; packets++) {
        struct ix_log_writer *server = client_of_server("10.0.0.2:81", HERE);
        thread("serves");
        for (int i = 0; i < packets; i++) {
            assert_int_equal(ix_log_process(server, &(struct ix_process){.descriptors = 23}), 0);
            packets_in_read(1, HERE, THERE);
        }
        expect_waits(packets == 4 ? PERHAPS_OUTSIDE : OUTSIDE);
        assert_int_equal(tempdir_remove(state), 0);
        assert_int_equal(tempdir_make(state), 0);
    }
}

static void unless_one_does_not_tell(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_of_server("10.0.0.2:81", HERE);
    thread("serves");
    for (int i = 1; i < LONG; i++)
        packet();
    assert_int_equal(ix_log_connection_flags(server, IX_CONNECTIONS_HIDDEN), 0);
    packets_in_read(1, HERE, THERE);
    expect_waits(PERHAPS_OUTSIDE);
}

/* The flag is on until all sockets have been looked at; later it means something else. */
static void unless_one_has_not_told_all(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct ix_log_writer *server = client_of_server("10.0.0.2:81", HERE);
        thread("serves");
        if (told)
            packet();
        for (int i = told; i < LONG; i++) {
            assert_int_equal(ix_log_connection_flags(server, IX_CONNECTIONS_PARTIAL), 0);
            packets_in_read(1, HERE, THERE);
        }
        expect_waits(told ? OUTSIDE : PERHAPS_OUTSIDE);
        assert_int_equal(tempdir_remove(state), 0);
        assert_int_equal(tempdir_make(state), 0);
    }
}

static void loopback_is_of_one_host(void **state)
{
    (void)state;
    struct ix_log_writer *client = add_jvm("client", "a");
    waits(client, thread("asks"), IX_WAIT_READ, "127.0.0.1:4000", "127.0.0.1:80");
    has(add_jvm("far", "b"), IX_CONNECTION_OPEN, 0, "127.0.0.1:80", "127.0.0.1:4000");
    thread("serves");
    packets_in_read(LONG, "127.0.0.1:4000", "127.0.0.1:80");
    expect_waits("  outside 127.0.0.1:80: outside, waited for by 1 thread\n"
                 "    <- client \"asks\": read 127.0.0.1:4000 -> 127.0.0.1:80\n");
}

static void a_connect_waits_for_the_acceptor(void **state)
{
    (void)state;
    struct ix_log_writer *client = add_jvm("client", "a");
    waits(client, thread("asks"), IX_WAIT_CONNECT, "", THERE);
    struct ix_log_writer *server = add_jvm("server", "b");
    thread("serves");
    thread("other");
    has(server, IX_CONNECTION_LISTENS, 1, THERE, "");
    packet();
    expect_waits("  server \"serves\": RUNNABLE, waited for by 1 thread\n"
                 "    <- client \"asks\": connect 10.0.0.2:80\n");
}

/* ---- which end has accepted the connection ---- */

/* The two ends of a connection; the last of them may be outside. What is known of each end (its JVM
 * listens on its port), and what follows for each. */
struct sides {
    const char *local, *remote;
    bool known[2], want[2];
    bool outside;
};

static void check_sides(const struct sides *s)
{
    struct waits_socket sockets[2] = {
        {.local = s->local, .remote = s->remote, .accepted = s->known[0]},
        {.local = s->remote, .remote = s->local, .accepted = s->known[1]},
    };
    struct waits_jvm list[2] = {
        {.host = "a", .sockets = &sockets[0], .socket_count = 1},
        {.host = "a", .sockets = &sockets[1], .socket_count = 1},
    };
    const struct waits_jvms jvms = {.list = list, .count = s->outside ? 1 : 2};
    struct waits_ends ends = {0};
    assert_int_equal(waits_ends_list(&ends, &jvms), 0);
    for (size_t i = 0; i < jvms.count; i++) {
        struct waits_end end;
        bool accepted = !s->want[i];
        assert_int_equal(waits_ends_find_socket(&ends, i, &sockets[i], &end, &accepted),
                         s->outside ? WAITS_FOUND_OUTSIDE : WAITS_FOUND);
        assert_int_equal(accepted, s->want[i]);
        if (!s->outside)
            assert_int_equal(end.jvm, 1 - i);
    }
    waits_ends_free(&ends);
}

static void one_end_has_accepted(void **state)
{
    static const struct sides cases[] = {
        {HERE, THERE, {false, false}, {false, true}, false}, /* the lower port */
        {THERE, HERE, {false, false}, {true, false}, false},
        {"10.0.0.1:900", "10.0.0.2:1000", {false, false}, {true, false}, false}, /* as numbers */
        {"10.0.0.1:80", "10.0.0.2:80", {false, false}, {true, false}, false},
        {HERE, THERE, {false, true}, {false, true}, false},
        {HERE, THERE, {true, false}, {true, false}, false}, /* in spite of the ports */
        {THERE, HERE, {false, true}, {false, true}, false},
        {HERE, THERE, {true, true}, {true, true}, false},
        {THERE, HERE, {false}, {false}, true}, /* an end outside may be anything */
        {HERE, THERE, {true}, {true}, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_sides(&cases[i]);
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(ports_are_enough_where_addresses_are_translated),
        IN_TEMPDIR(ports_of_two_are_not),
        IN_TEMPDIR(what_no_jvm_has_is_outside),
        IN_TEMPDIR(unless_the_connection_is_new),
        IN_TEMPDIR(as_an_old_connection_tells),
        IN_TEMPDIR(how_long_follows_from_the_descriptors),
        IN_TEMPDIR(unless_one_does_not_tell),
        IN_TEMPDIR(unless_one_has_not_told_all),
        IN_TEMPDIR(loopback_is_of_one_host),
        IN_TEMPDIR(a_connect_waits_for_the_acceptor),
        cmocka_unit_test(one_end_has_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
