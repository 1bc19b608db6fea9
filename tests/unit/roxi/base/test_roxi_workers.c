/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs shared among threads: each once, begun in order, and each worker's in ascending order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdint.h>
#include <stdlib.h>

#include "roxi/base/workers.h"

enum { JOBS = 1000, WORKERS = 5 };

struct record {
    unsigned done[JOBS];
    size_t last[WORKERS]; /* the worker's last job + 1 */
    unsigned disorder[WORKERS];
};

static void note(void *user, size_t worker, size_t job)
{
    struct record *r = user;
    r->done[job]++;
    r->disorder[worker] += job + 1 <= r->last[worker];
    r->last[worker] = job + 1;
}

static void test_each_once(void **state)
{
    (void)state;
    static const size_t workers[] = {1, 2, WORKERS};
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
        struct record *r = calloc(1, sizeof *r);
        assert_non_null(r);
        roxi_workers_run(workers[w], JOBS, note, r);
        for (size_t i = 0; i < JOBS; i++)
            assert_int_equal(r->done[i], 1);
        for (size_t i = 0; i < WORKERS; i++) {
            assert_int_equal(r->disorder[i], 0);
            assert_true(i < workers[w] || r->last[i] == 0);
        }
        free(r);
    }
}

static void test_how_many(void **state)
{
    (void)state;
    assert_int_equal(roxi_workers(3, 100), 3);
    assert_int_equal(roxi_workers(3, 2), 2);
    assert_int_equal(roxi_workers(3, 0), 1);
    assert_int_equal(roxi_workers(0, 1), 1);
    assert_true(roxi_workers(0, 100) >= 1);
    roxi_workers_run(2, 0, note, NULL); /* no job: nothing is called */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once),
        cmocka_unit_test(test_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
