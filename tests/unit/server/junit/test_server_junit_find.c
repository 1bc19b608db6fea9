/* SPDX-License-Identifier: Apache-2.0 */
/* Which reports are found, and which of them belong to a run. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "schema/base/directories.h"
#include "server/junit/find.h"
#include "server/junit/reports.h"
#include "tests/support/tempdir.h"

static void write_file(const char *name, const char *text)
{
    const char *path = in_tempdir(name);
    assert_int_equal(ix_make_parents(path, NULL), 0);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Appends the path within the temporary directory. */
static void take(void *user, const char *path)
{
    char *list = user;
    const size_t len = strlen(list), top = strlen(tempdir);
    assert_memory_equal(path, tempdir, top);
    snprintf(list + len, 256 - len, "%s%s", len ? " " : "", path + top + 1);
}

static void patterns(void **state)
{
    (void)state;
    static const char *const files[] = {
        "TEST-top.xml",   "a/t/TEST-1.xml",     "a/t/TEST-2.xml",      "a/t/notes.txt",
        "b/t/TEST-3.xml", "b/c/d/t/TEST-4.xml", ".hidden/t/TEST-5.xml"};
    static const struct {
        const char *pattern, *found;
    } table[] = {
        {"a/t/TEST-*.xml", "a/t/TEST-1.xml a/t/TEST-2.xml"},
        {"*/t/TEST-?.xml", "a/t/TEST-1.xml a/t/TEST-2.xml b/t/TEST-3.xml"},
        {"a/t/TEST-[2-9].xml", "a/t/TEST-2.xml"},
        {"**/t/TEST-*.xml", "a/t/TEST-1.xml a/t/TEST-2.xml b/c/d/t/TEST-4.xml b/t/TEST-3.xml"},
        {"**/TEST-t*.xml", "TEST-top.xml"},
        {"b/**/TEST-*.xml", "b/c/d/t/TEST-4.xml b/t/TEST-3.xml"},
        {"[ab]/**/*.txt", "a/t/notes.txt"},
        {"b/**", "b/c/d/t/TEST-4.xml b/t/TEST-3.xml b/up"},
        {"**/c/t/*", ""},
        {"none/**/*", ""},
        {"none*", ""},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(files[i], "");
    /* A link to a directory is not followed: it may lead back. */
    assert_int_equal(symlink("..", in_tempdir("a/up")), 0);
    write_file("b/up", "");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char found[256] = "";
        assert_int_equal(ixor_find_check(table[i].pattern, NULL), 0);
        assert_int_equal(ixor_find_files(in_tempdir(table[i].pattern), take, found, NULL), 0);
        assert_string_equal(found, table[i].found);
    }
}

static void take_any(void *user, const char *path)
{
    (void)path;
    ++*(size_t *)user;
}

static void relative_patterns(void **state)
{
    (void)state;
    char here[PATH_MAX];
    size_t plain = 0, deep = 0;
    write_file("a/b/x.xml", "");
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(tempdir), 0);
    const int results = ixor_find_files("a/*/x.xml", take_any, &plain, NULL) +
                        ixor_find_files("**/x.xml", take_any, &deep, NULL);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(results, 0);
    assert_int_equal(plain, 1);
    assert_int_equal(deep, 1);
}

static void two_stars(void **state)
{
    (void)state;
    struct ix_error err = {""};
    assert_int_equal(ixor_find_check("**/a/**/b", &err), -1);
    assert_string_equal(err.text, "'**/a/**/b' has more than one **");
    assert_int_equal(ixor_find_check("a**b/**/c**", NULL), 0);
}

#define SUITE(inside) "<testsuite>" inside "</testsuite>"
#define FAILED(name) "<testcase classname='T' name='" name "'><failure/></testcase>"

static void of_one_run(void **state)
{
    (void)state;
    struct ixor_junit_reports all;
    char pattern[128], text[1024], expected[1024];
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    snprintf(pattern, sizeof pattern, "%s", in_tempdir("*.xml"));
    const struct timespec start = ixor_junit_now();
    all = ixor_junit_collect(pattern, start);
    assert_true(ixor_junit_trouble(&all, pattern, text, sizeof text));
    snprintf(expected, sizeof expected,
             "no JUnit report matches '%s'; the verdict is by the exit status", pattern);
    assert_string_equal(text, expected);

    write_file("old.xml", SUITE(FAILED("old")));
    assert_int_equal(utimensat(AT_FDCWD, in_tempdir("old.xml"), long_ago, 0), 0);
    all = ixor_junit_collect(pattern, start);
    assert_int_equal(all.sum.failed, 0);
    assert_true(ixor_junit_trouble(&all, pattern, text, sizeof text));
    snprintf(expected, sizeof expected,
             "no JUnit report was written during the run: what matches '%s' is older; the "
             "verdict is by the exit status",
             pattern);
    assert_string_equal(text, expected);

    /* One that is written as soon as the run has begun counts. */
    write_file("new.xml", SUITE(FAILED("new")));
    all = ixor_junit_collect(pattern, start);
    assert_int_equal(all.sum.tests, 1);
    assert_int_equal(all.sum.failed, 1);
    assert_string_equal(all.sum.first, "T.new");
    assert_false(ixor_junit_trouble(&all, pattern, text, sizeof text));

    /* What can be read counts beside what cannot. */
    write_file("a.xml", "<testsuite>");
    write_file("b.xml", "");
    all = ixor_junit_collect(pattern, start);
    assert_int_equal(all.sum.failed, 1);
    assert_true(ixor_junit_trouble(&all, pattern, text, sizeof text));
    snprintf(expected, sizeof expected,
             "cannot read the report '%s': line 1: no element found (nor 1 other)",
             in_tempdir("a.xml"));
    assert_string_equal(text, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(patterns, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(relative_patterns, tempdir_make, tempdir_remove),
        cmocka_unit_test(two_stars),
        cmocka_unit_test_setup_teardown(of_one_run, tempdir_make, tempdir_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
