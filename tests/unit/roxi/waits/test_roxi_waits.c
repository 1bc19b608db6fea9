/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for whom as JSON, and as chains over all packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/waits/chains.h"
#include "roxi/waits/nobody.h"
#include "roxi/waits/print.h"
#include "tests/support/campaign_support.h"
#include "tests/support/tempdir.h"
#include "tests/support/waits_fixture.h"

static struct roxi_thread_nodes *nodes; /* of print_json; NULL: none */

static void print_json(FILE *out, const struct waits_build *b)
{
    struct roxi_json json = {.out = out};
    struct ix_error err = {""};
    assert_int_equal(waits_print_json(&json, b, nodes, &err), 0);
}

/* Who is outside has that role; who may be a JVM of the run has none. */
static void a_role_that_is_not_known_is_null(void **state)
{
    (void)state;
    for (int hidden = 0; hidden < 2; hidden++) {
        struct ix_log_writer *server = client_of_server("10.0.0.2:81", HERE);
        thread("serves");
        for (int i = 1; i < LONG; i++)
            packet();
        if (hidden)
            assert_int_equal(ix_log_connection_flags(server, IX_CONNECTIONS_HIDDEN), 0);
        packets_in_read(1, HERE, THERE);
        char *text = world_last_packet(print_json);
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
    char *text = world_last_packet(print_json);
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

static void chains_are_followed(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_of_server(THERE, HERE);
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
    const struct roxi_listed_execution run = world_run();
    struct waits_chains c;
    struct ix_error err = {""};
    assert_int_equal(waits_chains_read(&c, &run, &err), 0);
    assert_int_equal(c.count, 2);
    const struct waits_chain *first = &c.list[0], *second = &c.list[1];
    assert_int_equal(first->jvm, 0);
    assert_int_equal(first->thread, 1);
    assert_int_equal(first->end_jvm, 1);
    assert_int_equal(first->end_thread, 2);
    assert_int_equal(first->first, 1);
    assert_int_equal(first->last, 4);
    assert_false(first->ring);
    assert_int_equal(second->end_jvm, 1);
    assert_int_equal(second->end_thread, 0);
    assert_int_equal(second->first, 6);
    waits_chains_free(&c);
    world_forget();
}

static void print_nobody(FILE *out, const struct waits_build *b)
{
    assert_int_equal(waits_print_nobody(out, b), 0);
}

static void places_where_most_wait(void **state)
{
    (void)state;
    enum { WAITS = IX_THREAD_ALIVE | IX_THREAD_WAITING | IX_THREAD_OBJECT_WAIT };
    add_jvm("shop", "a");
    thread_in("1", "main", WAITS, "acme.Pool", "acquire");
    thread_in("2", "main", WAITS, "acme.Pool", "acquire");
    thread_in("3", "main", PARKS, "acme.Gate", "pass");
    thread_in("4", "main", IX_THREAD_ALIVE | IX_THREAD_SLEEPING, "acme.Bed", "sleep");
    thread_in("5", "main", PARKS, "java.util.Timer", "run");
    thread_in("6", "system", PARKS, "acme.Cleaner", "clean");
    thread_in("7", "main", IX_THREAD_ALIVE | IX_THREAD_BLOCKED, "acme.Door", "enter");
    add_jvm("bank", "a");
    thread_in("1", "main", PARKS, "acme.Gate", "pass");
    thread_in("2", "main", PARKS, "acme.Well", "draw");
    thread("runs");
    add_jvm("shop", "b"); /* another one of the role */
    thread_in("1", "main", WAITS, "acme.Pool", "acquire");
    packet();
    char *text = world_last_packet(print_nobody);
    assert_string_equal(text, "  3 threads of shop wait in acme.Pool.acquire, for nobody known\n"
                              "  1 thread of bank waits in acme.Gate.pass, for nobody known\n"
                              "  1 thread of bank waits in acme.Well.draw, for nobody known\n"
                              "  2 more in 2 other places\n");
    free(text);
}

static void who_waits_for_somebody_is_not_among_them(void **state)
{
    (void)state;
    client_of_server(THERE, HERE);
    thread("serves");
    packets_in_read(1, HERE, THERE);
    char *text = world_last_packet(print_nobody);
    assert_string_equal(text, "");
    free(text);
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(a_role_that_is_not_known_is_null),
        IN_TEMPDIR(nodes_have_names),
        IN_TEMPDIR(chains_are_followed),
        IN_TEMPDIR(places_where_most_wait),
        IN_TEMPDIR(who_waits_for_somebody_is_not_among_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
