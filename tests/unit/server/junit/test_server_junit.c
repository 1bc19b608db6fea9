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
        uint64_t flaky, flaky_tries, reruns;
        const char *first_flaky;
    } table[] = {
        {"surefire-passed", 2, 0, "", 0, 0, 0, ""},
        {"surefire-failed", 4, 2, "shop.orders.OrderDeskTest.sellsEachItemOnce", 0, 0, 0, ""},
        {"surefire-flaky", 2, 1, "shop.PayTest.paysLater", 1, 1, 2, "shop.PayTest.paysAtOnce"},
        {"surefire-rerun", 4, 1, "shop.PayTest.paysLater", 2, 3, 2, "shop.PayTest.paysSoon"},
        {"surefire-rerun-passed", 2, 0, "", 1, 2, 0, "shop.PayTest.paysAtOnce"},
        {"tries-odd", 4, 1, "a.B.both", 1, 1, 1, "a.B.rerun"},
        {"surefire-setup", 1, 1, "shop.ClusterTest", 0, 0, 0, ""},
        {"gradle-failed", 3, 2, "shop.stock.ShelfTest.holds(int)[2]", 0, 0, 0, ""},
        {"console-failed", 2, 1, "curator.LeaderTest.leaves()", 0, 0, 0, ""},
        {"ant-nested", 2, 2, "shop.MoreTests.stops", 0, 0, 0, ""},
        {"attributes-only", 0, 3, "", 0, 0, 0, ""},
        {"attributes-odd", 0, 0, "", 0, 0, 0, ""},
        {"attributes-tries", 2, 2, "", 1, 2, 0, "a.B.flaky"},
        {"latin-1", 1, 1, "a.B.gr\xc3\xbc\xc3\x9ft", 0, 0, 0, ""},
        {"control-characters", 1, 1, "a.B.x??31m?y", 0, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixor_junit sum = {0};
        struct ix_error err = {""};
        assert_int_equal(read_sample(&sum, table[i].name, &err), 0);
        assert_string_equal(err.text, "");
        assert_int_equal(sum.tests, table[i].tests);
        assert_int_equal(sum.failed, table[i].failed);
        assert_string_equal(sum.first, table[i].first);
        assert_int_equal(sum.flaky, table[i].flaky);
        assert_int_equal(sum.flaky_tries, table[i].flaky_tries);
        assert_int_equal(sum.reruns, table[i].reruns);
        assert_string_equal(sum.first_flaky, table[i].first_flaky);
        assert_int_equal(ixor_junit_notable(&sum), table[i].failed || table[i].flaky);
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

static void words(void **state)
{
    (void)state;
    static const struct {
        struct ixor_junit sum;
        const char *text;
    } table[] = {
        {{.tests = 4, .flaky = 1, .flaky_tries = 1, .first_flaky = "a.B.c"},
         "JUnit: 1 of 4 tests passed after 1 failed try: a.B.c"},
        {{.tests = 4, .flaky = 2, .flaky_tries = 3, .first_flaky = "a.B.c"},
         "JUnit: 2 of 4 tests passed after 3 failed tries, first a.B.c"},
        {{.tests = 4, .failed = 1, .reruns = 1, .first = "a.B.c"},
         "JUnit: 1 of 4 tests failed, in 1 rerun as well: a.B.c"},
        {{.tests = 4,
          .failed = 2,
          .reruns = 2,
          .first = "a.B.c",
          .flaky = 1,
          .flaky_tries = 1,
          .first_flaky = "a.B.d"},
         "JUnit: 2 of 4 tests failed, in 2 reruns as well, first a.B.c; "
         "1 of 4 tests passed after 1 failed try: a.B.d"},
    };
    char text[600];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ixor_junit_words(&table[i].sum, text, sizeof text);
        assert_string_equal(text, table[i].text);
    }
}

/* Not within a character. */
static void long_words(void **state)
{
    (void)state;
    struct ixor_junit sum = {.tests = 1, .failed = 1, .flaky = 1, .flaky_tries = 1};
    char text[IXOR_JUNIT_TEXT], longer[IXOR_JUNIT_TEXT];
    for (size_t i = 0; i + 2 < IXOR_JUNIT_NAME; i += 2) {
        memcpy(sum.first + i, "\xc3\xbc", 3);
        memcpy(sum.first_flaky + i, "\xc3\xbc", 3);
    }
    ixor_junit_words(&sum, text, sizeof text);
    const size_t len = strlen(text);
    assert_in_range(len, sizeof text - 2, sizeof text - 1);
    assert_memory_equal(text + len - 2, "\xc3\xbc", 2);
    ixor_junit_words(&sum, longer, sizeof longer - 1);
    assert_in_range(strlen(longer), sizeof longer - 3, sizeof longer - 2);
    assert_memory_equal(longer + strlen(longer) - 2, "\xc3\xbc", 2);
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
        cmocka_unit_test(words),
        cmocka_unit_test(long_words),
        cmocka_unit_test_setup_teardown(large, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(no_files, tempdir_make, tempdir_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
