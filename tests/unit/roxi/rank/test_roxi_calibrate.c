/* SPDX-License-Identifier: Apache-2.0 */
/* Alarms learnt from the scores of good runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "roxi/rank/calibrate.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void test_calibrate(void **state)
{
    (void)state;
    double scores[99];
    for (int i = 0; i < 99; i++)
        scores[i] = (i * 37) % 99;
    struct roxi_alarm a = roxi_calibrate(scores, 99, 0.05);
    assert_near(a.rate, 0.05); /* five of a hundred places */
    assert_near(a.above, 94);
    assert_true(a.low > 0.01 && a.low < 0.03 && a.high > 0.07 && a.high < 0.1);
    a = roxi_calibrate(scores, 99, 0.001);
    assert_near(a.rate, 0.01);
    assert_near(a.above, 98);
    assert_near(roxi_p_value(scores, 99, 98.5), 0.01); /* it alone */
    assert_near(roxi_p_value(scores, 99, 98), 0.02);
    assert_near(roxi_p_value(scores, 99, -1), 1);
    for (int i = 0; i < 99; i++) { /* an alarm is one for p-values up to its rate */
        struct roxi_alarm b = roxi_calibrate(scores, 99, (i + 1) / 100.0);
        for (double score = -0.5; score < 99; score += 0.5)
            assert_int_equal(score > b.above, roxi_p_value(scores, 99, score) < b.rate + 1e-9);
    }
    /* Beta with 1 and 99: 1 - (1 - x)^99. */
    assert_near(a.low, 1 - pow(0.95, 1 / 99.0));
    assert_near(a.high, 1 - pow(0.05, 1 / 99.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calibrate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
