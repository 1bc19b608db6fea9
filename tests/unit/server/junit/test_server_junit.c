/* SPDX-License-Identifier: Apache-2.0 */
/* What JUnit's reports say. The reports are those of the fuzzer's corpus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/junit/report.h"
#include "tests/support/tempdir.h"

static int read_sample(struct ixor_junit *sum, const char *name, struct ix_error *err)
{
    char path[256];
    snprintf(path, sizeof path, "tests/fuzz/corpus/junit/%s", name);
    return ixor_junit_read_file(sum, path, err);
}

static void reports(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t tests, failed;
        const char *first;
    } table[] = {
        {"surefire-passed", 2, 0, ""},
        {"surefire-failed", 4, 2, "shop.orders.OrderDeskTest.sellsEachItemOnce"},
        {"surefire-flaky", 2, 1, "shop.PayTest.paysLater"},
        {"surefire-setup", 1, 1, "shop.ClusterTest"},
        {"gradle-failed", 3, 2, "shop.stock.ShelfTest.holds(int)[2]"},
        {"console-failed", 2, 1, "curator.LeaderTest.leaves()"},
        {"ant-nested", 2, 2, "shop.MoreTests.stops"},
        {"attributes-only", 0, 3, ""},
        {"attributes-odd", 0, 0, ""},
        {"latin-1", 1, 1, "a.B.gr\xc3\xbc\xc3\x9ft"},
        {"control-characters", 1, 1, "a.B.x??31m?y"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixor_junit sum = {0};
        struct ix_error err = {""};
        assert_int_equal(read_sample(&sum, table[i].name, &err), 0);
        assert_string_equal(err.text, "");
        assert_int_equal(sum.tests, table[i].tests);
        assert_int_equal(sum.failed, table[i].failed);
        assert_string_equal(sum.first, table[i].first);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *why;
    } table[] = {
        {"refused-doctype", "line 2: it has a DOCTYPE, which no JUnit report needs"},
        {"refused-entity", "line 1: undefined entity"},
        {"refused-cut", "line 17: unclosed CDATA section"},
        {"refused-other-root", "line 1: it is not a JUnit report: the first element is neither "
                               "testsuite nor testsuites"},
        {"refused-deep", "line 1: its elements are nested too deep"},
        {"refused-empty", "line 1: no element found"},
        {"refused-mismatch", "line 1: mismatched tag"},
        {"none", "No such file or directory"},
    };
    const struct ixor_junit before = {.tests = 5, .failed = 1, .first = "a.B.c"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixor_junit sum = before;
        struct ix_error err = {""};
        char text[512];
        snprintf(text, sizeof text, "cannot read the report 'tests/fuzz/corpus/junit/%s': %s",
                 table[i].name, table[i].why);
        assert_int_equal(read_sample(&sum, table[i].name, &err), -1);
        assert_string_equal(err.text, text);
        assert_memory_equal(&sum, &before, sizeof sum);
    }
}

static void several(void **state)
{
    (void)state;
    struct ixor_junit sum = {0};
    char text[600], cut[20];
    assert_int_equal(read_sample(&sum, "surefire-passed", NULL), 0);
    assert_int_equal(read_sample(&sum, "console-failed", NULL), 0);
    ixor_junit_words(&sum, text, sizeof text);
    assert_string_equal(text, "JUnit: 1 of 4 tests failed: curator.LeaderTest.leaves()");
    assert_int_equal(read_sample(&sum, "gradle-failed", NULL), 0);
    ixor_junit_words(&sum, text, sizeof text);
    assert_string_equal(text, "JUnit: 3 of 7 tests failed, first curator.LeaderTest.leaves()");
    ixor_junit_words(&sum, cut, sizeof cut);
    assert_string_equal(cut, "JUnit: 3 of 7 tests");
    sum = (struct ixor_junit){.failed = 1};
    ixor_junit_words(&sum, text, sizeof text);
    assert_string_equal(text, "JUnit: 1 test failed");
}

/* A file with `count` times `unit` between `begin` and `end`. */
static const char *make_file(const char *begin, const char *unit, size_t count, const char *end)
{
    const char *path = in_tempdir("report.xml");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(begin, f);
    for (size_t i = 0; i < count; i++)
        fputs(unit, f);
    fputs(end, f);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void large(void **state)
{
    (void)state;
    struct ixor_junit sum = {0};
    struct ix_error err = {""};
    static const char line[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";
    const size_t mib = (1 << 20) / (sizeof line - 1);
    /* Output may be long, */
    const char *path = make_file("<testsuite><system-out><![CDATA[", line, 20 * mib,
                                 "]]></system-out><testcase><error/></testcase></testsuite>");
    assert_int_equal(ixor_junit_read_file(&sum, path, &err), 0);
    assert_int_equal(sum.failed, 1);
    /* and a message, too, */
    path = make_file("<testsuite><testcase name='a'><failure message='", line, 4 * mib,
                     "'/></testcase></testsuite>");
    assert_int_equal(ixor_junit_read_file(&sum, path, &err), 0);
    assert_int_equal(sum.failed, 2);
    /* but not that long. */
    path = make_file("<testsuite>\n<testcase name='", line, 18 * mib, "'/></testsuite>");
    assert_int_equal(ixor_junit_read_file(&sum, path, &err), -1);
    assert_non_null(strstr(err.text, "line 2: a tag is longer than 16 MiB"));
    assert_int_equal(truncate(path, (off_t)IXOR_JUNIT_FILE_MAX + 1), 0);
    assert_int_equal(ixor_junit_read_file(&sum, path, &err), -1);
    assert_non_null(strstr(err.text, "it is larger than 256 MiB"));
}

/* Opening a FIFO would wait for a writer. */
static void no_files(void **state)
{
    (void)state;
    struct ixor_junit sum = {0};
    struct ix_error err = {""};
    const char *fifo = in_tempdir("fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(ixor_junit_read_file(&sum, fifo, &err), -1);
    assert_non_null(strstr(err.text, "it is not a regular file"));
    assert_int_equal(ixor_junit_read_file(&sum, tempdir, &err), -1);
    assert_non_null(strstr(err.text, "it is not a regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports),
        cmocka_unit_test(refused),
        cmocka_unit_test(several),
        cmocka_unit_test_setup_teardown(large, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(no_files, tempdir_make, tempdir_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
