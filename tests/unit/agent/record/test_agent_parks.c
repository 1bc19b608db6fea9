/* SPDX-License-Identifier: Apache-2.0 */
/* Who is parked on what, and who owns it: with a double of the JVM's objects, and a real thread of
 * this kernel for the one that is parked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/record/parks.h"
#include "tests/support/jni_double.h"
#include "tests/support/tracelog_fixture.h"

/* Java's ids of the threads; the log's numbers are the same. */
enum { WAITER = 1, OWNER = 2, OTHER = 3, GONE = 4 };
enum { WAITING = 1, FIRST_OBJECT = 513 };
#define PARKED (JVMTI_THREAD_STATE_ALIVE | JVMTI_THREAD_STATE_PARKED)
#define LOCKS "Ljava/util/concurrent/locks/"

/* ---- the JVM ---- */

enum { BLOCKER, HEAD, EXCLUSIVE, NEXT, NODE_WAITER, STATUS, FIELDS };
static const char *const field_names[FIELDS] = {"parkBlocker", "head",   "exclusiveOwnerThread",
                                                "next",        "waiter", "status"};

/* An object, or a class. */
struct object {
    struct double_object d; /* first: the double's references point to it */
    struct object *class;   /* of a class: its superclass */
    const char *signature;  /* of a class */
    struct object *fields[FIELDS];
    jint number; /* of a node: its status; of a thread: its state */
};

static struct object object_class = {.signature = "Ljava/lang/Object;"};
static struct object thread_class = {.signature = "Ljava/lang/Thread;", .class = &object_class};
static struct object queued_class[2] = {
    {.signature = LOCKS "AbstractQueuedSynchronizer;", .class = &object_class},
    {.signature = LOCKS "AbstractQueuedLongSynchronizer;", .class = &object_class}};
static struct object node_class[2] = {
    {.signature = LOCKS "AbstractQueuedSynchronizer$Node;", .class = &object_class},
    {.signature = LOCKS "AbstractQueuedLongSynchronizer$Node;", .class = &object_class}};
static struct object sync_class = {.signature = "La/Sync;"};
static struct object own_node_class = {.signature = "La/Node;"};

static struct {
    const char *missing; /* the field that this JVM does not have */
    bool pending;        /* an exception */
    bool no_globals;
    int allocated; /* JVMTI's memory */
} vm;

static struct object *at(jobject ref)
{
    assert_false(vm.pending); /* nothing but ExceptionClear may be called */
    return (struct object *)(void *)double_at(ref);
}

static jobject ref_to(struct object *object)
{
    return object ? double_local(&object->d) : NULL;
}

static jclass JNICALL object_class_of(JNIEnv *jni, jobject ref)
{
    (void)jni;
    return ref_to(at(ref)->class);
}

static jfieldID JNICALL field_of(JNIEnv *jni, jclass class, const char *name, const char *signature)
{
    (void)jni;
    (void)signature;
    assert_non_null(at(class)->signature);
    for (size_t i = 0; i < FIELDS; i++)
        if (strcmp(field_names[i], name) == 0 && (!vm.missing || strcmp(vm.missing, name) != 0))
            return (jfieldID)(uintptr_t)(i + 1);
    vm.pending = true;
    return NULL;
}

static jobject JNICALL object_field(JNIEnv *jni, jobject ref, jfieldID field)
{
    (void)jni;
    return ref_to(at(ref)->fields[(uintptr_t)field - 1]);
}

static jint JNICALL int_field(JNIEnv *jni, jobject ref, jfieldID field)
{
    (void)jni;
    assert_int_equal((uintptr_t)field - 1, STATUS);
    return at(ref)->number;
}

static jboolean JNICALL is_instance(JNIEnv *jni, jobject ref, jclass class)
{
    (void)jni;
    const struct object *wanted = at(class), *c = at(ref)->class;
    while (c && c != wanted)
        c = c->class;
    return c == wanted;
}

static void JNICALL clear(JNIEnv *jni)
{
    (void)jni;
    vm.pending = false;
}

static jobject JNICALL no_global(JNIEnv *jni, jobject ref)
{
    (void)jni;
    (void)ref;
    return NULL;
}

static struct object threads[5]; /* by id */

static jvmtiError JNICALL current_thread(jvmtiEnv *ti, jthread *thread)
{
    (void)ti;
    *thread = ref_to(&threads[0]);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_signature(jvmtiEnv *ti, jclass class, char **signature,
                                          char **generic)
{
    (void)ti;
    assert_null(generic);
    *signature = strdup(at(class)->signature);
    vm.allocated++;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *ti, unsigned char *memory)
{
    (void)ti;
    vm.allocated--;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL thread_state(jvmtiEnv *ti, jthread thread, jint *state)
{
    (void)ti;
    *state = at(thread)->number;
    return *state ? JVMTI_ERROR_NONE : JVMTI_ERROR_THREAD_NOT_ALIVE;
}

static const struct jvmtiInterface_1_ functions = {.GetCurrentThread = current_thread,
                                                   .GetClassSignature = class_signature,
                                                   .Deallocate = deallocate,
                                                   .GetThreadState = thread_state};
static const struct jvmtiInterface_1_ *ti = &functions;
static JNIEnv *jni = &double_jni;

/* ---- the thread that is parked, and the packets ---- */

static struct {
    pthread_t thread;
    _Atomic pid_t tid;
    _Atomic bool spin, done;
    int in[2], out[2]; /* it answers each byte, and sleeps in between */
} sleeper;

static void *sleep_on(void *unused)
{
    char byte;
    sleeper.tid = gettid();
    while (sleeper.spin && !sleeper.done)
        continue;
    while (read(sleeper.in[0], &byte, 1) == 1 && write(sleeper.out[1], &byte, 1) == 1)
        continue;
    return unused;
}

static void until_asleep(void)
{
    struct ixa_schedule s;
    struct ixa_watch w;
    ixa_schedule_init(&s, IXA_SHARE_WALK);
    if (ixa_watch_open(&s, &w, sleeper.tid)) {
        while (!sleeper.spin && !ixa_watch_asleep(&w))
            sched_yield();
        ixa_watch_close(&s, &w);
    }
    ixa_schedule_free(&s);
}

/* It wakes up, and goes to sleep again. */
static void run_once(void)
{
    char byte = 'x';
    assert_int_equal(write(sleeper.in[1], &byte, 1), 1);
    assert_int_equal(read(sleeper.out[0], &byte, 1), 1);
    until_asleep();
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

uint32_t __wrap_ixa_threads_find(const struct ixa_threads *t, uint64_t key);
uint32_t __wrap_ixa_threads_find(const struct ixa_threads *t, uint64_t key)
{
    (void)t;
    return key < GONE ? (uint32_t)key : 0;
}

uint32_t __wrap_ixa_names_class(struct ixa_names *n, JNIEnv *env, jclass class);
uint32_t __wrap_ixa_names_class(struct ixa_names *n, JNIEnv *env, jclass class)
{
    (void)n;
    (void)env;
    return at(class) == &sync_class ? 1 : 2;
}

static struct ixa_starts starts = IXA_STARTS_NONE;
static struct ixa_parks parks;
static struct object lock, head, node;

/* A lock that OWNER owns, with WAITER first in its queue; the classes' kind is 0 or 1. */
static void build(int kind)
{
    sync_class.class = &queued_class[kind];
    own_node_class.class = &node_class[kind];
    for (int i = 0; i <= GONE; i++)
        threads[i] = (struct object){.d.tid = i, .class = &thread_class, .number = PARKED};
    lock = (struct object){.class = &sync_class};
    head = (struct object){.class = &own_node_class};
    node = (struct object){.class = &own_node_class, .number = WAITING};
    threads[WAITER].fields[BLOCKER] = &lock;
    lock.fields[EXCLUSIVE] = &threads[OWNER];
    lock.fields[HEAD] = &head;
    head.fields[NEXT] = &node;
    node.fields[NODE_WAITER] = &threads[WAITER];
}

static int begin(void **state)
{
    (void)state;
    double_functions.GetObjectClass = object_class_of;
    double_functions.GetSuperclass = object_class_of;
    double_functions.GetFieldID = field_of;
    double_functions.GetObjectField = object_field;
    double_functions.GetIntField = int_field;
    double_functions.IsInstanceOf = is_instance;
    double_functions.ExceptionClear = clear;
    memset(&vm, 0, sizeof vm);
    double_no_weaks = false;
    build(0);
    sleeper.tid = 0;
    sleeper.spin = sleeper.done = false;
    return pipe(sleeper.in) != 0 || pipe(sleeper.out) != 0;
}

static void start(void)
{
    if (!kernel_tells())
        skip();
    assert_int_equal(pthread_create(&sleeper.thread, NULL, sleep_on, NULL), 0);
    while (!sleeper.tid)
        sched_yield();
    until_asleep();
    ixa_starts_add(&starts, WAITER, (uint32_t)sleeper.tid);
    assert_int_equal(ixa_parks_start(&parks, &ti, jni, NULL, &starts), 0);
}

static int end(void **state)
{
    (void)state;
    ixa_parks_stop(&parks, jni);
    ixa_parks_stop(&parks, jni);
    sleeper.done = true;
    close(sleeper.in[1]);
    if (sleeper.tid)
        pthread_join(sleeper.thread, NULL);
    close(sleeper.in[0]);
    close(sleeper.out[0]);
    close(sleeper.out[1]);
    ixa_starts_reset(&starts, false);
    return double_locals || double_weaks || double_globals || vm.allocated || vm.pending;
}

/* What one packet's log says: the number of relations, and of the lock's owner, 0: none. */
struct told {
    size_t count;
    uint32_t owner;
};

static struct told told_by(struct ix_log_writer *w, int fd)
{
    struct told told = {0};
    struct ix_out bytes = finish(w, fd);
    struct ix_log_reader *r = read_bytes(&bytes);
    next_snapshot(r);
    const struct ix_facts facts = ix_log_facts(r);
    for (size_t i = 0; i < facts.lock_count; i++) {
        const struct ix_lock *l = &facts.locks[i];
        assert_int_equal(l->object, FIRST_OBJECT);
        assert_int_equal(l->depth, -1);
        if (l->kind == IX_LOCK_OWNS_SYNCHRONIZER)
            told.owner = l->thread;
        else
            assert_int_equal(l->thread, WAITER);
        told.count++;
    }
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    return told;
}

static struct told packet(bool suspended)
{
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    for (uint32_t i = 1; i < GONE; i++)
        ix_log_thread(w, &(struct ix_thread){i, i, i, "t", "", "", 5, 0});
    ix_log_class(w, "a.Sync", "");
    ix_log_class(w, "a.Other", "");
    usleep(1000); /* as between two packets: this thread's own count grows */
    ixa_parks_begin(&parks);
    ixa_parks_forget(&parks); /* each packet has a log of its own */
    jthread waiter = ref_to(&threads[WAITER]);
    ixa_parks_see(&parks, waiter, WAITER, PARKED, false);
    ixa_parks_see(&parks, waiter, OTHER, JVMTI_THREAD_STATE_ALIVE, false);
    ixa_parks_ask(&parks, jni, suspended);
    double_delete_local(jni, waiter);
    assert_int_equal(double_locals, 0);
    assert_int_equal(ixa_parks_write(&parks, jni, NULL, NULL, FIRST_OBJECT, w), 0);
    assert_int_equal(double_locals, 0);
    assert_int_equal(ix_log_snapshot(w, &(struct ix_snapshot){.packet = 1}), 0);
    return told_by(w, fd);
}

static void expect(size_t count, uint32_t owner)
{
    const struct told told = packet(false);
    assert_int_equal(told.count, count);
    assert_int_equal(told.owner, owner);
}

/* Until the owner is known: the kernel must have counted, and there must be two looks. */
static void until_known(void)
{
    start();
    for (int i = 0; packet(false).owner != OWNER; i++)
        assert_true(i < 20);
}

/* ---- */

static void the_owner_is_known_after_two_looks(void **state)
{
    (void)state;
    start();
    struct told told = {0};
    for (int i = 0; !told.count; i++) {
        assert_true(i < 20);
        told = packet(false);
    }
    assert_int_equal(told.count, 1); /* what it is parked on, first */
    expect(2, OWNER);
    expect(2, OWNER);
}

static void the_same_with_the_long_class(void **state)
{
    (void)state;
    build(1);
    until_known();
}

static void another_owner_was_not_there_before(void **state)
{
    (void)state;
    until_known();
    lock.fields[EXCLUSIVE] = &threads[OTHER];
    expect(1, 0);
    expect(2, OTHER);
    lock.fields[EXCLUSIVE] = NULL;
    expect(1, 0);
    expect(1, 0);
}

/* The owner unlocks and locks again: the first in the queue is to be woken. */
static void a_cleared_status_means_an_unlock(void **state)
{
    (void)state;
    until_known();
    node.number = 0;
    expect(1, 0);
    node.number = WAITING;
    expect(1, 0);
    expect(2, OWNER);
}

/* It was woken, did not get the lock, and is parked again with its status set. */
static void a_first_thread_that_ran_proves_nothing(void **state)
{
    (void)state;
    until_known();
    run_once();
    expect(0, 0); /* not even what it is parked on: it could be another object */
    expect(1, 0);
    expect(2, OWNER);
}

static void the_first_thread_must_be_known(void **state)
{
    (void)state;
    until_known();
    node.fields[NODE_WAITER] = &threads[OTHER];
    expect(1, 0);
    expect(1, 0);
    node.fields[NODE_WAITER] = NULL;
    expect(1, 0);
    head.fields[NEXT] = NULL;
    expect(1, 0);
    lock.fields[HEAD] = NULL;
    expect(1, 0);
}

static void other_objects_have_no_owner(void **state)
{
    (void)state;
    sync_class.class = &object_class;
    start();
    for (int i = 0; i < 8; i++)
        assert_int_equal(packet(false).owner, 0);
    expect(1, 0);
    sync_class.class = &queued_class[0];
    lock.fields[EXCLUSIVE] = &threads[GONE]; /* not in the snapshot */
    for (int i = 0; i < 4; i++)
        expect(1, 0);
}

static void parked_on_nothing(void **state)
{
    (void)state;
    threads[WAITER].fields[BLOCKER] = NULL;
    start();
    for (int i = 0; i < 8; i++)
        expect(0, 0);
}

static void a_running_thread_is_not_asked(void **state)
{
    (void)state;
    sleeper.spin = true;
    start();
    for (int i = 0; i < 8; i++)
        expect(0, 0);
}

static void missing_fields_switch_it_off(void **state)
{
    (void)state;
    start();
    for (size_t i = 0; i < FIELDS; i++) {
        vm.missing = field_names[i];
        ixa_parks_stop(&parks, jni);
        assert_int_equal(double_globals + double_weaks, 0);
        assert_int_equal(ixa_parks_start(&parks, &ti, jni, NULL, &starts), 0);
        struct told told = {0};
        for (int n = 0; n < 8; n++)
            told = packet(false);
        assert_int_equal(told.owner, 0);
        assert_int_equal(told.count, i != BLOCKER);
    }
}

static void memory_runs_out(void **state)
{
    (void)state;
    jobject(JNICALL * new_global)(JNIEnv *, jobject) = double_functions.NewGlobalRef;
    start();
    double_no_weaks = true;
    for (int i = 0; i < 8; i++)
        expect(0, 0);
    double_no_weaks = false;
    run_once();
    double_functions.NewGlobalRef = no_global;
    expect(0, 0);
    expect(1, 0);
    expect(1, 0);
    double_functions.NewGlobalRef = new_global;
}

static void the_suspended_are_known_at_once(void **state)
{
    (void)state;
    start();
    threads[WAITER].number = threads[OWNER].number = PARKED | JVMTI_THREAD_STATE_SUSPENDED;
    assert_int_equal(packet(true).owner, OWNER);
    threads[OWNER].number = PARKED;
    assert_int_equal(packet(true).owner, 0);
    assert_int_equal(packet(true).count, 1);
    threads[OWNER].number = 0; /* it has ended */
    assert_int_equal(packet(true).owner, 0);
    threads[WAITER].number = PARKED;
    assert_int_equal(packet(true).count, 0);
}

/* The stop is repeated: the first one's threads do not count. */
static void a_repeated_stop_begins_anew(void **state)
{
    (void)state;
    start();
    ixa_parks_begin(&parks);
    ixa_parks_see(&parks, NULL, WAITER, PARKED, false);
    ixa_parks_again(&parks);
    ixa_parks_ask(&parks, jni, true);
    assert_int_equal(double_weaks, 0);
}

int main(void)
{
#define WITH_JVM(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        WITH_JVM(the_owner_is_known_after_two_looks),
        WITH_JVM(the_same_with_the_long_class),
        WITH_JVM(another_owner_was_not_there_before),
        WITH_JVM(a_cleared_status_means_an_unlock),
        WITH_JVM(a_first_thread_that_ran_proves_nothing),
        WITH_JVM(the_first_thread_must_be_known),
        WITH_JVM(other_objects_have_no_owner),
        WITH_JVM(parked_on_nothing),
        WITH_JVM(a_running_thread_is_not_asked),
        WITH_JVM(missing_fields_switch_it_off),
        WITH_JVM(memory_runs_out),
        WITH_JVM(the_suspended_are_known_at_once),
        WITH_JVM(a_repeated_stop_begins_anew),
    };
    /* On a busy machine this thread may wait for a processor for longer than a packet may take. So
     * the clock by which that is limited hardly moves here. */
    ixa_clock_set_shift(0, -999000000);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
