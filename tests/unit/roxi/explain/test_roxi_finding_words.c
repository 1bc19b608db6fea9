/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a finding, and the call stack that is shown with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/explain/words.h"
#include "schema/base/text_memory.h"
#include "tests/support/profiles_fixture.h"

static char *path_of(const struct roxi_finding *f)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    assert_int_equal(roxi_finding_show_path(t.out, profiles, f, 4, true), 0);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    return text;
}

/* A bridge calls the method of the same name, of the same class: that is one thing to look at. */
static void test_same_name(void **state)
{
    const uint32_t a = name_number("a.Handler"), read = name_number("read");
    struct roxi_finding f = {
        .kind = ROXI_IN_CALL,
        .stack = stack_number("a.A.run()V:1;a.A.go()V:2;a.Handler.read(I)V:3;a.Handler.read(J)V:6"),
        .call = {a, read, a, read},
        .here = 2,
        .who = {.role = name_number("x")},
        .thread = ROXI_NONE,
        .ends_at = {.role = name_number("x")},
    };
    struct ix_text t;
    (void)state;
    char *path = path_of(&f);
    assert_non_null(strstr(path, " > a.Handler.read(Unknown Source:6)\n       a.Handler.read("));
    assert_null(strchr(strchr(path, '>') + 1, '>'));
    free(path);
    f.stack = stack_number(
        "a.Z.z()V:9;a.A.run()V:1;a.A.go()V:2;a.Handler.read(I)V:3;a.Handler.read(J)V:6");
    path = path_of(&f);
    assert_non_null(strstr(path, "       ... 1 caller\n"));
    free(path);
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say(t.out, profiles->symbols, &f, true);
    char *text = ix_text_close(&t);
    assert_string_equal(text,
                        "2 packets in Handler.read, typically 0; waits for another of its threads");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_name, profiles_set_up, profiles_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
