/* SPDX-License-Identifier: Apache-2.0 */
/* When a new part of the log begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "agent/record/bounds.h"

static void memory(void **state)
{
    (void)state;
    struct ixa_bounds b = {.memory = 1000};
    for (int part = 0; part < 3; part++) {
        assert_false(ixa_bounds_passed(&b, 100, UINT64_MAX));
        assert_false(ixa_bounds_passed(&b, 500, UINT64_MAX));
        assert_true(ixa_bounds_passed(&b, 501, UINT64_MAX));
    }
}

/* Where one snapshot needs more than the budget, not every one begins a part. */
static void too_small(void **state)
{
    (void)state;
    struct ixa_bounds b = {.memory = 1000};
    for (int part = 0; part < 3; part++) {
        assert_false(ixa_bounds_passed(&b, 5000, 0));
        assert_false(ixa_bounds_passed(&b, 9999, 0));
        assert_true(ixa_bounds_passed(&b, 10000, 0));
    }
}

static void size(void **state)
{
    (void)state;
    struct ixa_bounds b = {.memory = 1000, .maxlog = 400};
    for (int part = 0; part < 3; part++) {
        assert_false(ixa_bounds_passed(&b, 0, 100));
        assert_true(ixa_bounds_passed(&b, 0, 101));
    }
    assert_true(ixa_bounds_passed(&b, 400, 5000)); /* larger than all by itself */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory), cmocka_unit_test(too_small),
                                       cmocka_unit_test(size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
