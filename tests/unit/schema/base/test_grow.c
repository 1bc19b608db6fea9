/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow: what was appended is there, and what cannot be appended changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "schema/base/grow.h"
#include "tests/support/rounds.h"

struct item {
    char name[3];
    int number;
};

static void appended_in_order(void **state)
{
    (void)state;
    struct {
        struct item *list;
        size_t count, cap;
    } x = {0};
    for (int i = 0; i < 1000; i++)
        assert_int_equal(ix_append(x.list, x.count, x.cap, (struct item){"ab", i}), 0);
    assert_int_equal(x.count, 1000);
    assert_true(x.cap >= 1000);
    for (int i = 0; i < 1000; i++)
        assert_true(x.list[i].number == i && x.list[i].name[1] == 'b');
    free(x.list);
}

static void too_many_change_nothing(void **state)
{
    (void)state;
    int *list = NULL;
    size_t count = 0, cap = 0;
    assert_int_equal(ix_append(list, count, cap, 7), 0);
    int *const before = list;
    const size_t room = cap;
    if (!INSTRUMENTED) /* a sanitizer ends the program instead */
        assert_int_equal(ix_grow_list(&list, &cap, SIZE_MAX / 2, sizeof *list), -1);
    assert_true(list == before && cap == room && count == 1 && list[0] == 7);
    assert_int_equal(ix_grow_list(&list, &cap, room, sizeof *list), 0); /* there is room */
    assert_true(list == before && cap == room);
    free(list);
}

static void new_ones_are_zero(void **state)
{
    (void)state;
    size_t cap = 0;
    int *list = ix_grow_zeroed(NULL, &cap, 3, sizeof *list);
    assert_non_null(list);
    for (size_t i = 0; i < cap; i++)
        assert_int_equal(list[i], 0);
    list[2] = 5;
    const size_t known = cap;
    list = ix_grow_zeroed(list, &cap, known + 1, sizeof *list);
    assert_non_null(list);
    assert_int_equal(list[2], 5);
    for (size_t i = known; i < cap; i++)
        assert_int_equal(list[i], 0);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_in_order),
        cmocka_unit_test(too_many_change_nothing),
        cmocka_unit_test(new_ones_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
