/* SPDX-License-Identifier: Apache-2.0 */
/* Who talks to whom: runs whose logs a test writes, and amounts worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "roxi/waits/communication_print.h"
#include "schema/base/text_memory.h"
#include "tests/support/tempdir.h"
#include "tests/support/waits_fixture.h"

#define BASE "10.0.0.9:5432"

static struct waits_communication graph;

/* Adds the world to the graph. */
static void add_world(bool here)
{
    const struct roxi_listed_execution run = world_run();
    struct waits_connections c;
    struct ix_error err = {""};
    assert_int_equal(waits_connections_read(&c, &run, false, &err), 0);
    if (here)
        assert_int_equal(waits_communication_add_here(&graph, &c), 0);
    else
        assert_int_equal(waits_communication_add(&graph, &c), 0);
    waits_connections_free(&c);
    world_forget();
}

typedef void printer(FILE *out, const struct waits_communication *g, const char *run);

static void expect(printer *print, const char *run, const char *want)
{
    struct ix_text text;
    assert_int_equal(waits_communication_finish(&graph), 0);
    assert_int_equal(ix_text_open(&text), 0);
    print(text.out, &graph, run);
    char *got = ix_text_close(&text);
    assert_string_equal(got, want);
    free(got);
    waits_communication_free(&graph);
}

/* A client with a connection to a server, which is known to listen from packet 2 on. */
static void client_and_server(void)
{
    add_jvm("Client", "a");
    thread("asks");
    add_jvm("Message Server", "b");
    thread("serves");
    has(world.logs[0], IX_CONNECTION_OPEN, 0, HERE, THERE);
    packet();
    has(world.logs[1], IX_CONNECTION_LISTENS, 0, "0.0.0.0:80", "");
    has(world.logs[1], IX_CONNECTION_OPEN, 0, THERE, HERE);
}

/* The client waits at `waiting` of `packets` packets, the last ones; the server always reads. */
static void ask(size_t packets, size_t waiting)
{
    client_and_server();
    for (size_t i = 0; i < packets; i++) {
        if (packets - i <= waiting)
            waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
        waits(world.logs[1], 1, IX_WAIT_READ, THERE, HERE);
        packet();
    }
}

static void medians_of_all_runs(void **state)
{
    (void)state;
    static const size_t waiting[] = {3, 5, 20};
    for (size_t i = 0; i < 3; i++) {
        ask(20, waiting[i]);
        add_world(false);
    }
    expect(waits_communication_text, NULL,
           "medians of 3 runs\n"
           "from                      to                        connections   waits\n"
           "Client                    Message Server                      1       5\n");
}

static void a_wait_that_has_grown(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        ask(30, 2);
        add_world(false);
    }
    ask(50, 28);
    add_world(true);
    /* A packet for the client's connection, 22 without a wait. */
    expect(waits_communication_text, "run5",
           "Client waits for Message Server 14 times as long, since packet 24\n"
           "\n"
           "run5 beside the medians of 4 other runs\n"
           "                                                      connections          waits\n"
           "from                      to                         here typical   here typical\n"
           "Client                    Message Server                1       1     28       2\n");
}

/* Twice as long, but fewer than ten packets more; or not longer than nine of ten others. */
static void a_wait_that_has_not(void **state)
{
    (void)state;
    static const size_t few[] = {1, 1, 1}, scattered[] = {1, 1, 40};
    static const size_t *const others[] = {few, scattered};
    static const size_t here[] = {10, 30};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 3; i++) {
            ask(40, others[k][i]);
            add_world(false);
        }
        ask(40, here[k]);
        add_world(true);
        assert_int_equal(waits_communication_finish(&graph), 0);
        assert_int_equal(graph.edge_count, 1);
        assert_false(graph.edges[0].grown);
        waits_communication_free(&graph);
    }
}

/* One packet in two: that is longer, but has no begin. */
static void a_spread_wait_has_no_begin(void **state)
{
    (void)state;
    ask(40, 0);
    add_world(false);
    client_and_server();
    for (size_t i = 0; i < 40; i++) {
        if (i % 3 == 0)
            waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
        packet();
    }
    add_world(true);
    assert_int_equal(waits_communication_finish(&graph), 0);
    assert_true(graph.edges[0].grown);
    assert_int_equal(graph.edges[0].since, 0);
    assert_true(graph.edges[0].here.waits == 14);
    waits_communication_free(&graph);
}

static void what_no_jvm_has_is_outside(void **state)
{
    (void)state;
    client_and_server();
    has(world.logs[1], IX_CONNECTION_OPEN, 0, "10.0.0.2:5000", BASE);
    has(world.logs[1], IX_CONNECTION_OPEN, 0, THERE, "10.7.7.7:61000");
    has(world.logs[1], IX_CONNECTION_OPEN, 0, THERE, "10.7.7.7:61001");
    waits(world.logs[1], 1, IX_WAIT_READ, "10.0.0.2:5000", BASE);
    packet();
    add_world(false);
    expect(waits_communication_dot, NULL,
           "digraph \"campaign\" {\n"
           "  p0 [label=\"Client\", shape=box];\n"
           "  p1 [label=\"Message Server\", shape=box];\n"
           "  p2 [label=\"outside 10.0.0.9:5432\", shape=box, style=dashed];\n"
           "  p1 -> p2 [label=\"1 connection\\n1 wait\"];\n"
           "  p3 [label=\"outside 10.7.7.7\", shape=box, style=dashed];\n"
           "  p3 -> p1 [label=\"2 connections\\n0 waits\"];\n"
           "  p0 -> p1 [label=\"1 connection\\n0 waits\"];\n"
           "}\n");
}

static void a_write_to_a_client_and_a_connect(void **state)
{
    (void)state;
    client_and_server();
    has(world.logs[1], IX_CONNECTION_LISTENS, 0, THERE, "");
    waits(world.logs[0], 1, IX_WAIT_CONNECT, "", THERE);
    waits(world.logs[1], 1, IX_WAIT_WRITE, THERE, HERE);
    packet();
    add_world(false);
    expect(waits_communication_text, NULL,
           "medians of 1 run\n"
           "from                      to                        connections   waits\n"
           "Client                    Message Server                      1       1\n"
           "Message Server            Client                              0       1\n");
}

/* The lower port is the server's. */
static void nobody_is_known_to_listen(void **state)
{
    (void)state;
    add_jvm("one", "a");
    thread("asks");
    add_jvm("two", "b");
    thread("serves");
    waits(world.logs[0], 1, IX_WAIT_READ, "10.0.0.1:80", "10.0.0.2:4000");
    waits(world.logs[1], 1, IX_WAIT_READ, "10.0.0.2:4000", "10.0.0.1:80");
    packet();
    add_world(false);
    expect(waits_communication_text, NULL,
           "medians of 1 run\n"
           "from                      to                        connections   waits\n"
           "two                       one                                 1       1\n");
}

static void what_is_not_told_is_said(void **state)
{
    (void)state;
    client_and_server();
    assert_int_equal(ix_log_connection_flags(world.logs[1], IX_CONNECTIONS_HIDDEN), 0);
    packet();
    add_jvm("a role whose name is longer than the column", "b");
    thread("t");
    assert_int_equal(ix_log_connection_flags(world.logs[2], IX_CONNECTIONS_HIDDEN), 0);
    has(world.logs[2], IX_CONNECTION_OPEN, 0, "10.0.0.3:5000", BASE);
    packet();
    add_world(false);
    expect(waits_communication_text, NULL,
           "medians of 1 run\n"
           "from                      to                        connections   waits\n"
           "Client                    Message Server                      1       0\n"
           "a role whose name is lo…  outside 10.0.0.9:5432               1       0\n"
           "1 of 3 JVMs do not tell their connections: these may be \"outside\"\n");
}

/* A run of five packets at each of which so much goes over the connection; both ends tell it. */
static void exchange(uint64_t sent, uint64_t received)
{
    client_and_server();
    for (size_t i = 0; i < 5; i++) {
        exchanged(world.logs[0], HERE, THERE, sent, received);
        exchanged(world.logs[1], THERE, HERE, received, sent);
        packet();
    }
}

static void messages_are_counted_once(void **state)
{
    (void)state;
    exchange(3, 4);
    add_world(false);
    expect(waits_communication_text, NULL,
           "medians of 1 run\n"
           "from                 to                   connections   messages   waits\n"
           "Client               Message Server                 1         35       0\n");
}

static void many_more_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        exchange(3, 4);
        add_world(false);
    }
    exchange(30, 40);
    add_world(true);
    expect(waits_communication_text, "run5",
           "Client and Message Server exchange 10 times as many messages\n"
           "\n"
           "run5 beside the medians of 4 other runs\n"
           "                                         connections      messages         waits\n"
           "from                 to                 here typical  here typical  here typical\n"
           "Client               Message Server        1       1   350      35     0       0\n");
}

/* Three times as many, but not 100 more; 100 more, but not three times as many; or no more than in
 * one of four other runs. */
static void not_many_more_messages(void **state)
{
    (void)state;
    static const uint64_t others[][4] = {{3, 3, 3, 3}, {50, 50, 50, 50}, {3, 3, 3, 90}};
    static const uint64_t here[] = {20, 140, 60};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 4; i++) {
            exchange(others[k][i], 0);
            add_world(false);
        }
        exchange(here[k], 0);
        add_world(true);
        assert_int_equal(waits_communication_finish(&graph), 0);
        assert_true(graph.edge_count == 1 && graph.told_here && !graph.edges[0].more);
        assert_true(graph.edges[0].here.messages == 5.0 * (double)here[k]);
        waits_communication_free(&graph);
    }
}

/* Runs without messages recorded are no runs without messages, and one such run has no columns. */
static void messages_of_some_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        if (i == 3)
            exchange(20, 20);
        else
            ask(5, 0);
        add_world(false);
    }
    exchange(30, 30);
    add_world(true);
    assert_int_equal(waits_communication_finish(&graph), 0);
    assert_true(graph.runs == 4 && graph.messages_told == 1 && graph.told_here);
    assert_true(graph.edges[0].typical.messages == 200 && !graph.edges[0].more);
    waits_communication_free(&graph);

    exchange(20, 20);
    add_world(false);
    ask(5, 0);
    add_world(true);
    expect(waits_communication_text, "run2",
           "run2 beside the medians of 1 other run\n"
           "                                                      connections          waits\n"
           "from                      to                         here typical   here typical\n"
           "Client                    Message Server                1       1      0       0\n");
}

static void json_of_messages(void **state)
{
    (void)state;
    exchange(1, 1);
    add_world(false);
    exchange(30, 40);
    add_world(true);
    expect(waits_communication_json, "run2",
           "{\"execution\":\"run2\",\"other_runs\":1,\"others_passed\":false,\"jvms\":4,\"jvms_"
           "that_tell\":4,"
           "\"connections_left_out\":0,\"vertices\":[\n"
           "{\"name\":\"Client\",\"role\":\"Client\",\"node\":null,\"address\":null,"
           "\"jvms\":1},\n"
           "{\"name\":\"Message Server\",\"role\":\"Message Server\",\"node\":null,"
           "\"address\":null,\"jvms\":1}],\"edges\":[\n"
           "{\"from\":\"Client\",\"to\":\"Message Server\",\"connections\":{\"here\":1,"
           "\"typical\":1},\"messages\":{\"here\":350,\"typical\":10},"
           "\"waits\":{\"here\":0,\"typical\":0},\"more_messages\":true,\"grown\":false,"
           "\"since\":null,\"text\":null}]}\n");
}

static void json(void **state)
{
    (void)state;
    ask(10, 0);
    add_world(false);
    ask(20, 15);
    add_world(true);
    expect(waits_communication_json, "run2",
           "{\"execution\":\"run2\",\"other_runs\":1,\"others_passed\":false,\"jvms\":4,\"jvms_"
           "that_tell\":4,"
           "\"connections_left_out\":0,\"vertices\":[\n"
           "{\"name\":\"Client\",\"role\":\"Client\",\"node\":null,\"address\":null,"
           "\"jvms\":1},\n"
           "{\"name\":\"Message Server\",\"role\":\"Message Server\",\"node\":null,"
           "\"address\":null,\"jvms\":1}],\"edges\":[\n"
           "{\"from\":\"Client\",\"to\":\"Message Server\",\"connections\":{\"here\":1,"
           "\"typical\":1},\"messages\":{\"here\":null,\"typical\":null},"
           "\"waits\":{\"here\":15,\"typical\":0},\"more_messages\":false,\"grown\":true,"
           "\"since\":7,\"text\":\"Client waits for Message Server, as it does in no typical "
           "run, since packet 7\"}]}\n");
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(medians_of_all_runs),        IN_TEMPDIR(a_wait_that_has_grown),
        IN_TEMPDIR(a_wait_that_has_not),        IN_TEMPDIR(a_spread_wait_has_no_begin),
        IN_TEMPDIR(what_no_jvm_has_is_outside), IN_TEMPDIR(a_write_to_a_client_and_a_connect),
        IN_TEMPDIR(nobody_is_known_to_listen),  IN_TEMPDIR(what_is_not_told_is_said),
        IN_TEMPDIR(messages_are_counted_once),  IN_TEMPDIR(many_more_messages),
        IN_TEMPDIR(not_many_more_messages),     IN_TEMPDIR(messages_of_some_runs),
        IN_TEMPDIR(json_of_messages),           IN_TEMPDIR(json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
