/* SPDX-License-Identifier: Apache-2.0 */
/* The median of values of which zeros are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/rank/median.h"
#include "tests/support/rounds.h"

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

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { MOST = 300 };

/* Of `count` values, of which at most `different` differ, and up to 9 zeros, against sorting. */
static void against_sorting(unsigned *seed, size_t count, int different)
{
    double values[MOST + 9] = {0}, sorted[MOST + 9] = {0};
    const size_t n = count + (size_t)rand_r(seed) % 10;
    for (size_t i = 0; i < count; i++)
        values[i] = sorted[i] = rand_r(seed) % different / 8.0;
    qsort(sorted, n, sizeof *sorted, by_value);
    const double expected = n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : 0;
    const double median = roxi_median(values, count, n);
    if (median < expected || median > expected)
        fail_msg("%zu of %zu values, %d differ: %f instead of %f", count, n, different, median,
                 expected);
}

static void test_against_sorting(void **state)
{
    static const int different[] = {1, 2, 7, 100, 1000000};
    unsigned seed = 1;
    (void)state;
    for (size_t round = 0; round < rounds(4000); round++)
        against_sorting(&seed, round % (MOST + 1), different[round % 5]);
}

/* Orders for which dividing takes long: ascending, descending, up and down again. */
static void test_orders(void **state)
{
    double up[MOST], down[MOST], both[MOST];
    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        up[i] = (double)i;
        down[i] = (double)(MOST - i);
        both[i] = (double)(i < MOST / 2 ? i : MOST - i);
    }
    assert_true(roxi_median(up, MOST, MOST) == 149.5);
    assert_true(roxi_median(down, MOST, MOST) == 150.5);
    assert_true(roxi_median(both, MOST, MOST) == 75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_median),
                                       cmocka_unit_test(test_against_sorting),
                                       cmocka_unit_test(test_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
