/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a command that does not exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schema/commandline/commands.h"

static const char *const names[] = {"mix", "paint", "wait"};

static void says(const char *word, const char *message)
{
    struct ix_error err;
    assert_int_equal(ix_fail_unknown_command("decorator", word, names, 3, &err), -1);
    assert_string_equal(err.text, message);
}

static void all_commands_are_listed(void **state)
{
    (void)state;
    says("varnish", "unknown command 'varnish'; the commands are mix, paint, wait; try 'decorator "
                    "--help'");
    says("--hue", "unknown option '--hue'; the commands are mix, paint, wait; try 'decorator "
                  "--help'");
}

static void the_one_that_was_meant_comes_first(void **state)
{
    (void)state;
    says("pianr", "unknown command 'pianr'; the commands are mix, paint, wait; try 'decorator "
                  "--help'");
    says("piant", "unknown command 'piant'; did you mean 'paint'? The commands are mix, paint, "
                  "wait; try 'decorator --help'");
}

static void long_words_and_lists_are_cut(void **state)
{
    (void)state;
    char word[3000];
    const char *many[100];
    struct ix_error err;
    memset(word, 'y', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    for (size_t i = 0; i < 100; i++)
        many[i] = word + sizeof word - 50;
    ix_fail_unknown_command("decorator", word, many, 100, &err);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_commands_are_listed),
        cmocka_unit_test(the_one_that_was_meant_comes_first),
        cmocka_unit_test(long_words_and_lists_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
