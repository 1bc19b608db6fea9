/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's texts: modified UTF-8, the log's path, and its one line on stderr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/log_once.h"
#include "agent/base/utf8.h"
#include "agent/settings/expand.h"
#include "tests/support/tempdir.h"

#define BAD "\xef\xbf\xbd"

static void converted(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } table[] = {
        {"", ""},
        {"plain", "plain"},
        {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},       /* two bytes */
        {"\xe2\x82\xac", "\xe2\x82\xac"},                 /* three bytes */
        {"\xed\xa0\xbc\xed\xbe\x88", "\xf0\x9f\x8e\x88"}, /* D83C DF88: U+1F388 */
        {"\xed\xa0\x80\xed\xb0\x80", "\xf0\x90\x80\x80"}, /* lowest pair: U+10000 */
        {"\xed\xaf\xbf\xed\xbf\xbf", "\xf4\x8f\xbf\xbf"}, /* highest: U+10FFFF */
        {"\xf0\x9f\x8e\x88", "\xf0\x9f\x8e\x88"},         /* standard UTF-8 passes */
        {"a\xc0\x80z", "a" BAD "z"},                      /* NUL */
        {"\xed\xa0\xbcx", BAD "x"},                       /* high surrogate alone */
        {"\xed\xbe\x88x", BAD "x"},                       /* low one alone */
        {"\xed\xa0\xbc\xed\xa0\xbc\xed\xbe\x88", BAD "\xf0\x9f\x8e\x88"},
        {"\x80z", BAD "z"}, /* continuation alone */
        {"\xc3", BAD},      /* cut short */
        {"\xe2\x82", BAD BAD},
        {"\xc3z", BAD "z"},
        {"\xc1\x81", BAD BAD}, /* overlong 'A' */
        {"\xe0\x81\x81", BAD BAD BAD},
        {"\xf0\x80\x80\x80", BAD BAD BAD BAD},
        {"\xf5\x80\x80\x80", BAD BAD BAD BAD},
        {"\xff", BAD},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ix_out out = {0};
        ixa_put_utf8(&out, table[i].in, strlen(table[i].in));
        ix_put_u8(&out, 0);
        assert_false(out.failed);
        assert_string_equal((const char *)out.data, table[i].out);
        ix_out_free(&out);
    }
    struct ix_out out = {0};
    ixa_put_utf8(&out, "a\0b", 3);
    assert_int_equal(out.len, 5);
    assert_memory_equal(out.data, "a" BAD "b", 5);
    ix_out_free(&out);
}

static const struct ixa_expand values = {
    .pid = 4711, .role = "coord", .execution = "", .host = "h1", .started = 1795241522};

static void expanded(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
    } table[] = {
        {"/l/x.ixl", "/l/x.ixl"},
        {"/%r-%p-%e-%h.ixl", "/coord-4711-current-h1.ixl"},
        {"/%t", "/20261121T061202"}, /* date -u -d @1795241522 */
        {"/100%%", "/100%"},
        {"/%{IXA_TEST}/%{IXA_TEST}x",
         "/v a/l/v a/lx"}, /* a variable is the user's path: as it is */
        {"/a%%p", "/a%p"},
    };
    setenv("IXA_TEST", "v a/l", 1);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[64];
        struct ix_error err;
        assert_int_equal(ixa_expand_path(path, sizeof path, table[i].pattern, &values, &err), 0);
        assert_string_equal(path, table[i].path);
    }
}

static void names_that_are_no_file_names(void **state)
{
    (void)state;
    struct ixa_expand odd = values;
    char path[64];
    struct ix_error err;
    odd.role = "../a b";
    odd.execution = "run\t1/\x7f";
    odd.host = ".";
    assert_int_equal(ixa_expand_path(path, sizeof path, "/%r,%e,%h", &odd, &err), 0);
    assert_string_equal(path, "/_._a_b,run_1__,_");
}

static void relative(void **state)
{
    (void)state;
    char path[4096], cwd[2048], want[4096];
    struct ix_error err;
    assert_non_null(getcwd(cwd, sizeof cwd));
    snprintf(want, sizeof want, "%s/logs/4711.ixl", cwd);
    assert_int_equal(ixa_expand_path(path, sizeof path, "logs/%p.ixl", &values, &err), 0);
    assert_string_equal(path, want);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(ixa_expand_path(path, sizeof path, "x", &values, &err), 0);
    assert_string_equal(path, "/x");
    assert_int_equal(chdir(cwd), 0);
}

/* A log of an earlier attach stays. */
static void unused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *path;
    } table[] = {
        {"a.ixl", "a.ixl"}, {"a.ixl", "a-2.ixl"}, {"a.ixl", "a-3.ixl"}, {"b", "b"},
        {"b", "b-2"},       {"c.d.e", "c.d.e"},   {"c.d.e", "c.d-2.e"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s", in_tempdir(table[i].name));
        assert_int_equal(ixa_unused_path(path, sizeof path), 0);
        assert_string_equal(path, in_tempdir(table[i].path));
        close(open(path, O_CREAT | O_WRONLY | O_EXCL, 0600));
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", in_tempdir("b"));
    assert_int_equal(ixa_unused_path(path, strlen(path) + 2), -1); /* no room for "-3" */
}

static void numbered_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path, *numbered;
    } table[] = {{"/a.b/c", "/a.b/c-12"}, {"/a.b/c.ixl", "/a.b/c-12.ixl"}, {"/c.d.e", "/c.d-12.e"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s", table[i].path);
        assert_int_equal(ixa_numbered_path(path, sizeof path, 12), 0);
        assert_string_equal(path, table[i].numbered);
    }
    char full[sizeof "/a.b-12" - 1] = "/a.b";
    assert_int_equal(ixa_numbered_path(full, sizeof full, 12), -1);
}

static void not_expanded(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *message;
    } table[] = {
        {"/%q", "'%q' is not known"},
        {"/x%", "'%' is not known"},
        {"/%{IXA_UNSET}", "IXA_UNSET in '%{IXA_UNSET}' is not set"},
        {"/%{", "needs the name of an environment variable"},
        {"/%{}", "needs the name of an environment variable"},
        {"/%{HOME", "needs the name of an environment variable"},
        {"/123456789012345678901234567890123456789012345678901234567890123", "longer than 63"},
    };
    unsetenv("IXA_UNSET");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[64];
        struct ix_error err = {""};
        assert_int_equal(ixa_expand_path(path, sizeof path, table[i].pattern, &values, &err), -1);
        if (!strstr(err.text, table[i].message))
            fail_msg("%s: '%s' lacks '%s'", table[i].pattern, err.text, table[i].message);
    }
    char path[64];
    struct ix_error err;
    assert_int_equal(
        ixa_expand_path(path, sizeof path,
                        "/12345678901234567890123456789012345678901234567890123456789012", &values,
                        &err),
        0);
    assert_int_equal(strlen(path), 63);
}

static void said_once(void **state)
{
    (void)state;
    int pipes[2], saved = dup(2);
    char text[4096], lengthy[3000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = 0;
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(dup2(pipes[1], 2), 2);
    ixa_log_once("a\nb\x1b[1m %d %s", 7, lengthy);
    ixa_log_once("again");
    assert_int_equal(dup2(saved, 2), 2);
    close(pipes[1]);
    close(saved);
    ssize_t n = read(pipes[0], text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = 0;
    assert_int_equal(strncmp(text, "ixor: a?b?[1m 7 xxxx", 20), 0);
    assert_int_equal(n, 1023); /* cut, with its newline */
    assert_ptr_equal(strchr(text, '\n'), text + n - 1);
    assert_int_equal(read(pipes[0], text, sizeof text), 0);
    close(pipes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converted),
        cmocka_unit_test(expanded),
        cmocka_unit_test(relative),
        cmocka_unit_test_setup_teardown(unused, tempdir_make, tempdir_remove),
        cmocka_unit_test(names_that_are_no_file_names),
        cmocka_unit_test(numbered_paths),
        cmocka_unit_test(not_expanded),
        cmocka_unit_test(said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
