/* SPDX-License-Identifier: Apache-2.0 */
/* How often runs fail: intervals, how many runs show it, and the words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "schema/base/binomial.h"
#include "schema/base/failure_rate.h"
#include "schema/base/fisher.h"

/* From sums of binomial probabilities in whole numbers; those of no hits and of all are
 * 1 - 0.025^(1/n) and 0.025^(1/n). */
static void intervals(void **state)
{
    static const struct {
        size_t hits, n;
        double low, high;
    } rows[] = {
        {0, 0, 0, 1},
        {0, 1, 0, 0.975},
        {1, 1, 0.025, 1},
        {0, 10, 0, 0.3084971},
        {10, 10, 0.6915029, 1},
        {1, 10, 0.002528579, 0.4450161},
        {5, 10, 0.1870860, 0.8129140},
        {15, 50, 0.1786178, 0.4460823},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ix_rate r = ix_rate_of(rows[i].hits, rows[i].n);
        if (fabs(r.low - rows[i].low) > 1e-6 || fabs(r.high - rows[i].high) > 1e-6)
            fail_msg("%zu of %zu: %.7f to %.7f", rows[i].hits, rows[i].n, r.low, r.high);
    }
    assert_true(fabs(ix_rate_of(15, 50).rate - 0.3) < 1e-12);
}

/* In n runs, one less and it would be shown less often than wanted. */
static void runs_to_see(void **state)
{
    static const double rates[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001};
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const double n = (double)ix_runs_to_see(rates[i], 0.95);
        assert_true(1 - pow(1 - rates[i], n) >= 0.95);
        assert_true(1 - pow(1 - rates[i], n - 1) < 0.95);
    }
    assert_int_equal(ix_runs_to_see(0.02, 0.95), 149);
    assert_int_equal(ix_runs_to_see(1, 0.95), 1);
}

static void words(void **state)
{
    static const struct {
        size_t failed, judged;
        const char *want;
    } rows[] = {
        {0, 0, "No run has a verdict, so how often runs fail is not known."},
        {0, 2,
         "Failure rate: 0.0 % (0 of 2; 95 % Clopper-Pearson interval: 0.0 to 84.2 %). 3 "
         "more runs would show a failure rate of 50 % with 95 % probability."},
        {0, 132,
         "Failure rate: 0.0 % (0 of 132; 95 % Clopper-Pearson interval: 0.0 to 2.8 %). A "
         "failure rate of 5 % would have shown with 95 % probability. 17 more runs would show a "
         "failure rate of 2 % with 95 % probability."},
        {0, 5000,
         "Failure rate: 0.0 % (0 of 5000; 95 % Clopper-Pearson interval: 0.0 to 0.1 %). "
         "A "
         "failure rate of 0.1 % would have shown with 95 % probability."},
        {15, 50,
         "Failure rate: 30.0 % (15 of 50; 95 % Clopper-Pearson interval: 17.9 to 44.6 "
         "%). "
         "At this rate, 9 runs show another failure with 95 % probability."},
        {99, 100,
         "Failure rate: 99.0 % (99 of 100; 95 % Clopper-Pearson interval: 94.6 to 100.0 "
         "%). At this rate, 1 run shows another failure with 95 % probability."},
        {3, 3,
         "Failure rate: 100.0 % (3 of 3; 95 % Clopper-Pearson interval: 29.2 to 100.0 "
         "%)."},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        ix_say_failure_rate(out, rows[i].failed, rows[i].judged);
        fclose(out);
        assert_string_equal(text, rows[i].want);
        free(text);
    }
}

/* From sums of products of binomial coefficients, in whole numbers. */
static void fisher(void **state)
{
    static const struct {
        struct ix_tried a, b;
        double chance;
    } rows[] = {
        {{3, 4}, {1, 4}, 0.4857142857142857},
        {{8, 10}, {1, 10}, 0.005477494641581329},
        {{1, 100}, {12, 100}, 0.002539497455864701},
        {{12, 100}, {1, 100}, 0.002539497455864701},
        {{0, 10}, {0, 10}, 1},
        {{5, 5}, {0, 5}, 0.007936507936507936},
        {{2, 300}, {0, 299}, 0.4991652754590985},
        {{15, 50}, {3, 60}, 0.0005346645023495747},
        {{0, 0}, {3, 5}, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double chance = ix_fisher(rows[i].a, rows[i].b);
        if (fabs(chance - rows[i].chance) > 1e-9)
            fail_msg("row %zu: %.12f", i, chance);
    }
}

static void fisher_needs(void **state)
{
    (void)state;
    assert_int_equal(ix_fisher_needs((struct ix_tried){5, 50}, 0.05, 1000), 51);
    assert_int_equal(ix_fisher_needs((struct ix_tried){1, 20}, 0.05, 1000), 381);
    assert_int_equal(ix_fisher_needs((struct ix_tried){10, 20}, 0.05, 1000), 7);
    assert_int_equal(ix_fisher_needs((struct ix_tried){1, 1}, 0.05, 1000), 20);
    assert_int_equal(ix_fisher_needs((struct ix_tried){1, 20}, 0.05, 380), 0);
    assert_int_equal(ix_fisher_needs((struct ix_tried){0, 20}, 0.05, 1000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(intervals), cmocka_unit_test(runs_to_see),
                                       cmocka_unit_test(words), cmocka_unit_test(fisher),
                                       cmocka_unit_test(fisher_needs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
