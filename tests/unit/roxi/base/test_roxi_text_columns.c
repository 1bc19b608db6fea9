/* SPDX-License-Identifier: Apache-2.0 */
/* How wide text is that people read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "roxi/base/text_escape.h"

static void columns_of_what_is_shown(void **state)
{
    (void)state;
    assert_int_equal(text_columns(""), 0);
    assert_int_equal(text_columns("run0026"), 7);
    assert_int_equal(text_columns("l\xc3\xa4uft"), 5);
    assert_int_equal(text_columns("\xe8\xb5\xb0"), 2);         /* a wide character */
    assert_int_equal(text_columns("a\033b"), 6);               /* a\x1Bb */
    assert_int_equal(text_columns("\xff"), 4);                 /* \xFF */
    assert_int_equal(text_columns("\xe2\x80\xae"), 6);         /* \u202E */
    assert_int_equal(text_columns("\xf0\x9f\x90\x9b bug"), 6); /* of four bytes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
