/* SPDX-License-Identifier: Apache-2.0 */
/* How JVMs took part: logs written by hand, and the same on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>

#include "roxi/campaign/load.h"
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
 * are named after it, from "w-1" on; READER is "reader". */
enum { READER = 3 };

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
            if (taken->thread == READER)
                snprintf(thread, sizeof thread, "reader");
            else
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
    const struct roxi_load_options options = {.min_vms = min_vms, .threads = threads};
    struct roxi_profiles *p = roxi_load(in_tempdir("c"), &options, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

/* What the first run's JVMs of a role did; all 0 if there is none. */
static struct roxi_participation of_role(const struct roxi_profiles *p, const char *role)
{
    const struct roxi_profile *x = &p->executions[0];
    const uint32_t string = roxi_symbols_string(p->symbols, role, strlen(role));
    for (size_t i = 0; i < x->role_count; i++)
        if (x->roles[i].role == string)
            return x->roles[i];
    return (struct roxi_participation){0};
}

static void assert_role(const struct roxi_profiles *p, const char *role, uint64_t answered,
                        uint64_t lost, uint64_t early, uint32_t bad_ends)
{
    const struct roxi_participation r = of_role(p, role);
    assert_int_equal(r.answered, answered);
    assert_int_equal(r.lost, lost);
    assert_int_equal(r.early, early);
    assert_int_equal(r.bad_ends, bad_ends);
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
    struct roxi_profiles *p = load(1, 1);
    assert_role(p, "A", 8, 1, 0, 1);
    assert_int_equal(roxi_participation_length(p->executions[0].roles, 1), 8);
    roxi_profiles_free(p);
}

/* Packets that do not count are answered all the same. Of two JVMs of a role, packets add up; the
 * longest silence is that of one of them. */
static void test_two_of_a_role(void **state)
{
    (void)state;
    write_log("a.ixl", story);
    write_log("b.ixl",
              (struct taken[]){{3, 1, "z", RUNS}, {4, 1, "z", RUNS}, {7, 1, "z", RUNS}, {0}});
    add_execution("e",
                  (const char *const[]){"A", "a.ixl", "orderly", "A", "b.ixl", "silent", NULL});
    struct roxi_profiles *p = load(2, 1);
    assert_role(p, "A", 8 + 3, 2, 10 - 7, 1);
    roxi_profiles_free(p);
}

/* Logs that are torn, or gone, are bad ends; the role is known all the same. How a JVM ended that
 * still runs, or outlived the server, nobody knows. */
static void test_ends(void **state)
{
    (void)state;
    write_log("a.ixl", story);
    write_log("b.ixl", story);
    struct stat s;
    assert_int_equal(stat(in_tempdir("b.ixl"), &s), 0);
    assert_int_equal(truncate(in_tempdir("b.ixl"), s.st_size - 1), 0);
    add_execution("e", (const char *const[]){"A", "a.ixl", "server-stopped", "B", "b.ixl",
                                             "vanished", "C", "none.ixl", "running", NULL});
    struct roxi_profiles *p = load(1, 1);
    assert_role(p, "A", 8, 1, 0, 0);
    assert_int_equal(of_role(p, "B").bad_ends, 1);
    assert_role(p, "C", 0, 0, 10 - 1, 1);
    roxi_profiles_free(p);
}

static void assert_longest(const struct roxi_history *h, const struct roxi_item *item)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < h->count; i++)
        if (h->spans[i].group == item->group && h->spans[i].stack == item->stack &&
            h->spans[i].packets > longest)
            longest = h->spans[i].packets;
    assert_int_equal(item->longest, longest);
}

/* For how many packets of a stay in one call stack a thread was blocked: thread 2 was in x twice,
 * the second time blocked at first. */
static void test_blocked(void **state)
{
    static const struct {
        uint64_t first, packets, blocked;
    } stays[] = {{1, 2, 0}, {2, 2, 2}, {4, 1, 1}, {3, 4, 0}, {6, 2, 1}, {9, 1, 0}, {10, 1, 0}};
    struct ix_error err = {""};
    const struct roxi_load_options options = {.min_vms = 1, .threads = 1, .all_histories = true};
    (void)state;
    write_log("a.ixl", story);
    add_execution("e", (const char *const[]){"A", "a.ixl", "orderly", NULL});
    struct roxi_profiles *p = roxi_load(in_tempdir("c"), &options, &err);
    if (!p)
        fail_msg("%s", err.text);
    const struct roxi_history *h = &p->executions[0].history;
    assert_int_equal(h->count, sizeof stays / sizeof *stays);
    for (size_t i = 0; i < h->count; i++) {
        size_t at = 0;
        while (at < h->count && h->spans[at].first != stays[i].first)
            at++;
        assert_true(at < h->count);
        assert_int_equal(h->spans[at].packets, stays[i].packets);
        assert_int_equal(h->spans[at].blocked, stays[i].blocked);
    }
    for (size_t i = 0; i < p->executions[0].count; i++)
        assert_longest(h, &p->executions[0].items[i]);
    roxi_profiles_free(p);
}

/* The only run's reader was gone for its JVM's last two packets, and of the others, of which there
 * were two at once, one was there to the end. */
static void assert_reader_gone(const struct roxi_load_options *options)
{
    struct ix_error err = {""};
    struct roxi_profiles *p = roxi_load(in_tempdir("c"), options, &err);
    if (!p)
        fail_msg("%s", err.text);
    const struct roxi_use *use = &p->executions[0].use;
    assert_int_equal(use->most_count, 2);
    for (size_t i = 0; i < use->most_count; i++) {
        const struct roxi_place place = roxi_profiles_place(p, use->most[i].group);
        const char *template = roxi_symbols_text(p->symbols, place.template);
        const bool reads = strcmp(template, "reader") == 0;
        assert_int_equal(use->most[i].gone, reads ? 2 : 0);
        assert_int_equal(use->most[i].threads, reads ? 1 : 2);
    }
    roxi_profiles_free(p);
}

/* For how many packets a JVM had no thread of a group any more: of the reader, that came twice, for
 * the last two; of the others for none, however many ended before. */
static void test_gone(void **state)
{
    const struct roxi_load_options options = {.min_vms = 1, .threads = 1};
    (void)state;
    write_log("a.ixl", (struct taken[]){{1, 1, "a", RUNS},
                                        {1, 2, "a", RUNS},
                                        {1, READER, "r", RUNS},
                                        {2, 2, "a", RUNS},
                                        {3, 2, "a", RUNS},
                                        {3, READER, "r", RUNS},
                                        {4, 2, "a", RUNS},
                                        {4, READER, "s", RUNS},
                                        {5, 2, "a", RUNS},
                                        {6, 2, "b", RUNS},
                                        {0}});
    add_execution("e", (const char *const[]){"A", "a.ixl", "orderly", NULL});
    assert_reader_gone(&options);
}

static void write_rule(const char *path, const char *rule)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(rule, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A thread whose call stack a rule leaves out is there all the same: w-1 until its JVM ends, the
 * reader until two packets before. */
static void test_idle_is_not_gone(void **state)
{
    char rules[PATH_MAX];
    snprintf(rules, sizeof rules, "%s", in_tempdir("rules"));
    const struct roxi_load_options options = {.min_vms = 1, .threads = 1, .rules = rules};
    (void)state;
    write_rule(rules, "learn-threads\nidle /^C\\.idle$/\n");
    write_log("a.ixl", (struct taken[]){{1, 1, "a", RUNS},
                                        {1, 2, "a", RUNS},
                                        {1, READER, "r", RUNS},
                                        {2, 1, "idle", WAITS},
                                        {2, READER, "idle", WAITS},
                                        {3, 1, "idle", WAITS},
                                        {3, READER, "idle", WAITS},
                                        {4, 1, "idle", WAITS},
                                        {5, 1, "idle", WAITS},
                                        {0}});
    add_execution("e", (const char *const[]){"A", "a.ixl", "orderly", NULL});
    assert_reader_gone(&options);
}

/* The number of workers changes nothing. */
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
        assert_int_equal(x->role_count, 2);
        assert_int_equal(y->role_count, 2);
        assert_memory_equal(x->roles, y->roles, 2 * sizeof *x->roles);
    }
    roxi_profiles_free(one);
    roxi_profiles_free(three);
}

int main(void)
{
#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(test_story),   IN_TEMPDIR(test_two_of_a_role), IN_TEMPDIR(test_ends),
        IN_TEMPDIR(test_blocked), IN_TEMPDIR(test_gone),          IN_TEMPDIR(test_idle_is_not_gone),
        IN_TEMPDIR(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
