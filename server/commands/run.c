/* SPDX-License-Identifier: Apache-2.0 */
/* ixor run: runs a command N times and records each run in the campaign. */
#include <event2/event.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/base/command.h"
#include "server/base/loop.h"
#include "server/commands/pauser.h"
#include "server/commands/run_options.h"
#include "server/commands/summary.h"
#include "server/junit/reports.h"
#include "server/launch/cgroup.h"
#include "server/launch/child.h"
#include "server/launch/descendants.h"
#include "server/launch/hints.h"
#include "server/launch/launch.h"
#include "server/launch/losses.h"
#include "server/launch/progress.h"
#include "server/sampling/lead.h"
#include "server/session/service.h"
#include "server/session/upload.h"
#include "server/store/campaign.h"
#include "server/viewer/http.h"

/* How long JVMs have for their last reports and goodbyes after the command has ended. */
#define GOODBYE_MS 1000
#define REDRAW_MS 200
/* How often the campaign's files are checked. */
#define WATCH_S 1
/* Notes about single JVMs of one run; more are counted, not printed. */
#define NOTES_MAX 5

struct run;

struct driver {
    const struct ixor_run_options *options;
    struct event_base *base;
    struct ixor_campaign campaign;
    struct ixor_writer *writer;
    struct ixor_service *service;
    struct ixor_http *http; /* NULL: no viewer */
    struct ixor_progress progress;
    struct event *signals[3], *redraw, *watch;
    char *agent, *command_line;
    char *cgroup; /* for disturbed runs; NULL: none */
    char server[IXOR_ADDRESS_TEXT], key[IX_KEY_TEXT];
    unsigned series; /* number of the last run in the catalogue */

    struct run *at_hand; /* the run that service events and signals apply to; NULL between runs */
    int64_t *ids;        /* runs of this call */
    size_t id_count;
    bool any_vm;
    uint64_t taken, lost_logs, stopped_logs;
    bool gone;  /* the campaign was removed, which has been reported */
    int signal; /* the signal that interrupted; 0 none */
};

/* The current run. */
struct run {
    struct driver *driver;
    struct ixor_execution *execution;
    struct ixor_child *child;
    struct event *timeout, *goodbye;
    char name[IXOR_SERIES_NAME];
    char *dir, *output;         /* output NULL: shown */
    int64_t begin_ns, ended_ns; /* wall clock, of the command; durations use the monotonic clock */
    uint64_t began_ns;          /* monotonic clock */
    struct timespec began_file; /* clock of files */
    bool disturbed;
    struct ixor_pauser *pauser; /* NULL: none of its JVMs is paused */
    bool timed_out, gone, over;
    unsigned notes;
};

/* ---- the course of a run ---- */

/* No JVM is paused while it ends, either. */
static void stop_sampling(struct run *r)
{
    r->execution->sampling = false;
    ixor_pauser_stop(r->pauser);
}

static void check_over(struct run *r)
{
    if (r->gone && r->execution->sessions == 0)
        r->over = true;
}

static void child_ended(void *user)
{
    struct run *r = user;
    r->ended_ns = r->begin_ns + (int64_t)(ixor_mono_ns() - r->began_ns);
    stop_sampling(r);
    event_del(r->timeout);
}

static void child_gone(void *user, size_t stuck)
{
    struct run *r = user;
    if (stuck == IXOR_STUCK_UNKNOWN)
        ixor_progress_note(&r->driver->progress,
                           "%s: ixor's process that keeps COMMAND's together "
                           "was killed; some of them may be left",
                           r->name);
    else if (stuck)
        ixor_progress_note(&r->driver->progress, "%s: %zu process%s cannot be ended", r->name,
                           stuck, stuck == 1 ? "" : "es");
    r->gone = true;
    struct timeval grace = {.tv_sec = GOODBYE_MS / 1000, .tv_usec = GOODBYE_MS % 1000 * 1000};
    event_add(r->goodbye, &grace);
    check_over(r);
}

static void vm_paused(void *user, bool stopped)
{
    struct run *r = user;
    ixor_pauser_paused(r->pauser, stopped);
}

static void vm_resumed(void *user)
{
    struct run *r = user;
    ixor_pauser_resumed(r->pauser);
}

static void timeout_cb(evutil_socket_t fd, short what, void *user)
{
    struct run *r = user;
    (void)fd, (void)what;
    r->timed_out = true;
    stop_sampling(r);
    ixor_child_end(r->child, false);
}

static void goodbye_cb(evutil_socket_t fd, short what, void *user)
{
    struct run *r = user;
    (void)fd, (void)what;
    r->over = true;
}

static void end_early(struct run *r, bool at_once)
{
    stop_sampling(r);
    if (!r->gone)
        ixor_child_end(r->child, at_once);
}

static void signal_cb(evutil_socket_t sig, short what, void *user)
{
    struct driver *d = user;
    (void)what;
    bool again = d->signal != 0;
    d->signal = (int)sig;
    if (!d->at_hand)
        return;
    if (!again)
        ixor_progress_note(&d->progress, "ending %s; once more to end it at once",
                           d->at_hand->name);
    end_early(d->at_hand, again);
}

/* Reports trouble with the catalogue; the command continues in any case. */
static void writer_says(void *user, const char *text)
{
    struct driver *d = user;
    ixor_progress_note(&d->progress, "%s", text);
}

static void redraw_cb(evutil_socket_t fd, short what, void *user)
{
    struct driver *d = user;
    (void)fd, (void)what;
    if (d->at_hand) {
        d->progress.vms = d->at_hand->execution->vms;
        d->progress.snapshots = d->at_hand->execution->taken;
    }
    ixor_progress_draw(&d->progress);
}

/* If the campaign is gone, COMMAND continues, but nothing recorded from now on can be found. */
static bool is_there(struct driver *d)
{
    struct ix_error why;
    if (d->gone || ixor_campaign_check(&d->campaign, &why) == 0)
        return !d->gone;
    d->gone = true;
    if (d->at_hand)
        stop_sampling(d->at_hand);
    ixor_progress_note(&d->progress, "%s; what was recorded is lost, and this campaign has failed",
                       why.text);
    return false;
}

static void watch_cb(evutil_socket_t fd, short what, void *user)
{
    (void)fd, (void)what;
    is_there(user);
}

/* ---- what the service tells ---- */

static bool may_note(struct run *r)
{
    return ++r->notes <= NOTES_MAX;
}

/* A JVM that leaves without a goodbye while its command runs was killed or crashed. */
static void vm_left(void *user, const struct ixor_departure *d)
{
    struct driver *driver = user;
    struct run *r = driver->at_hand;
    if (!r || d->execution != r->execution)
        return;
    bool odd = strcmp(d->ended, "orderly") != 0 && r->execution->sampling;
    if (odd && may_note(r)) {
        char role[IX_NAME_MAX + 1], after[IXOR_UNIT_TEXT];
        ixor_safe_text(d->hello->role, role, sizeof role);
        ixor_duration_text((int64_t)d->after_ns, after);
        ixor_progress_note(&driver->progress,
                           "%s: JVM %s (process %u) %s after %s and %llu snapshot%s%s%s", r->name,
                           role, d->hello->pid,
                           strcmp(d->ended, "log-failed") == 0 ? "stopped logging"
                           : strcmp(d->ended, "silent") == 0   ? "fell silent"
                                                               : "vanished without a goodbye",
                           after, (unsigned long long)d->taken, d->taken == 1 ? "" : "s",
                           d->text ? ": " : "", d->text ? d->text : "");
    }
    check_over(r);
}

static void warned(void *user, const char *text)
{
    struct driver *d = user;
    if (!d->at_hand)
        ixor_progress_note(&d->progress, "%s", text);
    else if (may_note(d->at_hand))
        ixor_progress_note(&d->progress, "%s: %s", d->at_hand->name, text);
}

/* ---- one run ---- */

static int start_child(struct run *r, struct ix_error *err)
{
    struct driver *d = r->driver;
    struct ixor_launch launch = {
        .agent = d->agent,
        .server = d->server,
        .key = d->key,
        .execution = r->name,
        .run_dir = r->dir,
        .run = d->progress.run,
    };
    char **environment = ixor_launch_environment(&launch, environ, err);
    if (!environment)
        return -1;
    const struct ixor_disturbance *how = &d->options->disturb;
    const struct ixor_load load = {.hogs = how->hogs, .cgroup = d->cgroup, .cpu = how->cpu};
    const struct ixor_child_events events = {child_ended, child_gone, vm_paused, vm_resumed, r};
    r->child = ixor_child_start(d->base, d->options->command, environment, r->output,
                                r->disturbed ? &load : NULL, &events, err);
    ixor_launch_free(environment);
    if (r->child && r->pauser)
        ixor_pauser_start(r->pauser, r->child);
    return r->child ? 0 : -1;
}

/* Records how this run is disturbed, before it begins. A run's seed is one above that of the run
 * before it, so that a single run can be repeated by its own. */
static int disturb(struct run *r, struct ix_error *err)
{
    struct driver *d = r->driver;
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
    ixor_executions_mark(context, r->execution, mark);
    r->pauser = ixor_pauser_new(d->base, context, r->execution, seed, err);
    return r->pauser ? 0 : -1;
}

static int start_timers(struct run *r, struct ix_error *err)
{
    uint64_t ns = r->driver->options->timeout_ns;
    struct timeval timeout = {.tv_sec = (time_t)(ns / 1000000000),
                              .tv_usec = (suseconds_t)(ns % 1000000000 / 1000)};
    r->timeout = evtimer_new(r->driver->base, timeout_cb, r);
    r->goodbye = evtimer_new(r->driver->base, goodbye_cb, r);
    if (!r->timeout || !r->goodbye || event_add(r->timeout, &timeout) != 0)
        return ix_fail(err, "out of memory");
    return 0;
}

/* Removes all traces of a command that could not be started. */
static void forget_run(struct run *r)
{
    struct driver *d = r->driver;
    ixor_executions_close(ixor_service_context(d->service), r->execution,
                          "its command could not be started");
    ix_catalogue_remove_execution(d->campaign.catalogue, r->execution->id, NULL);
    rmdir(r->dir);
}

/* The run is recorded before the command starts, which may label it at once. */
static int start_run(struct run *r, struct ix_error *err)
{
    struct driver *d = r->driver;
    r->begin_ns = ixor_wall_ns();
    r->began_ns = ixor_mono_ns();
    r->began_file = ixor_junit_now();
    if (ixor_campaign_next(&d->campaign, "run", &d->series, r->name, err) != 0)
        return -1;
    r->dir = ixor_campaign_make_run_dir(&d->campaign, r->name, err);
    if (!r->dir)
        return -1;
    if (!d->options->show_output && asprintf(&r->output, "%s/output.txt", r->dir) < 0) {
        r->output = NULL;
        return ix_fail(err, "out of memory");
    }
    if (start_timers(r, err) != 0)
        return -1;
    r->execution = ixor_executions_open(ixor_service_context(d->service), r->name, d->command_line,
                                        r->begin_ns, err);
    if (!r->execution) {
        rmdir(r->dir);
        return -1;
    }
    if (disturb(r, err) != 0 || start_child(r, err) != 0) {
        forget_run(r);
        return -1;
    }
    d->ids[d->id_count++] = r->execution->id;
    return 0;
}

static void free_run(struct run *r)
{
    ixor_pauser_free(r->pauser);
    ixor_child_free(r->child);
    if (r->timeout)
        event_free(r->timeout);
    if (r->goodbye)
        event_free(r->goodbye);
    free(r->dir);
    free(r->output);
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

/* Whether a test has failed by the reports of --junit; which one is kept as a mark of the run. */
static bool test_failed(struct run *r)
{
    struct driver *d = r->driver;
    const char *glob = d->options->junit;
    const struct ixor_junit_reports reports = ixor_junit_collect(glob, r->began_file);
    char text[IXOR_JUNIT_TEXT];
    if (ixor_junit_trouble(&reports, glob, text, sizeof text))
        ixor_progress_note(&d->progress, "%s: %s", r->name, text);
    if (reports.sum.failed == 0)
        return false;
    ixor_junit_words(&reports.sum, text, sizeof text);
    ixor_executions_mark(ixor_service_context(d->service), r->execution, text);
    return true;
}

/* *by: as in the catalogue; NULL: nobody. */
static enum ix_verdict judge(struct run *r, const char **by)
{
    const struct driver *d = r->driver;
    *by = r->timed_out ? "timeout" : d->signal ? NULL : "exit";
    if (!*by)
        return IX_VERDICT_UNKNOWN;
    const bool failed = r->timed_out || (d->options->junit && test_failed(r)) ||
                        ixor_child_exit_status(r->child) != 0;
    return failed ? IX_VERDICT_FAILED : IX_VERDICT_PASSED;
}

static int record_end(struct run *r, enum ix_verdict *verdict, struct ix_error *err)
{
    struct driver *d = r->driver;
    const char *by;
    *verdict = judge(r, &by);
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

static void tell(struct run *r, enum ix_verdict verdict, const struct ixor_losses *losses)
{
    struct driver *d = r->driver;
    const uint64_t vms = losses->vms; /* the service counts one that connects again twice */
    const struct ixor_execution *e = r->execution;
    uint64_t lost = e->requests > e->taken ? e->requests - e->taken : 0;
    d->progress.over_ns = ixor_mono_ns();
    d->progress.requests += e->requests;
    d->progress.lost += lost;
    d->progress.passed += verdict == IX_VERDICT_PASSED;
    d->progress.failed += verdict == IX_VERDICT_FAILED;
    if (vms == 0 && !d->signal)
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

static int one_run(struct driver *d, struct ix_error *err)
{
    struct run r = {.driver = d};
    int result = start_run(&r, err);
    if (result == 0) {
        d->at_hand = &r;
        while (!r.over && event_base_loop(d->base, EVLOOP_ONCE) == 0)
            ;
        enum ix_verdict verdict;
        struct ixor_losses losses;
        result = record_end(&r, &verdict, err);
        if (result == 0)
            result = ixor_losses_count(d->campaign.catalogue, r.execution->id, &losses, err);
        if (!is_there(d)) {
            err->text[0] = '\0'; /* whatever failed has been reported */
            result = -1;
        }
        d->at_hand = NULL;
        if (result == 0)
            tell(&r, verdict, &losses);
    }
    free_run(&r);
    return result;
}

/* ---- all runs ---- */

static char *join(char *const *words)
{
    size_t size = 1;
    for (char *const *w = words; *w; w++)
        size += strlen(*w) + 1;
    char *line = malloc(size), *at = line;
    for (char *const *w = words; line && *w; w++)
        at += snprintf(at, size - (size_t)(at - line), "%s%s", w == words ? "" : " ", *w);
    return line;
}

static int start_events(struct driver *d, struct ix_error *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct timeval redraw = {.tv_usec = REDRAW_MS * 1000}, watch = {.tv_sec = WATCH_S};
    signal(SIGPIPE, SIG_IGN);
    ixor_raise_descriptor_limit();
    d->base = ixor_loop_new();
    if (!d->base)
        return ix_fail(err, "cannot make an event loop");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        d->signals[i] = evsignal_new(d->base, numbers[i], signal_cb, d);
        if (!d->signals[i] || event_add(d->signals[i], NULL) != 0)
            return ix_fail(err, "out of memory");
    }
    d->redraw = event_new(d->base, -1, EV_PERSIST, redraw_cb, d);
    d->watch = event_new(d->base, -1, EV_PERSIST, watch_cb, d);
    if (!d->watch || event_add(d->watch, &watch) != 0 || !d->redraw ||
        (d->progress.terminal && event_add(d->redraw, &redraw) != 0))
        return ix_fail(err, "out of memory");
    return 0;
}

static int start_service(struct driver *d, struct ix_error *err)
{
    struct ixor_service_options options = {
        .rhythm = d->options->rhythm.options,
        .lead_ns = d->options->lead.ns,
        .after_crash = d->campaign.crashed,
        .key = d->campaign.key,
    };
    ix_key_text(IX_KEY_AGENT, &d->campaign.agent_key, d->key);
    if (ixor_parse_address("127.0.0.1:0", &options.listen, err) != 0)
        return -1;
    struct ixor_service_events events = {.left = vm_left, .warned = warned, .user = d};
    d->service = ixor_service_new(d->base, d->writer, &options, &events, err);
    if (!d->service)
        return -1;
    ixor_address_text(ixor_service_address(d->service), d->server);
    ixor_rhythm_notice(&d->options->rhythm);
    return ixor_campaign_announce(&d->campaign, d->server, NULL, err);
}

static int start_viewer(struct driver *d, struct ix_error *err)
{
    if (!d->options->http.wanted)
        return 0;
    d->http = ixor_http_new(d->base, d->service, d->campaign.dir, &d->options->http.address, err);
    if (d->http)
        ixor_http_announce(d->http);
    return d->http ? 0 : -1;
}

/* Errors of the command line are checked first, so that they leave nothing behind. */
static int start(struct driver *d, struct ix_error *err)
{
    const struct ixor_run_options *o = d->options;
    if (ixor_child_check(o->command[0], err) != 0)
        return -1;
    d->agent = ixor_find_agent(o->agent.path, err);
    if (!d->agent)
        return -1;
    if (o->disturb.cpu && !(d->cgroup = ixor_cgroup_find(o->disturb.cpu, err)))
        return ix_fail_in(err, "--disturb cpu=%u%%", o->disturb.cpu);
    d->command_line = join(o->command);
    d->ids = calloc(o->runs, sizeof *d->ids);
    if (!d->command_line || !d->ids)
        return ix_fail(err, "out of memory");
    ixor_progress_init(&d->progress,
                       o->runs_given || !ixor_until_given(&o->until) ? (unsigned)o->runs : 0);
    if (ixor_campaign_open(&d->campaign, o->out, err) != 0 ||
        ixor_campaign_last(&d->campaign, "run", &d->series, NULL, err) != 0 ||
        start_events(d, err) != 0)
        return -1;
    d->writer = ixor_writer_new(d->base, d->campaign.catalogue, writer_says, d, err);
    if (!d->writer)
        return -1;
    return start_service(d, err) != 0 ? -1 : start_viewer(d, err);
}

static void stop(struct driver *d)
{
    ixor_http_free(d->http);
    ixor_service_free(d->service);
    ixor_writer_free(d->writer);
    for (size_t i = 0; i < sizeof d->signals / sizeof d->signals[0]; i++) {
        if (d->signals[i])
            event_free(d->signals[i]);
    }
    if (d->redraw)
        event_free(d->redraw);
    if (d->watch)
        event_free(d->watch);
    if (d->base)
        event_base_free(d->base);
    ixor_campaign_close(&d->campaign);
    free(d->agent);
    free(d->cgroup);
    free(d->command_line);
    free(d->ids);
}

static int all_runs(struct driver *d, struct ix_error *err)
{
    for (size_t i = 0; i < d->options->runs && !d->signal; i++) {
        d->progress.run = (unsigned)i + 1;
        d->progress.vms = d->progress.snapshots = 0;
        if (one_run(d, err) != 0)
            return -1;
        if (ixor_until_reached(&d->options->until, d->progress.failed,
                               ixor_mono_ns() - d->progress.began_ns))
            break;
        event_base_loop(d->base, EVLOOP_NONBLOCK); /* a signal that arrived meanwhile */
    }
    return 0;
}

/* A campaign that recorded no data, or lost some, is a failure. */
static int check_data(const struct driver *d, struct ix_error *err)
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

int ixor_cmd_run(int argc, char **argv, struct ix_error *err)
{
    struct ixor_run_options options;
    const int parsed = ixor_run_options_parse(&options, argc, argv, err);
    if (parsed != IXOR_OK)
        return parsed == IXOR_HELPED ? IXOR_OK : parsed;
    struct driver d = {.options = &options, .campaign = IXOR_NO_CAMPAIGN};
    int bad = start(&d, err);
    if (!bad)
        bad = all_runs(&d, err);
    ixor_progress_erase(&d.progress);
    if (d.id_count && !d.gone) {
        struct ix_error why;
        if (ixor_summary_print(d.campaign.catalogue, options.out, d.ids, d.id_count,
                               !options.show_output, options.json.wanted, &why) != 0 &&
            !bad) {
            *err = why;
            bad = -1;
        }
    }
    int interrupted = d.signal;
    if (!bad && !interrupted)
        bad = check_data(&d, err);
    stop(&d);
    return bad ? IXOR_FAILED : interrupted ? IXOR_SIGNAL + interrupted : IXOR_OK;
}
