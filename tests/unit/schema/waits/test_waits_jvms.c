/* SPDX-License-Identifier: Apache-2.0 */
/* The JVMs of a run from packet to packet: their sockets come and go, their logs end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "roxi/waits/run.h"
#include "schema/waits/build.h"
#include "tests/support/tempdir.h"
#include "tests/support/waits_fixture.h"

static void a_new_part_begins_anew(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_of_server(THERE, HERE);
    thread("other");
    waits(server, thread("serves"), IX_WAIT_READ, THERE, HERE);
    packet();
    assert_int_equal(ix_log_next_part(server), 0);
    world.threads[1] = 0;
    thread("serves");
    thread("other");
    has(server, IX_CONNECTION_OPEN, 1, THERE, HERE);
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    packet();
    expect_waits("  server \"serves\": RUNNABLE, waited for by 1 thread\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void a_closed_one_is_gone(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_of_server(THERE, HERE);
    thread("serves");
    packet();
    has(server, IX_CONNECTION_CLOSED, 0, THERE, HERE);
    has(server, IX_CONNECTION_CLOSED, 0, "0.0.0.0:80", "");
    packets_in_read(LONG, HERE, THERE);
    expect_waits("  outside 10.0.0.2:80: outside, waited for by 1 thread\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

/* The server's log ends before the client's: not outside. */
static void who_has_ended_is_not_outside(void **state)
{
    (void)state;
    client_of_server(THERE, HERE);
    thread("serves");
    packet();
    world.count = 1;
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    packet();
    world.count = 2;
    expect_waits("  server: has ended, waited for by 1 thread\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

/* ... unless another JVM has the same addresses by then. */
static void who_has_ended_makes_room(void **state)
{
    (void)state;
    struct ix_log_writer *client = add_jvm("client", "a");
    waits(client, thread("asks"), IX_WAIT_READ, HERE, THERE);
    struct ix_log_writer *next = add_jvm("next", "b");
    thread("serves");
    has(add_jvm("gone", "b"), IX_CONNECTION_OPEN, 0, THERE, HERE);
    thread("served");
    packet();
    world.count = 2;
    has(next, IX_CONNECTION_OPEN, 1, THERE, HERE);
    waits(client, 1, IX_WAIT_READ, HERE, THERE);
    packet();
    world.count = 3;
    expect_waits("  next \"serves\": RUNNABLE, waited for by 1 thread\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void a_jvm_may_miss_the_packet(void **state)
{
    (void)state;
    client_of_server(THERE, HERE);
    thread("serves");
    packet();
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    const uint32_t there = world.threads[1];
    const size_t count = world.count;
    world.count = 1;
    packet();
    world.count = count;
    world.threads[1] = there;
    const struct ix_snapshot later = {
        .packet = 9, .entries = world.entries[1], .count = world.threads[1]};
    assert_int_equal(ix_log_snapshot(world.logs[1], &later), 0);
    const struct roxi_listed_execution run = world_run();
    struct waits_jvms jvms;
    struct waits_build build = {0};
    struct ix_error err = {""};
    assert_int_equal(waits_jvms_open(&jvms, &run, false, &err), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(waits_jvms_next(&jvms, &err), 1);
        assert_int_equal(waits_build(&build, &jvms), 0);
    }
    assert_int_equal(build.graph.end_count, 1);
    const struct waits_node *end = &build.graph.nodes[build.graph.ends[0]];
    assert_int_equal(end->kind, WAITS_JVM);
    assert_string_equal(end->state, "no snapshot of this packet");
    assert_int_equal(waits_jvms_next(&jvms, &err), 1);
    assert_int_equal(jvms.packet, 9);
    assert_int_equal(waits_jvms_next(&jvms, &err), 0);
    waits_build_free(&build);
    waits_jvms_free(&jvms);
    world_forget();
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(a_new_part_begins_anew),       IN_TEMPDIR(a_closed_one_is_gone),
        IN_TEMPDIR(who_has_ended_is_not_outside), IN_TEMPDIR(who_has_ended_makes_room),
        IN_TEMPDIR(a_jvm_may_miss_the_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
