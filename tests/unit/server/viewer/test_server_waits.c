/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for whom now, from logs that grow: which packet is shown while JVMs are slow, end, or
 * begin another part, what is not shown, and the same as lines of ixor top. Who talks to whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "schema/base/text_memory.h"
#include "schema/catalogue/catalogue.h"
#include "schema/tracelog/thread_state.h"
#include "schema/tracelog/writer.h"
#include "server/base/units.h"
#include "server/commands/top_text.h"
#include "server/viewer/waits.h"
#include "tests/support/tempdir.h"

/* A packet taken now is awaited for longer than any test takes, another one not at all. */
#define PATIENCE_NS INT64_C(3600000000000)
#define LONG_AGO INT64_C(1)
#define CLIENT "10.0.0.1:4000"
#define SERVER "10.0.0.2:80"
#define BASE "10.0.0.9:5432"
enum { RUNS = IX_THREAD_ALIVE | IX_THREAD_RUNNABLE };

/* One with a single thread. */
struct jvm {
    int64_t vm;
    struct ix_log_writer *log;
    uint32_t stack;
};

static struct ix_catalogue *catalogue;
static struct ixor_live *live;
static struct ixor_waits *waits;
static int64_t execution;
static struct ix_error err;
static struct jvm client, server;
static const char *facts;

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    catalogue = ix_catalogue_open(tempdir, IX_CATALOGUE_CREATE, &err);
    live = catalogue ? ixor_live_new(tempdir, &err) : NULL;
    waits = ixor_waits_new(PATIENCE_NS);
    client = server = (struct jvm){0};
    facts = "locks connections";
    return live && waits &&
                   ix_catalogue_add_execution(catalogue, "run0001", "cmd", 1, &execution, &err) == 0
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    ix_log_writer_close(client.log);
    ix_log_writer_close(server.log);
    ixor_waits_free(waits);
    ixor_live_free(live);
    ix_catalogue_close(catalogue);
    return tempdir_remove(state);
}

/* Also at the beginning of a part. */
static void define(struct jvm *jvm, const char *thread)
{
    const struct ix_thread t = {1, 1, 1, thread, "main", "", 5, 0};
    const uint32_t method = ix_log_method(jvm->log, ix_log_class(jvm->log, "a.B", ""), "f", "()V");
    assert_int_equal(ix_log_thread(jvm->log, &t), 0);
    jvm->stack = ix_log_stack(jvm->log, IX_STACK_EMPTY, ix_log_frame(jvm->log, method, 1));
}

static struct jvm add_jvm(const char *role, const char *thread)
{
    struct jvm jvm = {0};
    char name[64], log[256];
    snprintf(name, sizeof name, "%s.ixl", role);
    snprintf(log, sizeof log, "%s", in_tempdir(name));
    const struct ix_vm vm = {.execution = execution,
                             .role = role,
                             .host = "h",
                             .jvm = "j",
                             .pid = 1,
                             .log = log,
                             .ended = "running"};
    assert_int_equal(ix_catalogue_add_vm(catalogue, &vm, &jvm.vm, &err), 0);
    jvm.log = ix_log_create(log, &err);
    assert_non_null(jvm.log);
    assert_int_equal(ix_log_meta(jvm.log, "facts", facts), 0);
    define(&jvm, thread);
    return jvm;
}

static void take(struct jvm *jvm, uint64_t packet, int64_t real_ns)
{
    const struct ix_entry entry = {1, RUNS, jvm->stack};
    const struct ix_snapshot s = {
        .packet = packet, .real_ns = real_ns, .entries = &entry, .count = 1};
    assert_int_equal(ix_log_snapshot(jvm->log, &s), 0);
}

/* The client waits for the server's answer. */
static void ask_server(uint64_t packet, int64_t real_ns)
{
    const struct ix_wait wait = {1, IX_WAIT_READ, CLIENT, SERVER};
    assert_int_equal(ix_log_wait(client.log, &wait), 0);
    take(&client, packet, real_ns);
}

/* A client and a server with a connection, and their first packet. */
static void begin(int64_t real_ns)
{
    client = add_jvm("client", "asks");
    server = add_jvm("server", "serves");
    const struct ix_connection end = {1, IX_CONNECTION_OPEN, SERVER, CLIENT};
    assert_int_equal(ix_log_connection(server.log, &end), 0);
    ask_server(1, real_ns);
    take(&server, 1, real_ns);
}

/* On a loaded machine the time for one call may be over before anything has been read. */
static bool repeated; /* by the last `ask` */

static enum ixor_found ask(json_t **json)
{
    enum ixor_found found;
    repeated = false;
    while ((found = ixor_waits_now(waits, live, 0, json, &err)) == IXOR_BUSY)
        repeated = true;
    return found;
}

static json_t *now(void)
{
    json_t *json = NULL;
    if (ask(&json) != IXOR_FOUND)
        fail_msg("%s", err.text);
    return json;
}

static void expect_none(const char *why)
{
    json_t *json = NULL;
    assert_int_equal(ask(&json), IXOR_NOT_THERE);
    if (!strstr(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
}

static const char *string(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "(null)";
}

/* The packet, and the thread that most wait for, as "role thread state"; "": nobody waits. If the
 * call had to be repeated, it may also be `later`. */
static void expect_or(uint64_t packet, const char *want, const char *later)
{
    json_t *json = now();
    char text[256] = "";
    const json_t *end = json_array_get(json_object_get(json, "least_progressed"), 0);
    if (end)
        snprintf(text, sizeof text, "%s %s %s", string(end, "role"), string(end, "thread"),
                 string(end, "state"));
    assert_int_equal(json_integer_value(json_object_get(json, "packet")), packet);
    assert_string_equal(text, repeated && strcmp(text, later) == 0 ? later : want);
    json_decref(json);
}

static void expect(uint64_t packet, const char *want)
{
    expect_or(packet, want, want);
}

/* ---- tests ---- */

static void the_end_of_the_chain(void **state)
{
    (void)state;
    begin(LONG_AGO);
    expect(1, "server serves RUNNABLE");
    json_t *json = now();
    const json_t *chain = json_array_get(json_object_get(json, "chains"), 0);
    assert_int_equal(json_array_size(chain), 2);
    assert_string_equal(string(json_array_get(chain, 0), "role"), "client");
    assert_true(json_is_null(json_object_get(json_array_get(chain, 0), "node"))); /* unknown */
    assert_string_equal(string(json_array_get(chain, 0), "why"), "read");
    assert_string_equal(string(json_array_get(chain, 0), "via"), CLIENT " -> " SERVER);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(chain, 1), "vm")),
                     server.vm);
    json_decref(json);
    for (uint64_t packet = 2; packet < 5; packet++) {
        ask_server(packet, LONG_AGO);
        take(&server, packet, LONG_AGO);
    }
    expect(4, "server serves RUNNABLE");
    take(&client, 5, LONG_AGO);
    take(&server, 5, LONG_AGO);
    expect(5, "");
}

/* A packet is shown when all have written it, or when it is too old to wait for. */
static void who_is_slow_is_awaited(void **state)
{
    (void)state;
    const int64_t now_ns = ixor_wall_ns();
    begin(now_ns);
    ask_server(2, now_ns);
    expect(1, "server serves RUNNABLE");
    take(&server, 2, now_ns);
    expect(2, "server serves RUNNABLE");
}

static void but_not_for_ever(void **state)
{
    (void)state;
    begin(LONG_AGO);
    expect(1, "server serves RUNNABLE");
    ask_server(2, LONG_AGO);
    expect(2, "server (null) no snapshot of this packet");
    take(&server, 2, LONG_AGO); /* too late, but it is there again */
    ask_server(3, LONG_AGO);
    take(&server, 3, LONG_AGO);
    expect(3, "server serves RUNNABLE");
}

static void one_that_comes_later(void **state)
{
    (void)state;
    client = add_jvm("client", "asks");
    ask_server(1, LONG_AGO);
    expect(1, "outside (null) " SERVER);
    server = add_jvm("server", "serves");
    const struct ix_connection end = {1, IX_CONNECTION_OPEN, SERVER, CLIENT};
    assert_int_equal(ix_log_connection(server.log, &end), 0);
    take(&server, 1, LONG_AGO);
    take(&server, 2, LONG_AGO);
    ask_server(2, LONG_AGO);
    expect(2, "server serves RUNNABLE");
}

static void one_that_has_ended(void **state)
{
    (void)state;
    begin(LONG_AGO);
    expect(1, "server serves RUNNABLE");
    assert_int_equal(
        ix_catalogue_end_vm(catalogue, server.vm, "vanished", ixor_wall_ns(), NULL, &err), 0);
    ask_server(2, LONG_AGO);
    expect(2, "server (null) has ended");
    /* Its connections are forgotten at this packet; the next call drops it from the list. */
    ask_server(3000, LONG_AGO);
    expect_or(3000, "outside (null) " SERVER, "(null) (null) " SERVER);
    ask_server(3001, LONG_AGO);
    expect(3001, "(null) (null) " SERVER);
}

/* The reader does not see parts that begin after it has opened the log. */
static void logs_go_on_in_other_parts(void **state)
{
    (void)state;
    begin(LONG_AGO);
    expect(1, "server serves RUNNABLE");
    for (uint64_t packet = 2; packet < 6; packet++) {
        const struct ix_connection end = {1, IX_CONNECTION_OPEN, SERVER, CLIENT};
        assert_int_equal(ix_log_next_part(server.log), 0);
        define(&server, "serves");
        assert_int_equal(ix_log_connection(server.log, &end), 0);
        ask_server(packet, LONG_AGO);
        take(&server, packet, LONG_AGO);
        expect(packet, "server serves RUNNABLE");
    }
}

static void deadlocks_are_named(void **state)
{
    (void)state;
    begin(LONG_AGO);
    const struct ix_connection ends[] = {{1, IX_CONNECTION_OPEN, "10.0.0.1:81", "10.0.0.2:4001"},
                                         {0, IX_CONNECTION_OPEN, SERVER, CLIENT}};
    const struct ix_wait back = {1, IX_WAIT_READ, "10.0.0.2:4001", "10.0.0.1:81"};
    assert_int_equal(ix_log_connection(client.log, &ends[0]), 0);
    assert_int_equal(ix_log_wait(server.log, &back), 0);
    ask_server(2, LONG_AGO);
    take(&server, 2, LONG_AGO);
    json_t *json = now();
    const json_t *rings = json_object_get(json, "deadlocks");
    assert_int_equal(json_array_size(rings), 1);
    assert_int_equal(json_array_size(json_array_get(rings, 0)), 2);
    assert_int_equal(json_array_size(json_object_get(json, "least_progressed")), 0);
    json_decref(json);
}

static void what_is_not_shown(void **state)
{
    (void)state;
    expect_none("no packet yet");
    facts = "process";
    begin(LONG_AGO);
    expect_none("locks=on,connections=on");
    assert_int_equal(
        ix_catalogue_end_execution(catalogue, execution, 2, 0, 0, IX_VERDICT_PASSED, "exit", &err),
        0);
    expect_none("the run is over");
}

static void more_threads_than_are_looked_at(void **state)
{
    (void)state;
    static struct ix_entry entries[IXOR_WAITS_THREADS + 1];
    client = add_jvm("client", "asks");
    for (uint32_t i = 1; i <= IXOR_WAITS_THREADS + 1; i++) {
        const struct ix_thread t = {i, i, i, "t", "main", "", 5, 0};
        assert_int_equal(ix_log_thread(client.log, &t), 0);
        entries[i - 1] = (struct ix_entry){i, RUNS, client.stack};
    }
    const struct ix_snapshot s = {.packet = 1, .entries = entries, .count = IXOR_WAITS_THREADS + 1};
    assert_int_equal(ix_log_snapshot(client.log, &s), 0);
    expect_none("too many threads");
}

/* ---- who talks to whom ---- */

static const char *party(const json_t *talk, const char *key)
{
    const json_t *p = json_object_get(talk, key);
    const char *address = json_string_value(json_object_get(p, "address"));
    assert_int_equal(json_is_null(json_object_get(p, "vm")), address != NULL);
    return address ? address : string(p, "role");
}

/* Each as "FROM > TO, connections, waiting" on a line. */
static void expect_talks(const char *want)
{
    struct ix_text t;
    size_t i;
    json_t *json = now(), *talk;
    assert_int_equal(ix_text_open(&t), 0);
    json_array_foreach(json_object_get(json, "talks"), i, talk)
    {
        fprintf(t.out, "%s > ", party(talk, "from"));
        fprintf(t.out, "%s, %lld, %lld\n", party(talk, "to"),
                (long long)json_integer_value(json_object_get(talk, "connections")),
                (long long)json_integer_value(json_object_get(talk, "waiting")));
    }
    char *text = ix_text_close(&t);
    assert_string_equal(text, want);
    free(text);
    json_decref(json);
}

static void connect_to(struct jvm *jvm, const char *local, const char *remote)
{
    const struct ix_connection end = {0, IX_CONNECTION_OPEN, local, remote};
    assert_int_equal(ix_log_connection(jvm->log, &end), 0);
}

/* A connection is counted once, at whichever packet; waiting is of this packet. */
static void a_client_talks_to_a_server(void **state)
{
    (void)state;
    begin(LONG_AGO);
    expect_talks("client > server, 1, 1\n");
    connect_to(&client, "10.0.0.1:4001", SERVER);
    take(&client, 2, LONG_AGO);
    connect_to(&server, SERVER, "10.0.0.1:4001");
    take(&server, 2, LONG_AGO);
    expect_talks("client > server, 2, 0\n");
    const struct ix_connection end = {0, IX_CONNECTION_CLOSED, "10.0.0.1:4001", SERVER};
    const struct ix_connection other = {0, IX_CONNECTION_CLOSED, SERVER, "10.0.0.1:4001"};
    assert_int_equal(ix_log_connection(client.log, &end), 0);
    assert_int_equal(ix_log_connection(server.log, &other), 0);
    ask_server(3, LONG_AGO);
    take(&server, 3, LONG_AGO);
    expect_talks("client > server, 1, 1\n");
}

/* The third talk leads to it. */
static void expect_role_of_base(const char *want)
{
    json_t *json = now();
    const json_t *talk = json_array_get(json_object_get(json, "talks"), 2);
    assert_string_equal(string(json_object_get(talk, "to"), "role"), want);
    json_decref(json);
}

/* Services by address and port, clients without the port. JVMs are asked whether they tell, and of
 * a new connection the client's log may not have the other end yet. */
static void others_are_outside(void **state)
{
    (void)state;
    const struct ix_connection listens = {0, IX_CONNECTION_LISTENS, "0.0.0.0:80", ""};
    begin(LONG_AGO);
    connect_to(&server, "10.0.0.2:4100", BASE);
    connect_to(&server, "10.0.0.2:4101", BASE);
    connect_to(&server, SERVER, "10.0.0.7:4100");
    connect_to(&server, SERVER, "10.0.0.7:4101");
    connect_to(&server, SERVER, "10.0.0.7:4102");
    assert_int_equal(ix_log_connection(server.log, &listens), 0);
    ask_server(2, LONG_AGO);
    take(&server, 2, LONG_AGO);
    expect_talks("client > server, 1, 1\n"
                 "10.0.0.7 > server, 3, 0\n"
                 "server > " BASE ", 2, 0\n");
    expect_role_of_base("(null)");
    for (uint64_t packet = 3; packet <= 20; packet++) {
        ask_server(packet, LONG_AGO);
        take(&server, packet, LONG_AGO);
    }
    expect_role_of_base("outside");
    struct jvm silent = add_jvm("silent", "works");
    ix_log_writer_close(silent.log);
    assert_int_equal(unlink(in_tempdir("silent.ixl")), 0);
    ask_server(21, LONG_AGO);
    take(&server, 21, LONG_AGO);
    expect_role_of_base("(null)"); /* it may be that one */
}

/* A server that writes waits for its client. */
static void a_writer_waits_in_the_other_direction(void **state)
{
    (void)state;
    const struct ix_connection listens = {0, IX_CONNECTION_LISTENS, "0.0.0.0:80", ""};
    const struct ix_wait wait = {1, IX_WAIT_WRITE, SERVER, CLIENT};
    begin(LONG_AGO);
    take(&client, 2, LONG_AGO);
    assert_int_equal(ix_log_connection(server.log, &listens), 0);
    assert_int_equal(ix_log_wait(server.log, &wait), 0);
    take(&server, 2, LONG_AGO);
    expect_talks("server > client, 0, 1\n"
                 "client > server, 1, 0\n");
}

static void the_most_important_talks(void **state)
{
    (void)state;
    begin(LONG_AGO);
    for (unsigned i = 0; i < IXOR_WAITS_TALKS + 4; i++) {
        char local[32], remote[32];
        snprintf(local, sizeof local, "10.0.0.1:%u", 5000 + i);
        snprintf(remote, sizeof remote, "10.1.0.%u:90", i);
        connect_to(&client, local, remote);
    }
    ask_server(2, LONG_AGO);
    take(&server, 2, LONG_AGO);
    json_t *json = now();
    const json_t *talks = json_object_get(json, "talks");
    assert_int_equal(json_array_size(talks), IXOR_WAITS_TALKS);
    assert_string_equal(party(json_array_get(talks, 0), "to"), "server");
    assert_int_equal(json_integer_value(json_object_get(json, "talks_left_out")), 5);
    json_decref(json);
}

/* ---- ixor top ---- */

/* What ixor top prints of it, without the blanks at the ends of lines. */
static void lines_of_top(void **state)
{
    (void)state;
    json_t *screen = NULL;
    struct ix_text t;
    begin(LONG_AGO);
    assert_int_equal(ixor_live_state(live, 0, &screen, &err), IXOR_FOUND);
    json_object_set_new(screen, "waits", now());
    assert_int_equal(ix_text_open(&t), 0);
    ixor_top_print(t.out, screen, 100, "|\n");
    char *text = ix_text_close(&t);
    assert_non_null(text);
    assert_non_null(strstr(text, "Who waits for whom at packet 1:|\n"
                                 "1 wait for server \"serves\": RUNNABLE "));
    assert_non_null(strstr(text, "\n  client \"asks\" -> server \"serves\" "));
    free(text);
    assert_int_equal(ix_text_open(&t), 0);
    ixor_top_print(t.out, screen, 6, "|\n"); /* no room: the JVMs come first */
    text = ix_text_close(&t);
    assert_null(strstr(text, "waits"));
    free(text);
    json_decref(screen);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_end_of_the_chain),
        TEST(who_is_slow_is_awaited),
        TEST(but_not_for_ever),
        TEST(one_that_comes_later),
        TEST(one_that_has_ended),
        TEST(logs_go_on_in_other_parts),
        TEST(deadlocks_are_named),
        TEST(what_is_not_shown),
        TEST(more_threads_than_are_looked_at),
        TEST(a_client_talks_to_a_server),
        TEST(others_are_outside),
        TEST(a_writer_waits_in_the_other_direction),
        TEST(the_most_important_talks),
        TEST(lines_of_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
