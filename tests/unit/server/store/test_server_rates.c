/* SPDX-License-Identifier: Apache-2.0 */
/* How often runs fail, by test and kind of disturbance; and two campaigns compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/store/rates.h"

enum { MOST = 400 };

/* Some runs of one kind. */
struct kind {
    const char *disturbed;
    size_t failed, passed, unknown;
};

static void add(struct ix_execution *runs, size_t *count, const char *disturbed,
                enum ix_verdict verdict, size_t n)
{
    for (; n > 0; n--) {
        assert_true(*count < MOST);
        runs[(*count)++] = (struct ix_execution){.verdict = verdict, .disturbed = disturbed};
    }
}

static struct ixor_rates count(const struct kind *kinds, size_t n)
{
    static struct ix_execution runs[MOST];
    struct ixor_rates rates;
    struct ix_error err = {""};
    size_t all = 0;
    for (size_t i = 0; i < n; i++) {
        add(runs, &all, kinds[i].disturbed, IX_VERDICT_FAILED, kinds[i].failed);
        add(runs, &all, kinds[i].disturbed, IX_VERDICT_PASSED, kinds[i].passed);
        add(runs, &all, kinds[i].disturbed, IX_VERDICT_UNKNOWN, kinds[i].unknown);
    }
    assert_int_equal(ixor_rates_count(&rates, runs, all, &err), 0);
    return rates;
}

/* The comparison of A and B, which this frees. */
static char *compared(struct ixor_rates *a, struct ixor_rates *b)
{
    static const char *const names[] = {"A", "B"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    ixor_rates_compare(out, names, a, b);
    fclose(out);
    ixor_rates_free(a);
    ixor_rates_free(b);
    return text;
}

static void by_kind(void **state)
{
    static const struct kind kinds[] = {
        {"pause", 2, 3, 1}, {NULL, 1, 9, 4}, {"pause", 1, 0, 0}, {"hogs=4", 0, 0, 2}};
    (void)state;
    struct ixor_rates rates = count(kinds, 4);
    assert_int_equal(rates.count, 2); /* hogs=4 has no verdict */
    assert_null(rates.at[0].disturbed);
    assert_int_equal(rates.at[0].tried.failed, 1);
    assert_int_equal(rates.at[0].tried.judged, 10);
    assert_string_equal(rates.at[1].disturbed, "pause");
    assert_int_equal(rates.at[1].tried.failed, 3);
    assert_int_equal(rates.at[1].tried.judged, 6);

    json_t *json = ixor_rates_json(&rates);
    assert_int_equal(json_array_size(json), 2);
    assert_true(json_is_null(json_object_get(json_array_get(json, 0), "disturbed")));
    assert_int_equal(json_integer_value(json_object_get(json_array_get(json, 1), "failed")), 3);
    json_decref(json);
    ixor_rates_free(&rates);
}

/* Runs of JUnit's tests: "junit:a" and so on, each with a verdict. */
static struct ixor_rates count_tests(const char *const *tests, const char *verdicts)
{
    static struct ix_execution runs[MOST];
    struct ixor_rates rates;
    const size_t n = strlen(verdicts);
    for (size_t i = 0; i < n; i++)
        runs[i] = (struct ix_execution){
            .command = tests[i],
            .verdict = verdicts[i] == 'f' ? IX_VERDICT_FAILED : IX_VERDICT_PASSED,
        };
    assert_int_equal(ixor_rates_count(&rates, runs, n, NULL), 0);
    return rates;
}

static char *printed(const struct ixor_rates *rates)
{
    static char *text; /* static: gcc 12 takes what points into it for dangling */
    static size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    ixor_rates_print(out, rates);
    fclose(out);
    return text;
}

static void by_test(void **state)
{
    static const char *const tests[] = {"junit:b", "junit:a", "junit:b", "./run.sh", "junit:b"};
    (void)state;
    struct ixor_rates rates = count_tests(tests, "ppfpp");
    assert_int_equal(rates.count, 3);
    assert_string_equal(rates.at[0].test, "b");
    assert_int_equal(rates.at[0].tried.failed, 1);
    assert_int_equal(rates.at[0].tried.judged, 3);
    assert_string_equal(rates.at[1].test, "a");
    assert_int_equal(rates.at[1].tried.judged, 1);
    assert_null(rates.at[2].test);
    char *text = printed(&rates);
    const char *const b = strstr(text, "  b:\n  failure rate   33.3 % (1 of 3;");
    assert_non_null(b);
    assert_true(strstr(b, "  undisturbed:\n") && strstr(b, "  a:\n"));
    free(text);
    json_t *json = ixor_rates_json(&rates);
    assert_string_equal(json_string_value(json_object_get(json_array_get(json, 1), "test")), "a");
    assert_true(json_is_null(json_object_get(json_array_get(json, 2), "test")));
    json_decref(json);
    ixor_rates_free(&rates);
}

/* The last one alone has failed. */
static void of_many_tests_some_are_shown(void **state)
{
    static const char *const tests[] = {"junit:a", "junit:b", "junit:c", "junit:d",
                                        "junit:e", "junit:f", "junit:g", "junit:h",
                                        "junit:i", "junit:j", "junit:k", "junit:l"};
    (void)state;
    struct ixor_rates rates = count_tests(tests, "pppppppppppf");
    char *text = printed(&rates);
    const char *const l = strstr(text, "  l:\n"), *const a = strstr(text, "  a:\n");
    assert_true(l && a && l < a);
    assert_null(strstr(text, "  j:\n"));
    assert_non_null(strstr(text, "  ... and 2 more tests; --json has the rate of each\n"));
    free(text);
    ixor_rates_free(&rates);
}

static void tests_are_compared_one_by_one(void **state)
{
    static const char *const first[] = {"junit:a", "junit:b", "junit:c"}, *const second[] = {
                                                                              "junit:b", "junit:a",
                                                                              "junit:d"};
    (void)state;
    struct ixor_rates x = count_tests(first, "pfp"), y = count_tests(second, "ppf");
    char *text = compared(&x, &y);
    assert_non_null(strstr(text, "  b:\n    'A': 100.0 % (1 of 1;"));
    assert_non_null(strstr(text, "  d:\n    'B': 100.0 % (1 of 1;"));
    assert_null(strstr(text, "  a:\n")); /* has not failed */
    assert_null(strstr(text, "  c:\n"));
    free(text);
}

static void no_test_failed(void **state)
{
    static const char *const names[] = {"junit:a", "junit:b"};
    (void)state;
    struct ixor_rates x = count_tests(names, "pp"), y = count_tests(names, "pp");
    char *text = compared(&x, &y);
    assert_non_null(strstr(text, "  'A': no test failed, of 2 in 2 runs\n  'B': no test failed"));
    free(text);
}

static void words_of_a_comparison(void **state)
{
    static const struct {
        struct kind a, b;
        const char *want[2];
    } rows[] = {
        {{NULL, 12, 88, 0}, {NULL, 1, 99, 0}, {"'B' fails less often.\n", "in 0.25 %\n"}},
        {{NULL, 1, 99, 0}, {NULL, 12, 88, 0}, {"'B' fails more often.\n", "in 0.25 %\n"}},
        {{NULL, 5, 45, 0},
         {NULL, 0, 40, 0},
         {"'B' failed less often, which can be chance.\n",
          "11 more runs of 'B' without a failure would show a change."}},
        {{NULL, 90, 10, 0},
         {NULL, 0, 90, 0},
         {"'B' fails less often.\n", "in less than 0.001 %\n"}},
        {{NULL, 1, 3, 0}, {NULL, 2, 2, 0}, {"'B' failed more often, which can", "in 100 %\n"}},
        {{NULL, 0, 9, 0}, {NULL, 0, 5, 0}, {"Both fail equally often.", "0.0 % (0 of 5;"}},
        {{"pause", 4, 5, 0}, {NULL, 0, 5, 0}, {"  pause:\n", "has no such runs"}},
        {{"pause", 4, 5, 0}, {"pause", 0, 5, 0}, {"  pause:\n", "'B' failed less often"}},
        {{NULL, 0, 0, 3}, {NULL, 0, 0, 1}, {"No run has a verdict.", ""}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ixor_rates a = count(&rows[i].a, 1), b = count(&rows[i].b, 1);
        char *text = compared(&a, &b);
        for (size_t w = 0; w < 2; w++) {
            if (!strstr(text, rows[i].want[w]))
                fail_msg("row %zu: no '%s' in:\n%s", i, rows[i].want[w], text);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_kind),
                                       cmocka_unit_test(by_test),
                                       cmocka_unit_test(of_many_tests_some_are_shown),
                                       cmocka_unit_test(tests_are_compared_one_by_one),
                                       cmocka_unit_test(no_test_failed),
                                       cmocka_unit_test(words_of_a_comparison)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
