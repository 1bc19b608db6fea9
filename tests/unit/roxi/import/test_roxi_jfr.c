/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings: what is one, the texts in what jfr prints, and a program jfr that is not there, does
 * not work, or fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "roxi/import/jfr.h"
#include "schema/base/text_memory.h"
#include "tests/support/tempdir.h"

static void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *out = fopen(in_tempdir(name), "we");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void recordings(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        int want;
    } cases[] = {
        {"FLR\0and more", 12, 1}, {"FLR\0", 4, 1},       {"FLR", 3, 0}, {"", 0, 0},
        {"FLR\1", 4, 0},          {"2026-11-22", 10, 0},
    };
    struct ix_error err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("file", cases[i].bytes, cases[i].size);
        assert_int_equal(dump_is_jfr(in_tempdir("file"), &err), cases[i].want);
    }
    assert_int_equal(dump_is_jfr(in_tempdir("none"), &err), -1);
    assert_non_null(strstr(err.text, "none': No such file or directory"));
    assert_int_equal(dump_is_jfr(tempdir, &err), -1);
    assert_non_null(strstr(err.text, "': Is a directory"));
}

/* ---- texts ---- */

/* What is copied of the JSON, to be freed. */
static char *copied(const char *json, int *result)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    write_file("json", json, strlen(json));
    FILE *in = fopen(in_tempdir("json"), "re");
    assert_non_null(in);
    *result = dump_jfr_copy(in, t.out);
    fclose(in);
    return ix_text_close(&t);
}

static void texts(void **state)
{
    static const struct {
        const char *json, *text; /* text NULL: it is refused */
    } cases[] = {
        {"", ""},
        {"{\"recording\": {\"events\": []}}", ""},
        {"{\"values\": {\"startTime\": \"x\", \n \"result\": \"one\\n\\ttwo\"}}", "one\n\ttwo\n"},
        {"\"result\": \"\"", "\n"},
        {"\"result\": null, \"result\": 12, \"result\": \"a\"", "a\n"},
        {"\"results\": \"b\", \"the result\": \"c\"", ""},
        {"\"result\": \"a\"}, {\"result\": \"b\"}, {\"result\": \"c\"", "a\nb\nc\n"},
        {"\"\"result\": \"a\"", "a\n"},
        {"\"resul\"result\": \"a\"", "a\n"},
        {"\"result\": \"\\\"result\\\": \\\"a\\\"\"", "\"result\": \"a\"\n"},
        {"\"result\": \"\\\\ \\/ \\b \\f \\r \\t \\\"\"", "\\ / \b \f \r \t \"\n"},
        {"\"result\": \"caf\xc3\xa9\"", "caf\xc3\xa9\n"},
        {"\"result\": \"\\u0041\\u007f\"", "A\x7f\n"},
        {"\"result\": \"\\u0080\\u07FF\"", "\xc2\x80\xdf\xbf\n"},
        {"\"result\": \"\\u0800\\uFFFD\"", "\xe0\xa0\x80\xef\xbf\xbd\n"},
        {"\"result\": \"\\ud7ff\\ue000\"", "\xed\x9f\xbf\xee\x80\x80\n"},
        {"\"result\": \"\\ud800\\udc00\"", "\xf0\x90\x80\x80\n"},
        {"\"result\": \"\\uD83D\\uDE00\"", "\xf0\x9f\x98\x80\n"},
        {"\"result\": \"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf\n"},
        /* damaged or torn */
        {"\"result\": \"", NULL},
        {"\"result\": \"torn", NULL},
        {"\"result\": \"a\"}, {\"result\": \"torn", NULL},
        {"\"result\": \"\\", NULL},
        {"\"result\": \"\\x\"", NULL},
        {"\"result\": \"\\u", NULL},
        {"\"result\": \"\\u00", NULL},
        {"\"result\": \"\\u00g0\"", NULL},
        {"\"result\": \"\\u004\"", NULL},
        {"\"result\": \"\\ud83d\"", NULL},
        {"\"result\": \"\\ud83d\\n\"", NULL},
        {"\"result\": \"\\ud83dudE00\"", NULL},
        {"\"result\": \"\\ud83d\\u\"", NULL},
        {"\"result\": \"\\ud83d\\u0041\"", NULL},
        {"\"result\": \"\\ud83d\\ue000\"", NULL},
        {"\"result\": \"\\ude00\\ud83d\"", NULL},
        {"\"result\": \"\\ude00\\ude00\"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int result;
        char *text = copied(cases[i].json, &result);
        assert_int_equal(result, cases[i].text ? 0 : -1);
        if (cases[i].text)
            assert_string_equal(text, cases[i].text);
        free(text);
    }
}

static void a_nul_is_copied(void **state)
{
    struct ix_text t;
    (void)state;
    write_file("json", "\"result\": \"a\\u0000b\0c\"", 22);
    FILE *in = fopen(in_tempdir("json"), "re");
    assert_non_null(in);
    assert_int_equal(ix_text_open(&t), 0);
    assert_int_equal(dump_jfr_copy(in, t.out), 0);
    fclose(in);
    char *text = ix_text_close(&t);
    assert_int_equal(t.size, 6);
    assert_memory_equal(text, "a\0b\0c\n", 6);
    free(text);
}

static void reading_may_fail(void **state)
{
    FILE *in = fopen(tempdir, "re");
    (void)state;
    assert_non_null(in);
    assert_int_equal(dump_jfr_copy(in, stderr), -1);
    fclose(in);
}

/* ---- the program ---- */

/* Makes jdk/bin/jfr; NULL: removes it. */
static void make_program(const char *script, mode_t mode)
{
    const char *path = in_tempdir("jdk/bin/jfr");
    unlink(path);
    if (!script)
        return;
    write_file("jdk/bin/jfr", script, strlen(script));
    assert_int_equal(chmod(path, mode), 0);
}

static int make_jdk(void **state)
{
    if (tempdir_make(state) != 0 || mkdir(in_tempdir("jdk"), 0700) != 0 ||
        mkdir(in_tempdir("jdk/bin"), 0700) != 0)
        return -1;
    write_file("a recording", "FLR\0", 4);
    return setenv("JAVA_HOME", in_tempdir("jdk"), 1);
}

/* Prints the recording; what was printed, to be freed, or NULL and why not. */
static char *printed(const char *name, struct ix_error *err)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    const int result = dump_jfr_print(in_tempdir(name), t.out, err);
    char *text = ix_text_close(&t);
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

static void expect_refused(const char *name, const char *why)
{
    struct ix_error err;
    assert_null(printed(name, &err));
    if (!strstr(err.text, why))
        fail_msg("'%s' is not in '%s'", why, err.text);
}

#define SAYS_ARGUMENTS "#!/bin/sh\nprintf '{\"result\": \"%s\"}' \"$*\"\n"

static void expect_arguments(void)
{
    struct ix_error err;
    char want[200];
    snprintf(want, sizeof want, "print --json --events jdk.ThreadDump %s\n",
             in_tempdir("a recording"));
    char *text = printed("a recording", &err);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
}

static void the_jdks_program_is_run(void **state)
{
    (void)state;
    make_program(SAYS_ARGUMENTS, 0700);
    expect_arguments();
}

static void or_that_of_the_path(void **state)
{
    char *before = strdup(getenv("PATH"));
    (void)state;
    make_program(SAYS_ARGUMENTS, 0700);
    assert_non_null(before);
    setenv("PATH", in_tempdir("jdk/bin"), 1);
    unsetenv("JAVA_HOME");
    expect_arguments();
    setenv("JAVA_HOME", "", 1);
    expect_arguments();
    setenv("PATH", in_tempdir("jdk"), 1);
    expect_refused("a recording", "there is no program jfr to read it: set JAVA_HOME");
    setenv("PATH", before, 1);
    free(before);
}

static void a_program_that_cannot_be_run(void **state)
{
    char *long_path = malloc(PATH_MAX + 1);
    (void)state;
    make_program(NULL, 0);
    expect_refused("a recording", "there is no program jfr to read it: set JAVA_HOME to a JDK");
    make_program(SAYS_ARGUMENTS, 0600);
    expect_refused("a recording", "there is no program jfr to read it: set JAVA_HOME to a JDK");
    make_program("neither a script nor a program", 0700);
    expect_refused("a recording", "cannot start jfr: Exec format error");
    setenv("JAVA_HOME", in_tempdir("a recording"), 1); /* no directory */
    expect_refused("a recording", "there is no program jfr to read it: set JAVA_HOME to a JDK");
    assert_non_null(long_path);
    memset(long_path, 'a', PATH_MAX);
    long_path[PATH_MAX] = '\0';
    setenv("JAVA_HOME", long_path, 1);
    expect_refused("a recording", "cannot start jfr: File name too long");
    free(long_path);
}

/* None leaves the import waiting, or with half of the dumps. */
static void a_program_that_fails(void **state)
{
    static const char *const scripts[] = {
        "#!/bin/sh\nexit 1\n",
        "#!/bin/sh\necho '\"result\": \"a\"'; exit 2\n",
        "#!/bin/sh\necho '\"result\": \"a\"'; kill -9 $$\n",
        "#!/bin/sh\nprintf '\"result\": \"a'\n",
        "#!/bin/sh\nprintf '\"result\": \"\\\\x'; exec yes\n", /* goes on */
    };
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        make_program(scripts[i], 0700);
        expect_refused("a recording", "a recording': try 'jfr print --events jdk.ThreadDump' with");
    }
}

static void what_it_says_is_not_shown(void **state)
{
    struct ix_error err;
    (void)state;
    make_program("#!/bin/sh\necho '\"result\": \"no\"' >&2; echo '\"result\": \"a\"'\n", 0700);
    char *text = printed("a recording", &err);
    assert_non_null(text);
    assert_string_equal(text, "a\n");
    free(text);
}

static void no_recording_or_no_descriptors(void **state)
{
    struct rlimit before, none;
    struct ix_error err;
    (void)state;
    make_program(SAYS_ARGUMENTS, 0700);
    expect_refused("none", "none': No such file or directory");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int result = dump_jfr_print(in_tempdir("a recording"), stderr, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(result, -1);
    assert_non_null(strstr(err.text, "a recording': Too many open files"));
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)
#define WITH_JDK(test) cmocka_unit_test_setup_teardown(test, make_jdk, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(recordings),
        IN_TEMPDIR(texts),
        IN_TEMPDIR(a_nul_is_copied),
        IN_TEMPDIR(reading_may_fail),
        WITH_JDK(the_jdks_program_is_run),
        WITH_JDK(or_that_of_the_path),
        WITH_JDK(a_program_that_cannot_be_run),
        WITH_JDK(a_program_that_fails),
        WITH_JDK(what_it_says_is_not_shown),
        WITH_JDK(no_recording_or_no_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
