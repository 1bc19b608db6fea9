/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/rates.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/binomial.h"
#include "schema/base/failure_rate.h"
#include "server/base/json.h"
#include "server/base/units.h"
#include "server/store/report.h"

/* A difference that chance makes less often than this is taken for a change, as is usual. */
#define LEVEL 0.05
/* Nobody runs a test more often to judge a fix. */
#define RUNS_MAX 1000000u

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const struct ixor_rate *find(const struct ixor_rates *rates, const char *disturbed)
{
    for (size_t i = 0; i < rates->count; i++) {
        if (same(rates->at[i].disturbed, disturbed))
            return &rates->at[i];
    }
    return NULL;
}

/* ---- counting ---- */

static int count_run(struct ixor_rates *rates, const struct ix_execution *run)
{
    struct ixor_rate *rate = (struct ixor_rate *)find(rates, run->disturbed);
    if (run->verdict == IX_VERDICT_UNKNOWN)
        return 0;
    if (!rate) {
        rate = reallocarray(rates->at, rates->count + 1, sizeof *rate);
        if (!rate)
            return -1;
        rates->at = rate;
        rate += rates->count++;
        *rate = (struct ixor_rate){.disturbed = run->disturbed};
    }
    rate->tried.judged++;
    rate->tried.failed += run->verdict == IX_VERDICT_FAILED;
    return 0;
}

int ixor_rates_count(struct ixor_rates *rates, const struct ix_execution *runs, size_t count,
                     struct ix_error *err)
{
    *rates = (struct ixor_rates){0};
    int bad = 0;
    for (int disturbed = 0; disturbed <= 1; disturbed++) {
        for (size_t i = 0; i < count && !bad; i++) {
            if (!runs[i].disturbed == !disturbed)
                bad = count_run(rates, &runs[i]);
        }
    }
    if (!bad)
        return 0;
    ixor_rates_free(rates);
    return ix_fail(err, "out of memory");
}

void ixor_rates_free(struct ixor_rates *rates)
{
    free(rates->at);
    *rates = (struct ixor_rates){0};
}

/* ---- one campaign ---- */

/* How the runs were disturbed; the catalogue may come from elsewhere. */
static void words_of(const char *disturbed, char *text, size_t size)
{
    ixor_safe_text(disturbed ? disturbed : "undisturbed", text, size);
}

void ixor_rates_print(FILE *out, const struct ixor_rates *rates)
{
    for (size_t i = 0; i < rates->count; i++) {
        const struct ixor_rate *rate = &rates->at[i];
        const struct ix_tried *tried = &rate->tried;
        char kind[256];
        words_of(rate->disturbed, kind, sizeof kind);
        if (rates->count > 1 || rate->disturbed)
            fprintf(out, "  %s:\n", kind);
        fprintf(out, "  %-14s ", "failure rate");
        ix_say_failure_interval(out, tried->failed, tried->judged);
        fputs("\n", out);
        if (tried->failed < tried->judged) {
            fprintf(out, "  %-14s", "");
            ix_say_more_runs(out, tried->failed, tried->judged);
            fputs("\n", out);
        }
    }
}

json_t *ixor_rates_json(const struct ixor_rates *rates)
{
    json_t *array = json_array();
    for (size_t i = 0; i < rates->count; i++) {
        const struct ix_tried *tried = &rates->at[i].tried;
        const struct ix_rate rate = ix_rate_of(tried->failed, tried->judged);
        json_array_append_new(
            array, IXOR_JSON_OBJECT({"disturbed", ixor_report_text(rates->at[i].disturbed)},
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
    fprintf(out, "    '%s' %s %s often%s: at equal rates, campaigns of as many\n", names[1],
            changed ? "fails" : "failed", more > 0 ? "more" : "less",
            changed ? "" : ", which can be chance");
    fputs("    runs differ as much in ", out);
    say_percent(out, 100 * chance);
    fputs(" of all cases (Fisher's exact test, two-sided).\n", out);
    if (!changed && more < 0)
        say_needed(out, names[1], a, b);
}

static void print_tried(FILE *out, const char *name, const struct ix_tried *tried)
{
    fprintf(out, "    '%s': ", name);
    ix_say_failure_interval(out, tried->failed, tried->judged);
    fputs("\n", out);
}

static void print_heading(FILE *out, const char *disturbed)
{
    char kind[256];
    words_of(disturbed, kind, sizeof kind);
    fprintf(out, "  %s:\n", kind);
}

static void print_alone(FILE *out, const char *name, const struct ixor_rates *rates,
                        const struct ixor_rates *other)
{
    for (size_t i = 0; i < rates->count; i++) {
        if (find(other, rates->at[i].disturbed))
            continue;
        print_heading(out, rates->at[i].disturbed);
        print_tried(out, name, &rates->at[i].tried);
        fputs("    The other campaign has no such runs, so there is nothing to compare.\n", out);
    }
}

void ixor_rates_compare(FILE *out, const char *const names[2], const struct ixor_rates *a,
                        const struct ixor_rates *b)
{
    fputs("How often runs failed:\n", out);
    for (size_t i = 0; i < a->count; i++) {
        const struct ixor_rate *other = find(b, a->at[i].disturbed);
        if (!other)
            continue;
        print_heading(out, a->at[i].disturbed);
        print_tried(out, names[0], &a->at[i].tried);
        print_tried(out, names[1], &other->tried);
        compare(out, names, &a->at[i].tried, &other->tried);
    }
    print_alone(out, names[0], a, b);
    print_alone(out, names[1], b, a);
    if (!a->count && !b->count)
        fputs("  No run has a verdict.\n", out);
}

json_t *ixor_rates_chances_json(const struct ixor_rates *a, const struct ixor_rates *b)
{
    json_t *array = json_array();
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct ixor_rate *other = find(b, a->at[i].disturbed);
        if (!other)
            continue;
        count++;
        json_array_append_new(
            array,
            IXOR_JSON_OBJECT({"disturbed", ixor_report_text(other->disturbed)},
                             {"chance", json_real(ix_fisher(a->at[i].tried, other->tried))}));
    }
    if (json_array_size(array) == count)
        return array;
    json_decref(array);
    return NULL;
}
