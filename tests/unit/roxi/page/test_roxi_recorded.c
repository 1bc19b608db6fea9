/* SPDX-License-Identifier: Apache-2.0 */
/* What logs record beside call stacks: of JVMs whose logs the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "roxi/page/recorded.h"
#include "tests/support/tempdir.h"
#include "tests/support/waits_fixture.h"

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

static struct ix_error err;

/* ---- the worst packet ---- */

static void worst_packet_is_found(void **state)
{
    (void)state;
    /* From packet 10 on: 3 (10-12), 11 (15-25), 6 (20-25), 1 (30); from the start, 11 and 9 are
     * more. */
    struct waits_chain list[] = {
        {.first = 2, .last = 12},  {.first = 15, .last = 25}, {.first = 20, .last = 25},
        {.first = 30, .last = 30}, {.first = 1, .last = 9},
    };
    const struct waits_chains c = {.list = list, .count = 5};
    static const struct {
        uint64_t from, want;
    } cases[] = {{10, 22}, {0, 4}, {26, 30}, {24, 25}, {31, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t packet;
        assert_int_equal(roxi_recorded_worst(&c, cases[i].from, &packet), 0);
        assert_int_equal(packet, cases[i].want);
    }
}

/* ---- states ---- */

static void states_are_read(void **state)
{
    (void)state;
    struct ix_log_writer *server = add_jvm("server", "h");
    const uint32_t accepts = thread("acceptor"), works = thread("worker");
    packet(); /* 1: both run */
    waits(server, accepts, IX_WAIT_ACCEPT, "127.0.0.1:80", "");
    world.entries[0][1].state = IX_THREAD_ALIVE | IX_THREAD_BLOCKED;
    packet();
    waits(server, accepts, IX_WAIT_ACCEPT, "127.0.0.1:80", "");
    packet(); /* 3 */
    world.entries[0][1].state = IX_THREAD_ALIVE | IX_THREAD_WAITING | IX_THREAD_SLEEPING;
    packet(); /* 4: the acceptor runs again */

    const struct roxi_listed_execution run = world_run();
    const struct roxi_findings none = {0};
    struct roxi_recorded r;
    assert_int_equal(roxi_recorded_read(&r, &run, &none, &err), 0);
    static const struct {
        int state;
        uint64_t first, last;
    } want[] = {{ROXI_RUNNING, 1, 1}, {ROXI_ON_NETWORK, 2, 3}, {ROXI_RUNNING, 4, 4},
                {ROXI_RUNNING, 1, 1}, {ROXI_BLOCKED, 2, 3},    {ROXI_SLEEPING, 4, 4}};
    assert_int_equal(r.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(r.states[i].jvm, 0);
        assert_int_equal(r.states[i].thread, i < 3 ? accepts : works);
        assert_int_equal(r.states[i].state, want[i].state);
        assert_int_equal(r.states[i].first, want[i].first);
        assert_int_equal(r.states[i].last, want[i].last);
    }
    /* Of a stay: the state that lasts longest; without one, what the call stack tells. */
    const struct roxi_span all = {.thread = works, .first = 1, .last = 4};
    const struct roxi_span begin = {.thread = works, .first = 1, .last = 1};
    const struct roxi_span other = {.thread = works + 9, .first = 1, .last = 4};
    assert_int_equal(roxi_recorded_state(&r, &all, ROXI_ON_FILE), ROXI_BLOCKED);
    assert_int_equal(roxi_recorded_state(&r, &begin, ROXI_ON_FILE), ROXI_ON_FILE);
    assert_int_equal(roxi_recorded_state(&r, &other, ROXI_WAITING), ROXI_WAITING);
    roxi_recorded_free(&r);
    world_forget();
}

/* ---- who waits for whom ---- */

/* A client reads from a server's thread at packets 2 to 4. */
static struct roxi_listed_execution talking(void)
{
    struct ix_log_writer *server = add_jvm("server", "h");
    const uint32_t serves = thread("worker");
    packet();
    struct ix_log_writer *client = add_jvm("client", "h");
    const uint32_t asks = thread("main");
    has(server, IX_CONNECTION_LISTENS, 0, "127.0.0.1:80", "");
    has(server, IX_CONNECTION_OPEN, serves, "127.0.0.1:80", "127.0.0.1:4711");
    for (int i = 0; i < 3; i++) {
        waits(client, asks, IX_WAIT_READ, "127.0.0.1:4711", "127.0.0.1:80");
        packet();
    }
    return world_run();
}

static void packets_are_chosen(void **state)
{
    (void)state;
    const struct roxi_listed_execution run = talking();
    struct roxi_finding first = {.packet = 3};
    struct roxi_findings f = {.list = &first, .count = 1};
    struct roxi_recorded r;
    assert_int_equal(waits_chains_read(&f.chains, &run, &err), 0);
    assert_int_equal(f.chains.count, 1);
    f.chains.list[0].first = 4; /* so that both packets differ */
    assert_int_equal(roxi_recorded_read(&r, &run, &f, &err), 0);
    assert_true(r.facts);
    assert_int_equal(r.departure.packet, 3);
    assert_int_equal(r.worst.packet, 4);
    assert_non_null(
        strstr(r.departure.text, "server \"worker\": RUNNABLE, waited for by 1 thread"));
    assert_non_null(
        strstr(r.worst.text, "<- client \"main\": read 127.0.0.1:4711 -> 127.0.0.1:80"));
    roxi_recorded_free(&r);
    waits_chains_free(&f.chains);
    world_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worst_packet_is_found),
        IN_TEMPDIR(states_are_read),
        IN_TEMPDIR(packets_are_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
