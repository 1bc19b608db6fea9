/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles, losses and skew, with numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/catalogue/figures.h"

static void percentiles_are_nearest_rank(void **state)
{
    (void)state;
    struct ix_values v = {0};
    assert_int_equal(ix_values_percentile(&v, 0.5), -1);
    ix_values_add(&v, 7);
    assert_int_equal(ix_values_percentile(&v, 0.5), 7);
    assert_int_equal(ix_values_percentile(&v, 0.99), 7);
    ix_values_add(&v, 3);
    /* 3 7: ceil(0.5 * 2) = the first, ceil(0.99 * 2) = the second */
    assert_int_equal(ix_values_percentile(&v, 0.5), 3);
    assert_int_equal(ix_values_percentile(&v, 0.99), 7);
    ix_values_free(&v);

    for (int64_t i = 200; i >= 1; i--)
        ix_values_add(&v, i);
    assert_int_equal(ix_values_percentile(&v, 0.5), 100);
    assert_int_equal(ix_values_percentile(&v, 0.99), 198);
    assert_int_equal(ix_values_percentile(&v, 1.0), 200);
    assert_int_equal(ix_values_percentile(&v, 0.001), 1);
    ix_values_free(&v);
}

static void snapshot(struct ix_counting *k, int64_t vm, int64_t packet, int64_t stop)
{
    struct ix_snapshot_row row = {.vm = vm, .packet = packet, .stop_ns = stop};
    ix_counting_snapshot(k, &row);
}

static void packet(struct ix_counting *k, int64_t number, int64_t skew, int64_t error, int64_t lead)
{
    ix_counting_packet(k, &(struct ix_packet_outcome){.number = number,
                                                      .taken = 2,
                                                      .skew_ns = skew,
                                                      .skew_error_ns = error,
                                                      .lead_ns = lead});
}

/* Packets 1 to 4, of which the 2nd was taken by one JVM alone and the 4th is still open. */
static void losses_and_skew(void **state)
{
    (void)state;
    struct ix_figures f = {0};
    struct ix_counting k = {.into = &f};
    packet(&k, 1, 5, 2, 1000);
    packet(&k, 2, -1, -1, 1000);
    packet(&k, 3, 10, 0, 2000);
    packet(&k, 4, -1, -1, 3000);
    ix_counting_vm(&k, &(struct ix_vm){.id = 9, .requests = 4, .late = 2});
    ix_counting_vm(&k,
                   &(struct ix_vm){.id = 4, .requests = 3, .stale = 1, .superseded = 2, .late = 1});
    ix_counting_vm(&k, &(struct ix_vm){.id = 5, .requests = 1});
    snapshot(&k, 4, 1, 50);
    snapshot(&k, 5, 1, 40);
    snapshot(&k, 9, 1, 30);
    snapshot(&k, 4, 2, 20);
    snapshot(&k, 4, 3, 10);
    snapshot(&k, 9, 3, 60);
    snapshot(&k, 5, 4, 70);
    snapshot(&k, 77, 5, 1); /* a JVM that joined after the list was read */
    assert_int_equal(ix_counting_end(&k, NULL), 0);

    assert_int_equal(f.vms, 3);
    assert_int_equal(f.packets, 4);
    assert_int_equal(f.requests, 8);
    assert_int_equal(f.taken, 7);
    /* JVM 9 lost two; JVM 5 took one more than the catalogue says was sent, which hides no loss of
     * another JVM */
    assert_int_equal(f.lost, 2);
    assert_int_equal(f.stale, 1);
    assert_int_equal(f.superseded, 2);
    assert_int_equal(f.late, 3);
    assert_int_equal(f.lead_ns, 3000);
    assert_int_equal(f.skews.count, 2);
    assert_int_equal(ix_values_percentile(&f.skews, 0.5), 5);
    assert_int_equal(ix_values_percentile(&f.skews, 0.99), 10);
    assert_int_equal(ix_values_percentile(&f.skew_errors, 1), 2);
    assert_int_equal(f.stops.count, 7);
    assert_int_equal(ix_values_percentile(&f.stops, 0.5), 40);
    ix_figures_free(&f);
}

static void sums_add_up(void **state)
{
    (void)state;
    struct ix_figures f = {0}, sum = {0};
    for (int execution = 0; execution < 2; execution++) {
        struct ix_counting k = {.into = &f};
        packet(&k, 1, execution, 1, 7);
        ix_counting_vm(&k, &(struct ix_vm){.id = 1, .requests = 1, .late = 1});
        ix_counting_vm(&k, &(struct ix_vm){.id = 2, .requests = 2});
        snapshot(&k, 1, 1, 1);
        snapshot(&k, 2, 1, 1);
        assert_int_equal(ix_counting_end(&k, NULL), 0);
    }
    assert_int_equal(ix_figures_merge(&sum, &f, NULL), 0);
    assert_int_equal(ix_figures_merge(&sum, &(struct ix_figures){0}, NULL), 0);
    for (struct ix_figures *x = &f; x; x = x == &f ? &sum : NULL) {
        assert_int_equal(x->vms, 4);
        assert_int_equal(x->packets, 2);
        assert_int_equal(x->taken, 4);
        assert_int_equal(x->lost, 2);
        assert_int_equal(x->late, 2);
        assert_int_equal(x->lead_ns, 7);
        assert_int_equal(x->skews.count, 2);
        assert_int_equal(x->stops.count, 4);
        assert_int_equal(ix_values_percentile(&x->skews, 0.99), 1);
    }
    ix_figures_free(&f);
    ix_figures_free(&sum);
}

static void nothing_at_all(void **state)
{
    (void)state;
    struct ix_figures f = {0};
    struct ix_counting k = {.into = &f};
    snapshot(&k, 1, 1, 1);
    assert_int_equal(ix_counting_end(&k, NULL), 0);
    assert_int_equal(f.taken, 0);
    assert_int_equal(ix_values_percentile(&f.skews, 0.5), -1);
    ix_figures_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_nearest_rank),
        cmocka_unit_test(losses_and_skew),
        cmocka_unit_test(sums_add_up),
        cmocka_unit_test(nothing_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
