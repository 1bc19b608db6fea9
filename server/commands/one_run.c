/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/one_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "server/base/command.h"
#include "server/commands/course.h"
#include "server/commands/pauser.h"
#include "server/junit/reports.h"
#include "server/launch/hints.h"
#include "server/launch/losses.h"
#include "server/session/mark.h"

/* Records how this run is disturbed, before it begins. A run's seed is one above that of the run
 * before it, so that a single run can be repeated by its own. */
static int disturb(struct ixor_course *r, struct ix_error *err)
{
    struct ixor_driver *d = r->driver;
    const struct ixor_disturbance *how = &d->options->disturb;
    const uint64_t seed = d->options->rhythm.options.seed + d->progress.run - 1;
    char words[IXOR_DISTURBANCE_TEXT], mark[IXOR_DISTURBANCE_TEXT + 64];
    struct ixor_context *context = ixor_service_context(d->service);
    r->disturbed = ixor_disturbance_any(how) && d->progress.run % d->options->disturb_every == 0;
    if (!r->disturbed)
        return 0;
    ixor_disturbance_words(how, words);
    if (ix_catalogue_disturb(d->campaign.catalogue, r->execution->id, words, err) != 0)
        return -1;
    if (!how->pause)
        return 0;
    snprintf(mark, sizeof mark, "--disturb %s --seed %" PRIu64, words, seed);
    ixor_mark(context, r->execution, mark);
    r->pauser = ixor_pauser_new(d->base, context, r->execution, seed, err);
    return r->pauser ? 0 : -1;
}

/* Removes all traces of a command that could not be started. */
static void forget_run(struct ixor_course *r)
{
    struct ixor_driver *d = r->driver;
    ixor_executions_close(ixor_service_context(d->service), r->execution,
                          "its command could not be started");
    ix_catalogue_remove_execution(d->campaign.catalogue, r->execution->id, NULL);
    rmdir(r->dir);
}

/* The run is recorded before the command starts, which may label it at once. */
static int start_run(struct ixor_course *r, struct ix_error *err)
{
    struct ixor_driver *d = r->driver;
    ixor_course_begin(r);
    if (ixor_campaign_next(&d->campaign, "run", &d->series, r->name, err) != 0)
        return -1;
    r->dir = ixor_campaign_make_run_dir(&d->campaign, r->name, err);
    if (!r->dir)
        return -1;
    if (!d->options->show_output && asprintf(&r->output, "%s/output.txt", r->dir) < 0) {
        r->output = NULL;
        return ix_fail(err, "out of memory");
    }
    r->execution = ixor_executions_open(ixor_service_context(d->service), r->name, d->command_line,
                                        r->begin_ns, err);
    if (!r->execution) {
        rmdir(r->dir);
        return -1;
    }
    if (disturb(r, err) != 0 || ixor_course_start(r, err) != 0) {
        forget_run(r);
        return -1;
    }
    d->ids[d->id_count++] = r->execution->id;
    return 0;
}

struct labelled {
    int64_t id;
    enum ix_verdict verdict;
};

static int find_label(void *user, const struct ix_execution *e)
{
    struct labelled *l = user;
    if (e->id == l->id)
        l->verdict = e->verdict;
    return 0;
}

/* Whether a test has failed by the reports of --junit. Which one, and which passed only when it was
 * tried again, is kept as a mark of the run. */
static bool test_failed(struct ixor_course *r)
{
    struct ixor_driver *d = r->driver;
    const char *glob = d->options->junit;
    const struct ixor_junit_reports reports = ixor_junit_collect(glob, r->began_file);
    char text[IXOR_JUNIT_TEXT];
    if (ixor_junit_trouble(&reports, glob, text, sizeof text))
        ixor_progress_note(&d->progress, "%s: %s", r->name, text);
    if (!ixor_junit_notable(&reports.sum))
        return false;
    ixor_junit_words(&reports.sum, text, sizeof text);
    ixor_mark(ixor_service_context(d->service), r->execution, text);
    if (!reports.sum.failed)
        ixor_progress_note(&d->progress, "%s: %s", r->name, text);
    return reports.sum.failed;
}

/* *by: as in the catalogue; NULL: nobody. */
static enum ix_verdict judge(struct ixor_course *r, const char **by)
{
    const struct ixor_driver *d = r->driver;
    *by = r->timed_out ? "timeout" : d->signal ? NULL : "exit";
    if (!*by)
        return IX_VERDICT_UNKNOWN;
    const bool failed = r->timed_out || (d->options->junit && test_failed(r)) ||
                        ixor_child_exit_status(r->child) != 0;
    return failed ? IX_VERDICT_FAILED : IX_VERDICT_PASSED;
}

static int record_end(struct ixor_course *r, enum ix_verdict *verdict, struct ix_error *err)
{
    struct ixor_driver *d = r->driver;
    const char *by;
    *verdict = judge(r, &by);
    if (!by)
        ixor_mark(ixor_service_context(d->service), r->execution, IX_INTERRUPTED);
    ixor_executions_close(ixor_service_context(d->service), r->execution, "its run had ended");
    const struct ixor_execution_end end = {
        .execution = r->execution->id,
        .end_ns = r->ended_ns,
        .exit_status = ixor_child_exit_status(r->child),
        .exit_signal = ixor_child_exit_signal(r->child),
        .verdict = *verdict,
        .verdict_by = by,
    };
    ixor_writer_end_execution(d->writer, &end);
    if (ixor_writer_flush(d->writer, err) != 0)
        return ix_fail_in(err, "%s", r->name);
    struct ix_catalogue *c = d->campaign.catalogue;
    struct labelled label = {r->execution->id, *verdict};
    if (by && ix_catalogue_executions(c, find_label, &label, err) != 0)
        return -1;
    *verdict = label.verdict; /* a verdict set by `ixor label` meanwhile stays */
    return 0;
}

static void tell(struct ixor_course *r, enum ix_verdict verdict, const struct ixor_losses *losses)
{
    struct ixor_driver *d = r->driver;
    const uint64_t vms = losses->vms; /* the service counts one that connects again twice */
    const struct ixor_execution *e = r->execution;
    uint64_t lost = e->requests > e->taken ? e->requests - e->taken : 0;
    d->progress.over_ns = ixor_mono_ns();
    d->progress.requests += e->requests;
    d->progress.lost += lost;
    d->progress.passed += verdict == IX_VERDICT_PASSED;
    d->progress.failed += verdict == IX_VERDICT_FAILED;
    if (vms == 0 && !d->signal && d->without_vm++ == 0) /* the hint would be the same every time */
        ixor_hint_no_vm(&d->progress, r->name, r->output, verdict == IX_VERDICT_FAILED);
    d->any_vm = d->any_vm || vms > 0;
    d->taken += e->taken;
    d->lost_logs += losses->logs;
    d->stopped_logs += losses->stopped;
    ixor_losses_note(losses, &d->progress, r->name);
    if (d->progress.terminal)
        return;
    char took[IXOR_UNIT_TEXT], percent[IXOR_UNIT_TEXT], number[IXOR_RUN_NUMBER];
    ixor_duration_text((int64_t)(ixor_mono_ns() - r->began_ns), took);
    ixor_share_text(lost, e->requests, percent);
    ixor_progress_number(&d->progress, number);
    ixor_notice("run %s: %s %s after %s: %llu JVM%s, %llu snapshots, %s lost%s", number, r->name,
                r->timed_out                    ? "timed out"
                : verdict == IX_VERDICT_UNKNOWN ? "interrupted"
                                                : ix_verdict_name(verdict),
                took, (unsigned long long)vms, vms == 1 ? "" : "s", (unsigned long long)e->taken,
                percent, r->disturbed ? ", disturbed" : "");
}

int ixor_one_run(struct ixor_driver *d, struct ix_error *err)
{
    struct ixor_course r = {.driver = d};
    int result = start_run(&r, err);
    if (result == 0) {
        ixor_course_wait(&r);
        enum ix_verdict verdict;
        struct ixor_losses losses;
        result = record_end(&r, &verdict, err);
        if (result == 0)
            result = ixor_losses_count(d->campaign.catalogue, r.execution->id, &losses, err);
        if (!ixor_driver_is_there(d)) {
            err->text[0] = '\0'; /* whatever failed has been reported */
            result = -1;
        }
        if (result == 0)
            tell(&r, verdict, &losses);
    }
    ixor_course_free(&r);
    return result;
}
