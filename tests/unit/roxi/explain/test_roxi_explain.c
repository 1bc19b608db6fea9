/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of hand-made runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/explain/common.h"
#include "roxi/explain/dwell.h"
#include "roxi/explain/finder.h"
#include "roxi/explain/normal.h"
#include "roxi/explain/words.h"
#include "schema/base/text_memory.h"
#include "tests/support/did_fixture.h"

/* Where a virtual thread is that waits. */
#define YIELDS ";java.lang.VirtualThread.yieldContinuation()Z:1"
#define PARKED ";java.lang.VirtualThread.park()V:1" YIELDS
#define PARKED_NANOS ";java.lang.VirtualThread.parkNanos(J)V:1" YIELDS

/* "a.D.spin()V:4" -> running, and so on. */
static void test_doing(void **state)
{
    static const struct {
        const char *stack;
        enum roxi_doing doing;
    } rows[] = {
        {SPIN, ROXI_RUNNING},
        {LOCK, ROXI_WAITING},
        {WORK ";java.lang.Thread.sleep(J)V:-3", ROXI_SLEEPING},
        {WORK ";jdk.internal.misc.Unsafe.park(ZJ)V:-3", ROXI_WAITING},
        {WORK ";sun.nio.ch.Net.poll()I:-3", ROXI_ON_NETWORK},
        {WORK ";java.net.Socket$SocketInputStream.read()I:9", ROXI_ON_NETWORK},
        {WORK ";sun.nio.ch.FileDispatcherImpl.force0()I:-3", ROXI_ON_FILE},
        {WORK ";sun.nio.ch.FileChannelImpl.write()I:1;sun.nio.ch.FileDispatcherImpl.write0()I:-3",
         ROXI_ON_FILE},
        {WORK ";sun.nio.ch.SocketDispatcher.write()I:1;sun.nio.ch.FileDispatcherImpl.write0()I:-3",
         ROXI_ON_NETWORK},
        {WORK ";java.lang.Thread.sleeper()V:1", ROXI_RUNNING},
        {WORK ";java.util.concurrent.locks.LockSupport.parkNanos(J)V:1" PARKED_NANOS, ROXI_WAITING},
        {WORK ";sun.nio.ch.NioSocketImpl.park()V:1;sun.nio.ch.Poller.poll()V:1"
              ";java.util.concurrent.locks.LockSupport.park()V:1" PARKED,
         ROXI_ON_NETWORK},
        {WORK ";java.lang.Thread.sleep(J)V:1;java.lang.VirtualThread.sleepNanos(J)V:1" PARKED_NANOS,
         ROXI_SLEEPING},
        {"java.lang.VirtualThread.run()V:1;" WORK, ROXI_RUNNING},
        {"java.lang.Object.wait(J)V:-3;a.A.run()V:1", ROXI_RUNNING}, /* that it called is over */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(roxi_doing_in(profiles->symbols, stack_number(rows[i].stack)),
                         rows[i].doing);
    assert_int_equal(roxi_doing_in(profiles->symbols, 0), ROXI_RUNNING);
}

static void test_history(void **state)
{
    struct roxi_history h = {0};
    (void)state;
    assert_int_equal(roxi_history_since(&h, 5), 0);
    assert_int_equal(roxi_history_add_moment(&h, (struct roxi_moment){7, 1900}), 0);
    assert_int_equal(roxi_history_add_moment(&h, (struct roxi_moment){5, 1250}), 0);
    assert_int_equal(roxi_history_add_moment(&h, (struct roxi_moment){5, 1200}), 0);
    roxi_history_order(&h);
    assert_int_equal(h.moment_count, 2);
    assert_int_equal(roxi_history_since(&h, 4), 0);
    assert_int_equal(roxi_history_since(&h, 6), 0);
    assert_int_equal(roxi_history_since(&h, 7), 700);
    h.begin_ns = 1000;
    assert_int_equal(roxi_history_since(&h, 6), 200);
    h.begin_ns = 3000; /* another clock */
    assert_int_equal(roxi_history_since(&h, 7), 700);
    roxi_history_free(&h);
}

/* y spins from packet 41 on; x waits for a lock from packet 51 on, which is a consequence: as much
 * evidence as 50 packets give, but half of it counts, and later. */
static void test_order(void **state)
{
    const struct did did[] = {
        {"x", WORK, 1, 50}, {"x", LOCK, 51, 100}, {"y", WORK, 1, 40}, {"y", SPIN, 41, 100}};
    struct roxi_findings f;
    (void)state;
    add_normal(9);
    add_did("odd", did, 4);
    struct roxi_ranking r = rank_all(NULL);
    bool normal[10];
    memset(normal, 1, sizeof normal);
    assert_int_equal(roxi_findings_make(&f, &r, 9, normal, NULL, &err), 0);
    assert_int_equal(f.normal, 9);
    assert_true(f.count >= 2);
    const struct roxi_finding *first = &f.list[0];
    assert_string_equal(roxi_symbols_text(profiles->symbols, first->who.role), "y");
    assert_string_equal(roxi_symbols_text(profiles->symbols, first->call.class_name), "a.D");
    assert_int_equal(first->stack, stack_number(SPIN));
    assert_int_equal(first->doing, ROXI_RUNNING);
    assert_int_equal(first->here, 60);
    assert_int_equal(first->packet, 41);
    assert_int_equal(first->like, 0);
    assert_string_equal(roxi_finding_kind(first), "only-here");
    for (size_t i = 0; i < f.count; i++) {
        assert_true(i < 2 || f.list[i].weight <= f.list[i - 1].weight);
        assert_true(f.list[i].share > 0 && f.list[i].share <= 1);
        if (f.list[i].call.class_name == name_number("a.C")) {
            assert_int_equal(f.list[i].doing, ROXI_WAITING);
            assert_int_equal(f.list[i].packet, 51);
        }
    }
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* y spins from packet 41 to 60, and x from 61 on for twice as long: x has more evidence, even after
 * half a half-life, but y was first by so much that x may be a consequence. */
static void test_first_place(void **state)
{
    const struct did did[] = {{"x", WORK, 1, 60},
                              {"x", SPIN, 61, 100},
                              {"y", WORK, 1, 40},
                              {"y", SPIN, 41, 60},
                              {"y", WORK, 61, 100}};
    struct roxi_findings f;
    bool normal[10];
    (void)state;
    add_normal(9);
    add_did("odd", did, 5);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    assert_int_equal(roxi_findings_make(&f, &r, 9, normal, NULL, &err), 0);
    assert_true(f.count >= 2);
    assert_string_equal(roxi_symbols_text(profiles->symbols, f.list[0].who.role), "y");
    assert_int_equal(f.list[0].packet, 41);
    assert_string_equal(roxi_symbols_text(profiles->symbols, f.list[1].who.role), "x");
    assert_true(f.list[1].weight > f.list[0].weight);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* x waits in the network from packet 41 on, and y spins from packet `since` on. Which one comes
 * first? */
static const char *first_of_network(uint64_t since)
{
    const struct did did[] = {{"x", WORK, 1, 40},
                              {"x", WORK ";sun.nio.ch.Net.poll()I:-3", 41, 100},
                              {"y", WORK, 1, since - 1},
                              {"y", SPIN, since, 100}};
    struct roxi_findings f;
    bool normal[10];
    profiles_tear_down(NULL);
    profiles_set_up(NULL);
    add_normal(9);
    add_did("odd", did, 4);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    assert_int_equal(roxi_findings_make(&f, &r, 9, normal, NULL, &err), 0);
    assert_true(f.count >= 2);
    const char *role = roxi_symbols_text(profiles->symbols, f.list[0].who.role);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return role;
}

/* Where logs do not tell for whom x waits, it is for y, unless that departs much later. */
static void test_network(void **state)
{
    (void)state;
    assert_string_equal(first_of_network(45), "y");
    assert_string_equal(first_of_network(51), "y");
    assert_string_equal(first_of_network(52), "x");
}

/* y spins in packets 41 and 42, and again from packet `again` on. Returns since when, after normal
 * runs of which so many spin for a packet, too. */
static uint64_t spins_since(size_t normal_spins, uint64_t again)
{
    static const struct did once[] = {{"x", WORK, 1, 100}, {"y", SPIN, 1, 1}, {"y", WORK, 2, 100}};
    const struct did did[] = {{"x", WORK, 1, 100},
                              {"y", WORK, 1, 40},
                              {"y", SPIN, 41, 42},
                              {"y", WORK, 43, again - 1},
                              {"y", SPIN, again, 100}};
    struct roxi_findings f;
    bool normal[10] = {0};
    add_normal(9 - normal_spins);
    for (size_t i = 0; i < normal_spins; i++)
        add_did("spins", once, 3);
    add_did("odd", did, 5);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, 9);
    assert_int_equal(roxi_findings_make(&f, &r, 9, normal, NULL, &err), 0);
    assert_true(f.count > 0);
    assert_int_equal(f.list[0].stack, stack_number(SPIN));
    const uint64_t since = f.list[0].packet;
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return since;
}

/* What no normal run does departs when it is done first; else as soon as it is too much. */
static void test_rare(void **state)
{
    (void)state;
    assert_int_equal(spins_since(0, 45), 41);
}

/* Two packets long before are not its beginning. */
static void test_long_before(void **state)
{
    (void)state;
    assert_int_equal(spins_since(0, 61), 61);
}

static void test_not_rare(void **state)
{
    (void)state;
    assert_int_equal(spins_since(1, 45), 45);
}

/* x waits for a lock, earlier and longer than y spins; but a few normal runs, which do something
 * else than most, wait nearly as long. */
static void test_edge(void **state)
{
    enum { MOST = 32, WAIT = 4 };
    const struct did waits[] = {
        {"x", WORK, 1, 40}, {"x", LOCK, 41, 96}, {"x", WORK, 97, 100}, {"y", WORK, 1, 100}};
    const struct did did[] = {{"x", WORK, 1, 40},
                              {"x", LOCK, 41, 100},
                              {"y", WORK, 1, 60},
                              {"y", SPIN, 61, 90},
                              {"y", WORK, 91, 100}};
    bool normal[MOST + WAIT + 1] = {0};
    struct roxi_findings f;
    (void)state;
    add_normal(MOST);
    for (int i = 0; i < WAIT; i++)
        add_did("waits", waits, 4);
    add_did("odd", did, 5);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, MOST + WAIT);
    assert_int_equal(roxi_findings_make(&f, &r, MOST + WAIT, normal, NULL, &err), 0);
    assert_true(f.count > 0);
    assert_int_equal(f.list[0].stack, stack_number(SPIN));
    roxi_findings_free(&f);
    /* Without them it is the wait that comes first. */
    memset(normal + MOST, 0, WAIT);
    assert_int_equal(roxi_findings_make(&f, &r, MOST + WAIT, normal, NULL, &err), 0);
    assert_int_equal(f.list[0].stack, stack_number(LOCK));
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Frames do not tell that a thread is blocked on a monitor; its state does, if it is for most of
 * the time. */
static void blocked(uint64_t packets, enum roxi_doing doing)
{
    const struct did did[] = {{"x", WORK, 1, 40}, {"x", SPIN, 41, 100}, {"y", WORK, 1, 100}};
    struct roxi_findings f;
    bool normal[10];
    add_normal(9);
    add_did("odd", did, 3);
    profiles->executions[9].history.spans[1].blocked = packets;
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    assert_int_equal(roxi_findings_make(&f, &r, 9, normal, NULL, &err), 0);
    assert_true(f.count > 0);
    assert_int_equal(f.list[0].stack, stack_number(SPIN));
    assert_int_equal(f.list[0].doing, doing);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void test_blocked(void **state)
{
    (void)state;
    blocked(31, ROXI_BLOCKED);
    assert_string_equal(roxi_doing_word(ROXI_BLOCKED), "blocked on a monitor");
}

static void test_hardly_blocked(void **state)
{
    (void)state;
    blocked(30, ROXI_RUNNING);
}

/* Most of what x does in E.loop it does in other call stacks than that of D.spin calling Y.a, but
 * that is the most frequent one. Both parts lead to it, and it is told once. */
static void test_twins(void **state)
{
    const struct did did[] = {
        {"x", LOOP ";java.Y.a()V:1", 1, 100}, {"x", LOOP ";java.Y.a()V:1", 1, 100},
        {"x", LOOP ";java.Y.a()V:1", 1, 100}, {"x", LOOP ";java.Y.a()V:1", 1, 100},
        {"x", LOOP ";java.Y.b()V:1", 1, 100}, {"x", LOOP ";java.Y.c()V:1", 1, 100},
        {"x", LOOP ";java.Y.d()V:1", 1, 100}, {"x", LOOP ";java.Y.e()V:1", 1, 100},
        {"x", LOOP ";java.Y.f()V:1", 1, 100}, {"y", WORK, 1, 100},
    };
    struct roxi_findings found;
    bool normal[10];
    size_t twins = 0;
    (void)state;
    add_normal(9);
    add_did("odd", did, sizeof did / sizeof *did);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    assert_int_equal(roxi_findings_make(&found, &r, 9, normal, NULL, &err), 0);
    for (size_t i = 0; i < found.count; i++)
        twins += found.list[i].call.class_name == name_number("a.D") &&
                 found.list[i].call.called_class == name_number("java.Y");
    assert_int_equal(twins, 1);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
}

#define ASK(CLASS) "a." CLASS ".call()V:1;a.Node.ask()V:2;java.Y.get()V:3"

/* Node.ask takes longer in the odd run, too, but its most frequent call stack there is that of
 * another finding: it is told once. */
static void test_same_path(void **state)
{
    const struct did did[] = {
        {"x", ASK("B"), 1, 20},    {"x", ASK("C"), 1, 20}, {"x", ASK("D"), 1, 20},
        {"x", ASK("E"), 1, 20},    {"x", ASK("F"), 1, 20}, {"x", ASK("G"), 1, 20},
        {"x", ASK("Odd"), 1, 100},
    };
    const size_t usual = sizeof did / sizeof *did - 1;
    struct roxi_findings found;
    bool normal[10];
    size_t same = 0;
    (void)state;
    for (size_t i = 0; i < 10; i++)
        add_did("run", did, i < 9 ? usual : usual + 1);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    assert_int_equal(r.first[10] - r.first[9], 2);
    assert_int_equal(roxi_findings_make(&found, &r, 9, normal, NULL, &err), 0);
    for (size_t i = 0; i < found.count; i++)
        same += found.list[i].stack == stack_number(ASK("Odd"));
    assert_int_equal(same, 1);
    assert_int_equal(found.list[0].call.class_name, name_number("a.Odd"));
    assert_true(fabs(found.list[0].share - 1) < 1e-9);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
}

/* Each of the last run's threads stays on its call stack as its spans tell. */
static void note_stays(void)
{
    struct roxi_profile *x = &profiles->executions[profiles->count - 1];
    for (size_t i = 0; i < x->count; i++)
        for (size_t k = 0; k < x->history.count; k++)
            if (x->history.spans[k].group == x->items[i].group &&
                x->history.spans[k].stack == x->items[i].stack &&
                x->history.spans[k].packets > x->items[i].longest)
                x->items[i].longest = (uint32_t)x->history.spans[k].packets;
}

/* Threads are in LOCK for 100 packets in every run, of which one thread of the odd run is there for
 * packets 21 to 100. The innermost class that stays as long is named, once. */
static void test_stay(void **state)
{
    struct did moves[25], stuck[6];
    struct roxi_findings found;
    bool normal[10];
    char text[200] = "";
    (void)state;
    for (uint64_t i = 0; i < 25; i++)
        moves[i] = (struct did){"x", LOCK, 4 * i + 1, 4 * i + 4};
    for (uint64_t i = 0; i < 5; i++)
        stuck[i] = moves[i];
    stuck[5] = (struct did){"x", LOCK, 21, 100};
    for (size_t i = 0; i < 10; i++) {
        add_did("run", i < 9 ? moves : stuck, i < 9 ? 25 : 6);
        note_stays();
    }
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    assert_int_equal(roxi_findings_make(&found, &r, 9, normal, NULL, &err), 0);
    assert_int_equal(found.count, 1);
    const struct roxi_finding *x = found.list;
    assert_string_equal(roxi_finding_kind(x), "stayed");
    assert_int_equal(x->call.class_name, name_number("a.C"));
    assert_int_equal(x->here, 80);
    assert_int_equal(x->packet, 21);
    assert_int_equal(x->thread, name_number("t"));
    assert_int_equal(x->like, 0);
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    roxi_finding_say(out, profiles->symbols, x, 9, true);
    fclose(out);
    assert_string_equal(
        text, "one thread stayed on the same call stack for 80 packets (0.0 s), in C.lock "
              "calling Object.wait, typically at most 4");
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
}

#define HOLD "a.b.A.run()V:1;a.b.C$$Lambda.with()V:-1;a.b.C.lambda$hold$0()V:5"
#define ROW HOLD ";a.b.C.row()V:6;d.e.F.get()V:7"
#define USUAL "a.b.A.run()V:1;a.b.B.work()V:2;d.e.F.get()V:7"

/* What the first finding says of a run after nine that do what is usual. */
static void assert_first_says(const struct did *did, size_t count, const char *path,
                              const char *want)
{
    static const struct did normally = {"x", USUAL, 1, 100};
    struct roxi_findings f;
    struct ix_text t;
    bool normal[10];
    for (size_t i = 0; i < 9; i++)
        add_did("normal", &normally, 1);
    add_did("odd", did, count);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    assert_int_equal(roxi_findings_make(&f, &r, 9, normal, NULL, &err), 0);
    assert_true(f.count > 0);
    assert_int_equal(f.list[0].stack, stack_number(path));
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say(t.out, profiles->symbols, &f.list[0], 9, true);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Instead of a generated method, a written one further in is named. */
static void test_written(void **state)
{
    const struct did did[] = {{"x", USUAL, 1, 20}, {"x", ROW, 21, 100}};
    (void)state;
    assert_first_says(did, 2, ROW, "80 packets in C.row calling F.get, typically 0");
}

/* Not if the run departs there much less. */
static void test_generated(void **state)
{
    const struct did did[] = {{"x", USUAL, 1, 20}, {"x", HOLD, 21, 80}, {"x", ROW, 81, 100}};
    (void)state;
    assert_first_says(did, 3, HOLD, "80 packets in a lambda of C.hold, typically 0");
}

/* A normal run has no findings. */
static void test_nothing(void **state)
{
    struct roxi_findings f;
    const bool normal[6] = {true, true, true, true, true, true};
    (void)state;
    add_normal(6);
    struct roxi_ranking r = rank_all(NULL);
    assert_int_equal(roxi_findings_make(&f, &r, 0, normal, NULL, &err), 0);
    assert_int_equal(f.count, 0);
    assert_int_equal(f.normal, 5);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* Two runs that spin, and one that waits. */
static void test_common(void **state)
{
    const struct did spins[] = {{"x", WORK, 1, 100}, {"y", WORK, 1, 40}, {"y", SPIN, 41, 100}};
    const struct did waits[] = {{"x", WORK, 1, 20}, {"x", LOCK, 21, 100}, {"y", WORK, 1, 100}};
    struct roxi_common c;
    bool of[9] = {0}, others[9] = {0};
    (void)state;
    add_normal(6);
    add_did("spins 1", spins, 3);
    add_did("spins 2", spins, 3);
    add_did("waits", waits, 3);
    for (size_t i = 0; i < 9; i++)
        *(i < 6 ? &others[i] : &of[i]) = true;
    struct roxi_ranking r = rank_all(others);
    assert_int_equal(roxi_common_make(&c, &r, of, others, NULL, NULL, 0, &err), 0);
    assert_int_equal(c.runs, 3);
    assert_int_equal(c.others, 6);
    assert_int_equal(c.groups.count, 2);
    assert_int_equal(c.groups.of[6], 1);
    assert_int_equal(c.groups.of[7], 1);
    assert_int_equal(c.groups.of[8], 2);
    assert_int_equal(c.groups.of[0], 0);
    assert_int_equal(c.list[0].in, 2); /* Ochiai: 2 of 3 against 1 of 3 */
    assert_int_equal(c.list[0].in_others, 0);
    roxi_common_free(&c);
    roxi_ranking_free(&r);
}

/* What is printed of 13 odd runs, explained on so many threads. The caller frees it. */
static char *common_on(unsigned threads)
{
    struct roxi_common c;
    struct ix_text t;
    bool of[19] = {0}, others[19] = {0};
    const struct roxi_common_words words = {.runs = "odd", .others = "normal", .all = true};
    for (size_t i = 0; i < 19; i++)
        *(i < 6 ? &others[i] : &of[i]) = true;
    struct roxi_ranking r = rank_all(others);
    assert_int_equal(roxi_common_make(&c, &r, of, others, NULL, NULL, threads, &err), 0);
    assert_int_equal(c.runs, 13);
    assert_int_equal(ix_text_open(&t), 0);
    assert_int_equal(roxi_common_text(t.out, profiles, &c, &words), 0);
    roxi_common_free(&c);
    roxi_ranking_free(&r);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    return text;
}

static void test_common_threads(void **state)
{
    (void)state;
    add_normal(6);
    for (uint64_t i = 0; i < 13; i++) {
        const struct did did[] = {{"x", WORK, 1, 20},
                                  {"x", i % 3 ? LOCK : SPIN, 21, 60 + 3 * i},
                                  {"x", WORK, 61 + 3 * i, 100},
                                  {"y", WORK, 1, 100}};
        char name[16];
        snprintf(name, sizeof name, "odd %d", (int)i);
        add_did(name, did, 4);
    }
    char *one = common_on(1), *two = common_on(2), *many = common_on(16);
    assert_non_null(strstr(one, "in 8 of 13 runs odd"));
    assert_string_equal(two, one);
    assert_string_equal(many, one);
    free(one);
    free(two);
    free(many);
}

/* What is said of three runs in which role y has another name. The caller frees it. */
static char *of_two_campaigns(bool apart)
{
    struct roxi_apart roles = {0};
    struct roxi_common c;
    struct ix_text t;
    bool of[9] = {0}, others[9] = {0};
    for (size_t i = 0; i < 9; i++)
        *(i < 6 ? &others[i] : &of[i]) = true;
    struct roxi_ranking r = rank_all(others);
    if (apart)
        assert_int_equal(roxi_apart_make(&roles, profiles, of, others), 0);
    assert_int_equal(roxi_common_make(&c, &r, of, others, &roles, NULL, 0, &err), 0);
    const struct roxi_common_words words = {
        .runs = "of B", .others = "of A", .all = true, .apart = &roles};
    assert_int_equal(ix_text_open(&t), 0);
    assert_int_equal(roxi_common_text(t.out, profiles, &c, &words), 0);
    roxi_common_free(&c);
    roxi_apart_free(&roles);
    roxi_ranking_free(&r);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    return text;
}

static void give_roles(size_t run, const char *one, const char *other)
{
    struct roxi_profile *x = &profiles->executions[run];
    x->roles = calloc(2, sizeof *x->roles);
    assert_non_null(x->roles);
    x->role_count = 2;
    x->roles[0] = (struct roxi_participation){.role = name_number(one), .answered = 100};
    x->roles[1] = (struct roxi_participation){.role = name_number(other), .answered = 100};
}

static void test_renamed_roles(void **state)
{
    const struct did did[] = {{"x", WORK, 1, 20}, {"x", LOCK, 21, 100}, {"z", SPIN, 1, 100}};
    (void)state;
    add_normal(6);
    for (size_t i = 0; i < 3; i++)
        add_did("renamed", did, 3);
    for (size_t i = 0; i < 9; i++)
        give_roles(i, "x", i < 6 ? "y" : "z");
    char *text = of_two_campaigns(true);
    assert_non_null(strstr(text,
                           "3 runs of B, compared with 6 of A.\nRole z is only in runs of B, and "
                           "y is only in those of A; their other\ndifferences are left out.\n"));
    assert_non_null(strstr(text, "\n 1. x, "));
    assert_null(strstr(text, ". z, "));
    assert_null(strstr(text, ". y"));
    free(text);
    text = of_two_campaigns(false);
    assert_non_null(strstr(text, ". z, "));
    assert_null(strstr(text, "only in"));
    free(text);
}

static void test_common_of_nothing(void **state)
{
    struct roxi_common c;
    const bool of[4] = {false, false, false, true}, others[4] = {true, true, true, false};
    (void)state;
    add_normal(4);
    struct roxi_ranking r = rank_all(others);
    assert_int_equal(roxi_common_make(&c, &r, of, others, NULL, "/nonexistent", 2, &err), -1);
    assert_non_null(strstr(err.text, "/nonexistent"));
    roxi_ranking_free(&r);
}

/* y stays in LOCK 60 packets, x in WORK 100, as in every run. */
static void test_dwell(void **state)
{
    const struct did did[] = {
        {"x", WORK, 1, 100}, {"y", WORK, 1, 30}, {"y", SPIN, 31, 40}, {"y", LOCK, 41, 100}};
    bool normal[4] = {true, true, true, false};
    struct roxi_dwell list[2];
    (void)state;
    add_normal(3);
    add_did("odd", did, 4);
    assert_int_equal(roxi_dwell_longest(list, 2, profiles, 3, normal, false), 2);
    assert_int_equal(list[0].span->stack, stack_number(LOCK)); /* of its group the longest only */
    assert_float_equal(list[0].times, 60, 1e-9);
    assert_int_equal(list[1].span->stack, stack_number(WORK));
    assert_int_equal(list[1].span->packets, 100);
    assert_float_equal(list[1].times, 100.0 / 101, 1e-9);
    assert_int_equal(roxi_dwell_longest(list, 1, profiles, 3, normal, false), 1);
    assert_int_equal(list[0].span->stack, stack_number(LOCK));
    memset(normal, 0, sizeof normal); /* compared with nothing */
    assert_int_equal(roxi_dwell_longest(list, 2, profiles, 3, normal, false), 2);
    assert_float_equal(list[0].times, 100, 1e-9);
    assert_int_equal(roxi_dwell_longest(list, 2, profiles, 3, normal, true), 2);
}

/* A stay outside of the application does not hide a shorter one in it. */
static void test_dwell_of_its_own(void **state)
{
#define OUTSIDE "java.lang.Thread.run()V:1;jdk.internal.misc.Unsafe.park()V:-2"
    const struct did did[] = {{"x", OUTSIDE, 1, 60}, {"x", LOCK, 61, 100}};
    bool normal[4] = {true, true, true, false};
    struct roxi_dwell list[2];
    (void)state;
    add_normal(3);
    add_did("odd", did, 2);
    assert_int_equal(roxi_dwell_longest(list, 2, profiles, 3, normal, false), 1);
    assert_int_equal(list[0].span->stack, stack_number(OUTSIDE));
    assert_int_equal(roxi_dwell_longest(list, 2, profiles, 3, normal, true), 1);
    assert_int_equal(list[0].span->stack, stack_number(LOCK));
}

/* Verdicts decide if at least three runs passed of which something was recorded, or half of
 * all failed; else scores, but one that failed is not normal if others passed. */
static void test_normal(void **state)
{
#define P IX_VERDICT_PASSED
#define F IX_VERDICT_FAILED
#define U IX_VERDICT_UNKNOWN
    static const struct {
        enum ix_verdict verdicts[5];
        bool ranked, normal[5];
    } rows[] = {
        {{P, P, F, U, P}, true, {true, true, false, false, true}},
        {{P, P, F, U, P}, false, {true, true, false, false, true}},
        {{P, P, F, F, F}, true, {true, true, false, false, false}},
        {{P, P, F, U, F}, true, {true, false, false, false, false}},
        {{P, F, F, U, F}, false, {true, false, false, false, false}},
        {{P, P, F, U, U}, true, {true, false, false, false, true}},
        {{P, P, F, U, U}, false, {false, false, false, false, false}},
        {{F, F, F, U, F}, true, {true, false, true, false, true}},
    };
    double score[5] = {0, 2, 0.5, 7, 1};
    struct roxi_profile runs[5] = {
        {.total = 9}, {.total = 9}, {.total = 9}, {.total = 9}, {.total = 9}};
    const struct roxi_profiles five = {.executions = runs, .count = 5};
    const struct roxi_ranking r = {.n = 5, .score = score};
    struct roxi_verdict verdicts[5] = {{0}};
    bool normal[5];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t count = 0;
        for (size_t k = 0; k < 5; k++) {
            verdicts[k].verdict = rows[i].verdicts[k];
            count += rows[i].normal[k];
        }
        assert_int_equal(roxi_normal_choose(normal, &five, verdicts, rows[i].ranked ? &r : NULL),
                         count);
        assert_memory_equal(normal, rows[i].normal, sizeof normal);
    }
    for (size_t k = 0; k < 5; k++)
        verdicts[k].verdict = P;
    runs[2].total = runs[3].total = runs[4].total = 0;
    assert_int_equal(roxi_normal_choose(normal, &five, verdicts, &r), 1);
    assert_true(normal[0] && !normal[1] && !normal[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_doing, profiles_set_up, profiles_tear_down),
        cmocka_unit_test(test_history),
        cmocka_unit_test_setup_teardown(test_order, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_first_place, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_network, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_rare, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_long_before, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_edge, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_not_rare, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_blocked, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_hardly_blocked, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_twins, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_same_path, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_stay, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_written, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_generated, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_nothing, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_common, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_common_threads, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_renamed_roles, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_common_of_nothing, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test(test_normal),
        cmocka_unit_test_setup_teardown(test_dwell, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_dwell_of_its_own, profiles_set_up, profiles_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
