/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/rates.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/binomial.h"
#include "schema/base/failure_rate.h"
#include "schema/protocol/protocol.h"
#include "server/base/json.h"
#include "server/base/units.h"
#include "server/store/report.h"

/* A difference that chance makes less often than this is taken for a change, as is usual. */
#define LEVEL 0.05
/* Nobody runs a test more often to judge a fix. */
#define RUNS_MAX 1000000u
/* Tests whose rates are printed; more are counted. */
#define TESTS_SHOWN 10u

/* NULL comes first. */
static int compare_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : !!a - !!b;
}

static int compare_kinds(const struct ixor_rate *a, const struct ixor_rate *b)
{
    const int tests = compare_text(a->test, b->test);
    return tests ? tests : compare_text(a->disturbed, b->disturbed);
}

static const struct ixor_rate *find(const struct ixor_rates *rates, const struct ixor_rate *like)
{
    for (size_t i = 0; i < rates->count; i++) {
        if (compare_kinds(&rates->at[i], like) == 0)
            return &rates->at[i];
    }
    return NULL;
}

/* ---- counting ---- */

static int by_kind(const void *a, const void *b)
{
    const struct ixor_rate *x = a, *y = b;
    const int kinds = compare_kinds(x, y);
    return kinds ? kinds : (x->first > y->first) - (x->first < y->first);
}

static int by_first(const void *a, const void *b)
{
    const struct ixor_rate *x = a, *y = b;
    const int disturbed = !!x->disturbed - !!y->disturbed;
    return disturbed ? disturbed : (x->first > y->first) - (x->first < y->first);
}

/* Adds up the neighbours that are of one kind. */
static void add_up(struct ixor_rates *rates)
{
    size_t kinds = 0;
    for (size_t i = 0; i < rates->count; i++) {
        const struct ixor_rate *one = &rates->at[i];
        if (!kinds || compare_kinds(&rates->at[kinds - 1], one) != 0) {
            rates->at[kinds++] = *one;
            continue;
        }
        rates->at[kinds - 1].tried.failed += one->tried.failed;
        rates->at[kinds - 1].tried.judged += one->tried.judged;
    }
    rates->count = kinds;
}

int ixor_rates_count(struct ixor_rates *rates, const struct ix_execution *runs, size_t count,
                     struct ix_error *err)
{
    *rates = (struct ixor_rates){.at = calloc(count + 1, sizeof *rates->at)};
    if (!rates->at)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < count; i++) {
        if (runs[i].verdict == IX_VERDICT_UNKNOWN)
            continue;
        rates->at[rates->count++] = (struct ixor_rate){
            .test = ix_execution_test(&runs[i]),
            .disturbed = runs[i].disturbed,
            .tried = {.failed = runs[i].verdict == IX_VERDICT_FAILED, .judged = 1},
            .first = i,
        };
    }
    qsort(rates->at, rates->count, sizeof *rates->at, by_kind);
    add_up(rates);
    qsort(rates->at, rates->count, sizeof *rates->at, by_first);
    return 0;
}

void ixor_rates_free(struct ixor_rates *rates)
{
    free(rates->at);
    *rates = (struct ixor_rates){0};
}

/* ---- one campaign ---- */

#define KIND_TEXT (IX_TEST_NAME_MAX + 256)

/* Which test, and how the runs were disturbed; the catalogue may come from elsewhere. */
static void words_of(const struct ixor_rate *rate, char text[KIND_TEXT])
{
    char test[IX_TEST_NAME_MAX + 1] = "", disturbed[200] = "";
    if (rate->test)
        ixor_safe_text(rate->test, test, sizeof test);
    if (rate->disturbed || !rate->test)
        ixor_safe_text(rate->disturbed ? rate->disturbed : "undisturbed", disturbed,
                       sizeof disturbed);
    snprintf(text, KIND_TEXT, "%s%s%s", test, test[0] && disturbed[0] ? ", " : "", disturbed);
}

static void print_heading(FILE *out, const struct ixor_rate *rate)
{
    char kind[KIND_TEXT];
    words_of(rate, kind);
    fprintf(out, "  %s:\n", kind);
}

static void print_rate(FILE *out, const struct ixor_rate *rate, bool heading)
{
    const struct ix_tried *tried = &rate->tried;
    if (heading || rate->disturbed || rate->test)
        print_heading(out, rate);
    fprintf(out, "  %-14s ", "failure rate");
    ix_say_failure_interval(out, tried->failed, tried->judged);
    fputs("\n", out);
    if (tried->failed < tried->judged) {
        fprintf(out, "  %-14s", "");
        ix_say_more_runs(out, tried->failed, tried->judged);
        fputs("\n", out);
    }
}

void ixor_rates_print(FILE *out, const struct ixor_rates *rates)
{
    size_t shown = 0, left = 0;
    for (int failed = 1; failed >= 0; failed--) { /* tests that have failed come first */
        for (size_t i = 0; i < rates->count; i++) {
            const struct ixor_rate *rate = &rates->at[i];
            if ((!rate->test || rate->tried.failed) != (bool)failed)
                continue;
            if (!rate->test || shown++ < TESTS_SHOWN)
                print_rate(out, rate, rates->count > 1);
            else
                left++;
        }
    }
    if (left)
        fprintf(out, "  ... and %zu more test%s; --json has the rate of each\n", left,
                left == 1 ? "" : "s");
}

json_t *ixor_rates_json(const struct ixor_rates *rates)
{
    json_t *array = json_array();
    for (size_t i = 0; i < rates->count; i++) {
        const struct ix_tried *tried = &rates->at[i].tried;
        const struct ix_rate rate = ix_rate_of(tried->failed, tried->judged);
        json_array_append_new(
            array, IXOR_JSON_OBJECT({"test", ixor_report_text(rates->at[i].test)},
                                    {"disturbed", ixor_report_text(rates->at[i].disturbed)},
                                    {"failed", json_integer((json_int_t)tried->failed)},
                                    {"judged", json_integer((json_int_t)tried->judged)},
                                    {"rate", json_real(rate.rate)}, {"low", json_real(rate.low)},
                                    {"high", json_real(rate.high)}));
    }
    if (json_array_size(array) == rates->count)
        return array;
    json_decref(array);
    return NULL;
}

/* ---- two campaigns ---- */

/* Whether b's rate is above a's, by whole numbers. */
static int compare_rates(const struct ix_tried *a, const struct ix_tried *b)
{
    const unsigned __int128 x = (unsigned __int128)a->failed * b->judged;
    const unsigned __int128 y = (unsigned __int128)b->failed * a->judged;
    return (y > x) - (y < x);
}

/* Whether there is anything to say of a kind of runs: of tests, only of those that have failed. */
static bool is_told(const struct ixor_rate *a, const struct ixor_rate *b)
{
    return !a->test || a->tried.failed || (b && b->tried.failed);
}

/* A difference that can be chance: how many more runs would settle it, if b is mended. */
static void say_needed(FILE *out, const char *name, const struct ix_tried *a,
                       const struct ix_tried *b)
{
    const size_t needed = b->failed ? 0 : ix_fisher_needs(*a, LEVEL, RUNS_MAX);
    if (needed > b->judged)
        fprintf(out, "    %zu more runs of '%s' without a failure would show a change.\n",
                needed - b->judged, name);
}

static void say_percent(FILE *out, double percent)
{
    if (percent < 0.001)
        fputs("less than 0.001 %", out);
    else
        fprintf(out, "%.*g %%", percent < 10 ? 2 : 3, percent);
}

static void compare(FILE *out, const char *const names[2], const struct ix_tried *a,
                    const struct ix_tried *b)
{
    const double chance = ix_fisher(*a, *b);
    const int more = compare_rates(a, b);
    const bool changed = chance < LEVEL;
    if (!more) {
        fprintf(out, "    Both fail equally often.\n");
        say_needed(out, names[1], a, b);
        return;
    }
    fprintf(out, "    '%s' %s %s often%s.\n", names[1], changed ? "fails" : "failed",
            more > 0 ? "more" : "less", changed ? "" : ", which can be chance");
    fputs("    If both had the same rate, a difference as large would occur in ", out);
    say_percent(out, 100 * chance);
    fputs("\n    of all cases (Fisher's exact test, two-sided).\n", out);
    if (!changed && more < 0)
        say_needed(out, names[1], a, b);
}

static void print_tried(FILE *out, const char *name, const struct ix_tried *tried)
{
    fprintf(out, "    '%s': ", name);
    ix_say_failure_interval(out, tried->failed, tried->judged);
    fputs("\n", out);
}

static void print_alone(FILE *out, const char *name, const struct ixor_rates *rates,
                        const struct ixor_rates *other)
{
    for (size_t i = 0; i < rates->count; i++) {
        if (find(other, &rates->at[i]) || !is_told(&rates->at[i], NULL))
            continue;
        print_heading(out, &rates->at[i]);
        print_tried(out, name, &rates->at[i].tried);
        fputs("    The other campaign has no such runs, so there is nothing to compare.\n", out);
    }
}

/* Tests that never failed are not listed; so say how many there are, if none did. */
static void say_unfailed(FILE *out, const char *name, const struct ixor_rates *rates)
{
    uint64_t runs = 0;
    for (size_t i = 0; i < rates->count; i++) {
        if (is_told(&rates->at[i], NULL))
            return;
        runs += rates->at[i].tried.judged;
    }
    if (rates->count)
        fprintf(out, "  '%s': no test failed, of %zu in %llu runs\n", name, rates->count,
                (unsigned long long)runs);
}

void ixor_rates_compare(FILE *out, const char *const names[2], const struct ixor_rates *a,
                        const struct ixor_rates *b)
{
    fputs("How often runs failed:\n", out);
    for (size_t i = 0; i < a->count; i++) {
        const struct ixor_rate *other = find(b, &a->at[i]);
        if (!other || !is_told(&a->at[i], other))
            continue;
        print_heading(out, &a->at[i]);
        print_tried(out, names[0], &a->at[i].tried);
        print_tried(out, names[1], &other->tried);
        compare(out, names, &a->at[i].tried, &other->tried);
    }
    print_alone(out, names[0], a, b);
    print_alone(out, names[1], b, a);
    say_unfailed(out, names[0], a);
    say_unfailed(out, names[1], b);
    if (!a->count && !b->count)
        fputs("  No run has a verdict.\n", out);
}

json_t *ixor_rates_chances_json(const struct ixor_rates *a, const struct ixor_rates *b)
{
    json_t *array = json_array();
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct ixor_rate *other = find(b, &a->at[i]);
        if (!other)
            continue;
        count++;
        json_array_append_new(
            array,
            IXOR_JSON_OBJECT({"test", ixor_report_text(other->test)},
                             {"disturbed", ixor_report_text(other->disturbed)},
                             {"chance", json_real(ix_fisher(a->at[i].tried, other->tried))}));
    }
    if (json_array_size(array) == count)
        return array;
    json_decref(array);
    return NULL;
}
