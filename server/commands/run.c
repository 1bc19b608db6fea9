/* SPDX-License-Identifier: Apache-2.0 */
/* ixor run: runs a command N times and records each run in the campaign. */
#include <event2/event.h>

#include "server/base/command.h"
#include "server/base/loop.h"
#include "server/commands/driver.h"
#include "server/commands/one_run.h"
#include "server/commands/run_options.h"
#include "server/commands/run_tests.h"
#include "server/commands/summary.h"
#include "server/launch/namesakes.h"

static int all_runs(struct ixor_driver *d, struct ix_error *err)
{
    for (size_t i = 0; i < d->options->runs && !d->signal; i++) {
        d->progress.run = (unsigned)i + 1;
        d->progress.vms = d->progress.snapshots = 0;
        if (ixor_one_run(d, err) != 0)
            return -1;
        if (ixor_until_reached(&d->options->until, d->progress.failed,
                               ixor_mono_ns() - d->progress.began_ns))
            break;
        event_base_loop(d->base, EVLOOP_NONBLOCK); /* a signal that arrived meanwhile */
    }
    return 0;
}

/* A campaign that recorded no data, or lost some, is a failure. */
static int check_data(const struct ixor_driver *d, struct ix_error *err)
{
    if (!d->any_vm)
        return ix_fail(err, "no run had a JVM that loaded the agent");
    if (d->lost_logs || d->stopped_logs)
        return ix_fail(err,
                       "data is missing: %llu trace log%s gone or empty, %llu JVM%s stopped "
                       "logging",
                       (unsigned long long)d->lost_logs, d->lost_logs == 1 ? "" : "s",
                       (unsigned long long)d->stopped_logs, d->stopped_logs == 1 ? "" : "s");
    if (d->taken == 0)
        return ix_fail(err, "no JVM took a snapshot; each ended before its first packet, or could "
                            "not write its log");
    return 0;
}

/* Prints the summary of the runs, if there are any. 0 or -1. */
static int summarize(const struct ixor_driver *d, struct ix_error *err)
{
    const struct ixor_run_options *o = d->options;
    if (!d->id_count || d->gone)
        return 0;
    return ixor_summary_print(d->campaign.catalogue, o->out, d->ids, d->id_count,
                              !o->show_output && !o->tests.wanted, o->json.wanted, err);
}

/* Once a campaign: they may well be equal workers. A hint is not worth an error. */
static void hint_roles(const struct ixor_driver *d)
{
    struct ixor_namesakes found = {0};
    for (size_t i = 0; d->fresh && !d->gone && i < d->id_count && !found.count; i++)
        ixor_namesakes_find(d->campaign.catalogue, d->ids[i], &found, NULL);
    if (found.count)
        ixor_notice("%zu JVMs of a run have the role %s; unless they are equal workers, name them "
                    "apart with -Dixor.role=NAME",
                    found.count, found.role);
}

int ixor_cmd_run(int argc, char **argv, struct ix_error *err)
{
    struct ixor_run_options options;
    const int parsed = ixor_run_options_parse(&options, argc, argv, err);
    if (parsed != IXOR_OK)
        return parsed == IXOR_HELPED ? IXOR_OK : parsed;
    struct ixor_driver d = {.options = &options, .campaign = IXOR_NO_CAMPAIGN};
    struct ix_error why;
    const bool tests = options.tests.wanted;
    int status = IXOR_OK; /* of the command, with --tests */
    int bad = ixor_driver_start(&d, err);
    if (!bad)
        bad = tests ? ixor_run_tests(&d, &status, err) : all_runs(&d, err);
    ixor_progress_erase(&d.progress);
    if (d.any_vm && d.without_vm > 1)
        ixor_notice("%zu of %zu runs had no JVM that loaded the agent", d.without_vm, d.id_count);
    if (!tests)
        hint_roles(&d);
    if (summarize(&d, &why) != 0 && !bad) {
        *err = why;
        bad = -1;
    }
    int interrupted = d.signal;
    if (!bad && !interrupted && !tests)
        bad = check_data(&d, err);
    ixor_driver_stop(&d);
    if (!bad)
        err->text[0] = '\0'; /* the command's own status is no error of ours */
    if (interrupted && !bad)
        return IXOR_SIGNAL + interrupted;
    return status ? status : bad ? IXOR_FAILED : IXOR_OK;
}
