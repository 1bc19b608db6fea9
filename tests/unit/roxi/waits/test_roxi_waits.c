/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for whom: the graph with numbers worked out by hand, and JVMs whose logs a test writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>

#include "roxi/waits/chains.h"
#include "roxi/waits/print.h"
#include "roxi/waits/run.h"
#include "tests/support/campaign_support.h"
#include "tests/support/waits_fixture.h"

/* ---- the graph ---- */

/* Of each node the one that it waits for; -1: nobody. */
static void make(struct waits_graph *g, const int *next, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(waits_graph_add(g, &(struct waits_node){.kind = WAITS_THREAD}), i);
    for (size_t i = 0; i < count; i++)
        g->nodes[i].next = next[i] < 0 ? WAITS_NONE : (size_t)next[i];
    assert_int_equal(waits_graph_finish(g), 0);
}

static void waiters_are_counted(void **state)
{
    (void)state;
    /*  0 -> 1 -> 2 <- 3;  4 waits for nobody, and nobody for it;  5 -> 6 */
    static const int next[] = {1, 2, -1, 2, -1, 6, -1};
    static const size_t want[] = {0, 1, 3, 0, 0, 0, 1};
    static const size_t order[] = {2, 1, 0, 3}, depths[] = {0, 1, 2, 1};
    struct waits_graph g = {0};
    make(&g, next, 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(g.nodes[i].waiters, want[i]);
    assert_int_equal(g.end_count, 2);
    assert_int_equal(g.ends[0], 2);
    assert_int_equal(g.ends[1], 6);
    assert_int_equal(g.ring_count, 0);
    size_t at = 2, depth = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(at, order[i]);
        assert_int_equal(depth, depths[i]);
        at = waits_graph_walk(&g, 2, at, &depth);
    }
    assert_int_equal(at, WAITS_NONE);
    waits_graph_free(&g);
}

static void rings_are_found(void **state)
{
    (void)state;
    /*  0 -> 1 -> 2 -> 0, 3 -> 4 -> 1;  5 <-> 6 */
    static const int next[] = {1, 2, 0, 4, 1, 6, 5};
    static const size_t want[] = {4, 4, 4, 0, 1, 1, 1};
    struct waits_graph g = {0};
    make(&g, next, 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(g.nodes[i].waiters, want[i]);
    assert_int_equal(g.end_count, 0);
    assert_int_equal(g.ring_count, 2);
    assert_int_equal(g.rings[0], 0);
    assert_int_equal(g.rings[1], 5);
    size_t depth = 0, at = waits_graph_walk(&g, 1, 1, &depth);
    assert_int_equal(at, 4);
    at = waits_graph_walk(&g, 1, at, &depth);
    assert_int_equal(at, 3);
    assert_int_equal(waits_graph_walk(&g, 1, at, &depth), WAITS_NONE);
    assert_int_equal(waits_graph_walk(&g, 0, 0, &depth), WAITS_NONE);
    waits_graph_clear(&g);
    make(&g, next, 0);
    assert_int_equal(g.end_count + g.ring_count, 0);
    waits_graph_free(&g);
}

/* ---- JVMs ---- */

/* What the last packet shows, printed with `print`; the caller frees it. */
static char *last_packet(void (*print)(FILE *out, const struct waits_build *b))
{
    const struct roxi_listed_execution run = world_run();
    struct waits_jvms jvms;
    struct waits_build build = {0};
    struct ix_error err = {""};
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(waits_jvms_open(&jvms, &run, false, &err), 0);
    for (uint64_t i = 0; i < world.packet; i++) {
        assert_int_equal(waits_jvms_next(&jvms, &err), 1);
        assert_int_equal(waits_build(&build, &jvms), 0);
    }
    FILE *out = open_memstream(&text, &size);
    print(out, &build);
    fclose(out);
    assert_int_equal(waits_jvms_next(&jvms, &err), 0);
    waits_build_free(&build);
    waits_jvms_free(&jvms);
    world_forget();
    return text;
}

static void expect(const char *want)
{
    char *text = last_packet(waits_print_text);
    assert_string_equal(text, want);
    free(text);
}

static struct roxi_thread_nodes *nodes; /* of print_json; NULL: none */

static void print_json(FILE *out, const struct waits_build *b)
{
    struct roxi_json json = {.out = out};
    struct ix_error err = {""};
    assert_int_equal(waits_print_json(&json, b, nodes, &err), 0);
}

#define HERE "10.0.0.1:4000"
#define THERE "10.0.0.2:80"

/* A client that reads from a connection to a server whose addresses are as given. */
static struct ix_log_writer *client_and_server(const char *local, const char *remote)
{
    struct ix_log_writer *client = add_jvm("client", "a");
    waits(client, thread("asks"), IX_WAIT_READ, HERE, THERE);
    struct ix_log_writer *server = add_jvm("server", "b");
    has(server, IX_CONNECTION_LISTENS, 0, "0.0.0.0:80", "");
    has(server, IX_CONNECTION_OPEN, 0, local, remote);
    return server;
}

static void the_last_one_seen_serves(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_and_server(THERE, HERE);
    thread("other");
    waits(server, thread("serves"), IX_WAIT_READ, THERE, HERE);
    packet();
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    packet();
    expect("  server \"serves\": RUNNABLE, waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void a_new_part_begins_anew(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_and_server(THERE, HERE);
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
    expect("  server \"serves\": RUNNABLE, waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void it_has_gone_over_to_another(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_and_server(THERE, HERE);
    thread("other");
    waits(server, thread("serves"), IX_WAIT_READ, THERE, HERE);
    packet();
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    waits(server, 2, IX_WAIT_READ, THERE, "10.0.0.9:4000");
    waits(server, 1, IX_WAIT_POLL, "", "");
    packet();
    expect("  server: thread not known, waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void ports_are_enough_where_addresses_are_translated(void **state)
{
    (void)state;
    client_and_server("172.17.0.2:80", "172.17.0.1:4000");
    thread("serves");
    packet();
    expect("  server \"serves\": RUNNABLE, waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void ports_of_two_are_not(void **state)
{
    (void)state;
    client_and_server("172.17.0.2:80", "172.17.0.1:4000");
    thread("serves");
    struct ix_log_writer *second = add_jvm("second", "c");
    has(second, IX_CONNECTION_OPEN, 0, "172.18.0.2:80", "172.18.0.1:4000");
    thread("serves");
    packet();
    expect("");
}

static void what_no_jvm_has_is_outside(void **state)
{
    (void)state;
    client_and_server("10.0.0.2:81", HERE);
    thread("serves");
    packet();
    expect("  outside 10.0.0.2:80: outside, waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void unless_one_does_not_tell(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_and_server("10.0.0.2:81", HERE);
    assert_int_equal(ix_log_connection_flags(server, IX_CONNECTIONS_HIDDEN), 0);
    thread("serves");
    packet();
    expect("  outside 10.0.0.2:80: outside, or a JVM that does not tell, waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

/* The flag is on until all sockets have been looked at; later it means something else. */
static void unless_one_has_not_told_all(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct ix_log_writer *server = client_and_server("10.0.0.2:81", HERE);
        thread("serves");
        if (told) {
            packet();
            waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
        }
        assert_int_equal(ix_log_connection_flags(server, IX_CONNECTIONS_PARTIAL), 0);
        packet();
        expect(told ? "  outside 10.0.0.2:80: outside, waited for by 1 thread\n"
                      "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n"
                    : "  outside 10.0.0.2:80: outside, or a JVM that does not tell, waited for by "
                      "1 thread\n"
                      "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
        assert_int_equal(tempdir_remove(state), 0);
        assert_int_equal(tempdir_make(state), 0);
    }
}

/* Who is outside has that role; who may be a JVM of the run has none. */
static void a_role_that_is_not_known_is_null(void **state)
{
    (void)state;
    for (int hidden = 0; hidden < 2; hidden++) {
        struct ix_log_writer *server = client_and_server("10.0.0.2:81", HERE);
        if (hidden)
            assert_int_equal(ix_log_connection_flags(server, IX_CONNECTIONS_HIDDEN), 0);
        thread("serves");
        packet();
        char *text = last_packet(print_json);
        json_t *json = json_loads(text, 0, NULL);
        assert_non_null(json);
        const json_t *end = json_array_get(json_object_get(json, "least_progressed"), 0);
        const json_t *role = json_object_get(end, "role");
        if (hidden)
            assert_true(json_is_null(role));
        else
            assert_string_equal(json_string_value(role), "outside");
        assert_string_equal(json_string_value(json_object_get(end, "state")), "10.0.0.2:80");
        json_decref(json);
        free(text);
        assert_int_equal(tempdir_remove(state), 0);
        assert_int_equal(tempdir_make(state), 0);
    }
}

/* A list of the packet in JSON. */
static json_t *list_of(const json_t *packet, const char *list)
{
    return json_array_get(json_object_get(packet, list), 0);
}

/* A cluster in one JVM, in which a thread of the one node waits for one of the other. */
static void nodes_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "search[node_t0][flush][T#1]", "search[node_t0][merge][T#1]", "search[node_t1][flush][T#1]",
        "search[node_t1][merge][T#1]", "main"};
    struct ix_error err = {""};
    struct ix_log_writer *w = add_jvm("cluster", "a");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        thread(names[i]);
    thread_in("joins", "main", RUNS, "java.lang.Thread", "join");
    assert_int_equal(ix_log_lock(w, &(struct ix_lock){1, IX_LOCK_ENTERS, 7, 1, -1}), 0);
    assert_int_equal(ix_log_lock(w, &(struct ix_lock){4, IX_LOCK_OWNS, 7, 1, 0}), 0);
    assert_int_equal(ix_log_join(w, &(struct ix_join){6, 5}), 0);
    packet();
    add_vms("r", (const char *const[]){"cluster", strrchr(world.vms[0].log, '/') + 1, NULL}, 2);
    nodes = roxi_thread_nodes_learn(in_tempdir("c"), "r", &err);
    assert_non_null(nodes);
    char *text = last_packet(print_json);
    json_t *json = json_loads(text, 0, NULL);
    const json_t *chain = list_of(json, "chains"), *end = list_of(json, "least_progressed");
    const json_t *first = json_array_get(chain, 0), *second = json_array_get(chain, 1);
    assert_string_equal(json_string_value(json_object_get(first, "thread")), names[0]);
    assert_string_equal(json_string_value(json_object_get(first, "node")), "node_t0");
    assert_string_equal(json_string_value(json_object_get(second, "node")), "node_t1");
    assert_string_equal(json_string_value(json_object_get(end, "node")), "node_t1");
    end = json_array_get(json_object_get(json, "least_progressed"), 1);
    assert_string_equal(json_string_value(json_object_get(end, "thread")), "main");
    assert_true(json_is_null(json_object_get(end, "node")));
    json_decref(json);
    free(text);
    roxi_thread_nodes_free(nodes);
    nodes = NULL;
}

static void loopback_is_of_one_host(void **state)
{
    (void)state;
    struct ix_log_writer *client = add_jvm("client", "a");
    waits(client, thread("asks"), IX_WAIT_READ, "127.0.0.1:4000", "127.0.0.1:80");
    has(add_jvm("far", "b"), IX_CONNECTION_OPEN, 0, "127.0.0.1:80", "127.0.0.1:4000");
    thread("serves");
    packet();
    expect("  outside 127.0.0.1:80: outside, waited for by 1 thread\n"
           "    <- client \"asks\": read 127.0.0.1:4000 -> 127.0.0.1:80\n");
}

static void a_closed_one_is_gone(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_and_server(THERE, HERE);
    thread("serves");
    packet();
    has(server, IX_CONNECTION_CLOSED, 0, THERE, HERE);
    has(server, IX_CONNECTION_CLOSED, 0, "0.0.0.0:80", "");
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    packet();
    expect("  outside 10.0.0.2:80: outside, waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

/* A lost reply: the server reads the next request. */
static void a_server_does_not_wait_for_its_client(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_and_server(THERE, HERE);
    waits(server, thread("serves"), IX_WAIT_READ, THERE, HERE);
    packet();
    expect("  server \"serves\": in read (read 10.0.0.2:80 -> 10.0.0.1:4000), "
           "waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void of_two_that_read_none_is_blamed(void **state)
{
    (void)state;
    struct ix_log_writer *one = add_jvm("one", "a");
    waits(one, thread("reads"), IX_WAIT_READ, HERE, THERE);
    struct ix_log_writer *two = add_jvm("two", "b");
    waits(two, thread("reads"), IX_WAIT_READ, THERE, HERE);
    packet();
    expect("");
}

static void the_only_one_that_can_serves(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_and_server(THERE, HERE);
    thread_in("Cleaner", "InnocuousThreadGroup", RUNS, "jdk.Cleaner", "run");
    thread_in("idle", "main", PARKS, "java.util.concurrent.ThreadPoolExecutor", "getTask");
    const uint32_t main = thread_in("main", "main", RUNS, "java.lang.Thread", "join");
    const uint32_t serves = thread("serves");
    assert_int_equal(ix_log_join(server, &(struct ix_join){main, serves}), 0);
    packet();
    expect("  server \"serves\": RUNNABLE, waited for by 2 threads\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n"
           "    <- server \"main\": join\n");
}

/* Of two, of one beside a loop over descriptors, of one beside carriers of virtual threads, of one
 * beside a thread that accepts, none is the only one. */
static void otherwise_it_is_not_known(void **state)
{
    (void)state;
    for (int with = 0; with < 4; with++) {
        struct ix_log_writer *server = client_and_server(THERE, HERE);
        thread("one");
        if (with == 0)
            thread("two");
        else if (with == 1)
            waits(server, thread("loop"), IX_WAIT_POLL, "", "");
        else if (with == 2)
            thread_in("worker", "CarrierThreads", PARKS, "java.util.concurrent.ForkJoinPool",
                      "awaitWork");
        else
            waits(server, thread("accepts"), IX_WAIT_ACCEPT, "0.0.0.0:80", "");
        packet();
        expect("  server: thread not known, waited for by 1 thread\n"
               "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
        assert_int_equal(tempdir_remove(state), 0);
        assert_int_equal(tempdir_make(state), 0);
    }
}

/* Once it has had the time to pass it on: more if it runs. */
static void the_acceptor_serves_its_only_connection(void **state)
{
    (void)state;
    static const struct {
        uint32_t state;
        int packets;
        const char *server;
    } cases[] = {
        {PARKS, 2, ": thread not known"},
        {PARKS, 3, " \"serves\": WAITING (parked) (park app.Main)"},
        {RUNS, 49, ": thread not known"},
        {RUNS, 50, " \"serves\": RUNNABLE"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char want[200];
        struct ix_log_writer *server = client_and_server(THERE, HERE);
        thread("other");
        const uint32_t serves = thread_in("serves", "main", cases[c].state, "app.Main", "run");
        waits(server, serves, IX_WAIT_ACCEPT, "0.0.0.0:80", "");
        packet();
        for (int i = 0; i < cases[c].packets; i++) {
            waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
            packet();
        }
        snprintf(want, sizeof want,
                 "  server%s, waited for by 1 thread\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n",
                 cases[c].server);
        expect(want);
        assert_int_equal(tempdir_remove(state), 0);
        assert_int_equal(tempdir_make(state), 0);
    }
}

/* Its call is not known any more, but it is in accept when the connection is known, so another
 * thread serves that; or by its stack it accepts right now. */
static void an_acceptor_passes_on(void **state)
{
    (void)state;
    for (int returned = 0; returned < 2; returned++) {
        struct ix_log_writer *server = client_and_server(THERE, HERE);
        thread("other");
        const uint32_t accepts =
            thread_in("accepts", "main", RUNS, "java.net.ServerSocket", "accept");
        waits(server, accepts, IX_WAIT_ACCEPT, "0.0.0.0:80", "");
        packet();
        packet(); /* now it is known that it accepts again */
        if (returned)
            world.entries[1][accepts - 1].stack = world.entries[1][0].stack;
        for (int i = 0; i < 4; i++) {
            waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
            packet();
        }
        expect("  server: thread not known, waited for by 1 thread\n"
               "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
        assert_int_equal(tempdir_remove(state), 0);
        assert_int_equal(tempdir_make(state), 0);
    }
}

/* The server's log ends before the client's: not outside. */
static void who_has_ended_is_not_outside(void **state)
{
    (void)state;
    client_and_server(THERE, HERE);
    thread("serves");
    packet();
    world.count = 1;
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    packet();
    world.count = 2;
    expect("  server: has ended, waited for by 1 thread\n"
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
    expect("  next \"serves\": RUNNABLE, waited for by 1 thread\n"
           "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void a_jvm_may_miss_the_packet(void **state)
{
    (void)state;
    client_and_server(THERE, HERE);
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

static void owns(struct ix_log_writer *w, uint32_t owner, uint32_t enters)
{
    const uint32_t class = ix_log_class(w, "app.Table", "");
    const struct ix_lock locks[] = {{owner, IX_LOCK_OWNS, 1, class, 0},
                                    {enters, IX_LOCK_ENTERS, 1, class, -1}};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(ix_log_lock(w, &locks[i]), 0);
}

/* Each of the two owns what its own handler needs, and asks the other. */
static void deadlocks_go_through_jvms(void **state)
{
    (void)state;
    struct ix_log_writer *one = add_jvm("one", "a");
    has(one, IX_CONNECTION_LISTENS, 0, "10.0.0.1:80", "");
    waits(one, thread("main"), IX_WAIT_READ, "10.0.0.1:4000", "10.0.0.2:80");
    thread("handler");
    owns(one, 1, 2);
    has(one, IX_CONNECTION_OPEN, 2, "10.0.0.1:80", "10.0.0.2:4000");
    struct ix_log_writer *two = add_jvm("two", "b");
    has(two, IX_CONNECTION_LISTENS, 0, "10.0.0.2:80", "");
    waits(two, thread("main"), IX_WAIT_READ, "10.0.0.2:4000", "10.0.0.1:80");
    thread("handler");
    owns(two, 1, 2);
    has(two, IX_CONNECTION_OPEN, 2, "10.0.0.2:80", "10.0.0.1:4000");
    packet();
    expect("  deadlock of several JVMs, waited for by 3 threads:\n"
           "    one \"main\": read 10.0.0.1:4000 -> 10.0.0.2:80, waits for two \"handler\"\n"
           "    two \"handler\": monitor app.Table, waits for two \"main\"\n"
           "    two \"main\": read 10.0.0.2:4000 -> 10.0.0.1:80, waits for one \"handler\"\n"
           "    one \"handler\": monitor app.Table, waits for one \"main\"\n");
}

/* Of each of two locks the other one's owner waits; another parked thread's lock has no known
 * owner, so that the stack has to tell. */
static void locks_have_owners(void **state)
{
    (void)state;
    const char *lock = "java.util.concurrent.locks.ReentrantLock";
    struct ix_log_writer *w = add_jvm("one", "a");
    const uint32_t left = thread_in("left", "main", PARKS, lock, "lock");
    const uint32_t right = thread_in("right", "main", PARKS, lock, "lock");
    const uint32_t other = thread_in("other", "main", PARKS, lock, "lock");
    const uint32_t last = thread_in("last", "main", PARKS, lock, "lock");
    const uint32_t class = ix_log_class(w, "app.Sync", "");
    const struct ix_lock locks[] = {
        {left, IX_LOCK_PARKED, 600, class, -1},
        {right, IX_LOCK_PARKED, 601, class, -1},
        {other, IX_LOCK_PARKED, 602, class, -1},
        {last, IX_LOCK_PARKED, 603, class, -1},
        {right, IX_LOCK_OWNS_SYNCHRONIZER, 600, class, -1},
        {left, IX_LOCK_OWNS_SYNCHRONIZER, 601, class, -1},
        {other, IX_LOCK_OWNS_SYNCHRONIZER, 603, class, -1},
    };
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        assert_int_equal(ix_log_lock(w, &locks[i]), 0);
    packet();
    expect("  deadlock, waited for by 1 threads:\n"
           "    one \"left\": lock app.Sync, waits for one \"right\"\n"
           "    one \"right\": lock app.Sync, waits for one \"left\"\n"
           "  one \"other\": WAITING (parked) (park java.util.concurrent.locks.ReentrantLock), "
           "waited for by 1 thread\n"
           "    <- one \"last\": lock app.Sync\n");
}

static void parked_threads_name_a_class(void **state)
{
    (void)state;
    struct ix_log_writer *w = add_jvm("one", "a");
    const uint32_t main = thread_in("main", "main", RUNS, "java.lang.Thread", "join");
    const uint32_t parks =
        thread_in("parks", "main", PARKS, "java.util.concurrent.FutureTask", "get");
    assert_int_equal(ix_log_join(w, &(struct ix_join){main, parks}), 0);
    packet();
    expect("  one \"parks\": WAITING (parked) (future java.util.concurrent.FutureTask), "
           "waited for by 1 thread\n"
           "    <- one \"main\": join\n");
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
    expect("  server \"serves\": RUNNABLE, waited for by 1 thread\n"
           "    <- client \"asks\": connect 10.0.0.2:80\n");
}

/* ---- chains over all packets ---- */

static void chains_are_followed(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_and_server(THERE, HERE);
    thread("other");
    waits(server, thread("serves"), IX_WAIT_READ, THERE, HERE);
    packet(); /* the server has not begun: it waits for a request */
    for (int i = 0; i < 3; i++) {
        waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
        packet();
    }
    packet(); /* nobody waits */
    has(server, IX_CONNECTION_CLOSED, 0, THERE, HERE);
    has(server, IX_CONNECTION_LISTENS, 0, THERE, "");
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    packet(); /* the server's thread is not known any more */
    for (size_t i = 0; i < world.count; i++)
        assert_int_equal(ix_log_writer_close(world.logs[i]), 0);
    const struct roxi_listed_execution run = {.vms = world.vms, .vm_count = world.count};
    struct waits_chains c;
    struct ix_error err = {""};
    assert_int_equal(waits_chains_read(&c, &run, &err), 0);
    assert_int_equal(c.count, 3);
    const struct waits_chain *first = &c.list[1], *second = &c.list[2];
    assert_true(c.list[0].idle);
    assert_int_equal(c.list[0].last, 1);
    assert_int_equal(first->jvm, 0);
    assert_int_equal(first->thread, 1);
    assert_int_equal(first->end_jvm, 1);
    assert_int_equal(first->end_thread, 2);
    assert_int_equal(first->first, 2);
    assert_int_equal(first->last, 4);
    assert_false(first->ring || first->idle);
    assert_int_equal(second->end_jvm, 1);
    assert_int_equal(second->end_thread, 0);
    assert_int_equal(second->first, 6);
    waits_chains_free(&c);
    for (size_t i = 0; i < world.count; i++)
        free(world.vms[i].log);
    memset(&world, 0, sizeof world);
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiters_are_counted),
        cmocka_unit_test(rings_are_found),
        IN_TEMPDIR(the_last_one_seen_serves),
        IN_TEMPDIR(a_new_part_begins_anew),
        IN_TEMPDIR(it_has_gone_over_to_another),
        IN_TEMPDIR(ports_are_enough_where_addresses_are_translated),
        IN_TEMPDIR(ports_of_two_are_not),
        IN_TEMPDIR(what_no_jvm_has_is_outside),
        IN_TEMPDIR(unless_one_does_not_tell),
        IN_TEMPDIR(unless_one_has_not_told_all),
        IN_TEMPDIR(a_role_that_is_not_known_is_null),
        IN_TEMPDIR(nodes_have_names),
        IN_TEMPDIR(loopback_is_of_one_host),
        IN_TEMPDIR(a_closed_one_is_gone),
        IN_TEMPDIR(a_server_does_not_wait_for_its_client),
        IN_TEMPDIR(of_two_that_read_none_is_blamed),
        IN_TEMPDIR(the_only_one_that_can_serves),
        IN_TEMPDIR(otherwise_it_is_not_known),
        IN_TEMPDIR(the_acceptor_serves_its_only_connection),
        IN_TEMPDIR(an_acceptor_passes_on),
        IN_TEMPDIR(who_has_ended_is_not_outside),
        IN_TEMPDIR(who_has_ended_makes_room),
        IN_TEMPDIR(a_jvm_may_miss_the_packet),
        IN_TEMPDIR(deadlocks_go_through_jvms),
        IN_TEMPDIR(locks_have_owners),
        IN_TEMPDIR(parked_threads_name_a_class),
        IN_TEMPDIR(a_connect_waits_for_the_acceptor),
        IN_TEMPDIR(chains_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
