/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/json.h"
#include "server/base/shell.h"
#include "server/base/units.h"
#include "server/sampling/instant.h"
#include "schema/catalogue/figures.h"
#include "server/store/listing.h"
#include "server/store/rates.h"
#include "server/store/report.h"

/* Failed runs listed individually. */
#define FAILED_SHOWN 10
/* With fewer runs nothing is typical: roxi rank has nothing to say, nor has roxi explain --failed
 * with fewer that passed. */
#define RANKED_LEAST 3

struct summary {
    const char *dir;
    struct ixor_execution_list all;
    struct ix_execution *mine; /* the runs of this call, inside `all` */
    size_t count;
    size_t passed, failed;
    struct ix_figures figures; /* sum over these runs */
    struct ixor_rates rates;   /* of these runs */
    uint64_t log_bytes;
};

/* `all` keeps its count, and so the ownership of the strings. */
static void pick(struct summary *s, const int64_t *ids, size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < s->all.count && next < count; i++) {
        if (s->all.at[i].id != ids[next])
            continue;
        s->mine[next++] = s->all.at[i];
        s->passed += s->all.at[i].verdict == IX_VERDICT_PASSED;
        s->failed += s->all.at[i].verdict == IX_VERDICT_FAILED;
    }
    s->count = next;
}

static int add_log(void *user, const struct ix_vm *vm)
{
    uint64_t *bytes = user;
    struct stat info;
    if (stat(vm->log, &info) == 0)
        *bytes += (uint64_t)info.st_size;
    return 0;
}

static int read_all(struct summary *s, struct ix_catalogue *c, const int64_t *ids, size_t count,
                    struct ix_error *err)
{
    if (ixor_list_executions(&s->all, c, err) != 0)
        return -1;
    s->mine = calloc(count + 1, sizeof *s->mine);
    if (!s->mine)
        return ix_fail(err, "out of memory");
    pick(s, ids, count);
    for (size_t i = 0; i < s->count; i++) {
        if (ix_figures_add_execution(&s->figures, c, s->mine[i].id, err) != 0 ||
            ix_catalogue_vms(c, s->mine[i].id, add_log, &s->log_bytes, err) != 0)
            return -1;
    }
    return ixor_rates_count(&s->rates, s->mine, s->count, err);
}

static void print_values(const char *what, struct ix_values *values)
{
    char p50[IXOR_UNIT_TEXT], p99[IXOR_UNIT_TEXT];
    if (!values->count)
        return;
    ixor_duration_text(ix_values_percentile(values, 0.5), p50);
    ixor_duration_text(ix_values_percentile(values, 0.99), p99);
    printf("  %-14s p50 %s, p99 %s\n", what, p50, p99);
}

void ixor_summary_print_instant(struct ix_figures *f)
{
    char p50[IXOR_UNIT_TEXT], p99[IXOR_UNIT_TEXT], most[IXOR_UNIT_TEXT], error[IXOR_UNIT_TEXT];
    if (f->skews.count) {
        ixor_duration_text(ix_values_percentile(&f->skews, 0.5), p50);
        ixor_duration_text(ix_values_percentile(&f->skews, 0.99), p99);
        ixor_duration_text(ix_values_percentile(&f->skews, 1), most);
        ixor_duration_text(ix_values_percentile(&f->skew_errors, 1), error);
        printf("  %-14s p50 %s, p99 %s, max %s (+-%s at most)\n", "skew", p50, p99, most, error);
    }
    if (f->taken && f->lead_ns) {
        ixor_share_text(f->late, f->taken, p50);
        ixor_duration_text(f->lead_ns, p99);
        ixor_duration_text(IXOR_LATE_NS, most);
        printf("  %-14s %" PRIu64 " stops (%s), more than %s after their time; lead %s\n", "late",
               f->late, p50, most, p99);
    }
}

static void print_failed(const struct summary *s, bool outputs)
{
    size_t shown = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct ix_execution *e = &s->mine[i];
        if (e->verdict != IX_VERDICT_FAILED)
            continue;
        if (shown++ == FAILED_SHOWN) {
            printf("  ... and %zu more; 'ixor status' lists them\n", s->failed - FAILED_SHOWN);
            return;
        }
        char why[64];
        if (ix_execution_test(e)) {
            printf("  %s failed\n", e->name);
            continue;
        }
        if (e->verdict_by && strcmp(e->verdict_by, "timeout") == 0)
            snprintf(why, sizeof why, "timed out");
        else if (e->verdict_by && strcmp(e->verdict_by, "user") == 0)
            snprintf(why, sizeof why, "labelled so");
        else if (e->exit_signal)
            snprintf(why, sizeof why, "signal %d", e->exit_signal);
        else if (e->exit_status == 0)
            snprintf(why, sizeof why, "a test, by JUnit's reports");
        else
            snprintf(why, sizeof why, "exit status %d", e->exit_status);
        if (outputs)
            printf("  %s failed (%s): %s/runs/%s/output.txt\n", e->name, why, s->dir, e->name);
        else
            printf("  %s failed (%s)\n", e->name, why);
    }
}

static void print_command(const char *command, const char *dir)
{
    printf("  %s ", command);
    ixor_print_quoted(dir);
}

/* The first run that hung: who waits for whom in it? */
static void print_hang(const struct summary *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ix_execution *e = &s->mine[i];
        if (!e->verdict_by || strcmp(e->verdict_by, "timeout") != 0)
            continue;
        print_command("roxi waits", s->dir);
        printf(" %s\n", e->name);
        return;
    }
}

static bool is_of(const struct ix_execution *e, const char *test)
{
    const char *of = ix_execution_test(e);
    return test && of ? strcmp(test, of) == 0 : test == of;
}

/* Runs of a test in the whole campaign. */
struct tried {
    size_t runs, passed, failed;
};

static struct tried try_of(const struct summary *s, const char *test)
{
    struct tried t = {0};
    for (size_t i = 0; i < s->all.count; i++) {
        const struct ix_execution *e = &s->all.at[i];
        if (!is_of(e, test))
            continue;
        t.runs++;
        t.passed += e->verdict == IX_VERDICT_PASSED;
        t.failed += e->verdict == IX_VERDICT_FAILED;
    }
    return t;
}

/* The test whose runs can be compared: the one that is flaky in most runs; or one that has failed,
 * or the first. NULL: none. */
static const char *choose_test(const struct summary *s)
{
    const char *best = s->count ? ix_execution_test(&s->mine[0]) : NULL;
    size_t most = 0;
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        const char *test = ix_execution_test(&s->mine[i]);
        if (s->mine[i].verdict != IX_VERDICT_FAILED || (any && is_of(&s->mine[i], best)))
            continue;
        const struct tried t = try_of(s, test);
        const size_t flaky = t.passed < t.failed ? t.passed : t.failed;
        if (!any || flaky > most) {
            best = test;
            most = flaky;
        }
        any = true;
    }
    return best;
}

static void print_roxi(const struct summary *s, const char *command, const char *option,
                       const char *test)
{
    print_command(command, s->dir);
    fputs(option, stdout);
    if (test) {
        fputs(" --test ", stdout);
        ixor_print_quoted(test);
    }
    putchar('\n');
}

static void print_next(const struct summary *s)
{
    const char *test = choose_test(s);
    const struct tried t = try_of(s, test);
    puts("Next:");
    if (t.failed && t.passed >= RANKED_LEAST)
        print_roxi(s, "roxi explain", " --failed", test);
    print_roxi(s, t.runs < RANKED_LEAST ? "roxi report" : "roxi rank", "", test);
    print_hang(s);
    print_command("ixor status", s->dir);
    putchar('\n');
}

static void print_text(struct summary *s, bool outputs)
{
    char lost[IXOR_UNIT_TEXT], size[IXOR_UNIT_TEXT];
    ixor_share_text(s->figures.lost, s->figures.requests, lost);
    ixor_size_text(s->log_bytes, size);
    printf("%s: %zu run%s, %zu passed, %zu failed", s->dir, s->count, s->count == 1 ? "" : "s",
           s->passed, s->failed);
    if (s->passed + s->failed < s->count)
        printf(", %zu without a verdict", s->count - s->passed - s->failed);
    if (s->count < s->all.count)
        printf("; %zu in the campaign", s->all.count);
    printf("\n  %-14s %" PRIu64 "\n", "JVMs", s->figures.vms);
    printf("  %-14s %" PRIu64 " taken, %" PRIu64 " lost (%s)\n", "snapshots", s->figures.taken,
           s->figures.lost, lost);
    print_values("stop", &s->figures.stops);
    ixor_summary_print_instant(&s->figures);
    printf("  %-14s %s\n", "trace logs", size);
    print_failed(s, outputs);
    ixor_rates_print(stdout, &s->rates);
    if (s->figures.taken)
        print_next(s);
}

static json_t *to_json(struct summary *s, struct ix_catalogue *c)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < s->count; i++) {
        struct ix_figures f = {0};
        if (ix_figures_add_execution(&f, c, s->mine[i].id, NULL) == 0)
            json_array_append_new(runs, ixor_report_execution(&s->mine[i], &f));
        ix_figures_free(&f);
    }
    json_t *root = IXOR_JSON_OBJECT(
        {"campaign", ixor_report_text(s->dir)}, {"runs", json_integer((json_int_t)s->count)},
        {"passed", json_integer((json_int_t)s->passed)},
        {"failed", json_integer((json_int_t)s->failed)},
        {"failure_rates", ixor_rates_json(&s->rates)},
        {"log_bytes", json_integer((json_int_t)s->log_bytes)},
        {"figures", ixor_report_figures(&s->figures)}, {"executions", runs});
    return root;
}

int ixor_summary_print(struct ix_catalogue *c, const char *dir, const int64_t *ids, size_t count,
                       bool outputs, bool json, struct ix_error *err)
{
    struct summary s = {.dir = dir};
    int bad = read_all(&s, c, ids, count, err);
    if (!bad && json)
        bad = ixor_report_print(to_json(&s, c), err);
    else if (!bad)
        print_text(&s, outputs);
    free(s.mine);
    ixor_rates_free(&s.rates);
    ix_figures_free(&s.figures);
    ixor_execution_list_free(&s.all);
    return bad;
}
