/* SPDX-License-Identifier: Apache-2.0 */
/* How waits are made uneven. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/base/jitter.h"

static void any_wait(void **state)
{
    (void)state;
    static const int64_t waits[] = {INT64_MIN,
                                    -1,
                                    0,
                                    1,
                                    2,
                                    3,
                                    4,
                                    5,
                                    7,
                                    8,
                                    100,
                                    1000000,
                                    60000000000,
                                    INT64_MAX / 4 * 3,
                                    INT64_MAX - 1,
                                    INT64_MAX};
    uint64_t generator = 7;
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        const int64_t ns = waits[i];
        const int64_t most = ns < 4 ? 0 : ns > INT64_MAX / 5 * 4 ? INT64_MAX : ns + ns / 4;
        for (int round = 0; round < 1000; round++) {
            const int64_t got = ixa_jittered(&generator, ns);
            if (ns < 4)
                assert_true(got == (ns > 0 ? ns : 0));
            else
                assert_true(got >= ns / 4 * 3 && got <= most);
        }
    }
}

static void waits_differ(void **state)
{
    (void)state;
    uint64_t generator = 7;
    int64_t least = INT64_MAX, most = 0;
    for (int round = 0; round < 1000; round++) {
        const int64_t got = ixa_jittered(&generator, 1000000);
        least = got < least ? got : least;
        most = got > most ? got : most;
    }
    assert_in_range(least, 750000, 760000);
    assert_in_range(most, 1240000, 1250000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_wait), cmocka_unit_test(waits_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
