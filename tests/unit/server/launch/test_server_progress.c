/* SPDX-License-Identifier: Apache-2.0 */
/* The line that ixor run redraws. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/launch/progress.h"

#define S UINT64_C(1000000000)

static void the_line(void **state)
{
    (void)state;
    char text[128];
    struct ixor_progress p = {.run = 1, .runs = 4, .began_ns = 100 * S};
    ixor_progress_text(&p, 101 * S, text, sizeof text);
    assert_string_equal(text, "run 1/4  0 passed 0 failed  0 JVMs  0 snapshots  - lost  "
                              "1.00s, ETA -");
    /* Two runs took 20 s; 10 s each are left for two, of which 4 s are spent. */
    p = (struct ixor_progress){.run = 3,
                               .runs = 4,
                               .passed = 1,
                               .failed = 1,
                               .vms = 2,
                               .snapshots = 30,
                               .requests = 200,
                               .lost = 1,
                               .began_ns = 100 * S,
                               .over_ns = 120 * S};
    ixor_progress_text(&p, 124 * S, text, sizeof text);
    assert_string_equal(text, "run 3/4  1 passed 1 failed  2 JVMs  30 snapshots  0.5% lost  "
                              "24.0s, ETA 16.0s");
    /* The last one takes longer than the others did. */
    p.run = 4;
    p.passed = 2;
    p.over_ns = 130 * S;
    ixor_progress_text(&p, 160 * S, text, sizeof text);
    assert_string_equal(text, "run 4/4  2 passed 1 failed  2 JVMs  30 snapshots  0.5% lost  "
                              "60.0s, ETA soon");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
