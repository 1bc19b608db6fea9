/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling: the expectations against numbers worked out by hand, and against the means of many
 * draws; in which order executions are chosen; the figures of a labelled clustering. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "roxi/evaluate/sampling.h"
#include "tests/support/engine_support.h"

/* Clusters of 1, 2, 2 and 4 executions, with 0, 1, 2 and 1 failures. */
enum { N = 9, K = 4 };
static const size_t cluster[N] = {3, 1, 0, 1, 3, 2, 2, 3, 3};
static const bool failed[N] = {true, true, false, false, false, true, true, false, false};
static const struct roxi_labelled nine = {N, K, cluster, failed};

static void expect(enum roxi_method method, double size, double checked, double found)
{
    struct roxi_expected e;
    assert_int_equal(roxi_expect(&nine, method, size, &e), 0);
    if (fabs(e.checked - checked) > 1e-12 || fabs(e.found - found) > 1e-12)
        fail_msg("method %d, size %g: want %g and %g, got %g and %g", method, size, checked, found,
                 e.checked, e.found);
}

static void test_by_hand(void **state)
{
    (void)state;
    expect(ROXI_RANDOM, 0, 0, 0);
    expect(ROXI_RANDOM, 3, 3, 4.0 / 3);
    expect(ROXI_RANDOM, 9, 9, 4);
    expect(ROXI_ONE_PER_CLUSTER, 0, 4, 0.0 + 0.5 + 1 + 0.25);
    expect(ROXI_N_PER_CLUSTER, 1, 4, 1.75);
    expect(ROXI_N_PER_CLUSTER, 2, 7, 0 + 1 + 2 + 0.5);
    expect(ROXI_N_PER_CLUSTER, 9, 9, 4);
    expect(ROXI_ADAPTIVE, 0, 1 + 1.5 + 2 + 1.75, 0 + 0.5 + 2 + 0.25);
    expect(ROXI_SMALL_CLUSTERS, 1, 1, 0);
    expect(ROXI_SMALL_CLUSTERS, 2, 2, 0.75); /* the two clusters of two: 3 of 4 failed */
    expect(ROXI_SMALL_CLUSTERS, 5, 5, 3);
    expect(ROXI_SMALL_CLUSTERS, 6.5, 6.5, 3 + 1.5 / 4);
    expect(ROXI_SMALL_CLUSTERS, 9, 9, 4);
}

static void test_figures(void **state)
{
    (void)state;
    struct roxi_quality q;
    assert_int_equal(roxi_quality(&nine, &q), 0);
    assert_true(fabs(q.purity - (1 + 1 + 2 + 3) / 9.0) < 1e-15);
    assert_true(q.lone_failures == 0 && fabs(q.lone_executions - 1 / 9.0) < 1e-15);
    static const size_t apart[3] = {0, 1, 1};
    static const bool one[3] = {true, false, true}, none[3] = {false};
    assert_int_equal(roxi_quality(&(struct roxi_labelled){3, 2, apart, one}, &q), 0);
    assert_true(q.lone_failures == 0.5 && fabs(q.purity - 2 / 3.0) < 1e-15);
    assert_int_equal(roxi_quality(&(struct roxi_labelled){3, 2, apart, none}, &q), 0);
    assert_true(q.lone_failures == 0 && q.purity == 1);
}

struct seen {
    double checked, found;
};

static void draw_often(enum roxi_method method, size_t size, unsigned times, struct seen *seen)
{
    *seen = (struct seen){0};
    for (unsigned seed = 0; seed < times; seed++) {
        size_t chosen[N], count = 0, last = N;
        bool before[N] = {false};
        assert_int_equal(roxi_sample(&nine, method, size, seed, chosen, &count), 0);
        for (size_t i = 0; i < count; i++) {
            assert_in_range(chosen[i], 0, N - 1);
            assert_false(before[chosen[i]]);
            before[chosen[i]] = true;
            seen->found += failed[chosen[i]];
            last = chosen[i];
        }
        assert_true(last < N);
        seen->checked += (double)count;
    }
    seen->checked /= times;
    seen->found /= times;
}

/* 40,000 draws: a mean of values up to 9 is off by 0.02 of a standard deviation of at most 4.5;
 * five such would be 0.1. */
static void test_draws(void **state)
{
    (void)state;
    enum { TIMES = 40000 };
    for (enum roxi_method m = ROXI_RANDOM; m <= ROXI_ADAPTIVE; m++) {
        for (size_t size = 1; size <= N; size++) {
            struct seen seen;
            struct roxi_expected e;
            assert_int_equal(roxi_expect(&nine, m, (double)size, &e), 0);
            draw_often(m, size, INSTRUMENTED ? TIMES / 4 : TIMES, &seen);
            if (fabs(seen.checked - e.checked) > 0.1 || fabs(seen.found - e.found) > 0.05)
                fail_msg("method %d, size %zu: expected %g and %g, drew %g and %g", m, size,
                         e.checked, e.found, seen.checked, seen.found);
        }
    }
}

static void test_order(void **state)
{
    (void)state;
    size_t chosen[N], again[N], count, count_again;
    for (unsigned seed = 0; seed < 200; seed++) {
        assert_int_equal(roxi_sample(&nine, ROXI_SMALL_CLUSTERS, 7, seed, chosen, &count), 0);
        assert_int_equal(count, 7);
        assert_int_equal(chosen[0], 2);
        for (size_t i = 1; i < 5; i++)
            assert_in_range(cluster[chosen[i]], 1, 2);
        assert_int_equal(cluster[chosen[6]], 3);
        assert_int_equal(roxi_sample(&nine, ROXI_ADAPTIVE, 0, seed, chosen, &count), 0);
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j < i; j++)
                assert_int_not_equal(cluster[chosen[i]], cluster[chosen[j]]);
        for (size_t i = K; i < count; i++) {
            bool with_failure = false;
            for (size_t j = 0; j < K; j++)
                with_failure |= cluster[chosen[j]] == cluster[chosen[i]] && failed[chosen[j]];
            assert_true(with_failure);
        }
        assert_int_equal(roxi_sample(&nine, ROXI_ADAPTIVE, 0, seed, again, &count_again), 0);
        assert_int_equal(count, count_again);
        assert_memory_equal(chosen, again, count * sizeof *chosen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
