/* SPDX-License-Identifier: Apache-2.0 */
/* Error texts: set, put into context, cut without running over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schema/base/error.h"

static void a_text_is_set_and_put_into_context(void **state)
{
    (void)state;
    struct ix_error err;
    assert_int_equal(ix_fail(&err, "no %s in %d", "luck", 7), -1);
    assert_string_equal(err.text, "no luck in 7");
    assert_int_equal(ix_fail_in(&err, "line %d", 3), -1);
    assert_string_equal(err.text, "line 3: no luck in 7");
}

static void nobody_needs_to_know(void **state)
{
    (void)state;
    assert_int_equal(ix_fail(NULL, "x"), -1);
    assert_int_equal(ix_fail_in(NULL, "x"), -1);
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    struct {
        struct ix_error err;
        char behind;
    } guarded = {.behind = 'x'};
    char text[sizeof guarded.err.text + 9];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    size_t fits = sizeof guarded.err.text - 1;
    for (size_t len = fits - 4; len <= fits + 4; len++) {
        ix_fail(&guarded.err, "inner");
        ix_fail_in(&guarded.err, "%.*s", (int)len, text);
        assert_int_equal(strlen(guarded.err.text), fits);
        assert_memory_equal(guarded.err.text, text, len < fits ? len : fits);
        ix_fail(&guarded.err, "%.*s", (int)len, text);
        assert_int_equal(strlen(guarded.err.text), len < fits ? len : fits);
        ix_fail_in(&guarded.err, "in");
        assert_int_equal(strlen(guarded.err.text), fits);
        assert_memory_equal(guarded.err.text, "in: aaa", 7);
    }
    assert_int_equal(guarded.behind, 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_set_and_put_into_context),
        cmocka_unit_test(nobody_needs_to_know),
        cmocka_unit_test(long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
