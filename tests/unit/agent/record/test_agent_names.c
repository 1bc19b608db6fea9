/* SPDX-License-Identifier: Apache-2.0 */
/* Names of methods: what is asked of the JVM and when, what is believed, and calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "agent/record/names.h"
#include "schema/tracelog/reader.h"
#include "tests/support/jvm_double.h"
#include "tests/support/tempdir.h"

static jvmtiEnv *const ti = &jvm.ti;
static JNIEnv *const jni = &jvm.jni;

/* The linker sends the agent's allocations here. */
static int allocations, allocation_fails;
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
    return ++allocations == allocation_fails ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return ++allocations == allocation_fails ? NULL : __real_realloc(old, size);
}

static struct ix_log_writer *log_of_test;
static struct ixa_names *names;
static unsigned logs;
static bool settled; /* by the last snapshot: nothing was redefined */

static void begin(void)
{
    struct ix_error err = {""};
    char name[32];
    snprintf(name, sizeof name, "%u.ixl", logs++);
    log_of_test = ix_log_create(in_tempdir(name), &err);
    assert_non_null(log_of_test);
    names = ixa_names_new(ti, jni, log_of_test);
}

/* Resolves one thread's frames in a snapshot; the numbers go to `out`, 0 included. */
static void snapshot(struct double_method *const *methods, jint count, uint32_t *out)
{
    jvmtiFrameInfo frames[16];
    assert_true(count <= 16);
    for (jint i = 0; i < count; i++)
        frames[i] = (jvmtiFrameInfo){.method = (jmethodID)methods[i], .location = 3};
    const jvmtiStackInfo info = {.frame_buffer = frames, .frame_count = count};
    jvm.asked_dead = jvm.names_read = jvm.asked_after_names = 0;
    settled = ixa_names_hold(names, jni, &info, 1);
    for (jint i = 0; i < count; i++)
        out[i] = ixa_names_frame(names, jni, &frames[i]);
    ixa_names_end(names, jni);
}

/* Ends it all, and checks that nothing is left; `text` gets Class.method()V:line of each. */
static void end(const uint32_t *frames, size_t count, char text[][128])
{
    struct ix_error err = {""};
    struct ix_snapshot s;
    char name[32];
    ixa_names_free(names, jni);
    assert_int_equal(jvm.locals, 0);
    assert_int_equal(jvm.weaks, 0);
    assert_int_equal(jvm.blocks, 0);
    ix_log_writer_close(log_of_test);
    snprintf(name, sizeof name, "%u.ixl", logs - 1);
    struct ix_log_reader *r = count ? ix_log_open(in_tempdir(name), &err) : NULL;
    while (r && ix_log_next(r, &s, &err) > 0)
        continue;
    for (size_t i = 0; i < count; i++) {
        const struct ix_frame f = ix_log_frame_at(r, frames[i]);
        const struct ix_method m = ix_log_method_at(r, f.method);
        snprintf(text[i], 128, "%s.%s%s:%d", ix_log_class_at(r, m.class_number).name, m.name,
                 m.descriptor, f.line);
    }
    if (r)
        ix_log_reader_close(r);
}

static struct double_class a = {"La/A;", "A.java", 0, false};
static struct double_class hidden = {"La/b/H$$Lambda.0x12;", NULL, 0, false};
static struct double_method first = {&a, "first", "()V", 7};
static struct double_method native = {&a, "native", "()V", -1};
static struct double_method odd = {&hidden, "two words", "()V", 0};
static struct double_method *const three[] = {&first, &native, &odd};

static int reset(void **state)
{
    jvm_reset();
    allocations = allocation_fails = 0;
    logs = 0;
    a = (struct double_class){"La/A;", "A.java", 0, false};
    hidden.dead = false;
    first = (struct double_method){&a, "first", "()V", 7};
    return tempdir_make(state);
}

static void read_once(void **state)
{
    (void)state;
    uint32_t f[3], again[3];
    char text[3][128];
    begin();
    snapshot(three, 3, f);
    assert_int_equal(jvm.asked, 3);
    assert_int_equal(jvm.asked_after_names, 0); /* all are held before the first is read */
    assert_true(ixa_names_memory(names) > 0);
    snapshot(three, 3, again);
    assert_memory_equal(f, again, sizeof f);
    assert_int_equal(jvm.asked, 3);
    end(f, 3, text);
    assert_string_equal(text[0], "a.A.first()V:7");
    assert_string_equal(text[1], "a.A.native()V:-3");
    assert_string_equal(text[2], "a.b.H$$Lambda/0x12.two words()V:-1");
}

static void unloaded(void **state)
{
    (void)state;
    struct double_method *const twice[] = {&odd, &odd, &first, &odd};
    uint32_t f[4];
    char text[4][128];
    begin();
    hidden.dead = true;
    snapshot(twice, 4, f);
    assert_int_equal(jvm.asked_dead, 1); /* once a snapshot, not more */
    snapshot(twice, 4, f);
    assert_int_equal(jvm.asked_dead, 1);
    end(f, 4, text);
    assert_string_equal(text[0], "<unloaded>.<unloaded>()V:-1");
    assert_int_equal(f[0], f[1]);
    assert_int_equal(f[0], f[3]);
    assert_string_equal(text[2], "a.A.first()V:7");
}

/* The same id is a method of another class when its first one is dead. */
static void used_again(void **state)
{
    (void)state;
    struct double_class b = {"Lb/B;", "B.java", 0, false};
    uint32_t f[4];
    char text[4][128];
    struct double_method *const one[] = {&first};
    begin();
    snapshot(one, 1, &f[0]);
    a.dead = true;
    first = (struct double_method){&b, "other", "()V", 9};
    snapshot(one, 1, &f[1]);
    snapshot(one, 1, &f[2]);
    first.class = NULL;
    b.dead = true;
    snapshot(one, 1, &f[3]);
    end(f, 4, text);
    assert_string_equal(text[0], "a.A.first()V:7");
    assert_string_equal(text[1], "b.B.other()V:9");
    assert_int_equal(f[1], f[2]);
    assert_string_equal(text[3], "<unloaded>.<unloaded>()V:-1");
}

static void redefined(void **state)
{
    (void)state;
    uint32_t f[3];
    char text[3][128];
    struct double_method *const one[] = {&first};
    begin();
    snapshot(one, 1, &f[0]);
    first.line = 107;
    snapshot(one, 1, &f[1]); /* not told of: not read again */
    assert_true(settled);
    a.redefined++;
    a.source = "New.java";
    snapshot(one, 1, &f[2]);
    assert_false(settled);
    snapshot(one, 1, &f[2]);
    assert_true(settled);
    end(f, 3, text);
    assert_int_equal(f[0], f[1]);
    assert_string_equal(text[2], "a.A.first()V:107");
}

/* A JVM without the counter: after a while it is read again. */
static void redefined_uncounted(void **state)
{
    (void)state;
    uint32_t f = 0, before;
    struct double_method *const one[] = {&first};
    jvm.no_counter = true;
    begin();
    snapshot(one, 1, &before);
    first.line = 107;
    for (int i = 0; i < 64; i++) {
        snapshot(one, 1, &f);
        assert_true(settled); /* nobody knows, and nobody stops again */
    }
    assert_int_not_equal(f, before);
    end(NULL, 0, NULL);
}

/* Classes come and go: what is kept of them does not grow. */
static void bounded(void **state)
{
    (void)state;
    struct double_class dying = {"Ld/D;", "D.java", 0, false};
    struct double_method m[4];
    struct double_method *const all[] = {&m[0], &m[1], &m[2], &m[3]};
    size_t most = 0;
    uint32_t f[4];
    begin();
    for (int i = 0; i < 5000; i++) {
        struct double_class *class = malloc(sizeof *class);
        assert_non_null(class);
        *class = dying;
        for (size_t j = 0; j < 4; j++)
            m[j] = (struct double_method){class, "m", "()V", (jint)j + 1};
        snapshot(all, 4, f);
        assert_true(f[0] && f[3]);
        class->dead = true;
        snapshot(all, 4, f);
        assert_int_equal(f[0], f[3]);
        if (i == 500)
            most = ixa_names_memory(names);
        if (i % 500 == 499)
            ixa_names_forget(names, jni);
        if (i % 500 == 499)
            assert_int_equal(jvm.weaks, 0);
        assert_true(jvm.weaks <= 70);
        /* Their references look at them until they are swept. */
        static struct double_class *kept[128];
        free(kept[i % 128]);
        kept[i % 128] = class;
        if (i == 4999) {
            ixa_names_forget(names, jni);
            for (size_t k = 0; k < 128; k++)
                free(kept[k]);
        }
    }
    assert_true(most < 64 << 10);
    end(NULL, 0, NULL);
}

static void classes(void **state)
{
    (void)state;
    begin();
    jclass class = new_ref(&a, &jvm.locals);
    const uint32_t number = ixa_names_class(names, jni, class);
    assert_true(number);
    assert_int_equal(ixa_names_class(names, jni, class), number);
    const uint32_t none = ixa_names_class(names, jni, NULL);
    assert_true(none && none != number);
    jvm.null_strings = true;
    assert_int_equal(ixa_names_class(names, jni, class), none);
    jvm_delete_local(jni, class);
    jvmtiFrameInfo frame = {0};
    assert_true(ixa_names_frame(names, jni, &frame));
    end(NULL, 0, NULL);
}

/* Each call of the JVM fails once: a name may be missing in that snapshot, no more. */
static void failing_calls(void **state)
{
    (void)state;
    bool failed = true;
    for (int i = 1; failed; i++) {
        uint32_t f[3], good[3];
        char text[3][128];
        jvm_reset();
        jvm.fail_at = i;
        begin();
        snapshot(three, 3, f);
        failed = jvm.calls >= i;
        jvm.fail_at = 0;
        snapshot(three, 3, good);
        assert_true(f[0] && f[1] && f[2]);
        end(good, 3, text);
        /* What was read without its lines, or source, stays so. */
        assert_int_equal(strncmp(text[0], "a.A.first()V:", 13), 0);
        assert_int_equal(strncmp(text[1], "a.A.native()V:", 14), 0);
        assert_string_equal(text[2], "a.b.H$$Lambda/0x12.two words()V:-1");
    }
}

static void null_strings(void **state)
{
    (void)state;
    uint32_t f[3];
    char text[3][128];
    jvm.null_strings = true;
    begin();
    snapshot(three, 3, f);
    end(f, 3, text);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(text[i], "<unloaded>.<unloaded>()V:-1");
}

/* Each allocation fails once: no frame, but nothing is lost or broken. */
static void out_of_memory(void **state)
{
    (void)state;
    bool failed = true;
    for (int i = 1; failed; i++) {
        uint32_t f[3];
        jvm_reset();
        begin();
        allocations = 0;
        allocation_fails = i;
        snapshot(three, 3, f);
        failed = allocations >= i;
        allocation_fails = 0;
        snapshot(three, 3, f);
        end(NULL, 0, NULL);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, reset, tempdir_remove)
    const struct CMUnitTest tests[] = {
        TEST(read_once),    TEST(unloaded),      TEST(used_again),    TEST(redefined),
        TEST(bounded),      TEST(classes),       TEST(failing_calls), TEST(redefined_uncounted),
        TEST(null_strings), TEST(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
