/* SPDX-License-Identifier: Apache-2.0 */
/* What is gathered of an execution beside its call stacks: logs written by hand, and the same on
 * any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "roxi/campaign/load.h"
#include "roxi/distance/stack_string.h"
#include "schema/tracelog/thread_state.h"
#include "tests/support/campaign_support.h"
#include "tests/support/tracelog_fixture.h"

enum {
    RUNS = IX_THREAD_ALIVE | IX_THREAD_RUNNABLE,
    BLOCKED = IX_THREAD_ALIVE | IX_THREAD_BLOCKED,
    WAITS = IX_THREAD_ALIVE | IX_THREAD_WAITING | IX_THREAD_OBJECT_WAIT,
    SLEEPS = IX_THREAD_ALIVE | IX_THREAD_WAITING | IX_THREAD_WITH_TIMEOUT | IX_THREAD_SLEEPING,
};

/* A thread in a packet, at method `stack` of one class; ended by packet 0. Threads with a number
 * are named after it, from "w-1" on. */
struct taken {
    unsigned packet, thread;
    const char *stack;
    uint32_t state;
};

static void write_log(const char *name, const struct taken *taken)
{
    struct ix_error err = {""};
    struct ix_log_writer *w = ix_log_create(in_tempdir(name), &err);
    if (!w)
        fail_msg("%s", err.text);
    const uint32_t c = ix_log_class(w, "C", "");
    while (taken->packet) {
        struct ix_entry entries[4];
        struct ix_snapshot s = {.packet = taken->packet, .entries = entries};
        for (; taken->packet == s.packet; taken++) {
            char thread[16];
            snprintf(thread, sizeof thread, "w-%u", taken->thread);
            struct ix_thread t = {taken->thread, 1, 1, thread, "main", "system", 5, 0};
            assert_int_equal(ix_log_thread(w, &t), 0);
            const uint32_t frame = ix_log_frame(w, ix_log_method(w, c, taken->stack, "()V"), 1);
            entries[s.count++] = (struct ix_entry){taken->thread, taken->state,
                                                   ix_log_stack(w, IX_STACK_EMPTY, frame)};
        }
        assert_int_equal(ix_log_snapshot(w, &s), 0);
    }
    assert_int_equal(ix_log_writer_close(w), 0);
}

static void add_execution(const char *name, const char *const *roles_logs_and_ends)
{
    add_vms(name, roles_logs_and_ends, 3);
}

static struct roxi_profiles *load(uint32_t min_vms, unsigned threads)
{
    struct ix_error err = {""};
    const struct roxi_load_options options = {
        .min_vms = min_vms, .features = true, .threads = threads};
    struct roxi_profiles *p = roxi_load(in_tempdir("c"), &options, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

/* ---- what is expected, by name ---- */

static struct roxi_profiles *loaded;

static uint32_t string(const char *text)
{
    return roxi_symbols_string(loaded->symbols, text, strlen(text));
}

static uint32_t stack(const char *method)
{
    char text[32];
    uint32_t number;
    snprintf(text, sizeof text, "C.%s()V:1", method);
    assert_int_equal(roxi_stack_parse(loaded->symbols, text, &number, NULL), 0);
    return number;
}

/* The threads "w-1" and so on are one group, "w-*". */
static uint64_t count(enum roxi_feature feature, const char *role, uint32_t a, uint32_t b)
{
    const uint32_t place = roxi_feature_of_role(feature)
                               ? string(role)
                               : roxi_profiles_group(loaded, string(role), string("w-*"));
    const struct roxi_profile *x = &loaded->executions[0];
    for (size_t i = 0; i < x->feature_count; i++) {
        const struct roxi_feature_item *item = &x->features[i];
        if (item->feature == feature && item->place == place && item->a == a && item->b == b)
            return item->count;
    }
    return 0;
}

static size_t kinds(enum roxi_feature feature)
{
    size_t n = 0;
    for (size_t i = 0; i < loaded->executions[0].feature_count; i++)
        n += loaded->executions[0].features[i].feature == feature;
    return n;
}

/* One VM. Packets 5 and 8 are lost. Thread 1: a a b b b (lost) b a, thread 2: from packet 2 to 7.
 */
static const struct taken story[] = {
    {1, 1, "a", RUNS},    {2, 1, "a", WAITS},
    {2, 2, "x", BLOCKED}, {3, 1, "b", WAITS},
    {3, 2, "x", BLOCKED}, {4, 1, "b", WAITS},
    {4, 2, "y", BLOCKED}, {6, 1, "b", RUNS},
    {6, 2, "x", BLOCKED}, {7, 1, "b", RUNS},
    {7, 2, "x", SLEEPS},  {9, 1, "a", RUNS},
    {10, 1, "b", RUNS},   {0},
};

static void test_story(void **state)
{
    (void)state;
    write_log("a.ixl", story);
    add_execution("e", (const char *const[]){"A", "a.ixl", "vanished", NULL});
    loaded = load(1, 1);
    assert_int_equal(count(ROXI_PACKETS, "A", ROXI_ANSWERED, 0), 8);
    assert_int_equal(count(ROXI_PACKETS, "A", ROXI_LOST, 0), 1);
    assert_int_equal(count(ROXI_ENDS, "A", ROXI_VANISHED, 0), 1);
    assert_int_equal(kinds(ROXI_ENDS), 1);
    assert_int_equal(count(ROXI_THREADS, "A", ROXI_MOST, 0), 2);
    assert_int_equal(count(ROXI_THREADS, "A", ROXI_LAST, 0), 1);
    assert_int_equal(count(ROXI_STATES, "A", ROXI_STATE_RUNNABLE, 0), 1 + 4);
    assert_int_equal(count(ROXI_STATES, "A", ROXI_STATE_WAITING, 0), 3);
    assert_int_equal(count(ROXI_STATES, "A", ROXI_STATE_BLOCKED, 0), 4);
    assert_int_equal(count(ROXI_STATES, "A", ROXI_STATE_SLEEPING, 0), 1);
    /* Thread 1 stays for 2, 4 (a lost packet between does not matter), 1 and 1; thread 2: 2, 1, 2.
     */
    assert_int_equal(count(ROXI_STAYS, "A", stack("a"), 1), 1);
    assert_int_equal(count(ROXI_STAYS, "A", stack("b"), 2), 1);
    assert_int_equal(count(ROXI_STAYS, "A", stack("a"), 0), 1);
    assert_int_equal(count(ROXI_STAYS, "A", stack("b"), 0), 1);
    assert_int_equal(count(ROXI_STAYS, "A", stack("x"), 1), 2);
    assert_int_equal(count(ROXI_STAYS, "A", stack("y"), 0), 1);
    assert_int_equal(kinds(ROXI_STAYS), 6);
    /* y to x from packet 4 to 6, and b to a from 7 to 9, are not seen. */
    assert_int_equal(count(ROXI_MOVES, "A", stack("a"), stack("b")), 2);
    assert_int_equal(count(ROXI_MOVES, "A", stack("x"), stack("y")), 1);
    assert_int_equal(kinds(ROXI_MOVES), 2);
    roxi_profiles_free(loaded);
}

/* Only packets 3, 4 and 7 count: those that the other VM answered. Nothing moves where one that
 * does not count is between; two VMs of a role add up. */
static void test_packets_that_count(void **state)
{
    (void)state;
    write_log("a.ixl", story);
    write_log("b.ixl",
              (struct taken[]){{3, 1, "z", RUNS}, {4, 1, "z", RUNS}, {7, 1, "z", RUNS}, {0}});
    add_execution("e",
                  (const char *const[]){"A", "a.ixl", "orderly", "A", "b.ixl", "silent", NULL});
    loaded = load(2, 1);
    assert_int_equal(count(ROXI_PACKETS, "A", ROXI_ANSWERED, 0), 8 + 3);
    assert_int_equal(count(ROXI_PACKETS, "A", ROXI_LOST, 0), 1 + 2);
    assert_int_equal(count(ROXI_PACKETS, "A", ROXI_COUNTED, 0), 3 + 3);
    assert_int_equal(count(ROXI_ENDS, "A", ROXI_ORDERLY, 0), 1);
    assert_int_equal(count(ROXI_ENDS, "A", ROXI_SILENT, 0), 1);
    assert_int_equal(count(ROXI_EARLY, "A", 0, 0), 10 - 7);
    assert_int_equal(count(ROXI_THREADS, "A", ROXI_MOST, 0), 3);
    assert_int_equal(count(ROXI_THREADS, "A", ROXI_LAST, 0), 3);
    assert_int_equal(count(ROXI_STATES, "A", ROXI_STATE_RUNNABLE, 0), 1 + 3);
    assert_int_equal(count(ROXI_STATES, "A", ROXI_STATE_WAITING, 0), 2);
    assert_int_equal(count(ROXI_STAYS, "A", stack("b"), 1), 1);
    assert_int_equal(count(ROXI_STAYS, "A", stack("z"), 1), 1);
    assert_int_equal(count(ROXI_STAYS, "A", stack("x"), 0), 2);
    assert_int_equal(count(ROXI_MOVES, "A", stack("x"), stack("y")), 1);
    assert_int_equal(kinds(ROXI_MOVES), 1);
    roxi_profiles_free(loaded);
}

/* Logs that are torn, or gone, say so; the role is known all the same. */
static void test_ends(void **state)
{
    (void)state;
    write_log("a.ixl", story);
    write_log("b.ixl", story);
    struct stat s;
    assert_int_equal(stat(in_tempdir("b.ixl"), &s), 0);
    assert_int_equal(truncate(in_tempdir("b.ixl"), s.st_size - 1), 0);
    add_execution("e", (const char *const[]){"A", "a.ixl", "orderly", "B", "b.ixl", "vanished", "C",
                                             "none.ixl", "running", NULL});
    loaded = load(1, 1);
    assert_int_equal(count(ROXI_ENDS, "B", ROXI_VANISHED, 0), 1);
    assert_int_equal(count(ROXI_ENDS, "B", ROXI_TORN, 0), 1);
    assert_int_equal(count(ROXI_ENDS, "C", ROXI_RUNNING, 0), 1);
    assert_int_equal(count(ROXI_ENDS, "C", ROXI_UNREADABLE, 0), 1);
    assert_int_equal(kinds(ROXI_ENDS), 5);
    assert_int_equal(count(ROXI_PACKETS, "C", ROXI_ANSWERED, 0), 0);
    roxi_profiles_free(loaded);
}

/* A group that is gone when the log ends has no last threads; one that was renamed goes nowhere. */
static void test_groups(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct ix_log_writer *w = ix_log_create(in_tempdir("a.ixl"), &err);
    const uint32_t c = ix_log_class(w, "C", "");
    for (unsigned packet = 1; packet <= 2; packet++) {
        struct ix_thread t = {1, 1, 1, packet == 1 ? "w-*" : "v", "main", "system", 5, 0};
        const uint32_t frame =
            ix_log_frame(w, ix_log_method(w, c, packet == 1 ? "a" : "b", "()V"), 1);
        struct ix_entry entry = {1, RUNS, ix_log_stack(w, IX_STACK_EMPTY, frame)};
        struct ix_snapshot s = {.packet = packet, .entries = &entry, .count = 1};
        assert_int_equal(ix_log_thread(w, &t), 0);
        assert_int_equal(ix_log_snapshot(w, &s), 0);
    }
    assert_int_equal(ix_log_writer_close(w), 0);
    add_execution("e", (const char *const[]){"A", "a.ixl", "orderly", NULL});
    loaded = load(1, 1);
    assert_int_equal(count(ROXI_THREADS, "A", ROXI_MOST, 0), 1);
    assert_int_equal(count(ROXI_THREADS, "A", ROXI_LAST, 0), 0);
    assert_int_equal(kinds(ROXI_MOVES), 0);
    assert_int_equal(kinds(ROXI_STAYS), 2);
    roxi_profiles_free(loaded);
}

/* Nobody who does not ask for them pays for them; and threads change nothing. */
static void test_threads(void **state)
{
    (void)state;
    write_log("a.ixl", story);
    write_log("b.ixl",
              (struct taken[]){{1, 1, "z", RUNS}, {2, 2, "y", RUNS}, {3, 2, "a", RUNS}, {0}});
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "e%d", i);
        add_execution(name, (const char *const[]){"B", i == 1 ? "a.ixl" : "b.ixl", "orderly", "A",
                                                  i == 2 ? "b.ixl" : "a.ixl", "orderly", NULL});
    }
    struct roxi_profiles *one = load(2, 1), *three = load(2, 3);
    for (size_t e = 0; e < 3; e++) {
        const struct roxi_profile *x = &one->executions[e], *y = &three->executions[e];
        assert_int_equal(x->feature_count, y->feature_count);
        for (size_t i = 0; i < x->feature_count; i++) {
            const struct roxi_feature_item *a = &x->features[i], *b = &y->features[i];
            assert_true(a->feature == b->feature && a->place == b->place && a->a == b->a &&
                        a->b == b->b && a->count == b->count);
        }
    }
    roxi_profiles_free(one);
    roxi_profiles_free(three);
    struct ix_error err = {""};
    one = roxi_load(in_tempdir("c"), &(struct roxi_load_options){.min_vms = 2}, &err);
    assert_non_null(one);
    assert_null(one->executions[0].features);
    roxi_profiles_free(one);
}

static void test_list(void **state)
{
    (void)state;
    struct ix_error err = {""};
    unsigned features;
    assert_int_equal(roxi_features_parse("ends,stacks", &features, &err), 0);
    assert_int_equal(features, 1u << ROXI_STACKS | 1u << ROXI_ENDS);
    assert_int_equal(roxi_features_parse("stacks,end", &features, &err), -1);
    assert_non_null(strstr(err.text, "'end' is none of"));
    assert_int_equal(roxi_features_parse("", &features, &err), -1);
    assert_int_equal(roxi_features_parse("ends,", &features, &err), -1);
}

int main(void)
{
#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(test_story),   IN_TEMPDIR(test_packets_that_count),
        IN_TEMPDIR(test_ends),    IN_TEMPDIR(test_groups),
        IN_TEMPDIR(test_threads), cmocka_unit_test(test_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
