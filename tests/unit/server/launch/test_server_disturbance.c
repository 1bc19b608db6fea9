/* SPDX-License-Identifier: Apache-2.0 */
/* How runs are disturbed: the words, and the random times of pauses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/launch/disturbance.h"

static void words(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"pause", "pause"},
        {"hogs=4", "hogs=4"},
        {"cpu=25%", "cpu=25%"},
        {"pause,hogs=4,cpu=150%", "cpu=150%,hogs=4,pause"},
        {"cpu=100000%,hogs=256,pause", "cpu=100000%,hogs=256,pause"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ixor_disturbance d;
        struct ix_error err = {""};
        char text[IXOR_DISTURBANCE_TEXT];
        if (ixor_disturbance_parse(rows[i].text, &d, &err) != 0)
            fail_msg("%s: %s", rows[i].text, err.text);
        assert_true(ixor_disturbance_any(&d));
        ixor_disturbance_words(&d, text);
        assert_string_equal(text, rows[i].want);
    }
}

static void bad_words(void **state)
{
    static const char *const rows[] = {
        "",       "pause,",   ",pause",   "stop",        "hogs",          "hogs=",       "hogs=0",
        "hogs=x", "hogs=257", "cpu=25",   "cpu=%",       "cpu=0%",        "cpu=100001%", "cpu=-1%",
        "cpu=",   "pause=1",  "pause ,x", "pause,pause", "hogs=1,hogs=1",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ixor_disturbance d;
        struct ix_error err = {""};
        if (ixor_disturbance_parse(rows[i], &d, &err) == 0)
            fail_msg("'%s' is accepted", rows[i]);
        assert_string_not_equal(err.text, "");
    }
}

static void pauses_are_repeated_by_their_seed(void **state)
{
    uint64_t a = 17, b = 17, c = 18;
    size_t same = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        const struct ixor_pause x = ixor_pause_next(&a), y = ixor_pause_next(&b),
                                z = ixor_pause_next(&c);
        assert_true(x.after_ns == y.after_ns && x.lasts_ns == y.lasts_ns);
        assert_true(fabs(x.which - y.which) <= 0);
        same += x.lasts_ns == z.lasts_ns;
    }
    assert_true(same < 3);
}

/* Their logarithms are uniform: half of them are below the geometric mean of the bounds. */
static void pauses_are_short_and_long(void **state)
{
    enum { N = 10000 };
    const double middle = sqrt((double)IXOR_PAUSE_MIN_NS * IXOR_PAUSE_MAX_NS);
    uint64_t seed = 1;
    size_t below = 0, first = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        const struct ixor_pause p = ixor_pause_next(&seed);
        assert_in_range(p.after_ns, IXOR_PAUSE_MIN_NS, IXOR_PAUSE_MAX_NS);
        assert_in_range(p.lasts_ns, IXOR_PAUSE_MIN_NS, IXOR_PAUSE_MAX_NS);
        assert_true(p.which >= 0 && p.which < 1);
        below += (double)p.lasts_ns < middle;
        first += p.which < 1.0 / 3;
    }
    assert_in_range(below, N * 48 / 100, N * 52 / 100);
    assert_in_range(first, N * 31 / 100, N * 36 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(bad_words),
        cmocka_unit_test(pauses_are_repeated_by_their_seed),
        cmocka_unit_test(pauses_are_short_and_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
