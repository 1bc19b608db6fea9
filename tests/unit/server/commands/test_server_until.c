/* SPDX-License-Identifier: Apache-2.0 */
/* ixor run --until. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/commands/until.h"

#define S UINT64_C(1000000000)

static struct ixor_until parsed(const char *text)
{
    struct ixor_until until;
    struct ix_error err = {""};
    if (ixor_until_parse(text, &until, &err) != 0)
        fail_msg("%s: %s", text, err.text);
    assert_true(ixor_until_given(&until));
    return until;
}

static void reached(void **state)
{
    (void)state;
    const struct ixor_until once = parsed("failed"), thrice = parsed("3-failed"),
                            time = parsed("2m"), never = {0};
    assert_false(ixor_until_reached(&once, 0, 1000 * S));
    assert_true(ixor_until_reached(&once, 1, 0));
    assert_false(ixor_until_reached(&thrice, 2, 1000 * S));
    assert_true(ixor_until_reached(&thrice, 3, 0));
    assert_true(ixor_until_reached(&thrice, 4, 0));
    assert_false(ixor_until_reached(&time, 100, 120 * S - 1));
    assert_true(ixor_until_reached(&time, 0, 120 * S));
    assert_false(ixor_until_given(&never));
    assert_false(ixor_until_reached(&never, 100, 1000 * S));
}

static void refused(void **state)
{
    static const char *const rows[] = {"",
                                       "3",
                                       "0",
                                       "0s",
                                       "fail",
                                       "-failed",
                                       "0-failed",
                                       "x-failed",
                                       "3 failed",
                                       "failed-3",
                                       "3-failed ",
                                       "99999999-failed",
                                       "123456789012345678901234567890-failed"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ixor_until until;
        struct ix_error err = {""};
        if (ixor_until_parse(rows[i], &until, &err) == 0)
            fail_msg("'%s' is accepted", rows[i]);
        assert_string_not_equal(err.text, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reached), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
