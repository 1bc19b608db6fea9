/* SPDX-License-Identifier: Apache-2.0 */
/* The median of values of which zeros are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/rank/median.h"

static void test_median(void **state)
{
    (void)state;
    static const struct {
        double values[5];
        size_t count, n;
        double median;
    } rows[] = {
        {{0}, 0, 0, 0},
        {{0}, 0, 4, 0},
        {{-7}, 1, 1, -7},
        {{3, -1, 2}, 3, 3, 2},
        {{4, 1, 3, -2}, 4, 4, 2},
        {{5, 3}, 2, 3, 3},   /* 0 3 5 */
        {{5, 3}, 2, 4, 1.5}, /* 0 0 3 5 */
        {{5, 3}, 2, 5, 0},   /* 0 0 0 3 5 */
        {{9, 2, 4, 6, 8}, 5, 6, 5},
        {{3, 1, 2, 4}, 4, 4, 2.5},
        {{3, 1, 2, 4}, 4, 5, 2},
        {{3, 1, 2, 4}, 4, 9, 0}, /* most are zeros */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double values[5];
        memcpy(values, rows[i].values, sizeof values);
        const double median = roxi_median(values, rows[i].count, rows[i].n);
        if (median < rows[i].median || median > rows[i].median)
            fail_msg("row %zu: %f instead of %f", i, median, rows[i].median);
    }
    const double none = roxi_median(NULL, 0, 0);
    assert_true(none >= 0 && none <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_median)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
