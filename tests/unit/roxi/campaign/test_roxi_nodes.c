/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes in the names of threads of one JVM: what is one, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/campaign/nodes.h"
#include "roxi/campaign/templates.h"

/* A run of one JVM with each pattern for each value; '%s' is the value. */
static void add_run(struct roxi_templates *t, unsigned run, const char *const *patterns,
                    const char *const *values)
{
    for (; *patterns; patterns++)
        for (const char *const *v = values; *v; v++) {
            char name[256];
            const char *at = strchr(*patterns, '%');
            snprintf(name, sizeof name, "%.*s%s%s", (int)(at - *patterns), *patterns, *v, at + 1);
            assert_int_equal(roxi_templates_add(t, name, NULL), 0);
        }
    assert_int_equal(roxi_templates_end_vm(t), 0);
    assert_int_equal(roxi_templates_end_run(t, run), 0);
}

static void assert_node(const struct roxi_templates *t, const char *name, const char *want_node,
                        const char *want_template)
{
    struct ix_out out = {0};
    struct ix_span node;
    char text[64];
    assert_int_equal(roxi_templates_apply(t, name, NULL, &out, &node), 0);
    snprintf(text, sizeof text, "%.*s", (int)node.len, node.text);
    assert_string_equal(text, want_node);
    assert_string_equal((const char *)out.data, want_template);
    ix_out_free(&out);
}

static struct roxi_templates *templates_of(const char *const *patterns, const char *const *values)
{
    struct roxi_templates *t = roxi_templates_new();
    assert_non_null(t);
    for (unsigned run = 0; run < 2; run++)
        add_run(t, run, patterns, values);
    assert_int_equal(roxi_templates_learn(t), 0);
    return t;
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_nodes(void **state)
{
    (void)state;
    struct roxi_templates *t =
        templates_of(LIST("opensearch[node_%][flush][T#1]", "opensearch[node_%][flush][T#2]",
                          "opensearch[node_%][search][T#1]"),
                     LIST("t0", "t1", "t2"));
    assert_node(t, "opensearch[node_t0][flush][T#2]", "node_t0", "opensearch[node_*][flush][T#*]");
    assert_node(t, "opensearch[node_t2][search][T#1]", "node_t2",
                "opensearch[node_*][search][T#1]");
    roxi_templates_free(t);
    t = templates_of(LIST("Broker-%-zb-actors-1", "Broker-%-zb-actors-2", "Broker-%-scheduler"),
                     LIST("0", "1"));
    assert_node(t, "Broker-1-zb-actors-2", "Broker-1", "Broker-*-zb-actors-*");
    roxi_templates_free(t);
    t = templates_of(LIST("kafka-%-raft-io-thread", "kafka-%-raft-outbound"), LIST("0", "1"));
    assert_node(t, "kafka-0-raft-outbound", "kafka-0", "kafka-*-raft-outbound");
    roxi_templates_free(t);
    t = templates_of(LIST("[%] ticker", "[%] worker 1"), LIST("alpha", "beta"));
    assert_node(t, "[beta] worker 1", "beta", "[*] worker 1");
    roxi_templates_free(t);
    t = templates_of(LIST("Client % ticker", "Client % worker"), LIST("A", "B"));
    assert_node(t, "Client B ticker", "Client B", "Client * ticker");
    roxi_templates_free(t);
    t = templates_of(LIST("node_%_Worker-1", "node_%_QuartzSchedulerThread", "node_%_x9_Worker-1"),
                     LIST("e1", "e2"));
    assert_node(t, "node_e1_Worker-1", "node_e1", "node_*_Worker-1");
    assert_node(t, "node_e2_QuartzSchedulerThread", "node_e2", "node_*_QuartzSchedulerThread");
    assert_node(t, "node_e2_x9_Worker-1", "node_e2_x9", "node_*_x9_Worker-1");
    roxi_templates_free(t);
    t = templates_of(LIST("srv-%-raft", "srv-%-applier", "srv-%-reader"), LIST("1", "2"));
    assert_node(t, "srv-2-reader", "srv-2", "srv-*-reader");
    roxi_templates_free(t);
    t = templates_of(LIST("node%-ticker", "node%-worker"), LIST("1", "2"));
    assert_node(t, "node1-ticker", "node1", "*-ticker");
    roxi_templates_free(t);
}

static void test_pools_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *patterns[4], *values[4], *name, *template;
    } pools[] = {
        {{"pulsar-io-4-%", "pulsar-web-38-%"}, {"1", "2"}, "pulsar-io-4-1", "pulsar-io-4-*"},
        {{"stage-%-thread-1", "stage-%-thread-2"}, {"1", "2"}, "stage-1-thread-1", NULL},
        {{"http-nio-%-exec-1", "http-nio-%-Poller"},
         {"8080", "8443"},
         "http-nio-8080-Poller",
         "http-nio-8080-Poller"},
        {{"HttpClient-%-SelectorManager", "HttpClient-%-Worker-0"},
         {"1", "2"},
         "HttpClient-1-Worker-0",
         "HttpClient-*-Worker-0"},
        {{"ForkJoinPool-%-worker-1", "ForkJoinPool-%-delayScheduler"},
         {"1", "2"},
         "ForkJoinPool-2-worker-1",
         "ForkJoinPool-*-worker-1"},
        {{"%-flush-thread", "%-search-thread"},
         {"read", "write"},
         "read-flush-thread",
         "read-flush-thread"},
        {{"peer-%-socket-reader", "peer-%-writer"}, {"1", "2"}, "peer-1-writer", "peer-*-writer"},
        {{"ClientSession-%-ticker", "session-%-ticker", "session-%-worker"},
         {"1", "2"},
         "session-2-worker",
         "session-*-worker"},
        {{"Broker-%-zb-actors-1", "Broker-%-scheduler"},
         {"0"},
         "Broker-0-scheduler",
         "Broker-0-scheduler"},
    };
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        struct roxi_templates *t = templates_of(pools[i].patterns, pools[i].values);
        assert_node(t, pools[i].name, "",
                    pools[i].template ? pools[i].template : "stage-*-thread-*");
        roxi_templates_free(t);
    }
}

/* Two JVMs with a node each are not one with two; nodes must be there in half of the runs. */
static void test_of_one_jvm_in_most_runs(void **state)
{
    (void)state;
    static const char *const patterns[] = {"srv-%-ticker", "srv-%-worker", NULL};
    struct roxi_templates *t = roxi_templates_new();
    for (unsigned run = 0; run < 4; run++) {
        add_run(t, run, patterns, LIST("1"));
        add_run(t, run + 1000, patterns, LIST("2"));
    }
    assert_int_equal(roxi_templates_learn(t), 0);
    assert_node(t, "srv-1-ticker", "", "srv-*-ticker");
    roxi_templates_free(t);
    for (unsigned both = 1; both <= 2; both++) {
        t = roxi_templates_new();
        for (unsigned run = 0; run < 4; run++)
            add_run(t, run, patterns, run < both ? LIST("1", "2") : LIST("1"));
        assert_int_equal(roxi_templates_learn(t), 0);
        assert_node(t, "srv-1-ticker", both < 2 ? "" : "srv-1", "srv-*-ticker");
        roxi_templates_free(t);
    }
}

static void assert_group(const struct roxi_templates *t, const char *name, const char *group,
                         const char *want)
{
    struct ix_out out = {0};
    struct ix_span node;
    char text[64];
    assert_int_equal(roxi_templates_apply(t, name, group, &out, &node), 0);
    snprintf(text, sizeof text, "%.*s", (int)node.len, node.text);
    assert_string_equal(text, want);
    ix_out_free(&out);
}

/* Thread groups are nodes if two of them have the same threads. */
static void test_groups(void **state)
{
    (void)state;
    static const char *const threads[][2] = {
        {"ticker-1", "member-1"},       {"worker", "member-1"}, {"ticker-2", "member-2"},
        {"worker", "member-2"},         {"main", "main"},       {"lonely", "member-3"},
        {"pool-1-thread-1", "member-1"}};
    for (size_t count = 3; count <= 7; count += 4) {
        struct roxi_templates *t = roxi_templates_new();
        for (size_t i = 0; i < count; i++)
            assert_int_equal(roxi_templates_add(t, threads[i][0], threads[i][1]), 0);
        assert_int_equal(roxi_templates_end_vm(t), 0);
        assert_int_equal(roxi_templates_end_run(t, 0), 0);
        assert_int_equal(roxi_templates_learn(t), 0);
        assert_group(t, "ticker-1", "member-1", count == 3 ? "" : "member-1");
        assert_group(t, "worker", "member-2", count == 3 ? "" : "member-2");
        assert_group(t, "main", "main", "");
        assert_group(t, "pool-1-thread-1", "member-1", "");
        assert_group(t, "worker", NULL, "");
        roxi_templates_free(t);
    }
    assert_false(roxi_group_may_be_node("system"));
    assert_false(roxi_group_may_be_node("RMI Runtime"));
    assert_true(roxi_group_may_be_node("Client A"));
}

/* "Node-1" and "node-1" are one node, spelt as most of its threads spell it; of two that are as
 * frequent, capitals come first. */
static void test_case(void **state)
{
    (void)state;
    static const struct {
        const char *patterns[6], *node;
    } rows[] = {
        {{"Node-%-worker", "Node-%-inbox", "Node-%-leader", "node-%-Election", "node-%-Events"},
         "Node-2"},
        {{"node-%-worker", "node-%-inbox", "node-%-leader", "Node-%-election", "Node-%-events"},
         "node-2"},
        {{"node-%-worker", "node-%-inbox", "Node-%-election", "Node-%-events"}, "Node-2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct roxi_templates *t = templates_of(rows[i].patterns, LIST("1", "2"));
        for (const char *const *p = rows[i].patterns; *p; p++) {
            char name[64], template[64];
            const int before = (int)(strchr(*p, '%') - *p);
            snprintf(name, sizeof name, "%.*s2%s", before, *p, *p + before + 1);
            snprintf(template, sizeof template, "%.*s*%s", before, *p, *p + before + 1);
            assert_node(t, name, rows[i].node, template);
        }
        roxi_templates_free(t);
    }
}

/* The same of groups, and of groups and names. */
static void test_case_of_groups(void **state)
{
    (void)state;
    static const char *const threads[][2] = {
        {"ticker", "member-1"}, {"worker", "member-1"}, {"sender", "member-1"},
        {"ticker", "Member-2"}, {"worker", "Member-2"}, {"ticker", "MEMBER-1"},
    };
    struct roxi_templates *t = roxi_templates_new();
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
        assert_int_equal(roxi_templates_add(t, threads[i][0], threads[i][1]), 0);
    assert_int_equal(roxi_templates_end_vm(t), 0);
    assert_int_equal(roxi_templates_end_run(t, 0), 0);
    assert_int_equal(roxi_templates_learn(t), 0);
    assert_group(t, "ticker", "MEMBER-1", "member-1");
    assert_group(t, "ticker", "member-1", "member-1");
    assert_group(t, "ticker", "Member-2", "Member-2");
    roxi_templates_free(t);
}

/* As many nodes as there may be, and one more. */
static void test_how_many(void **state)
{
    (void)state;
    for (unsigned count = 64; count <= 65; count++) {
        static char texts[66][4];
        const char *values[67] = {0};
        for (unsigned i = 0; i < count; i++) {
            snprintf(texts[i], sizeof texts[i], "%u", i);
            values[i] = texts[i];
        }
        struct roxi_templates *t = templates_of(LIST("srv-%-ticker", "srv-%-worker"), values);
        assert_node(t, "srv-7-ticker", count == 64 ? "srv-7" : "", "srv-*-ticker");
        roxi_templates_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_pools_are_none),
        cmocka_unit_test(test_of_one_jvm_in_most_runs),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_case),
        cmocka_unit_test(test_case_of_groups),
        cmocka_unit_test(test_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
