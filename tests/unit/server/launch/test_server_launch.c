/* SPDX-License-Identifier: Apache-2.0 */
/* The environment that a command gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/launch/launch.h"

static const struct ixor_launch launch = {
    .agent = "/opt/libixor.so",
    .server = "127.0.0.1:4967",
    .key = "ixor-agent-1",
    .execution = "run0007",
    .run_dir = "/tmp/a, b/runs/run0007",
    .run = 3,
};

/* The value of a variable that must be there exactly once. */
static const char *value(char **environment, const char *name)
{
    const char *found = NULL;
    size_t len = strlen(name);
    for (char **at = environment; *at; at++) {
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=') {
            assert_null(found);
            found = *at + len + 1;
        }
    }
    assert_non_null(found);
    return found;
}

static void variables_are_set(void **state)
{
    (void)state;
    char *const base[] = {(char[]){"PATH=/bin"}, (char[]){"IXOR_RUN=9"},
                          (char[]){"IXOR_RUN_DIR=/old"}, (char[]){"EMPTY="}, NULL};
    struct ix_error err = {""};
    char **e = ixor_launch_environment(&launch, base, &err);
    assert_non_null(e);
    assert_string_equal(value(e, "PATH"), "/bin");
    assert_string_equal(value(e, "EMPTY"), "");
    assert_string_equal(value(e, "IXOR_RUN"), "3");
    assert_string_equal(value(e, "IXOR_EXECUTION"), "run0007");
    assert_string_equal(value(e, "IXOR_RUN_DIR"), "/tmp/a, b/runs/run0007");
    assert_string_equal(value(e, "IXOR_SERVER"), "127.0.0.1:4967");
    assert_string_equal(value(e, "IXOR_KEY"), "ixor-agent-1");
    assert_string_equal(
        value(e, "JAVA_TOOL_OPTIONS"),
        "-agentpath:/opt/libixor.so=server=127.0.0.1:4967,log=%{IXOR_RUN_DIR}/%r-%p.ixl,"
        "locks=on,connections=on,process=on,exceptions=first,invocations=on,"
        "virtual=tracked:256,coverage=on");
    ixor_launch_free(e);
}

static void tests_name_their_runs(void **state)
{
    (void)state;
    char *const base[] = {(char[]){"IXOR_EXECUTION=outer"}, (char[]){"IXOR_JUNIT_JAR=/old"}, NULL};
    struct ixor_launch tests = launch;
    tests.execution = NULL;
    tests.junit_jar = "/opt/a, b.jar";
    char **e = ixor_launch_environment(&tests, base, NULL);
    assert_non_null(e);
    assert_string_equal(value(e, "IXOR_JUNIT_JAR"), "/opt/a, b.jar");
    assert_string_equal(
        value(e, "JAVA_TOOL_OPTIONS"),
        "-agentpath:/opt/libixor.so=server=127.0.0.1:4967,log=%{IXOR_RUN_DIR}/%r-%p-%t.ixl,"
        "runs=tests,locks=on,connections=on,process=on,exceptions=first,invocations=on,"
        "virtual=tracked:256,coverage=on");
    for (char **at = e; *at; at++)
        assert_true(strncmp(*at, "IXOR_EXECUTION=", 15) != 0);
    ixor_launch_free(e);
}

static void older_options_come_first(void **state)
{
    (void)state;
    char *const base[] = {(char[]){"JAVA_TOOL_OPTIONS=-Dx=1 -Xmx64m"}, NULL};
    char **e = ixor_launch_environment(&launch, base, NULL);
    assert_string_equal(
        value(e, "JAVA_TOOL_OPTIONS"),
        "-Dx=1 -Xmx64m -agentpath:/opt/libixor.so=server=127.0.0.1:4967,"
        "log=%{IXOR_RUN_DIR}/"
        "%r-%p.ixl,locks=on,connections=on,process=on,exceptions=first,invocations=on,"
        "virtual=tracked:256,coverage=on");
    ixor_launch_free(e);
}

static void without_coverage(void **state)
{
    (void)state;
    char *const base[] = {NULL};
    struct ixor_launch plain = launch;
    plain.no_coverage = true;
    char **e = ixor_launch_environment(&plain, base, NULL);
    assert_non_null(e);
    assert_null(strstr(value(e, "JAVA_TOOL_OPTIONS"), "coverage"));
    ixor_launch_free(e);
}

static void odd_agent_paths(void **state)
{
    (void)state;
    static const struct {
        const char *agent, *word;
    } table[] = {
        {"/a b/x.so", "\"-agentpath:/a b/x.so=o\""},
        {"/a'b/x.so", "\"-agentpath:/a'b/x.so=o\""},
        {"/a\"b/x.so", "'-agentpath:/a\"b/x.so=o'"},
        {"/a\"b'/x.so", NULL},
        {"/a=b/x.so", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ix_error err = {""};
        char *word = ixor_agent_word(table[i].agent, "o", 1, &err);
        if (table[i].word)
            assert_string_equal(word, table[i].word);
        else
            assert_null(word);
        assert_int_equal(err.text[0] != '\0', !table[i].word);
        free(word);
    }
    char *word = ixor_agent_word("/a b/x.so", "o", 0, NULL);
    assert_string_equal(word, "-agentpath:/a b/x.so=o");
    free(word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_set),        cmocka_unit_test(tests_name_their_runs),
        cmocka_unit_test(older_options_come_first), cmocka_unit_test(without_coverage),
        cmocka_unit_test(odd_agent_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
