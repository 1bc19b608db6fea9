/* SPDX-License-Identifier: Apache-2.0 */
/* For whom threads wait: asked of real threads of this kernel, in calls on real sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "agent/base/clock.h"
#include "agent/record/connections.h"
#include "tests/support/tcp_pair.h"
#include "tests/support/tracelog_fixture.h"

#define KEY 77u /* Java's id of the thread that waits */
#define NATIVE (JVMTI_THREAD_STATE_RUNNABLE | JVMTI_THREAD_STATE_IN_NATIVE)

/* ---- threads ---- */

enum act { READ, POLL_IN, POLL_MANY, EPOLL, ACCEPT, SPIN };

static struct {
    pthread_t thread;
    _Atomic pid_t tid;
    _Atomic int done;
    enum act act;
    int fd;
} other;

static void act(void)
{
    char byte;
    struct pollfd polled[2] = {{.fd = other.fd, .events = POLLIN}, {.fd = -1}};
    struct epoll_event event = {.events = EPOLLIN};
    int fd;
    switch (other.act) {
    case READ:
        fd = (int)read(other.fd, &byte, 1);
        break;
    case POLL_IN:
    case POLL_MANY:
        fd = poll(polled, other.act == POLL_IN ? 1 : 2, -1);
        break;
    case EPOLL:
        fd = epoll_create1(0);
        epoll_ctl(fd, EPOLL_CTL_ADD, other.fd, &event);
        epoll_wait(fd, &event, 1, -1);
        close(fd);
        break;
    case ACCEPT:
        close(accept(other.fd, NULL, NULL));
        break;
    case SPIN:
        while (!other.done)
            sched_yield();
    }
}

static void *run(void *unused)
{
    other.tid = gettid();
    act();
    return unused;
}

static struct {
    struct ixa_starts starts;
    struct ixa_connections connections;
    struct ixa_threads threads;
    struct ix_log_writer *log;
    int fd;
    uint64_t packet;
} world = {.starts = IXA_STARTS_NONE};

/* Only the log's number of a thread is asked for. */
uint32_t __wrap_ixa_threads_find(const struct ixa_threads *t, uint64_t key);
uint32_t __wrap_ixa_threads_find(const struct ixa_threads *t, uint64_t key)
{
    (void)t;
    return key == KEY ? 1 : 0;
}

static void begin(enum act what, int fd)
{
    const struct ix_thread thread = {1, 1, KEY, "t", "", "", 5, 0};
    other.act = what;
    other.fd = fd;
    other.tid = 0;
    other.done = 0;
    assert_int_equal(pthread_create(&other.thread, NULL, run, NULL), 0);
    while (!other.tid)
        sched_yield();
    ixa_starts_add(&world.starts, KEY, (uint32_t)other.tid);
    assert_int_equal(ixa_connections_start(&world.connections, &world.starts), 0);
    world.log = memory_writer(&world.fd);
    world.packet = 0;
    assert_int_equal(ix_log_thread(world.log, &thread), 0);
}

/* A packet, with the thread in native code. */
static void packet_with(void (*between)(void))
{
    const struct ix_snapshot s = {.packet = ++world.packet};
    usleep(1000); /* as between two packets: this thread's own count grows */
    ixa_connections_begin(&world.connections);
    ixa_connections_see(&world.connections, KEY, NATIVE, false);
    if (between)
        between();
    assert_int_equal(ixa_connections_write(&world.connections, &world.threads, world.log), 0);
    assert_int_equal(ix_log_snapshot(world.log, &s), 0);
}

static void until_asleep(void)
{
    struct ixa_schedule s;
    struct ixa_watch w;
    ixa_schedule_init(&s, IXA_SHARE_WALK);
    if (ixa_watch_open(&s, &w, other.tid)) {
        while (!ixa_watch_asleep(&w))
            sched_yield();
        ixa_watch_close(&s, &w);
    }
    ixa_schedule_free(&s);
}

static bool kernel_tells(void)
{
    struct ixa_schedule s;
    struct ixa_watch w;
    ixa_schedule_init(&s, IXA_SHARE_WALK);
    const bool tells = ixa_watch_open(&s, &w, gettid()) && ixa_watch_count(&w);
    ixa_watch_close(&s, &w);
    ixa_schedule_free(&s);
    return tells;
}

/* The log so far; the caller closes it, and frees the bytes. */
static struct ix_log_reader *read_log(struct ix_out *bytes)
{
    *bytes = finish(world.log, world.fd);
    return read_bytes(bytes);
}

static void end(void)
{
    pthread_join(other.thread, NULL);
    ixa_connections_stop(&world.connections);
    ixa_connections_stop(&world.connections);
    ixa_starts_reset(&world.starts, false);
}

static struct ix_connections at_packet(struct ix_log_reader *r, uint64_t packet)
{
    while (next_snapshot(r).packet != packet)
        continue;
    return ix_log_facts(r).connections;
}

/* The address of one end, as the log should have it. */
static void local_of(int fd, char text[IXA_ADDRESS_TEXT])
{
    struct ixa_ends ends;
    assert_true(ixa_ends_of(fd, &ends));
    ixa_address_text(&ends.local, text);
}

static void waits_are_found(enum act what, int family)
{
    if (!kernel_tells())
        skip();
    struct tcp_pair p = tcp_pair_connect(family);
    struct ix_out bytes;
    char client[IXA_ADDRESS_TEXT], server[IXA_ADDRESS_TEXT], listens[IXA_ADDRESS_TEXT];
    const bool one = what == READ || what == POLL_IN;
    local_of(p.client, client);
    local_of(p.server, server);
    local_of(p.listens, listens);
    begin(what, what == ACCEPT ? p.listens : p.client);
    until_asleep();
    for (int i = 0; i < 4; i++)
        packet_with(NULL);
    struct ix_log_reader *r = read_log(&bytes);
    const struct ix_connections c = at_packet(r, 4);
    assert_int_equal(c.flags, 0);
    assert_int_equal(c.wait_count, 1);
    assert_int_equal(c.waits[0].thread, 1);
    assert_int_equal(c.waits[0].kind, one              ? IX_WAIT_READ
                                      : what == ACCEPT ? IX_WAIT_ACCEPT
                                                       : IX_WAIT_POLL);
    assert_string_equal(c.waits[0].local, one ? client : what == ACCEPT ? listens : "");
    assert_string_equal(c.waits[0].remote, one ? server : "");
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    if (what == ACCEPT) {
        const int second = socket(family, SOCK_STREAM, 0);
        struct sockaddr_storage room;
        socklen_t len = sizeof room;
        getsockname(p.listens, (struct sockaddr *)&room, &len);
        assert_int_equal(connect(second, (struct sockaddr *)&room, len), 0);
        end();
        close(second);
    } else {
        assert_int_equal(write(p.server, "x", 1), 1);
        end();
    }
    tcp_pair_close(&p);
}

static void a_read(void **state)
{
    (void)state;
    waits_are_found(READ, AF_INET);
    waits_are_found(READ, AF_INET6);
}

static void a_poll_of_one(void **state)
{
    (void)state;
    waits_are_found(POLL_IN, AF_INET);
}

static void of_several_none_is_named(void **state)
{
    (void)state;
    waits_are_found(POLL_MANY, AF_INET);
    waits_are_found(EPOLL, AF_INET6);
}

static void an_accept(void **state)
{
    (void)state;
    waits_are_found(ACCEPT, AF_INET);
}

static void a_thread_that_runs_waits_for_nothing(void **state)
{
    (void)state;
    struct ix_out bytes;
    if (!kernel_tells())
        skip();
    begin(SPIN, -1);
    for (int i = 0; i < 4; i++)
        packet_with(NULL);
    struct ix_log_reader *r = read_log(&bytes);
    for (uint64_t i = 1; i <= 4; i++)
        assert_int_equal(at_packet(r, i).wait_count, 0);
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    other.done = 1;
    end();
}

static struct tcp_pair between_pair;

/* The thread's wait is over, and its descriptor is another's. */
static void answer_and_reuse(void)
{
    assert_int_equal(write(between_pair.server, "x", 1), 1);
    pthread_join(other.thread, NULL);
    close(between_pair.client);
    const struct tcp_pair next = tcp_pair_connect(AF_INET);
    assert_true(next.listens == between_pair.client || next.client == between_pair.client);
    assert_int_equal(pthread_create(&other.thread, NULL, run, NULL), 0);
}

static void what_ends_during_the_look_is_left_out(void **state)
{
    (void)state;
    struct ix_out bytes;
    if (!kernel_tells())
        skip();
    between_pair = tcp_pair_connect(AF_INET);
    begin(READ, between_pair.client);
    until_asleep();
    packet_with(NULL); /* the thread is watched from here on */
    other.act = SPIN;
    packet_with(answer_and_reuse);
    struct ix_log_reader *r = read_log(&bytes);
    assert_int_equal(at_packet(r, 2).wait_count, 0);
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    other.done = 1;
    end();
    close(between_pair.server);
    close(between_pair.listens);
}

static void known_waits_end(void **state)
{
    (void)state;
    struct ix_out bytes;
    if (!kernel_tells())
        skip();
    between_pair = tcp_pair_connect(AF_INET);
    begin(READ, between_pair.client);
    until_asleep();
    for (int i = 0; i < 3; i++)
        packet_with(NULL);
    other.act = SPIN;
    packet_with(answer_and_reuse);
    struct ix_log_reader *r = read_log(&bytes);
    assert_int_equal(at_packet(r, 3).wait_count, 1);
    assert_int_equal(at_packet(r, 4).wait_count, 0);
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    other.done = 1;
    end();
    close(between_pair.server);
    close(between_pair.listens);
}

/* In as many packets all descriptors have been looked at, some in each. */
enum { ROUND = 16 };

static void packets(void)
{
    for (int i = 0; i < ROUND; i++)
        packet_with(NULL);
}

/* The changes of the socket with this local address: for each round, in which state it then is, and
 * the thread's number, as in "+0 +1 -0"; listening is "l". */
static void expect_changes(const struct ix_out *bytes, const char *local, const char *want)
{
    static const char states[] = {'-', '+', 'l'};
    struct ix_log_reader *r = read_bytes(bytes);
    char text[64] = "";
    for (uint64_t i = 0; i < world.packet; i++) {
        next_snapshot(r);
        const struct ix_connections c = ix_log_facts(r).connections;
        for (size_t k = 0; k < c.change_count; k++)
            if (strcmp(c.changes[k].local, local) == 0)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%d%c%u ",
                         (int)(i / ROUND), states[c.changes[k].state], c.changes[k].thread);
    }
    assert_string_equal(text, want);
    ix_log_reader_close(r);
}

static void sockets_come_and_go(void **state)
{
    (void)state;
    char client[IXA_ADDRESS_TEXT], seen[IXA_ADDRESS_TEXT];
    begin(SPIN, -1);
    struct tcp_pair p = tcp_pair_connect(AF_INET6), q = tcp_pair_connect(AF_INET);
    local_of(p.client, client);
    local_of(q.client, seen);
    packets();
    ixa_sockets_seen(&world.connections.sockets, q.client, KEY);
    packets();
    ixa_connections_forget(&world.connections); /* a new part begins */
    packets();
    tcp_pair_close(&p);
    tcp_pair_close(&q);
    packets();
    struct ix_out bytes = finish(world.log, world.fd);
    expect_changes(&bytes, client, "0+0 2+0 3-0 ");
    expect_changes(&bytes, seen, "0+0 1+1 2+1 3-0 ");
    ix_out_free(&bytes);
    other.done = 1;
    end();
}

/* One that its other end has reset has no remote end, although the descriptor is open. */
static void a_reset_connection_is_closed(void **state)
{
    (void)state;
    char client[IXA_ADDRESS_TEXT];
    const struct linger at_once = {.l_onoff = 1};
    begin(SPIN, -1);
    struct tcp_pair p = tcp_pair_connect(AF_INET);
    local_of(p.client, client);
    packets();
    assert_int_equal(setsockopt(p.server, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(p.server);
    p.server = open("/dev/null", O_RDONLY);
    packets();
    packets();
    struct ix_out bytes = finish(world.log, world.fd);
    expect_changes(&bytes, client, "0+0 1-0 ");
    ix_out_free(&bytes);
    tcp_pair_close(&p);
    other.done = 1;
    end();
}

/* While nothing changes, fewer descriptors are looked at; a change ends that. */
static void a_calm_process_is_looked_at_less(void **state)
{
    (void)state;
    begin(SPIN, -1);
    struct ixa_sockets *s = &world.connections.sockets;
    struct tcp_pair p = tcp_pair_connect(AF_INET);
    packets();
    assert_true(s->begun && s->calm);
    while (s->next != 0)
        packet_with(NULL);
    packet_with(NULL);
    assert_int_equal(s->next, 8);
    struct tcp_pair q = tcp_pair_connect(AF_INET);
    int n = 0;
    for (packet_with(NULL); s->calm; packet_with(NULL))
        assert_in_range(++n, 0, ROUND);
    tcp_pair_close(&p);
    tcp_pair_close(&q);
    struct ix_out bytes = finish(world.log, world.fd);
    ix_out_free(&bytes);
    other.done = 1;
    end();
}

/* Connections that another thread makes and closes during the looks, all with the same few
 * descriptors, and their addresses: "local remote". */
#define CHURNED 12288
static struct {
    char ends[CHURNED][2 * IXA_ADDRESS_TEXT];
    size_t count;
    _Atomic int done;
} churn;

static void note(int fd)
{
    struct ixa_ends ends;
    char local[IXA_ADDRESS_TEXT], remote[IXA_ADDRESS_TEXT];
    if (!ixa_ends_of(fd, &ends))
        return;
    snprintf(churn.ends[churn.count++], sizeof churn.ends[0], "%s %s",
             ixa_address_text(&ends.local, local), ixa_address_text(&ends.remote, remote));
}

static void *make_and_close(void *unused)
{
    while (!churn.done && churn.count + 3 < CHURNED) {
        const struct tcp_pair p = tcp_pair_connect(churn.count % 2 ? AF_INET6 : AF_INET);
        note(p.listens);
        note(p.client);
        note(p.server);
        tcp_pair_close(&p);
    }
    churn.done = 1;
    return unused;
}

static bool was_made(const struct ix_connection *change)
{
    char ends[2 * IXA_ADDRESS_TEXT];
    snprintf(ends, sizeof ends, "%s %s", change->local, change->remote);
    for (size_t i = 0; i < churn.count; i++)
        if (strcmp(churn.ends[i], ends) == 0)
            return true;
    return false;
}

/* No end is told that is made up of two connections that had the descriptor one after the other. */
static void what_changes_during_the_look_was_there(void **state)
{
    (void)state;
    struct ix_out bytes;
    pthread_t maker;
    size_t told = 0;
    churn.count = 0;
    churn.done = 0;
    for (int fd = 0; fd < 64; fd++)
        note(fd); /* what other tests, or who has started this one, left open */
    begin(SPIN, -1);
    assert_int_equal(pthread_create(&maker, NULL, make_and_close, NULL), 0);
    while (!churn.done && world.packet < 1000)
        packet_with(NULL);
    churn.done = 1;
    pthread_join(maker, NULL);
    struct ix_log_reader *r = read_log(&bytes);
    for (uint64_t i = 0; i < world.packet; i++) {
        next_snapshot(r);
        const struct ix_connections c = ix_log_facts(r).connections;
        for (size_t k = 0; k < c.change_count; k++, told++)
            assert_true(was_made(&c.changes[k]));
    }
    assert_true(told > 0);
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    other.done = 1;
    end();
}

/* The first packet whose connections do not say that some were left out; 0: there is none. */
static uint64_t first_complete(const struct ix_out *bytes)
{
    struct ix_log_reader *r = read_bytes(bytes);
    uint64_t found = 0;
    for (uint64_t i = 1; i <= world.packet && !found; i++)
        if (!(at_packet(r, i).flags & IX_CONNECTIONS_PARTIAL))
            found = i;
    ix_log_reader_close(r);
    return found;
}

/* 16 descriptors for each packet: those of a process that has hundreds when the agent first looks
 * are known after one turn, and until then the log says that some were left out. */
static void hundreds_are_known_after_one_turn(void **state)
{
    (void)state;
    enum { FILES = 320, PACKETS = FILES / 16 + 4 };
    static int files[FILES];
    char client[IXA_ADDRESS_TEXT];
    bool told = false;
    for (int i = 0; i < FILES; i++)
        assert_true((files[i] = open("/dev/null", O_RDONLY)) >= 0);
    struct tcp_pair p = tcp_pair_connect(AF_INET);
    local_of(p.client, client);
    begin(SPIN, -1);
    for (int i = 0; i < PACKETS; i++)
        packet_with(NULL);
    struct ix_out bytes = finish(world.log, world.fd);
    const uint64_t complete = first_complete(&bytes);
    assert_in_range(complete, FILES / 16, PACKETS);
    struct ix_log_reader *r = read_bytes(&bytes);
    for (uint64_t i = 1; i <= complete; i++) {
        const struct ix_connections c = at_packet(r, i);
        for (size_t k = 0; k < c.change_count; k++)
            told = told || strcmp(c.changes[k].local, client) == 0;
    }
    assert_true(told);
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    other.done = 1;
    end();
    tcp_pair_close(&p);
    for (int i = 0; i < FILES; i++)
        close(files[i]);
}

/* False if the process may not open so many files. */
static bool may_open(rlim_t files)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur >= files)
        return true;
    limit.rlim_cur = files;
    return limit.rlim_max >= files && setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* Of 5,000 connections those with low numbers are told, a few with each packet, and it is said that
 * there are more. */
static void thousands_are_too_many(void **state)
{
    (void)state;
    enum { PAIRS = 2500, KNOWN = 1024, AT_ONCE = 64, PACKETS = 600 };
    static struct tcp_pair pairs[PAIRS];
    size_t told = 0;
    if (!may_open(3 * PAIRS + 100))
        skip();
    churn.count = 0;
    for (int fd = 0; fd < 100; fd++)
        note(fd); /* what the process has anyway */
    for (size_t i = 0; i < PAIRS; i++) {
        pairs[i] = tcp_pair_connect(AF_INET);
        note(pairs[i].listens);
        note(pairs[i].client);
        note(pairs[i].server);
    }
    begin(SPIN, -1);
    for (int i = 0; i < PACKETS; i++)
        packet_with(NULL);
    struct ix_out bytes = finish(world.log, world.fd);
    struct ix_log_reader *r = read_bytes(&bytes);
    for (uint64_t i = 1; i <= PACKETS; i++) {
        const struct ix_connections c = at_packet(r, i);
        assert_true(c.flags & IX_CONNECTIONS_PARTIAL);
        assert_true(c.change_count <= AT_ONCE);
        for (size_t k = 0; k < c.change_count; k++)
            assert_true(was_made(&c.changes[k]));
        told += c.change_count;
    }
    assert_int_equal(told, KNOWN);
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    other.done = 1;
    end();
    for (size_t i = 0; i < PAIRS; i++)
        tcp_pair_close(&pairs[i]);
}

/* The agent's connection to its server, and a descriptor that it gives up. */
static void the_agents_own_is_left_out(void **state)
{
    (void)state;
    char client[IXA_ADDRESS_TEXT];
    begin(SPIN, -1);
    struct tcp_pair p = tcp_pair_connect(AF_INET);
    local_of(p.client, client);
    world.connections.sockets.own = p.client + 1;
    packets();
    world.connections.sockets.own = 0;
    packets();
    world.connections.sockets.own = p.client + 1;
    packets();
    tcp_pair_close(&p);
    struct ix_out bytes = finish(world.log, world.fd);
    expect_changes(&bytes, client, "1+0 2-0 ");
    ix_out_free(&bytes);
    other.done = 1;
    end();
}

/* A kernel, or a container, that tells nothing. */
static void a_hidden_kernel_is_said(void **state)
{
    (void)state;
    struct ix_out bytes;
    begin(SPIN, -1);
    ixa_watch_close(&world.connections.sleepers.schedule, &world.connections.sleepers.self);
    world.connections.sleepers.self_count = 0; /* as if it could not be read from the beginning */
    packet_with(NULL);
    struct ix_log_reader *r = read_log(&bytes);
    const struct ix_connections c = at_packet(r, 1);
    assert_int_equal(c.flags & IX_CONNECTIONS_HIDDEN, IX_CONNECTIONS_HIDDEN);
    assert_int_equal(c.wait_count, 0);
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    other.done = 1;
    end();
}

static int looks;

static void look_in_vain(void *connections, size_t place)
{
    (void)connections;
    (void)place;
    looks++;
}

/* A thread that runs all the time is looked at less often. */
static void looks_in_vain_become_rare(void **state)
{
    (void)state;
    static const int looked_at[] = {1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct ixa_sleepers *s = &world.connections.sleepers;
    size_t place = IXA_NO_PLACE;
    begin(SPIN, -1);
    for (int i = 0; place == IXA_NO_PLACE && i < 8 && kernel_tells(); i++) {
        usleep(1000);
        ixa_sleepers_begin(s, look_in_vain, NULL);
        place = ixa_sleepers_see(s, KEY, false);
    }
    for (size_t i = 0; place != IXA_NO_PLACE && i < sizeof looked_at / sizeof *looked_at; i++) {
        looks = 0;
        ixa_sleepers_begin(s, look_in_vain, NULL);
        assert_int_equal(ixa_sleepers_see(s, KEY, false), place);
        assert_int_equal(looks, looked_at[i]);
    }
    other.done = 1;
    struct ix_out bytes = finish(world.log, world.fd);
    ix_out_free(&bytes);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read),
        cmocka_unit_test(a_poll_of_one),
        cmocka_unit_test(of_several_none_is_named),
        cmocka_unit_test(an_accept),
        cmocka_unit_test(a_thread_that_runs_waits_for_nothing),
        cmocka_unit_test(what_ends_during_the_look_is_left_out),
        cmocka_unit_test(known_waits_end),
        cmocka_unit_test(sockets_come_and_go),
        cmocka_unit_test(a_reset_connection_is_closed),
        cmocka_unit_test(a_calm_process_is_looked_at_less),
        cmocka_unit_test(what_changes_during_the_look_was_there),
        cmocka_unit_test(hundreds_are_known_after_one_turn),
        cmocka_unit_test(thousands_are_too_many),
        cmocka_unit_test(the_agents_own_is_left_out),
        cmocka_unit_test(a_hidden_kernel_is_said),
        cmocka_unit_test(looks_in_vain_become_rare),
    };
    /* On a busy machine this thread may wait for a processor for longer than a packet may take. So
     * the clock by which that is limited hardly moves here. */
    ixa_clock_set_shift(0, -999000000);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
