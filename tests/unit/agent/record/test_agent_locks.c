/* SPDX-License-Identifier: Apache-2.0 */
/* Which threads the JVM is asked about, and what is kept of its answers: with a double of the JVM.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/record/locks.h"
#include "tests/support/jni_double.h"
#include "tests/support/tracelog_fixture.h"

enum { THREADS = 12, OWNED_MAX = IXA_KEPT_RELATIONS + 1 };
#define WAITS (JVMTI_THREAD_STATE_ALIVE | JVMTI_THREAD_STATE_IN_OBJECT_WAIT)
#define BLOCKED (JVMTI_THREAD_STATE_ALIVE | JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
#define SLEEPS (JVMTI_THREAD_STATE_ALIVE | JVMTI_THREAD_STATE_SLEEPING)

/* ---- the JVM ---- */

struct java_thread {
    struct double_object d; /* first: the double's references point to it */
    jint state;
    struct double_object *owned[OWNED_MAX], *contended;
    int asked; /* how often about what it owns */
    int contended_asked;
};

static struct java_thread threads[THREADS + 1]; /* by id, from 1 */
/* Blocked in every packet, on a monitor that the JVM does not tell at first: so it is asked what
 * others own. */
static struct java_thread bystander;
static struct double_object monitors[THREADS + 1];
static struct {
    bool fails;      /* what a thread owns is not told */
    int64_t work_ns; /* processor time for that */
    int allocated;   /* JVMTI's memory */
} vm;

static struct java_thread *at(jthread ref)
{
    return (struct java_thread *)(void *)double_at(ref);
}

static void work(int64_t ns)
{
    const int64_t begin = ix_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    while (ns && ix_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin < ns)
        ;
}

static jvmtiError JNICALL owned_by(jvmtiEnv *ti, jthread thread, jint *count,
                                   jvmtiMonitorStackDepthInfo **list)
{
    (void)ti;
    struct java_thread *t = at(thread);
    t->asked++;
    work(t == &bystander ? 0 : vm.work_ns);
    if (vm.fails)
        return JVMTI_ERROR_THREAD_NOT_ALIVE;
    *list = calloc(OWNED_MAX, sizeof **list);
    assert_non_null(*list);
    vm.allocated++;
    *count = 0;
    for (int i = 0; i < OWNED_MAX; i++)
        if (t->owned[i])
            (*list)[(*count)++] = (jvmtiMonitorStackDepthInfo){double_local(t->owned[i]), 1};
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL contended_by(jvmtiEnv *ti, jthread thread, jobject *object)
{
    (void)ti;
    struct double_object *contended = at(thread)->contended;
    at(thread)->contended_asked++;
    *object = contended ? double_local(contended) : NULL;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *ti, unsigned char *memory)
{
    (void)ti;
    vm.allocated -= memory != NULL;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL state_of(jvmtiEnv *ti, jthread thread, jint *state)
{
    (void)ti;
    *state = at(thread)->state;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL has_all(jvmtiEnv *ti, jvmtiCapabilities *has)
{
    (void)ti;
    has->can_get_owned_monitor_stack_depth_info = 1;
    has->can_get_current_contended_monitor = 1;
    has->can_generate_monitor_events = 1;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *ti, jvmtiEventMode mode, jvmtiEvent event,
                                   jthread thread, ...)
{
    (void)ti;
    (void)mode;
    (void)event;
    (void)thread;
    return JVMTI_ERROR_NONE;
}

/* Without the classes of parked threads. */
static jvmtiError JNICALL no_thread(jvmtiEnv *ti, jthread *thread)
{
    (void)ti;
    *thread = NULL;
    return JVMTI_ERROR_UNATTACHED_THREAD;
}

static jclass JNICALL class_of(JNIEnv *jni, jobject object)
{
    (void)jni;
    return double_local(double_at(object));
}

static const struct jvmtiInterface_1_ functions = {
    .GetOwnedMonitorStackDepthInfo = owned_by,
    .GetCurrentContendedMonitor = contended_by,
    .GetThreadState = state_of,
    .GetCapabilities = has_all,
    .SetEventNotificationMode = set_mode,
    .GetCurrentThread = no_thread,
    .Deallocate = deallocate,
};
static const struct jvmtiInterface_1_ *ti = &functions;
static JNIEnv *jni = &double_jni;

uint32_t __wrap_ixa_threads_find(const struct ixa_threads *t, uint64_t key);
uint32_t __wrap_ixa_threads_find(const struct ixa_threads *t, uint64_t key)
{
    (void)t;
    return key <= THREADS ? (uint32_t)key : 0; /* the log does not have the bystander */
}

uint32_t __wrap_ixa_names_class(struct ixa_names *n, JNIEnv *env, jclass class);
uint32_t __wrap_ixa_names_class(struct ixa_names *n, JNIEnv *env, jclass class)
{
    (void)n;
    (void)env;
    (void)class;
    return 1;
}

/* ---- packets ---- */

static struct ixa_starts starts = IXA_STARTS_NONE;
static struct ixa_locks locks;
static int64_t limit_ns;        /* of the agent */
static void (*meanwhile)(void); /* what happens around the stop */
static bool unchanged;          /* the threads have not run since the packet before */

static void start(void)
{
    assert_int_equal(ixa_locks_start(&locks, &ti, jni, NULL, &starts), 0);
    limit_ns = locks.limit_ns;
    locks.limit_ns = INT64_MAX; /* so that a busy machine changes nothing */
}

static int all_asked(void)
{
    int asked = 0;
    for (int i = 1; i <= THREADS; i++)
        asked += threads[i].asked;
    return asked;
}

/* From now on each thread that is asked about takes so long. */
static void take_long(int64_t work_ns)
{
    locks.limit_ns = limit_ns;
    vm.work_ns = work_ns;
}

static int begin(void **state)
{
    (void)state;
    double_functions.GetObjectClass = class_of;
    memset(&vm, 0, sizeof vm);
    memset(threads, 0, sizeof threads);
    meanwhile = NULL;
    unchanged = false;
    for (int i = 1; i <= THREADS; i++)
        threads[i].d.tid = i;
    bystander = (struct java_thread){.d.tid = THREADS + 1, .state = BLOCKED};
    start();
    return 0;
}

static int end(void **state)
{
    (void)state;
    ixa_locks_stop(&locks, jni);
    ixa_locks_stop(&locks, jni);
    ixa_starts_reset(&starts, false);
    return double_locals || double_weaks || vm.allocated;
}

/* The thread begins to wait, or to be blocked, with JVMTI's events. */
static void wait_on(int thread, struct double_object *object)
{
    threads[thread].state = WAITS;
    threads[thread].contended = NULL; /* as from JDK 23 on */
    jthread ref = double_local(&threads[thread].d);
    jobject at_object = double_local(object);
    ixa_changes_on_wait(&locks.changes, jni, ref, at_object);
    double_delete_local(jni, at_object);
    double_delete_local(jni, ref);
}

static void wake(int thread)
{
    threads[thread].state = JVMTI_THREAD_STATE_ALIVE;
    jthread ref = double_local(&threads[thread].d);
    ixa_changes_on_waited(&locks.changes, jni, ref);
    double_delete_local(jni, ref);
}

static void block_on(int thread, struct double_object *object)
{
    threads[thread].state = BLOCKED;
    threads[thread].contended = object;
    jthread ref = double_local(&threads[thread].d);
    ixa_changes_on_change(&locks.changes, jni, ref);
    double_delete_local(jni, ref);
}

/* Threads 1 and 2. */
static void block_each_other(void)
{
    threads[1].owned[0] = &monitors[1];
    threads[2].owned[0] = &monitors[2];
    block_on(1, &monitors[2]);
    block_on(2, &monitors[1]);
}

/* What a packet's log says: relations by thread and kind. */
struct told {
    int owns[THREADS + 1], enters[THREADS + 1], waits[THREADS + 1];
    size_t count;
    char left_out[40]; /* META; empty: none */
};

static struct told told_by(struct ix_log_writer *w, int fd)
{
    struct told told = {0};
    struct ix_out bytes = finish(w, fd);
    struct ix_log_reader *r = read_bytes(&bytes);
    next_snapshot(r);
    const struct ix_facts facts = ix_log_facts(r);
    told.count = facts.lock_count;
    const char *left_out = ix_log_meta_value(r, "locks-left-out");
    snprintf(told.left_out, sizeof told.left_out, "%s", left_out ? left_out : "");
    for (size_t i = 0; i < facts.lock_count; i++) {
        const struct ix_lock *l = &facts.locks[i];
        int *of = l->kind == IX_LOCK_OWNS     ? told.owns
                  : l->kind == IX_LOCK_ENTERS ? told.enters
                                              : told.waits;
        of[l->thread]++;
    }
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    return told;
}

/* A packet of the first threads. */
static struct told packet(int count)
{
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    jthread refs[THREADS + 1];
    for (uint32_t i = 1; i <= THREADS; i++)
        ix_log_thread(w, &(struct ix_thread){i, i, i, "t", "", "", 5, 0});
    ix_log_class(w, "a.A", "");
    ixa_locks_begin(&locks);
    if (meanwhile)
        meanwhile();
    for (int i = 1; i <= count; i++) {
        refs[i] = double_local(&threads[i].d);
        ixa_locks_see(&locks, jni, refs[i], threads[i].state, unchanged);
    }
    jthread blocked = double_local(&bystander.d);
    if (bystander.state)
        ixa_locks_see(&locks, jni, blocked, bystander.state, false);
    ixa_locks_ask(&locks, jni, false);
    double_delete_local(jni, blocked);
    assert_int_equal(ixa_locks_write(&locks, jni, NULL, NULL, w), 0);
    ixa_locks_again(&locks, jni);
    for (int i = 1; i <= count; i++)
        double_delete_local(jni, refs[i]);
    assert_int_equal(double_locals, 0);
    assert_int_equal(ix_log_snapshot(w, &(struct ix_snapshot){.packet = 1}), 0);
    return told_by(w, fd);
}

/* ---- tests ---- */

/* Who waits on what is told without asking the JVM. */
static void what_is_owned_is_not_asked_if_nobody_is_blocked(void **state)
{
    (void)state;
    bystander.state = 0;
    threads[1].owned[0] = &monitors[2];
    wait_on(1, &monitors[1]);
    for (int i = 0; i < 3; i++) {
        const struct told told = packet(2);
        assert_int_equal(told.waits[1], 1);
        assert_int_equal(told.count, 1);
        assert_string_equal(told.left_out, "");
    }
    assert_int_equal(threads[1].asked, 0);
    block_on(2, &monitors[2]);
    const struct told told = packet(2);
    assert_int_equal(told.owns[1], 1);
    assert_int_equal(told.enters[2], 1);
    assert_int_equal(threads[1].asked, 1);
}

static void a_wait_without_monitors_is_asked_about_once(void **state)
{
    (void)state;
    wait_on(1, &monitors[1]);
    for (int i = 0; i < 3; i++) {
        const struct told told = packet(1);
        assert_int_equal(told.waits[1], 1);
        assert_int_equal(told.count, 1);
        assert_string_equal(told.left_out, "");
        assert_int_equal(threads[1].asked, 1);
    }
}

static void the_next_wait_is_asked_about_again(void **state)
{
    (void)state;
    wait_on(1, &monitors[1]);
    packet(1);
    wake(1);
    threads[1].owned[0] = &monitors[2];
    wait_on(1, &monitors[1]);
    for (int i = 0; i < 3; i++) {
        const struct told told = packet(1);
        assert_int_equal(told.waits[1], 1);
        assert_int_equal(told.owns[1], 1);
        assert_int_equal(told.count, 2);
        assert_int_equal(threads[1].asked, 2);
    }
}

static void another_wait(void)
{
    wake(1);
    threads[1].owned[0] = &monitors[2];
    wait_on(1, &monitors[1]);
}

static void a_wait_that_ends_during_the_packet_is_left_out(void **state)
{
    (void)state;
    wait_on(1, &monitors[1]);
    assert_int_equal(packet(1).count, 1);
    meanwhile = another_wait;
    assert_int_equal(packet(1).count, 0);
    meanwhile = NULL;
    assert_int_equal(packet(1).owns[1], 1);
}

static void the_blocked_are_asked_each_time(void **state)
{
    (void)state;
    block_each_other();
    for (int i = 0; i < 3; i++) {
        const struct told told = packet(2);
        assert_int_equal(told.enters[1] + told.enters[2], 2);
        assert_int_equal(told.owns[1] + told.owns[2], 2);
        assert_int_equal(threads[1].asked, i + 1);
    }
}

/* Who is blocked on the only monitor on which threads are blocked does not own it. */
static void what_the_blocked_own_is_asked_if_others_are_blocked_elsewhere(void **state)
{
    (void)state;
    threads[1].owned[0] = &monitors[3];
    block_on(1, &monitors[1]);
    block_on(2, &monitors[1]);
    for (int i = 0; i < 2; i++) {
        unchanged = i > 0;
        const struct told told = packet(2);
        assert_int_equal(told.enters[1] + told.enters[2], 2);
        assert_int_equal(told.count, 2);
        assert_string_equal(told.left_out, "");
    }
    assert_int_equal(all_asked(), 0);
    block_on(3, &monitors[3]);
    const struct told told = packet(3);
    assert_int_equal(told.enters[1] + told.enters[2] + told.enters[3], 3);
    assert_int_equal(told.owns[1], 1);
    assert_int_equal(all_asked(), 3);
}

/* ... but not what they own, if they owned nothing and have not run. */
static void the_blocked_that_own_nothing_are_asked_again_when_they_have_run(void **state)
{
    (void)state;
    bystander.contended = &monitors[4];
    threads[1].owned[0] = &monitors[1];
    wait_on(1, &monitors[3]);
    block_on(2, &monitors[1]);
    for (int i = 0; i < 4; i++) {
        unchanged = i > 0;
        const struct told told = packet(2);
        assert_int_equal(told.enters[2], 1);
        assert_int_equal(told.owns[1], 1);
        assert_int_equal(threads[2].asked, 1);
    }
    unchanged = false;
    packet(2);
    assert_int_equal(threads[2].asked, 2);
}

static void a_refusal_leaves_the_thread_out(void **state)
{
    (void)state;
    wait_on(1, &monitors[1]);
    vm.fails = true;
    assert_int_equal(packet(1).count, 0);
    vm.fails = false;
    assert_int_equal(packet(1).count, 1);
}

static void on_again_knows_nothing(void **state)
{
    (void)state;
    wait_on(1, &monitors[1]);
    packet(1);
    ixa_locks_stop(&locks, jni);
    threads[1].owned[0] = &monitors[2]; /* another wait, which nobody counted */
    threads[1].contended = &monitors[1];
    start();
    assert_int_equal(packet(1).owns[1], 1);
}

/* Of threads that have just begun to wait, a packet asks about as many as its time allows; those
 * left out come first in the next one. */
static void the_fresh_are_asked_in_turn(void **state)
{
    (void)state;
    static const char *const left_out[] = {"in 1 packet or more", "in 2 packets or more", "",
                                           "in 4 packets or more"};
    take_long(120000);
    int packets = 0, asked_before = 0;
    for (int seen = 0; seen < THREADS; packets++) {
        assert_in_range(packets, 0, 1000);
        for (int i = 1; i <= THREADS; i++) {
            if (threads[i].state)
                wake(i);
            wait_on(i, &monitors[i]);
        }
        const struct told told = packet(THREADS);
        if (packets < 4)
            assert_string_equal(told.left_out, left_out[packets]);
        const int asked = all_asked();
        seen = 0;
        for (int i = 1; i <= THREADS; i++)
            seen += threads[i].asked > 0;
        assert_in_range(asked - asked_before, 0, 2);
        asked_before = asked;
    }
}

/* A single answer takes as long as ten packets may: then nobody is asked for as long. */
static void a_long_answer_is_paid_for(void **state)
{
    (void)state;
    take_long(10 * limit_ns);
    for (int packets = 0, last = -10, before = 0; before < 3; packets++) {
        assert_in_range(packets, 0, 1000);
        for (int i = 1; i <= THREADS; i++) {
            if (threads[i].state)
                wake(i);
            wait_on(i, &monitors[i]);
        }
        packet(THREADS);
        const int asked = all_asked() - before;
        assert_in_range(asked, 0, 1);
        if (asked) {
            assert_in_range(packets - last, 9, 1000);
            last = packets;
            before++;
        }
    }
}

/* What blocked threads own takes as long as ten packets may: then it is not asked for as long, but
 * what they are blocked on is told in each packet. */
static void long_answers_of_the_blocked_are_paid_for(void **state)
{
    (void)state;
    block_each_other();
    packet(2);
    take_long(5 * limit_ns);
    int whole = 0;
    for (int packets = 0, last = -10; whole < 3; packets++) {
        assert_in_range(packets, 0, 1000);
        const struct told told = packet(2);
        assert_int_equal(told.enters[1] + told.enters[2], 2);
        assert_true(told.owns[1] == told.owns[2]);
        if (told.owns[1]) {
            assert_in_range(packets - last, 9, 1000);
            last = packets;
            whole++;
        }
    }
}

/* The search for an owner that sleeps: the next one may have to wait, however urgent it is. */
static void a_long_search_is_paid_for(void **state)
{
    (void)state;
    enum { MS = 1000000 };
    take_long(MS);
    threads[2].state = SLEEPS;
    block_on(1, &monitors[1]);
    packet(2);
    packet(2);
    assert_int_equal(threads[2].asked, 1);
    for (int i = 0; i < 15; i++) {
        block_on(
            1, &monitors[1]); /* for a moment: no owner is wanted, and the search may begin anew */
        packet(2);
        packet(2);
    }
    assert_in_range(threads[2].asked, 2, 3);
}

static void a_standing_deadlock_is_told_whatever_else_there_is(void **state)
{
    (void)state;
    take_long(250000); /* one of the fresh a packet */
    block_each_other();
    struct told told = {0};
    for (int i = 0; told.owns[1] + told.owns[2] < 2; i++) {
        assert_in_range(i, 0, 1000);
        for (int t = 3; t <= THREADS; t++)
            block_on(t, &monitors[1]);
        told = packet(THREADS);
    }
}

/* Waiting threads that own something: with a limit, unless one of them may own what is wanted. */
static void waiting_owners_are_all_asked_if_one_is_wanted(void **state)
{
    (void)state;
    take_long(250000);
    for (int i = 2; i <= THREADS; i++) {
        threads[i].owned[0] = &monitors[i];
        wait_on(i, &monitors[1]);
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(packet(THREADS).count, 0, 2);
    block_on(1, &monitors[THREADS]);
    size_t most = 0;
    for (int i = 0; most < 2 * THREADS - 1; i++) { /* the others own and wait, and one enters */
        assert_in_range(i, 0, 1000);
        const size_t count = packet(THREADS).count;
        most = count > most ? count : most;
    }
}

/* An owner that sleeps is looked for only if a thread has been blocked for longer. */
static void an_owner_is_not_looked_for_at_once(void **state)
{
    (void)state;
    threads[2].state = SLEEPS;
    threads[2].owned[0] = &monitors[1];
    for (int i = 0; i < 5; i++) {
        block_on(1, &monitors[1]);
        assert_int_equal(packet(2).enters[1], 1);
    }
    assert_int_equal(threads[2].asked, 0);
    packet(2);
    assert_int_equal(threads[2].asked, 1);
}

/* ---- what is kept ---- */

static int asked(int thread)
{
    return threads[thread].asked + threads[thread].contended_asked;
}

static void who_has_not_run_is_not_asked(void **state)
{
    (void)state;
    block_each_other();
    packet(2);
    unchanged = true;
    const int before = asked(1) + asked(2);
    for (int i = 0; i < 3; i++) {
        const struct told told = packet(2);
        assert_int_equal(told.enters[1] + told.enters[2], 2);
        assert_int_equal(told.owns[1] + told.owns[2], 2);
        assert_int_equal(told.count, 4);
    }
    assert_int_equal(asked(1) + asked(2), before);
    unchanged = false;
    packet(2);
    assert_true(asked(1) + asked(2) > before);
}

/* Another thread notifies it. */
static void who_is_notified_is_asked(void **state)
{
    (void)state;
    wait_on(1, &monitors[1]);
    packet(1);
    unchanged = true;
    assert_int_equal(packet(1).waits[1], 1);
    threads[1].state = BLOCKED;
    threads[1].contended = &monitors[1];
    const struct told told = packet(1);
    assert_int_equal(told.enters[1], 1);
    assert_int_equal(told.waits[1], 0);
}

/* What was not asked is asked when it matters, however long the thread has not run. */
static void what_was_not_wanted_is_asked_later(void **state)
{
    (void)state;
    bystander.state = 0;
    threads[1].owned[0] = &monitors[2];
    wait_on(1, &monitors[1]);
    unchanged = true;
    for (int i = 0; i < 3; i++)
        assert_int_equal(packet(2).owns[1], 0);
    block_on(2, &monitors[2]);
    for (int i = 0; i < 3; i++)
        assert_int_equal(packet(2).owns[1], 1);
    assert_int_equal(threads[1].asked, 1);
}

/* The JVM does not tell on what, from JDK 23 on. */
static void an_unknown_wait_is_asked_about_once(void **state)
{
    (void)state;
    threads[1].state = WAITS;
    for (int i = 0; i < 4; i++)
        assert_int_equal(packet(1).count, 0);
    assert_int_equal(threads[1].contended_asked, 1);
    wake(1);
    wait_on(1, &monitors[1]);
    assert_int_equal(packet(1).waits[1], 1);
}

static void what_cannot_be_kept_is_asked_again(void **state)
{
    (void)state;
    for (int i = 0; i < OWNED_MAX; i++) /* with the one it waits on, two too many */
        threads[1].owned[i] = &monitors[2 + i];
    wait_on(1, &monitors[1]);
    unchanged = true;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(packet(1).count, OWNED_MAX + 1);
        assert_int_equal(threads[1].asked, 1 + i);
    }
    memset(threads[1].owned, 0, sizeof threads[1].owned);
    threads[1].owned[0] = &monitors[2];
    double_no_weaks = true;
    for (int i = 0; i < 3; i++)
        assert_int_equal(packet(1).count, 2);
    double_no_weaks = false;
    assert_int_equal(threads[1].asked, 6);
}

static void a_monitor_that_is_gone_is_asked_about_again(void **state)
{
    (void)state;
    bystander.contended = &monitors[3];
    threads[1].owned[0] = &monitors[2];
    block_on(1, &monitors[1]);
    unchanged = true;
    packet(1);
    packet(1);
    const int before = asked(1);
    monitors[2].collected = true;
    threads[1].owned[0] = NULL;
    const struct told told = packet(1);
    monitors[2].collected = false;
    assert_int_equal(told.enters[1], 1);
    assert_int_equal(told.count, 1);
    assert_true(asked(1) > before);
}

/* A packet that was not finished in between. */
static void a_gap_forgets(void **state)
{
    (void)state;
    block_on(1, &monitors[1]);
    unchanged = true;
    packet(1);
    const int before = asked(1);
    ixa_locks_begin(&locks);
    assert_int_equal(packet(1).enters[1], 1);
    assert_true(asked(1) > before);
}

int main(void)
{
#define WITH_JVM(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        WITH_JVM(what_is_owned_is_not_asked_if_nobody_is_blocked),
        WITH_JVM(a_wait_without_monitors_is_asked_about_once),
        WITH_JVM(the_next_wait_is_asked_about_again),
        WITH_JVM(a_wait_that_ends_during_the_packet_is_left_out),
        WITH_JVM(the_blocked_are_asked_each_time),
        WITH_JVM(what_the_blocked_own_is_asked_if_others_are_blocked_elsewhere),
        WITH_JVM(the_blocked_that_own_nothing_are_asked_again_when_they_have_run),
        WITH_JVM(a_refusal_leaves_the_thread_out),
        WITH_JVM(on_again_knows_nothing),
        WITH_JVM(the_fresh_are_asked_in_turn),
        WITH_JVM(a_long_answer_is_paid_for),
        WITH_JVM(long_answers_of_the_blocked_are_paid_for),
        WITH_JVM(a_long_search_is_paid_for),
        WITH_JVM(a_standing_deadlock_is_told_whatever_else_there_is),
        WITH_JVM(waiting_owners_are_all_asked_if_one_is_wanted),
        WITH_JVM(an_owner_is_not_looked_for_at_once),
        WITH_JVM(who_has_not_run_is_not_asked),
        WITH_JVM(who_is_notified_is_asked),
        WITH_JVM(what_was_not_wanted_is_asked_later),
        WITH_JVM(an_unknown_wait_is_asked_about_once),
        WITH_JVM(what_cannot_be_kept_is_asked_again),
        WITH_JVM(a_monitor_that_is_gone_is_asked_about_again),
        WITH_JVM(a_gap_forgets),
    };
    /* On a busy machine this thread may wait for a processor for longer than a packet may take. So
     * the clock by which that is limited hardly moves here; processor time does. */
    ixa_clock_set_shift(0, -999000000);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
