/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of threads' names: a corpus of names as well-known programs print them, each with the
 * template that a person would write; the order of runs, added runs, strange names, speed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/campaign/templates.h"

/* A name as it is in the first run and, unless NULL, in the second. ~ in it counts from 1 to 12 in
 * both, and ^ is a number that is another one in each run. */
static const struct {
    const char *first, *second, *want;
} corpus[] = {
    /* JDK */
    {"main", NULL, "main"},
    {"Reference Handler", NULL, "Reference Handler"},
    {"Common-Cleaner", NULL, "Common-Cleaner"},
    {"process reaper (pid ^)", NULL, "process reaper (pid *)"},
    {"Thread-~", NULL, "Thread-*"},
    {"Timer-0", NULL, "Timer-0"},
    {"pool-~-thread-~", NULL, "pool-*-thread-*"},
    {"ForkJoinPool.commonPool-worker-~", NULL, "ForkJoinPool.commonPool-worker-*"},
    {"ForkJoinPool-1-worker-~", NULL, "ForkJoinPool-1-worker-*"},
    {"HttpClient-^-SelectorManager", NULL, "HttpClient-*-SelectorManager"},
    {"RMI TCP Connection(~)-10.0.0.1", NULL, "RMI TCP Connection(*)-*"},
    {"RMI TCP Connection(idle)", NULL, "RMI TCP Connection(idle)"},
    {"RMI TCP Accept-0", NULL, "RMI TCP Accept-0"},
    {"RMI RenewClean-[127.0.0.1:^,a.Factory@1c2f3a]",
     "RMI RenewClean-[127.0.0.1:^,a.Factory@9d0ee5]", "RMI RenewClean-[*,a.Factory@*]"},
    {"VirtualThread-unparker", NULL, "VirtualThread-unparker"},
    /* Kafka */
    {"data-plane-kafka-request-handler-~", NULL, "data-plane-kafka-request-handler-*"},
    {"data-plane-kafka-network-thread-0-ListenerName(PLAINTEXT)-PLAINTEXT-~", NULL,
     "data-plane-kafka-network-thread-0-ListenerName(PLAINTEXT)-PLAINTEXT-*"},
    {"data-plane-kafka-socket-acceptor-ListenerName(PLAINTEXT)-PLAINTEXT-^", NULL,
     "data-plane-kafka-socket-acceptor-ListenerName(PLAINTEXT)-PLAINTEXT-*"},
    {"kafka-log-cleaner-thread-0", NULL, "kafka-log-cleaner-thread-0"},
    {"kafka-coordinator-heartbeat-thread | group-1", NULL,
     "kafka-coordinator-heartbeat-thread | group-1"},
    {"kafka-producer-network-thread | producer-~", NULL,
     "kafka-producer-network-thread | producer-*"},
    {"ExpirationReaper-1-Fetch", NULL, "ExpirationReaper-1-Fetch"},
    {"ExpirationReaper-1-Produce", NULL, "ExpirationReaper-1-Produce"},
    {"ReplicaFetcherThread-0-^", NULL, "ReplicaFetcherThread-0-*"},
    {"executor-Rebalance", NULL, "executor-Rebalance"},
    /* OpenSearch */
    {"opensearch[node_t0][flush][T#~]", NULL, "opensearch[node_t0][flush][T#*]"},
    {"opensearch[node_t0][search][T#~]", NULL, "opensearch[node_t0][search][T#*]"},
    {"opensearch[node_t0][clusterApplierService#updateTask][T#~]", NULL,
     "opensearch[node_t0][clusterApplierService#updateTask][T#*]"},
    {"opensearch[node_t0][scheduler][T#1]", NULL, "opensearch[node_t0][scheduler][T#1]"},
    {"SUITE-RestIT-seed#[6A3B0CE8F4D2917]", "SUITE-RestIT-seed#[1F0D3C5B7A9E824]",
     "SUITE-RestIT-seed#[*]"},
    /* Pulsar */
    {"pulsar-io-4-~", NULL, "pulsar-io-4-*"},
    {"pulsar-web-38-~", NULL, "pulsar-web-38-*"},
    {"pulsar-client-io-^-~", NULL, "pulsar-client-io-*-*"},
    {"broker-topic-workers-OrderedExecutor-~-0", NULL, "broker-topic-workers-OrderedExecutor-*-0"},
    {"bookkeeper-ml-scheduler-OrderedScheduler-0-0", NULL,
     "bookkeeper-ml-scheduler-OrderedScheduler-0-0"},
    {"metadata-store-9-1", NULL, "metadata-store-9-1"},
    /* Zeebe */
    {"Broker-0-zb-actors-~", NULL, "Broker-0-zb-actors-*"},
    {"Broker-0-zb-fs-workers-~", NULL, "Broker-0-zb-fs-workers-*"},
    {"raft-server-0-raft-partition-partition-1", NULL, "raft-server-0-raft-partition-partition-1"},
    {"atomix-cluster-heartbeat-sender", NULL, "atomix-cluster-heartbeat-sender"},
    {"netty-messaging-event-epoll-server-~", NULL, "netty-messaging-event-epoll-server-*"},
    /* Cassandra */
    {"MutationStage-~", NULL, "MutationStage-*"},
    {"ReadStage-~", NULL, "ReadStage-*"},
    {"Native-Transport-Requests-~", NULL, "Native-Transport-Requests-*"},
    {"MemtableFlushWriter:~", NULL, "MemtableFlushWriter:*"},
    {"CompactionExecutor:~", NULL, "CompactionExecutor:*"},
    {"GossipStage:1", NULL, "GossipStage:1"},
    {"Messaging-EventLoop-3-~", NULL, "Messaging-EventLoop-3-*"},
    {"cluster1-nio-worker-~", NULL, "cluster1-nio-worker-*"},
    {"MessagingService-Outgoing-/10.1.2.3-Gossip", "MessagingService-Outgoing-/10.1.2.9-Gossip",
     "MessagingService-Outgoing-/*-Gossip"},
    /* Netty, gRPC, Vert.x, Reactor, OkHttp */
    {"nioEventLoopGroup-^-~", NULL, "nioEventLoopGroup-*-*"},
    {"grpc-default-executor-~", NULL, "grpc-default-executor-*"},
    {"grpc-default-worker-ELG-1-~", NULL, "grpc-default-worker-ELG-1-*"},
    {"grpc-nio-boss-ELG-1-1", NULL, "grpc-nio-boss-ELG-1-1"},
    {"vert.x-eventloop-thread-~", NULL, "vert.x-eventloop-thread-*"},
    {"reactor-http-epoll-~", NULL, "reactor-http-epoll-*"},
    {"OkHttp TaskRunner", NULL, "OkHttp TaskRunner"},
    {"OkHttp http://localhost:^/...", NULL, "OkHttp http://localhost:*/..."},
    /* Tomcat */
    {"http-nio-8080-exec-~", NULL, "http-nio-8080-exec-*"},
    {"http-nio-8080-Poller", NULL, "http-nio-8080-Poller"},
    {"http-nio-8080-Acceptor", NULL, "http-nio-8080-Acceptor"},
    {"https-jsse-nio-8443-exec-~", NULL, "https-jsse-nio-8443-exec-*"},
    {"Catalina-utility-~", NULL, "Catalina-utility-*"},
    {"container-0", NULL, "container-0"},
    {"ajp-nio-127.0.0.1-8009-exec-~", NULL, "ajp-nio-*-8009-exec-*"},
    /* Jetty */
    {"qtp1579572132-~", "qtp987654321-~", "qtp*-*"},
    {"qtp1579572132-~-acceptor-0@7f3c1a2b-ServerConnector@5a4041cc{HTTP/1.1}{0.0.0.0:8080}",
     "qtp987654321-~-acceptor-0@12f40c25-ServerConnector@1ed4004b{HTTP/1.1}{0.0.0.0:8080}",
     "qtp*-*-acceptor-0@*-ServerConnector@*{HTTP/1.1}{*}"},
    {"Scheduler-1849433705-1", "Scheduler-290658609-1", "Scheduler-*-1"},
    {"Session-HouseKeeper-5d099f62-1", "Session-HouseKeeper-37574691-1", "Session-HouseKeeper-*-1"},
    /* Akka */
    {"shop-akka.actor.default-dispatcher-~", NULL, "shop-akka.actor.default-dispatcher-*"},
    {"shop-akka.actor.internal-dispatcher-~", NULL, "shop-akka.actor.internal-dispatcher-*"},
    {"shop-scheduler-1", NULL, "shop-scheduler-1"},
    /* JUnit, Surefire, Gradle */
    {"junit-jupiter-timeout-watcher", NULL, "junit-jupiter-timeout-watcher"},
    {"junit-timeout-thread-~", NULL, "junit-timeout-thread-*"},
    {"surefire-forkedjvm-command-thread", NULL, "surefire-forkedjvm-command-thread"},
    {"surefire-forkedjvm-ping-30s", NULL, "surefire-forkedjvm-ping-30s"},
    {"Test worker", NULL, "Test worker"},
    {"/127.0.0.1:^ to /127.0.0.1:^ workers Thread ~", NULL, "/* to /* workers Thread *"},
    {"Daemon Thread ~", NULL, "Daemon Thread *"},
    {"File lock request listener", NULL, "File lock request listener"},
    {"Execution worker Thread ~", NULL, "Execution worker Thread *"},
    /* what a program says */
    {"Delivery-Client A", NULL, "Delivery-Client A"},
    {"Delivery-Client B", NULL, "Delivery-Client B"},
    {"550e8400-e29b-41d4-a716-446655440000 reader", "6ba7b810-9dad-11d1-80b4-00c04fd430c8 reader",
     "* reader"},
    {"Session 0x1000d0b8f3a0001", "Session 0x1000d0b8f3a0009", "Session *"},
    {"to /0:0:0:0:0:0:0:1:2181", "to /0:0:0:0:0:0:0:1:2181", "to /*:2181"},
    {"update to 1.2.3", NULL, "update to 1.2.3"},
    {"at 12:30 today", NULL, "at 12:30 today"},
    {"deadbeef", NULL, "deadbeef"},
    {"user@abc", NULL, "user@abc"},
    {"back\\slash", NULL, "back\\slash"},
    {" leading and trailing ", NULL, " leading and trailing "},
    {"\xc3\xa9t\xc3\xa9-~", NULL, "\xc3\xa9t\xc3\xa9-*"},
    {"", NULL, ""},
    {"-", NULL, "-"},
};

static struct roxi_templates *learner(void)
{
    struct roxi_templates *t = roxi_templates_new();
    assert_non_null(t);
    return t;
}

static void assert_template(const struct roxi_templates *t, const char *name, const char *want)
{
    struct ix_out out = {0};
    struct ix_span node;
    assert_int_equal(roxi_templates_apply(t, name, NULL, &out, &node), 0);
    assert_string_equal((const char *)out.data, want);
    ix_out_free(&out);
}

static void add(struct roxi_templates *t, const char *name)
{
    assert_int_equal(roxi_templates_add(t, name, NULL), 0);
}

static void end_run(struct roxi_templates *t, unsigned run)
{
    assert_int_equal(roxi_templates_end_run(t, run), 0);
}

/* ---- the corpus ---- */

enum { POOL = 12, NAME_BYTES = 256 };

static void write_name(char *name, const char *pattern, unsigned run, unsigned thread)
{
    size_t len = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '~')
            len += (size_t)snprintf(name + len, NAME_BYTES - len, "%u", thread);
        else if (*pattern == '^')
            len += (size_t)snprintf(name + len, NAME_BYTES - len, "%u", 41230 + 7 * run);
        else
            name[len++] = *pattern;
    }
    name[len] = '\0';
}

static const char *pattern_of(size_t row, unsigned run)
{
    return run && corpus[row].second ? corpus[row].second : corpus[row].first;
}

static void test_corpus(void **state)
{
    (void)state;
    const size_t rows = sizeof corpus / sizeof corpus[0];
    struct roxi_templates *t = learner();
    char name[NAME_BYTES];
    for (unsigned run = 0; run < 2; run++) {
        for (size_t i = 0; i < rows; i++)
            for (unsigned thread = 1; thread <= POOL; thread++) {
                write_name(name, pattern_of(i, run), run, thread);
                add(t, name);
            }
        end_run(t, run);
    }
    assert_int_equal(roxi_templates_learn(t), 0);
    for (size_t i = 0; i < rows; i++)
        for (unsigned run = 0; run < 2; run++) {
            write_name(name, pattern_of(i, run), run, 3);
            assert_template(t, name, corpus[i].want);
        }
    roxi_templates_free(t);
}

/* ---- numbers ---- */

/* Ports: 8080 and 8443 are in every run; 9090 and 9091 are not. */
static void test_ports(void **state)
{
    (void)state;
    static const char *const runs[][4] = {{"http-8080-x", "http-8443-x", "admin-9090"},
                                          {"http-8080-x", "http-8443-x", "admin-9091"}};
    struct roxi_templates *t = learner();
    for (unsigned run = 0; run < 2; run++) {
        for (size_t i = 0; i < 3; i++)
            add(t, runs[run][i]);
        end_run(t, run);
    }
    assert_int_equal(roxi_templates_learn(t), 0);
    assert_template(t, "http-8080-x", "http-8080-x");
    assert_template(t, "http-8443-x", "http-8443-x");
    assert_template(t, "admin-9091", "admin-*");
    assert_int_equal(roxi_templates_since(t, "admin-9091"), 1);
    assert_int_equal(roxi_templates_since(t, "http-8443-x"), UINT32_MAX);
    assert_template(t, "http-8444-unheard of", "http-*-unheard of");
    roxi_templates_free(t);
}

/* ---- words ---- */

/* Nine runs: two random identifiers in each, words that recur, one of them not in every run. */
static void test_words(void **state)
{
    (void)state;
    static const char *const random[] = {"x8d2k", "abcde", "qq",   "zz9",   "k2j3h4", "plot",
                                         "77",    "b1",    "mnop", "kfjru", "wy3",    "u7u7",
                                         "eee",   "t",     "4f4f", "vvvz",  "lkj2",   "o0"};
    struct roxi_templates *t = learner();
    char name[NAME_BYTES];
    for (unsigned run = 0; run < 9; run++) {
        for (unsigned i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "consumer-foo-%s-%u", random[2 * run + i], i);
            add(t, name);
        }
        add(t, "consumer-foo-leader-0");
        add(t, "node[flush]");
        add(t, run % 2 ? "node[search]" : "node[merge]");
        add(t, run == 4 ? "node[emergency]" : "node[write]");
        end_run(t, run);
    }
    assert_int_equal(roxi_templates_learn(t), 0);
    assert_template(t, "consumer-foo-x8d2k-0", "consumer-foo-*-*");
    assert_template(t, "consumer-foo-plot-1", "consumer-foo-*-*");
    assert_template(t, "consumer-foo-77-0", "consumer-foo-*-*");
    assert_template(t, "consumer-foo-leader-0", "consumer-foo-leader-0");
    assert_template(t, "node[flush]", "node[flush]");
    assert_template(t, "node[search]", "node[search]");
    assert_template(t, "node[emergency]", "node[emergency]");
    assert_true(roxi_templates_since(t, "consumer-foo-qq-0") < 6);
    roxi_templates_free(t);
}

/* ---- runs ---- */

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_state;

static uint32_t below(uint32_t n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % n);
}

enum { RUNS = 24, THREADS = 14 };

/* Pools, ports that change now and then, identifiers, words. */
static void any_name(char *name)
{
    static const char *const words[] = {"flush", "search", "merge"};
    switch (below(5)) {
    case 0:
        snprintf(name, NAME_BYTES, "pool-%u-thread-%u", below(2), below(4));
        break;
    case 1:
        snprintf(name, NAME_BYTES, "http-%u-exec-%u", below(25) ? 8080u : 8081u, below(3));
        break;
    case 2:
        snprintf(name, NAME_BYTES, "consumer-%c%c%u%c", 'a' + below(26), 'a' + below(26), below(9),
                 'a' + below(26));
        break;
    case 3:
        snprintf(name, NAME_BYTES, "consumer-%c%c%c", 'a' + below(26), 'a' + below(26), 'x');
        break;
    default:
        snprintf(name, NAME_BYTES, "node[%s][T#%u]", words[below(3)], below(2));
    }
}

static char names[RUNS][THREADS][NAME_BYTES];

static void any_campaign(uint64_t seed)
{
    random_state = seed;
    for (size_t run = 0; run < RUNS; run++)
        for (size_t i = 0; i < THREADS; i++)
            any_name(names[run][i]);
}

/* Learns from runs first, first + step, ... (modulo RUNS), `count` of them. */
static struct roxi_templates *learn_from(size_t first, size_t step, size_t count)
{
    struct roxi_templates *t = learner();
    for (size_t i = 0; i < count; i++) {
        const size_t run = (first + i * step) % RUNS;
        for (size_t k = 0; k < THREADS; k++)
            add(t, names[run][(k * 5 + first) % THREADS]);
        end_run(t, (unsigned)i);
    }
    assert_int_equal(roxi_templates_learn(t), 0);
    return t;
}

static void test_order_of_runs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        any_campaign(seed);
        struct roxi_templates *one = learn_from(0, 1, RUNS), *other = learn_from(7, 5, RUNS);
        struct ix_out out = {0};
        struct ix_span node;
        for (size_t run = 0; run < RUNS; run++)
            for (size_t i = 0; i < THREADS; i++) {
                assert_int_equal(roxi_templates_apply(one, names[run][i], NULL, &out, &node), 0);
                assert_template(other, names[run][i], (const char *)out.data);
            }
        ix_out_free(&out);
        roxi_templates_free(one);
        roxi_templates_free(other);
    }
}

/* True if `wide` with something in place of each * can be `narrow`. */
static bool covers(const char *wide, const char *narrow)
{
    if (*wide != '*')
        return *wide == *narrow && (!*wide || covers(wide + 1, narrow + 1));
    for (;; narrow++) {
        if (covers(wide + 1, narrow))
            return true;
        if (!*narrow)
            return false;
    }
}

static void test_more_runs_only_widen(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 120; seed++) {
        any_campaign(seed);
        struct roxi_templates *before = learn_from(0, 1, 1);
        for (size_t count = 2; count <= RUNS; count++) {
            struct roxi_templates *after = learn_from(0, 1, count);
            struct ix_out narrow = {0}, wide = {0};
            struct ix_span node;
            for (size_t i = 0; i < (count - 1) * THREADS; i++) {
                const char *name = names[i / THREADS][i % THREADS];
                assert_int_equal(roxi_templates_apply(before, name, NULL, &narrow, &node), 0);
                assert_int_equal(roxi_templates_apply(after, name, NULL, &wide, &node), 0);
                if (!covers((const char *)wide.data, (const char *)narrow.data))
                    fail_msg("%zu runs: %s, %zu runs: %s", count - 1, (const char *)narrow.data,
                             count, (const char *)wide.data);
            }
            ix_out_free(&narrow);
            ix_out_free(&wide);
            roxi_templates_free(before);
            before = after;
        }
        roxi_templates_free(before);
    }
}

/* ---- strange names, and many ---- */

static void test_strange_names(void **state)
{
    (void)state;
    static const char *const strange[] = {"\x01\x02\x03 1",
                                          "tab\there 1\r\n",
                                          "\x1b[31mred 7",
                                          "\xed\xa0\x80 half a character 5",
                                          "\xff\xfe\x80\x80 9",
                                          "****",
                                          "a**1",
                                          "\xf0\x9f\x98\x80-3"};
    struct roxi_templates *t = learner();
    const size_t size = 65536;
    char *name = malloc(size + 1);
    assert_non_null(name);
    static const char fill[] = {'a', '1', '-', '\xbf', '.', ':', '\1'};
    for (size_t i = 0; i < sizeof fill; i++) {
        memset(name, fill[i], size);
        name[size] = '\0';
        add(t, name);
        for (size_t k = 1; k < size; k += 2)
            name[k] = '7';
        add(t, name);
    }
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++)
        add(t, strange[i]);
    end_run(t, 0);
    assert_int_equal(roxi_templates_learn(t), 0);
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++)
        assert_template(t, strange[i], strange[i]);
    struct ix_out out = {0};
    struct ix_span node;
    memset(name, 'a', size);
    assert_int_equal(roxi_templates_apply(t, name, NULL, &out, &node), 0);
    assert_true(out.len < 1100 && out.data[out.len - 2] == '*');
    ix_out_free(&out);
    free(name);
    roxi_templates_free(t);
}

static void many_shapes(struct roxi_templates *t, unsigned run, unsigned count)
{
    char name[NAME_BYTES];
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "x%cy%uz", 'a' + i % 26, i);
        add(t, name);
    }
    add(t, "pool-1");
    end_run(t, run);
}

/* Beyond the limit nothing is kept, whatever came first. */
static void test_many_shapes(void **state)
{
    (void)state;
    struct roxi_templates *t = learner();
    many_shapes(t, 0, 10000);
    assert_false(roxi_templates_full(t));
    many_shapes(t, 1, ROXI_TEMPLATES_SHAPES + 1);
    assert_true(roxi_templates_full(t));
    assert_int_equal(roxi_templates_learn(t), 0);
    assert_template(t, "pool-1", "pool-*");
    assert_template(t, "xay0z", "xay0z");
    assert_int_equal(roxi_templates_since(t, "pool-1"), UINT32_MAX);
    roxi_templates_free(t);
}

/* 10,000 runs of 60 threads: a fixed number of look-ups for each name. */
static void test_speed(void **state)
{
    (void)state;
    enum { MANY = 10000, EACH = 60, STEPS = 8 };
    struct roxi_templates *t = learner();
    char name[NAME_BYTES];
    for (unsigned run = 0; run < MANY; run++) {
        for (unsigned i = 0; i < EACH; i++) {
            snprintf(name, sizeof name, "pool-%c-thread-%u of %x", 'a' + i % 7, i, run * 64 + i);
            add(t, name);
        }
        end_run(t, run);
    }
    assert_int_equal(roxi_templates_learn(t), 0);
    assert_true(roxi_templates_steps(t) < (uint64_t)MANY * EACH * STEPS);
    roxi_templates_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_order_of_runs),
        cmocka_unit_test(test_more_runs_only_widen),
        cmocka_unit_test(test_strange_names),
        cmocka_unit_test(test_many_shapes),
        cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
