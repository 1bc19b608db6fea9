/* SPDX-License-Identifier: Apache-2.0 */
/* Which code is of libraries, and which is the program's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/rank/library.h"
#include "tests/support/profiles_fixture.h"

#define REFLECTION "jdk.internal.reflect.Invoker.invoke()V:1;"
#define RUNNER "org.junit.Runner.run()V:1;"
#define MAIN_OF_TESTS                                                                              \
    "org.apache.maven.surefire.booter.ForkedBooter.main()V:1;" REFLECTION RUNNER REFLECTION
#define THREAD "java.lang.Thread.run()V:1;"

static struct roxi_library library_of(const char *role)
{
    return (struct roxi_library){
        .profiles = profiles, .run = &profiles->executions[0], .role = name_number(role)};
}

/* With what the program of a role of the only run begins; "": nothing tells. */
static const char *program(const char *role)
{
    struct roxi_library l = library_of(role);
    const uint32_t class_name = roxi_library_program(&l);
    assert_int_equal(roxi_library_program(&l), class_name);
    return class_name == ROXI_NONE ? "" : roxi_symbols_text(profiles->symbols, class_name);
}

/* The outermost class of the thread main, whichever threads come before it, and of the role. */
static void test_main(void **state)
{
    static const struct seen seen[] = {
        {"A", "a-timer", THREAD "a.Timer.run()V:1;a.Timer.tick()V:1", 9},
        {"A", "main", "a.Main.main()V:1;a.Wait.once()V:1;java.lang.Thread.sleep()V:1", 1},
        {"D", "main", "org.apache.zoo.Main.main()V:1;d.Serve.serve()V:1", 1},
        {"E", "timer", THREAD "e.Timer.run()V:1", 1},
    };
    (void)state;
    add_seen(seen, sizeof seen / sizeof *seen);
    assert_string_equal(program("A"), "a.Main");
    assert_string_equal(program("D"), "org.apache.zoo.Main");
    assert_string_equal(program("E"), "");
    assert_string_equal(program("F"), "");
}

/* What runs tests is passed over, and tells that another thread than main runs one. */
static void test_tests(void **state)
{
    static const struct seen seen[] = {
        {"A", "main", MAIN_OF_TESTS "a.Test.all()V:1;a.Helper.await()V:1", 1},
        {"D", "d-timer", THREAD "d.Timer.run()V:1", 1},
        {"D", "main", MAIN_OF_TESTS "java.lang.Thread.join()V:1", 9},
        {"D", "with a limit", THREAD RUNNER REFLECTION "d.Test.one()V:1", 1},
    };
    (void)state;
    add_seen(seen, sizeof seen / sizeof *seen);
    assert_string_equal(program("A"), "a.Test");
    assert_string_equal(program("D"), "d.Test");
}

static bool has(const char *program, const char *class_name)
{
    struct roxi_library l = {
        .profiles = profiles, .known = true, .program = program ? name_number(program) : ROXI_NONE};
    return roxi_library_has(&l, name_number(class_name));
}

/* The program is looked for when it is needed. */
static void test_needed(void **state)
{
    static const struct seen seen[] = {{"A", "main", "org.apache.zoo.Main.main()V:1", 1}};
    (void)state;
    add_seen(seen, 1);
    struct roxi_library a = library_of("A"), d = library_of("D");
    assert_false(roxi_library_has(&a, name_number("a.Main")));
    assert_false(a.known);
    assert_false(roxi_library_has(&a, name_number("org.apache.zoo.Server")));
    assert_true(a.known);
    assert_true(roxi_library_has(&a, name_number("io.netty.Loop")));
    assert_true(roxi_library_has(&d, name_number("org.apache.zoo.Server")));
}

static void test_has(void **state)
{
    (void)state;
    assert_true(has("a.Main", "org.apache.zoo.Server"));
    assert_true(has(NULL, "org.apache.zoo.Server"));
    assert_false(has("a.Main", "d.Server"));
    assert_false(has(NULL, "d.Server"));
    assert_false(has("org.apache.zoo.test.QuorumTest", "org.apache.zoo.Server"));
    assert_true(has("org.apache.zoology.Main", "org.apache.zoo.Server"));
    assert_true(has("org.apache.zoo.Main", "org.apache.jute.Record"));
    assert_true(has("org.apache.zoo.Main", "io.netty.Loop"));
    assert_false(has("org.apache.zoo.Main", "kafka.Server"));
    assert_true(has("org.apache", "org.apache.Loop")); /* too short to tell */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_main, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_tests, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_needed, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_has, profiles_set_up, profiles_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
