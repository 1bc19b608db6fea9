/* SPDX-License-Identifier: Apache-2.0 */
/* Which name was meant by one that does not exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schema/base/nearest.h"

static void distances_by_hand(void **state)
{
    (void)state;
    assert_int_equal(ix_edit_distance("", ""), 0);
    assert_int_equal(ix_edit_distance("", "abc"), 3);
    assert_int_equal(ix_edit_distance("saturday", "sunday"), 3); /* the textbook's example */
    assert_int_equal(ix_edit_distance("rnak", "rank"), 2);
    assert_int_equal(ix_edit_distance("run26", "run0026"), 2);
}

static void typing_errors_are_recognised(void **state)
{
    (void)state;
    static const char *const names[] = {"run", "rank", "rink", "rules"};
    assert_string_equal(ix_nearest("rnak", names, 4), "rank");
    assert_string_equal(ix_nearest("runk", names, 4), "run"); /* the first of three */
    assert_string_equal(ix_nearest("rul", names, 4), "run");
    assert_string_equal(ix_nearest("rank", names, 4), "rank");
    assert_null(ix_nearest("status", names, 4));
    assert_null(ix_nearest("r", names, 4)); /* more than half of it would change */
    assert_null(ix_nearest("", names, 4));
    assert_null(ix_nearest("run", names, 0));
}

static void long_names_are_left_out(void **state)
{
    (void)state;
    char longest[IX_NEAREST_MAX + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const names[] = {longest, "xyz"};
    assert_null(ix_nearest(longest, names, 2));
    assert_string_equal(ix_nearest("xyy", names, 2), "xyz");
    longest[IX_NEAREST_MAX] = '\0';
    assert_ptr_equal(ix_nearest(longest, names, 2), longest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_by_hand),
        cmocka_unit_test(typing_errors_are_recognised),
        cmocka_unit_test(long_names_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
