/* SPDX-License-Identifier: Apache-2.0 */
/* Which classes get probes and what is told of them, with a double of the JVM of which any call can
 * fail, as can any allocation. With real JVMs: agent_coverage.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/coverage_world.h"

static jvmtiEnv *const ti = &jvm.ti;
static JNIEnv *const jni = &jvm.jni;

/* ---- which classes ---- */

static void test_which(void **state)
{
    static const struct {
        const char *name;
        bool probed, if_main_is_library;
    } names[] = {
        {"Main", true, true},
        {"a/b/Main", true, true},
        {"java/lang/X", false, false},
        {"javax/X", false, false},
        {"jdk/X", false, false},
        {"sun/X", false, false},
        {"com/sun/X", false, false},
        {"com/sunny/X", true, true},
        {"javas/X", true, true},
        {"ixor/junit/RunListener", false, false}, /* of ixor-junit.jar */
        {"ixor/junitor/X", true, true},
        {"org/apache/zookeeper/X", false, true},
        {"org/springframework/X", false, true},
        {"a/X$$Lambda$1", false, false},
        {"a/X$$FastClass", false, false},
        {"a/$Proxy12", false, false},
        {"a/X$1", true, true},
    };
    static const struct {
        const char *command;
        bool library;
    } commands[] = {{NULL, false},
                    {"", false},
                    {"a.Main org.apache.X", false},
                    {"org.apache.zookeeper.Server x y", true},
                    {"zk/org.apache.zookeeper.Server", true},
                    {"/opt/org.apache.jar", true}};
    (void)state;
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        jvm.command = commands[k].command;
        cover_start();
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const bool want = commands[k].library ? names[i].if_main_is_library : names[i].probed;
            /* Not every loader tells the name. */
            assert_int_equal(cover_probes(cover_load(names[i].name, &covering.loaders[0], 3)),
                             want ? 3 : 0);
            assert_int_equal(
                cover_probes(cover_load_as(names[i].name, NULL, &covering.loaders[0], 3)),
                want ? 3 : 0);
        }
        assert_int_equal(cover_probes(cover_load("Main", NULL, 3)),
                         0); /* of the JVM's own loader */
        cover_stop();
    }
    assert_int_equal(cover_probes(cover_load("Main", &covering.loaders[0], 3)), 0); /* off */
}

static void test_not_for_us(void **state)
{
    jint length = 0;
    unsigned char *bytes = NULL;
    static const unsigned char damaged[] = {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0};
    (void)state;
    cover_start();
    jobject loader = new_ref(&covering.loaders[0], &jvm.locals);
    ixa_coverage_on_load(&covering.c, ti, jni, NULL, loader, NULL, sizeof damaged, damaged, &length,
                         &bytes);
    ixa_coverage_on_load(&covering.c, ti, jni, NULL, loader, NULL, 0, damaged, &length, &bytes);
    ixa_coverage_on_load(&covering.c, ti, NULL, NULL, loader, NULL, 7, damaged, &length, &bytes);
    assert_null(bytes);
    jvm_delete_local(jni, loader);
    assert_int_equal(
        cover_probes(cover_load("a/Large", &covering.loaders[0], IXA_COVERAGE_OF_CLASS)),
        IXA_COVERAGE_OF_CLASS);
    assert_int_equal(
        cover_probes(cover_load("a/Larger", &covering.loaders[0], IXA_COVERAGE_OF_CLASS + 1)), 0);
    assert_int_equal(covering.c.missed, 0);
    cover_stop();
}

/* ---- what is told ---- */

static void test_told_once(void **state)
{
    (void)state;
    cover_start();
    struct double_loaded *a = cover_load("a/A", &covering.loaders[0], 3);
    cover_execute(a, 0);
    assert_int_equal(cover_packet(false).count, 0); /* not prepared */
    cover_prepare(a);
    struct told t = cover_packet(false);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.blocks[0], 1);
    assert_string_equal(t.class, "La/A;");
    assert_int_equal(cover_packet(false).count, 0);
    cover_execute(a, 0);
    cover_execute(a, 2);
    t = cover_packet(true);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.blocks[2], 1);
    cover_stop();
    cover_stop();
}

/* Loaders that load a class of the same name at the same time, and of another size. */
static void test_same_name(void **state)
{
    enum { LOADERS = 20 };
    struct double_class loaders[LOADERS];
    struct double_loaded *classes[LOADERS];
    (void)state;
    cover_start();
    for (unsigned i = 0; i < LOADERS; i++) {
        loaders[i] = (struct double_class){.signature = "LLoader;"};
        classes[i] = cover_load("a/A", &loaders[i], 2 + i);
        cover_execute(classes[i], i % 2);
    }
    for (unsigned i = 0; i < LOADERS; i++)
        cover_prepare(classes[i * 7 % LOADERS]);
    const struct told t = cover_packet(true);
    assert_int_equal(t.count, LOADERS);
    assert_int_equal(t.blocks[0], LOADERS / 2);
    assert_int_equal(t.blocks[1], LOADERS / 2);
    cover_stop();
}

/* A loader tries twice, as two threads may: only one of both is prepared. */
static void test_loaded_twice(void **state)
{
    (void)state;
    cover_start();
    cover_load("a/A", &covering.loaders[0], 3);
    struct double_loaded *a = cover_load("a/A", &covering.loaders[0], 3);
    cover_execute(a, 1);
    cover_prepare(a);
    assert_int_equal(cover_packet(false).count, 1);
    cover_stop();
}

/* Of loaders that look alike, another's record may be taken: it does not fit, and nothing is told.
 */
static void test_fields_do_not_match(void **state)
{
    (void)state;
    jvm.one_hash = true;
    cover_start();
    struct double_loaded *a = cover_load("a/A", &covering.loaders[0], 3);
    struct double_loaded *b = cover_load("a/A", &covering.loaders[1], 4);
    cover_execute_all(a);
    cover_execute_all(b);
    cover_prepare(a);
    cover_prepare(b);
    assert_int_equal(cover_packet(false).count, 0);
    assert_int_equal(covering.c.blocks, 0);
    /* Names that are nearly right. */
    static const char *const names[] = {"$ixor",  "$ixor01",         "$ixor1x",
                                        "$ixor3", "$ixor4294967297", "f"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        a = cover_load("a/B", &covering.loaders[0], 3);
        free((char *)a->fields[2].name);
        a->fields[2].name = strdup(names[i]);
        cover_execute_all(a);
        cover_prepare(a);
        assert_int_equal(cover_packet(false).count, strcmp(names[i], "$ixor01") == 0 ? 3 : 0);
    }
    cover_stop();
}

/* Another agent adds a field behind ours, or changes their order. */
static void test_other_fields(void **state)
{
    (void)state;
    cover_start();
    struct double_loaded *a = cover_load("a/A", &covering.loaders[0], 3);
    const char *const own = a->fields[0].name; /* f $ixor0 $ixor1 $ixor2 */
    a->fields[0].name = a->fields[2].name;
    a->fields[2].name = own;
    a->fields[0].set = true; /* $ixor1 */
    cover_prepare(a);
    const struct told t = cover_packet(false);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.blocks[1], 1);
    /* When it is redefined, it keeps all of ours. */
    a->fields[2].name = a->fields[3].name;
    a->fields[3].name = own;
    struct ix_out file = cover_class_file("a/A", 5);
    assert_int_equal(
        cover_probes(cover_remember(cover_load_file("a/A", "a/A", &covering.loaders[0], &file, a))),
        3);
    ix_out_free(&file);
    cover_stop();
}

/* ---- bounds ---- */

static void test_blocks(void **state)
{
    unsigned with = 0;
    char name[16];
    (void)state;
    cover_start();
    for (unsigned i = 0; i < 70; i++) {
        snprintf(name, sizeof name, "a/A%u", i);
        struct double_loaded *l = cover_load(name, &covering.loaders[0], 1000);
        cover_prepare(l);
        with += cover_probes(l) > 0;
    }
    assert_int_equal(with, IXA_COVERAGE_BLOCKS / 1000);
    assert_int_equal(covering.c.missed, 70 - with);
    cover_execute_all(covering.classes[0]);
    /* So many are looked at, and written, but all at last. */
    cover_packet(false);
    for (size_t i = 0; i < covering.count; i++)
        cover_execute_all(covering.classes[i]);
    size_t told = 0, of_packet;
    while ((of_packet = cover_packet(false).count) > 0) {
        assert_true(of_packet <= IXA_COVERAGE_WRITES && of_packet >= 1000);
        told += of_packet;
        if (told > 20000)
            break;
    }
    told += cover_packet(true).count;
    assert_int_equal(cover_packet(true).count, 0);
    assert_true(told >= (with - 1) * 1000 && told <= with * 1000);
    /* They are gone: there is room again. */
    for (size_t i = 0; i < covering.count; i++)
        covering.classes[i]->class.dead = true;
    for (int i = 0; i < 10; i++)
        cover_packet(false);
    assert_int_equal(covering.c.blocks, 0);
    assert_int_equal(covering.c.count, 0);
    assert_int_equal(cover_probes(cover_load("a/New", &covering.loaders[0], 1000)), 1000);
    cover_stop();
}

/* How many of classes in a package, with 1,000 blocks each, get probes. */
static unsigned with_probes(const char *package)
{
    unsigned with = 0;
    for (unsigned i = 0; i < 40; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s/A%u", package, i);
        struct double_loaded *l = cover_load(name, &covering.loaders[0], 1000);
        cover_prepare(l);
        with += cover_probes(l) > 0;
    }
    return with;
}

/* Libraries leave room for what is tested, and for a server's own code. */
static void test_libraries(void **state)
{
    (void)state;
    jvm.command = "org.apache.maven.surefire.booter.ForkedBooter /tmp/x";
    cover_start();
    assert_int_equal(with_probes("org/springframework"), IXA_COVERAGE_LIBRARIES / 1000);
    assert_int_equal(with_probes("a"), IXA_COVERAGE_BLOCKS / 1000 - IXA_COVERAGE_LIBRARIES / 1000);
    cover_stop();
    cover_clean_up(NULL);
    cover_set_up(NULL);
    jvm.command = "org.apache.zoo.Main";
    cover_start();
    assert_int_equal(with_probes("io/netty/loop"), IXA_COVERAGE_LIBRARIES / 1000);
    assert_int_equal(with_probes("org/apache/zoo"),
                     IXA_COVERAGE_BLOCKS / 1000 - IXA_COVERAGE_LIBRARIES / 1000);
    cover_stop();
}

/* Prepared before the first packet: those are told that were first, and it says that there were
 * more. Then a few a packet; at last all. */
static void test_fresh(void **state)
{
    char name[16];
    (void)state;
    cover_start();
    for (unsigned i = 0; i < IXA_COVERAGE_FRESH + 10; i++) {
        snprintf(name, sizeof name, "a/A%u", i);
        struct double_loaded *l = cover_load(name, &covering.loaders[0], 2);
        cover_execute(l, 0);
        cover_prepare(l);
    }
    assert_int_equal(covering.c.missed, 10);
    assert_int_equal(cover_packet(false).count, IXA_COVERAGE_ADOPTS);
    assert_string_equal(cover_packet(false).class, "La/A511;");
    assert_int_equal(cover_packet(true).count, IXA_COVERAGE_FRESH - 2 * IXA_COVERAGE_ADOPTS);
    cover_stop();
}

/* Classes that are never prepared make room for others: first those that are gone. */
static void test_never_prepared(void **state)
{
    char name[16];
    (void)state;
    cover_start();
    for (unsigned i = 0; i < 3 * IXA_COVERAGE_LOADED; i++) {
        snprintf(name, sizeof name, "a/A%u", i);
        cover_load(name, &covering.loaders[i % 2], 2);
        if (i % 100 == 0)
            cover_packet(false);
    }
    struct double_loaded *l = cover_load("a/New", &covering.loaders[1], 2);
    assert_int_equal(cover_probes(l), 2);
    assert_true(covering.c.missed > IXA_COVERAGE_LOADED);
    cover_prepare(l);
    cover_execute(l, 0);
    assert_int_equal(cover_packet(false).count, 1);
    covering.loaders[0].dead = true;
    cover_packet(false);
    assert_true(covering.c.loaded_count <= IXA_COVERAGE_LOADED / 2);
    /* Without packets there is none: then they get no probes. */
    for (unsigned i = 0; i < IXA_COVERAGE_LOADED; i++)
        l = cover_load("b/B", &covering.loaders[1], 2);
    assert_int_equal(cover_probes(l), 0);
    cover_packet(false);
    assert_int_equal(cover_probes(cover_load("b/C", &covering.loaders[1], 2)), 2);
    cover_stop();
}

/* ---- unloaded ---- */

static void test_unloaded(void **state)
{
    (void)state;
    cover_start();
    struct double_loaded *fresh = cover_load("a/Fresh", &covering.loaders[0], 3);
    struct double_loaded *some = cover_load("a/Some", &covering.loaders[0], 3);
    struct double_loaded *all = cover_load("a/All", &covering.loaders[0], 3);
    struct double_loaded *stays = cover_load("a/Stays", &covering.loaders[1], 3);
    cover_load("a/Loaded", &covering.loaders[0], 3);
    cover_prepare(some);
    cover_prepare(all);
    cover_prepare(stays);
    cover_execute(some, 1);
    cover_execute_all(all);
    assert_int_equal(cover_packet(false).count, 4);
    cover_prepare(fresh);
    cover_execute_all(fresh);
    for (size_t i = 0; i < covering.count; i++)
        covering.classes[i]->class.dead = covering.classes[i] != stays;
    covering.loaders[0].dead = true;
    cover_execute(stays, 2);
    assert_int_equal(cover_packet(false).count, 1);
    cover_packet(false);
    assert_int_equal(covering.c.count, 1);
    assert_int_equal(covering.c.blocks, 6); /* and of the one that was only loaded */
    cover_stop();
}

/* ---- on and off ---- */

static void test_stop_on_the_way(void **state)
{
    (void)state;
    cover_start();
    struct double_loaded *loaded = cover_load("a/Loaded", &covering.loaders[0], 3);
    struct double_loaded *fresh = cover_load("a/Fresh", &covering.loaders[0], 3);
    cover_prepare(fresh);
    cover_stop();
    cover_prepare(loaded); /* its event comes late: off, */
    cover_start();
    cover_prepare(loaded); /* and on again, of which it is not */
    cover_execute_all(loaded);
    cover_execute_all(fresh);
    assert_int_equal(cover_packet(true).count, 0);
    struct double_loaded *later = cover_load("a/Later", &covering.loaders[0], 3);
    cover_prepare(later);
    cover_execute(later, 0);
    assert_int_equal(cover_packet(true).count, 1);
    cover_stop();
}

static void test_redefined(void **state)
{
    (void)state;
    struct ix_out file = cover_class_file("a/A", 5);
    struct double_loaded *plain = cover_load("a/Plain", &covering.loaders[0], 3);
    assert_false(ixa_coverage_lasts(&covering.c));
    cover_start();
    assert_false(ixa_coverage_lasts(&covering.c));
    struct double_loaded *a = cover_load("a/A", &covering.loaders[0], 3);
    assert_true(ixa_coverage_lasts(&covering.c));
    struct double_loaded *again =
        cover_remember(cover_load_file("a/A", "a/A", &covering.loaders[0], &file, a));
    assert_int_equal(cover_probes(again), 3);
    assert_int_equal(again->field_count, a->field_count);
    for (jint i = 0; i < a->field_count; i++)
        assert_string_equal(again->fields[i].name, a->fields[i].name);
    assert_int_equal(cover_probes(cover_remember(cover_load_file(
                         "a/Plain", "a/Plain", &covering.loaders[0], &file, plain))),
                     0);
    cover_prepare(a);
    cover_packet(false);
    cover_stop(); /* the JVM refuses it without them, now as before */
    assert_true(ixa_coverage_lasts(&covering.c));
    assert_int_equal(
        cover_probes(cover_remember(cover_load_file("a/A", NULL, &covering.loaders[0], &file, a))),
        3);
    ix_out_free(&file);
    cover_nothing_is_held();
}

/* The log of another test begins: what was executed before it does not count, be the class known,
 * on its way, or gone. */
static void test_anew(void **state)
{
    (void)state;
    cover_start();
    struct double_loaded *a = cover_load("a/A", &covering.loaders[0], 3);
    struct double_loaded *gone = cover_load("a/Gone", &covering.loaders[0], 3);
    cover_prepare(a);
    cover_prepare(gone);
    cover_execute(a, 0);
    cover_execute(gone, 0);
    assert_int_equal(cover_packet(false).count, 2);
    cover_execute(a, 1);
    struct double_loaded *fresh = cover_load("a/Fresh", &covering.loaders[0], 3);
    struct double_loaded *loaded = cover_load("a/Loaded", &covering.loaders[0], 3);
    cover_prepare(fresh);
    cover_execute(fresh, 0);
    gone->class.dead = true;
    ixa_coverage_anew(&covering.c, ti, jni);
    cover_nothing_is_held();
    assert_int_equal(cover_packet(false).count, 0);
    cover_prepare(loaded);
    cover_execute(a, 0); /* again */
    cover_execute(fresh, 0);
    cover_execute(loaded, 2);
    const struct told t = cover_packet(false);
    assert_int_equal(t.count, 3);
    assert_int_equal(t.blocks[0], 2);
    assert_int_equal(t.blocks[2], 1);
    /* What paused before does not pause in it. */
    for (unsigned i = 0; i < IXA_PAUSE_PACKETS; i++)
        cover_packet(false);
    ixa_coverage_anew(&covering.c, ti, jni);
    for (unsigned i = 0; i < 2 * IXA_PAUSE_PACKETS; i++)
        assert_int_equal(cover_packet(false).pauses, 0);
    cover_stop();
}

/* The JVM is shutting down: it is not called. */
static void test_end(void **state)
{
    jweak refs[8];
    size_t count = 0;
    (void)state;
    cover_start();
    cover_load("a/Loaded", &covering.loaders[0], 3);
    cover_prepare(cover_load("a/Known", &covering.loaders[0], 3));
    cover_packet(false);
    cover_prepare(cover_load("a/Fresh", &covering.loaders[0], 3));
    const struct ixa_probed_class *const held[] = {covering.c.loaded, covering.c.fresh + 1,
                                                   covering.c.classes};
    for (int i = 0; i < 3; i++) {
        refs[count++] = held[i]->loader;
        refs[count++] = held[i]->class;
    }
    const int asked = jvm.calls;
    ixa_coverage_stop(&covering.c, NULL);
    assert_int_equal(jvm.calls, asked);
    for (size_t i = 0; i < count; i++)
        free(refs[i]);
}

/* ---- failures ---- */

/* A life of some classes. Nothing is told that is wrong. */
static void live(const struct ix_out *redefined)
{
    struct told t;
    struct double_loaded *a = cover_load("a/A", &covering.loaders[0], 3);
    struct double_loaded *b = cover_load("a/B", &covering.loaders[1], 2);
    cover_prepare(a);
    cover_prepare(b);
    cover_execute(a, 1);
    for (int i = 0; i < 3; i++) {
        if (cover_try_packet(i == 2, &t) == 0) {
            assert_true(t.count <= 2 && t.count == t.blocks[1] + t.blocks[0]);
            assert_true(i < 1 || t.count <= 1);
        }
        cover_execute(b, 0);
    }
    cover_prepare(cover_load("a/Fresh", &covering.loaders[1], 2));
    cover_counted = true;
    ixa_coverage_anew(&covering.c, ti, jni);
    cover_counted = false;
    assert_true(cover_try_packet(false, &t) != 0 || t.count == 0);
    assert_true(cover_probes(cover_remember(
                    cover_load_file("a/A", "a/A", &covering.loaders[0], redefined, a))) <= 3);
}

static void life(void)
{
    struct ix_out file = cover_class_file("a/A", 5);
    cover_counted = true;
    const int status = ixa_coverage_start(&covering.c, ti, false);
    cover_counted = false;
    if (status == 0)
        live(&file);
    ix_out_free(&file);
    cover_stop();
}

static void test_failures(void **state)
{
    int at = 0;
    do {
        cover_clean_up(state);
        cover_set_up(state);
        jvm.fail_at = ++at;
        life();
    } while (jvm.calls >= at);
    assert_true(at > 30);
    size_t nth = 0;
    do {
        cover_clean_up(state);
        cover_set_up(state);
        cover_allocation_fails = ++nth;
        life();
    } while (cover_allocations >= nth);
    assert_true(nth > 30);
    cover_clean_up(state);
    cover_set_up(state);
    jvm.null_strings = true; /* the JVM tells no names */
    life();
}

/* ---- threads ---- */

enum { THREADS = 3, FILES = 8, LOADS = 400 };

static struct {
    struct ix_out files[FILES];
    char names[FILES][16];
    _Atomic int running;
} shared;

/* Loads and prepares the same classes as the others, with its own loader and a common one. */
static void *load_many(void *arg)
{
    struct double_class *own = arg;
    struct double_loaded *classes[LOADS];
    for (unsigned i = 0; i < LOADS; i++) {
        const unsigned k = i * 5 % FILES;
        classes[i] = cover_load_file(shared.names[k], i % 3 ? shared.names[k] : NULL,
                                     i % 4 ? own : &covering.loaders[0], &shared.files[k], NULL);
        if (i % 5)
            cover_prepare(classes[i]);
        cover_execute(classes[i], i % 2);
        if (i % 7 == 0)
            classes[i]->class.dead = true;
        sched_yield();
    }
    shared.running--;
    while (shared.running >= 0) /* the classes stay until all is stopped */
        sched_yield();
    for (unsigned i = 0; i < LOADS; i++)
        cover_forget(classes[i]);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    struct double_class own[THREADS];
    struct told t;
    size_t told = 0;
    (void)state;
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(shared.names[i], sizeof shared.names[i], "a/A%u", i);
        shared.files[i] = cover_class_file(shared.names[i], 2 + i);
    }
    shared.running = THREADS;
    assert_int_equal(ixa_coverage_start(&covering.c, ti, false), 0);
    for (int i = 0; i < THREADS; i++) {
        own[i] = (struct double_class){.signature = "LOwn;"};
        assert_int_equal(pthread_create(&threads[i], NULL, load_many, &own[i]), 0);
    }
    for (unsigned i = 1; shared.running > 0; i++) {
        assert_int_equal(cover_try_packet(i % 10 == 0, &t), 0);
        told += t.count;
        if (i % 16 == 0) { /* while classes are on their way */
            ixa_coverage_stop(&covering.c, jni);
            assert_int_equal(ixa_coverage_start(&covering.c, ti, false), 0);
        }
    }
    assert_int_equal(cover_try_packet(true, &t), 0);
    assert_true(told + t.count > 0);
    cover_stop();
    shared.running = -1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < FILES; i++)
        ix_out_free(&shared.files[i]);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, cover_set_up, cover_clean_up)
    const struct CMUnitTest tests[] = {
        TEST(test_which),
        TEST(test_not_for_us),
        TEST(test_told_once),
        TEST(test_same_name),
        TEST(test_loaded_twice),
        TEST(test_fields_do_not_match),
        TEST(test_other_fields),
        TEST(test_blocks),
        TEST(test_libraries),
        TEST(test_fresh),
        TEST(test_never_prepared),
        TEST(test_unloaded),
        TEST(test_stop_on_the_way),
        TEST(test_redefined),
        TEST(test_anew),
        TEST(test_end),
        TEST(test_failures),
        TEST(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
