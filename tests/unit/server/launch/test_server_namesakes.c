/* SPDX-License-Identifier: Apache-2.0 */
/* Which JVMs of a run have one role at the same time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "server/launch/namesakes.h"
#include "tests/support/catalogue_fixture.h"
#include "tests/support/tempdir.h"

/* A JVM, from its start to its end; 0: it still runs. */
struct jvm {
    const char *role;
    int64_t from, to;
    int64_t pid; /* 0: its own */
};

static void add(struct ix_catalogue *c, int64_t run, const struct jvm *jvm, int64_t pid)
{
    int64_t id;
    const struct ix_vm vm = {.execution = run,
                             .role = jvm->role,
                             .host = "h",
                             .jvm = "j",
                             .pid = jvm->pid ? jvm->pid : pid,
                             .started_ns = jvm->from,
                             .log = pid % 2 ? "odd.ixl" : "even.ixl",
                             .ended = "running"};
    must(ix_catalogue_add_vm(c, &vm, &id, &err));
    if (jvm->to)
        must(ix_catalogue_end_vm(c, id, "orderly", jvm->to, NULL, &err));
}

static void assert_found(const struct jvm *jvms, size_t count, const char *role)
{
    static int64_t pid = 1000;
    int64_t run;
    char name[32];
    struct ixor_namesakes found;
    snprintf(name, sizeof name, "run%lld", (long long)pid);
    struct ix_catalogue *c = ix_catalogue_open(in_tempdir("camp"), IX_CATALOGUE_CREATE, &err);
    assert_non_null(c);
    must(ix_catalogue_add_execution(c, name, "x", 1, &run, &err));
    for (const struct jvm *jvm = jvms; jvm->role; jvm++)
        add(c, run, jvm, ++pid);
    pid++;
    must(ixor_namesakes_find(c, run, &found, &err));
    assert_int_equal(found.count, count);
    assert_string_equal(found.role, role);
    ix_catalogue_close(c);
}

static void test_which(void **state)
{
    (void)state;
    assert_found((const struct jvm[]){{0}}, 0, "");
    assert_found((const struct jvm[]){{"A", 1, 9, 0}, {"B", 1, 9, 0}, {0}}, 0, "");
    assert_found((const struct jvm[]){{"A", 1, 9, 0}, {"B", 1, 9, 0}, {"A", 2, 8, 0}, {0}}, 2, "A");
    assert_found(
        (const struct jvm[]){
            {"A", 1, 0, 0}, {"A", 2, 0, 0}, {"B", 1, 0, 0}, {"B", 2, 0, 0}, {"B", 3, 9, 0}, {0}},
        3, "B");
}

static void test_one_after_another(void **state)
{
    (void)state;
    assert_found((const struct jvm[]){{"A", 1, 5, 0}, {"A", 5, 9, 0}, {"A", 9, 0, 0}, {0}}, 0, "");
}

/* A JVM that was attached to twice has two logs. */
static void test_twice_the_same(void **state)
{
    (void)state;
    assert_found((const struct jvm[]){{"A", 1, 5, 7}, {"A", 1, 9, 7}, {0}}, 0, "");
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(test_which),
        IN_TEMPDIR(test_one_after_another),
        IN_TEMPDIR(test_twice_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
