/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for whom in runs whose logs a test writes: which thread serves a connection, or owns a
 * lock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "tests/support/tempdir.h"
#include "tests/support/waits_fixture.h"

static void the_last_one_seen_serves(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_of_server(THERE, HERE);
    thread("other");
    waits(server, thread("serves"), IX_WAIT_READ, THERE, HERE);
    packet();
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    packet();
    expect_waits("  server \"serves\": RUNNABLE, waited for by 1 thread\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

static void it_has_gone_over_to_another(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_of_server(THERE, HERE);
    thread("other");
    waits(server, thread("serves"), IX_WAIT_READ, THERE, HERE);
    packet();
    waits(world.logs[0], 1, IX_WAIT_READ, HERE, THERE);
    waits(server, 2, IX_WAIT_READ, THERE, "10.0.0.9:4000");
    waits(server, 1, IX_WAIT_POLL, "", "");
    packet();
    expect_waits("  server: thread not known, waited for by 1 thread\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
}

/* A lost reply: the server reads the next request. */
static void a_server_does_not_wait_for_its_client(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_of_server(THERE, HERE);
    waits(server, thread("serves"), IX_WAIT_READ, THERE, HERE);
    packet();
    expect_waits("  server \"serves\": in read (read 10.0.0.2:80 -> 10.0.0.1:4000), "
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
    expect_waits("");
}

static void the_only_one_that_can_serves(void **state)
{
    (void)state;
    struct ix_log_writer *server = client_of_server(THERE, HERE);
    thread_in("Cleaner", "InnocuousThreadGroup", RUNS, "jdk.Cleaner", "run");
    thread_in("idle", "main", PARKS, "java.util.concurrent.ThreadPoolExecutor", "getTask");
    const uint32_t main = thread_in("main", "main", RUNS, "java.lang.Thread", "join");
    const uint32_t serves = thread("serves");
    assert_int_equal(ix_log_join(server, &(struct ix_join){main, serves}), 0);
    packet();
    expect_waits("  server \"serves\": RUNNABLE, waited for by 2 threads\n"
                 "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n"
                 "    <- server \"main\": join\n");
}

/* Of two, of one beside a loop over descriptors, of one beside carriers of virtual threads, of one
 * beside a thread that accepts, none is the only one. */
static void otherwise_it_is_not_known(void **state)
{
    (void)state;
    for (int with = 0; with < 4; with++) {
        struct ix_log_writer *server = client_of_server(THERE, HERE);
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
        expect_waits("  server: thread not known, waited for by 1 thread\n"
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
        struct ix_log_writer *server = client_of_server(THERE, HERE);
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
        expect_waits(want);
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
        struct ix_log_writer *server = client_of_server(THERE, HERE);
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
        expect_waits("  server: thread not known, waited for by 1 thread\n"
                     "    <- client \"asks\": read 10.0.0.1:4000 -> 10.0.0.2:80\n");
        assert_int_equal(tempdir_remove(state), 0);
        assert_int_equal(tempdir_make(state), 0);
    }
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
    expect_waits("  deadlock of several JVMs, waited for by 3 threads:\n"
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
    expect_waits(
        "  deadlock, waited for by 1 thread:\n"
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
    expect_waits("  one \"parks\": WAITING (parked) (future java.util.concurrent.FutureTask), "
                 "waited for by 1 thread\n"
                 "    <- one \"main\": join\n");
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(the_last_one_seen_serves),
        IN_TEMPDIR(it_has_gone_over_to_another),
        IN_TEMPDIR(a_server_does_not_wait_for_its_client),
        IN_TEMPDIR(of_two_that_read_none_is_blamed),
        IN_TEMPDIR(the_only_one_that_can_serves),
        IN_TEMPDIR(otherwise_it_is_not_known),
        IN_TEMPDIR(the_acceptor_serves_its_only_connection),
        IN_TEMPDIR(an_acceptor_passes_on),
        IN_TEMPDIR(deadlocks_go_through_jvms),
        IN_TEMPDIR(locks_have_owners),
        IN_TEMPDIR(parked_threads_name_a_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
