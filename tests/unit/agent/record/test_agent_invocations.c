/* SPDX-License-Identifier: Apache-2.0 */
/* Which methods are counted and what is told of them, with a double of the JVM of which any call
 * can fail. With real JVMs: agent_invocations.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/invocations.h"
#include "tests/support/tracelog_fixture.h"

enum { CLASSES = 4, METHODS = 3 };

/* A class of which each method but the last, which is abstract, is counted. */
struct class
{
    const char *signature;
    bool has_loader, dead;
    uint32_t calls[METHODS];
};

struct ref {
    struct class *class;
};

static struct {
    struct class classes[CLASSES];
    struct class thread; /* java.lang.Thread */
    int locals, weaks, blocks, calls, fail_at;
    bool cannot_count, at_least;
    struct ix_log_writer *log;
    struct ixa_invocations x;
} world;

static bool fails(void)
{
    return ++world.calls == world.fail_at;
}

static void *new_ref(struct class *class, int *count)
{
    struct ref *ref = malloc(sizeof *ref);
    assert_non_null(ref);
    ref->class = class;
    ++*count;
    return ref;
}

static struct class *class_of(void *ref)
{
    return ((struct ref *)ref)->class;
}

/* A method's id is the address of its number of calls. */
static jmethodID id_of(struct class *class, int method)
{
    return (jmethodID) & class->calls[method];
}

/* ---- JVMTI ---- */

static jvmtiError JNICALL deallocate(jvmtiEnv *ti, unsigned char *memory)
{
    (void)ti;
    world.blocks--;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static void *block(size_t size)
{
    void *memory = malloc(size);
    assert_non_null(memory);
    world.blocks++;
    return memory;
}

static jvmtiError JNICALL class_loader(jvmtiEnv *ti, jclass class, jobject *loader)
{
    (void)ti;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *loader = class_of(class)->has_loader ? new_ref(NULL, &world.locals) : NULL;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_signature(jvmtiEnv *ti, jclass class, char **signature,
                                          char **generic)
{
    (void)ti;
    (void)generic;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *signature = strdup(class_of(class)->signature);
    assert_non_null(*signature);
    world.blocks++;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_methods(jvmtiEnv *ti, jclass class, jint *count, jmethodID **ids)
{
    (void)ti;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *ids = block(METHODS * sizeof **ids);
    for (int i = 0; i < METHODS; i++)
        (*ids)[i] = id_of(class_of(class), i);
    *count = METHODS;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL modifiers(jvmtiEnv *ti, jmethodID id, jint *bits)
{
    (void)ti;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *bits = id == id_of(&world.thread, 2) ? 0x400 : 1;
    for (int i = 0; i < CLASSES; i++)
        *bits |= id == id_of(&world.classes[i], 2) ? 0x400 : 0;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL number(jvmtiEnv *ti, jmethodID id, jint *words)
{
    (void)ti;
    (void)id;
    *words = 1;
    return fails() ? JVMTI_ERROR_OUT_OF_MEMORY : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL loaded_classes(jvmtiEnv *ti, jint *count, jclass **classes)
{
    (void)ti;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *classes = block(CLASSES * sizeof **classes);
    for (int i = 0; i < CLASSES; i++)
        (*classes)[i] = new_ref(&world.classes[i], &world.locals);
    *count = CLASSES;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_status(jvmtiEnv *ti, jclass class, jint *status)
{
    (void)ti;
    (void)class;
    *status = JVMTI_CLASS_STATUS_PREPARED;
    return fails() ? JVMTI_ERROR_OUT_OF_MEMORY : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL current_thread(jvmtiEnv *t, jthread *thread)
{
    (void)t;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *thread = new_ref(&world.thread, &world.locals);
    return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ jvmti = {
    .GetCurrentThread = current_thread,
    .Deallocate = deallocate,
    .GetClassLoader = class_loader,
    .GetClassSignature = class_signature,
    .GetClassMethods = class_methods,
    .GetMethodModifiers = modifiers,
    .GetArgumentsSize = number,
    .GetMaxLocals = number,
    .GetLoadedClasses = loaded_classes,
    .GetClassStatus = class_status,
};
static jvmtiEnv ti = &jvmti;

/* ---- JNI ---- */

/* The class of the current thread, which is java.lang.Thread itself, and what is above it. */
static jclass JNICALL object_class(JNIEnv *j, jobject object)
{
    (void)j;
    assert_ptr_equal(class_of(object), &world.thread);
    return new_ref(&world.thread, &world.locals);
}

static jclass JNICALL superclass(JNIEnv *j, jclass class)
{
    (void)j;
    return class_of(class) == &world.thread ? new_ref(NULL, &world.locals) : NULL;
}

static jobject JNICALL new_local(JNIEnv *jni, jobject ref)
{
    (void)jni;
    return class_of(ref)->dead ? NULL : new_ref(class_of(ref), &world.locals);
}

static void JNICALL delete_local(JNIEnv *jni, jobject ref)
{
    (void)jni;
    world.locals--;
    free(ref);
}

static jweak JNICALL new_weak(JNIEnv *jni, jobject ref)
{
    (void)jni;
    return fails() ? NULL : new_ref(class_of(ref), &world.weaks);
}

static void JNICALL delete_weak(JNIEnv *jni, jweak ref)
{
    (void)jni;
    world.weaks--;
    free(ref);
}

static void JNICALL exception_clear(JNIEnv *jni)
{
    (void)jni;
}

static jboolean JNICALL exception_check(JNIEnv *jni)
{
    (void)jni;
    return JNI_FALSE;
}

static jint JNICALL capacity(JNIEnv *jni, jint references)
{
    (void)jni;
    return references > 0 ? JNI_OK : JNI_ERR;
}

static const struct JNINativeInterface_ functions = {
    .GetObjectClass = object_class,
    .GetSuperclass = superclass,
    .NewLocalRef = new_local,
    .DeleteLocalRef = delete_local,
    .NewWeakGlobalRef = new_weak,
    .DeleteWeakGlobalRef = delete_weak,
    .ExceptionClear = exception_clear,
    .ExceptionCheck = exception_check,
    .EnsureLocalCapacity = capacity,
};
static JNIEnv jni = &functions;

/* ---- what it calls ---- */

bool __wrap_ixa_counters_find(struct ixa_counters *c);
bool __wrap_ixa_counters_find(struct ixa_counters *c)
{
    *c = (struct ixa_counters){0};
    return true;
}

bool __wrap_ixa_counters_check(const struct ixa_counters *c, jmethodID id, jint words, jint locals);
bool __wrap_ixa_counters_check(const struct ixa_counters *c, jmethodID id, jint words, jint locals)
{
    (void)c;
    assert_true(id == id_of(&world.thread, 0) || id == id_of(&world.thread, 1));
    return !world.cannot_count && words == 1 && locals == 1;
}

void __wrap_ixa_counters_read(const struct ixa_counters *c, const jmethodID *ids, size_t count,
                              struct ixa_count *counts);
void __wrap_ixa_counters_read(const struct ixa_counters *c, const jmethodID *ids, size_t count,
                              struct ixa_count *counts)
{
    (void)c;
    for (size_t i = 0; i < count; i++)
        counts[i] = (struct ixa_count){!fails(), world.at_least, *(const uint32_t *)ids[i]};
}

int __wrap_ixa_names_method(struct ixa_names *n, JNIEnv *j, jclass class, jmethodID id,
                            uint32_t *method);
int __wrap_ixa_names_method(struct ixa_names *n, JNIEnv *j, jclass class, jmethodID id,
                            uint32_t *method)
{
    char name[16];
    (void)n;
    (void)j;
    snprintf(name, sizeof name, "m%d", (int)((const uint32_t *)id - class_of(class)->calls));
    *method = ix_log_method(world.log, ix_log_class(world.log, class_of(class)->signature, ""),
                            name, "()V");
    return 0;
}

/* ---- the tests ---- */

static int set_up(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    world.classes[0] = (struct class){.signature = "La/A;", .has_loader = true};
    world.classes[1] = (struct class){.signature = "Ljava/sql/X;", .has_loader = true};
    world.classes[2] = (struct class){.signature = "La/A.0x12;", .has_loader = true};
    world.classes[3] = (struct class){.signature = "La/Boot;"};
    pthread_mutex_init(&world.x.lock, NULL);
    return 0;
}

static int start(void)
{
    const int status = ixa_invocations_start(&world.x, &ti, &jni);
    assert_int_equal(world.locals, 0);
    assert_int_equal(world.blocks, 0);
    return status;
}

/* Adds what a packet tells of m0 and m1 of a.A to `calls`; returns how many entries there are. */
static size_t packet(bool last, uint64_t calls[2])
{
    int fd;
    struct ix_snapshot s;
    world.log = memory_writer(&fd);
    ixa_invocations_forget(&world.x); /* a log of its own */
    assert_int_equal(ixa_invocations_write(&world.x, &ti, &jni, NULL, world.log, last), 0);
    assert_int_equal(ix_log_snapshot(world.log, &(struct ix_snapshot){.packet = 1}), 0);
    assert_int_equal(world.locals, 0);
    assert_int_equal(world.blocks, 0);
    struct ix_out bytes = finish(world.log, fd);
    struct ix_log_reader *r = read_bytes(&bytes);
    assert_int_equal(ix_log_next(r, &s, NULL), 1);
    const struct ix_facts facts = ix_log_facts(r);
    for (size_t i = 0; i < facts.invocation_count; i++) {
        const struct ix_method m = ix_log_method_at(r, facts.invocations[i].method);
        assert_string_equal(ix_log_class_at(r, m.class_number).name, "La/A;");
        calls[m.name[1] - '0'] += facts.invocations[i].count;
        assert_int_equal(facts.invocations[i].at_least, world.at_least);
    }
    ix_log_reader_close(r);
    ix_out_free(&bytes);
    return facts.invocation_count;
}

static void stop(void)
{
    ixa_invocations_stop(&world.x, &jni);
    assert_int_equal(world.weaks, 0);
    assert_int_equal(world.locals, 0);
    assert_int_equal(world.blocks, 0);
}

static void test_which_and_what(void **state)
{
    (void)state;
    uint64_t calls[2] = {0};
    world.classes[0].calls[0] = 7;
    assert_int_equal(start(), 0);
    assert_int_equal(packet(false, calls), 1);
    assert_int_equal(packet(false, calls), 0); /* nothing new */
    for (int i = 0; i < CLASSES; i++)
        world.classes[i].calls[0] = world.classes[i].calls[1] = 10;
    assert_int_equal(packet(true, calls), 2);
    assert_int_equal(calls[0], 10);
    assert_int_equal(calls[1], 10);
    world.classes[0].calls[0] = 3; /* its class was redefined */
    assert_int_equal(packet(false, calls), 0);
    world.classes[0].calls[0] = 5;
    world.at_least = true;
    assert_int_equal(packet(false, calls), 2);
    assert_int_equal(calls[0], 12);
    stop();
}

static void test_events(void **state)
{
    (void)state;
    uint64_t calls[2] = {0};
    jclass again = new_ref(&world.classes[0], &world.locals);
    ixa_invocations_on_prepare(&world.x, &ti, &jni, again); /* off: nothing */
    assert_int_equal(world.weaks, 0);
    delete_local(&jni, again);
    assert_int_equal(start(), 0);
    again = new_ref(&world.classes[0], &world.locals);
    for (int i = 0; i < 3; i++) /* it may be told of classes that were found */
        ixa_invocations_on_prepare(&world.x, &ti, &jni, again);
    delete_local(&jni, again);
    world.classes[0].calls[0] = 1;
    assert_int_equal(packet(false, calls), 1);
    assert_int_equal(world.weaks, 1);
    world.classes[0].dead = true;
    world.classes[0].calls[0] = 2;
    assert_int_equal(packet(false, calls), 0);
    assert_int_equal(packet(false, calls), 0);
    assert_int_equal(world.x.count, 0);
    stop();
    stop();
}

/* The JVM keeps the ids of unloaded classes' methods: at some time no more are asked for. */
static void test_unloaded_for_ever(void **state)
{
    (void)state;
    uint64_t calls[2] = {0};
    int loaded = 0;
    assert_int_equal(start(), 0);
    for (int i = 0; i < 70000; i++) {
        world.classes[0].dead = false;
        jclass again = new_ref(&world.classes[0], &world.locals);
        ixa_invocations_on_prepare(&world.x, &ti, &jni, again);
        delete_local(&jni, again);
        packet(false, calls);
        loaded += world.x.count > 0;
        world.classes[0].dead = true;
        packet(false, calls);
        packet(false, calls);
        assert_int_equal(world.x.count, 0);
        i += 99; /* as if there had been more of them */
        world.x.lost += 99 * 2;
    }
    assert_true(loaded > 300 && loaded < 400);
    stop();
}

static void test_cannot_count(void **state)
{
    (void)state;
    world.cannot_count = true;
    assert_int_equal(start(), -1);
    stop();
}

/* Whichever call fails: nothing is leaked, and nothing wrong is told. */
static void test_failures(void **state)
{
    bool failed = true;
    int at;
    for (at = 1; failed; at++) {
        uint64_t calls[2] = {0};
        set_up(state);
        world.fail_at = at;
        world.classes[0].calls[0] = 7;
        if (start() == 0) {
            packet(false, calls);
            world.classes[0].calls[0] = world.classes[0].calls[1] = 9;
            packet(true, calls);
            packet(true, calls);
        }
        assert_true(calls[0] == 9 || calls[0] == 0);
        assert_true(calls[1] == 9 || calls[1] == 0);
        stop();
        failed = at <= world.calls;
    }
    assert_true(at > 20);
}

/* The JVM is shutting down: it is not called. */
static void test_end(void **state)
{
    (void)state;
    uint64_t calls[2];
    assert_int_equal(start(), 0);
    packet(false, calls);
    jweak *classes = calloc(world.x.class_count, sizeof(jweak));
    const size_t count = world.x.class_count;
    memcpy(classes, world.x.classes, count * sizeof *classes);
    const int asked = world.calls;
    ixa_invocations_stop(&world.x, NULL);
    assert_int_equal(world.calls, asked);
    for (size_t i = 0; i < count; i++)
        free(classes[i]);
    free(classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_which_and_what, set_up),
        cmocka_unit_test_setup(test_events, set_up),
        cmocka_unit_test_setup(test_unloaded_for_ever, set_up),
        cmocka_unit_test_setup(test_cannot_count, set_up),
        cmocka_unit_test_setup(test_failures, set_up),
        cmocka_unit_test_setup(test_end, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
