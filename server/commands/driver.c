/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/driver.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/command.h"
#include "server/base/loop.h"
#include "server/launch/cgroup.h"
#include "server/launch/child.h"
#include "server/sampling/lead.h"
#include "server/session/upload.h"

#define REDRAW_MS 200
/* How often the campaign's files are checked. */
#define WATCH_S 1

/* ---- events ---- */

/* Reports trouble with the catalogue; the command continues in any case. */
static void writer_says(void *user, const char *text)
{
    struct ixor_driver *d = user;
    ixor_progress_note(&d->progress, "%s", text);
}

static void redraw_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_driver *d = user;
    (void)fd, (void)what;
    if (d->at_hand && d->at_hand->execution) {
        d->progress.vms = d->at_hand->execution->vms;
        d->progress.snapshots = d->at_hand->execution->taken;
    }
    ixor_progress_draw(&d->progress);
}

bool ixor_driver_is_there(struct ixor_driver *d)
{
    struct ix_error why;
    if (d->gone || ixor_campaign_check(&d->campaign, &why) == 0)
        return !d->gone;
    d->gone = true;
    if (d->at_hand)
        d->at_hand->stop_sampling(d->at_hand->user);
    ixor_progress_note(&d->progress,
                       "%s; this campaign has failed. If it was moved, the runs that had ended "
                       "are in its new place",
                       why.text);
    return false;
}

static void watch_cb(evutil_socket_t fd, short what, void *user)
{
    (void)fd, (void)what;
    ixor_driver_is_there(user);
}

static void signal_cb(evutil_socket_t sig, short what, void *user)
{
    struct ixor_driver *d = user;
    (void)what;
    bool again = d->signal != 0;
    d->signal = (int)sig;
    if (d->service)
        ixor_service_context(d->service)->interrupted = true;
    if (!d->at_hand)
        return;
    if (!again)
        ixor_progress_note(&d->progress, "ending %s; once more to end it at once",
                           d->at_hand->name);
    d->at_hand->end_early(d->at_hand->user, again);
}

static void vm_left(void *user, const struct ixor_departure *departure)
{
    const struct ixor_driver *d = user;
    if (d->at_hand)
        d->at_hand->vm_left(d->at_hand->user, departure);
}

static void warned(void *user, const char *text)
{
    struct ixor_driver *d = user;
    if (d->at_hand)
        d->at_hand->warned(d->at_hand->user, text);
    else
        ixor_progress_note(&d->progress, "%s", text);
}

/* ---- from start to end ---- */

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

static int start_events(struct ixor_driver *d, struct ix_error *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct timeval redraw = {.tv_usec = REDRAW_MS * 1000}, watch = {.tv_sec = WATCH_S};
    signal(SIGPIPE, SIG_IGN);
    ixor_raise_descriptor_limit();
    d->base = ixor_loop_new();
    if (!d->base)
        return ix_fail(err, "cannot make an event loop");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i] == SIGHUP && ixor_hangup_is_ignored())
            continue;
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

static int start_service(struct ixor_driver *d, struct ix_error *err)
{
    struct ixor_service_options options = {
        .rhythm = d->options->rhythm.options,
        .lead_ns = d->options->lead.ns,
        .tests = d->options->tests.wanted,
        .burst_after_ns = d->options->tests.burst_after_ns,
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

static int start_viewer(struct ixor_driver *d, struct ix_error *err)
{
    if (!d->options->http.wanted)
        return 0;
    d->http = ixor_http_new(d->base, d->service, d->campaign.dir, &d->options->http.address, err);
    if (d->http)
        ixor_http_announce(d->http);
    return d->http ? 0 : -1;
}

int ixor_driver_start(struct ixor_driver *d, struct ix_error *err)
{
    const struct ixor_run_options *o = d->options;
    if (ixor_child_check(o->command[0], err) != 0)
        return -1;
    d->agent = ixor_find_agent(o->agent.path, err);
    if (!d->agent)
        return -1;
    if (o->tests.wanted && !(d->junit_jar = ixor_find_junit_jar(d->agent, err)))
        return -1;
    if (o->disturb.cpu && !(d->cgroup = ixor_cgroup_find(o->disturb.cpu, err)))
        return ix_fail_in(err, "--disturb cpu=%u%%", o->disturb.cpu);
    d->command_line = join(o->command);
    d->ids = calloc(o->runs, sizeof *d->ids);
    if (!d->command_line || !d->ids)
        return ix_fail(err, "out of memory");
    ixor_progress_init(&d->progress,
                       o->runs_given || !ixor_until_given(&o->until) ? (unsigned)o->runs : 0);
    if (o->tests.wanted)
        d->progress.terminal = false; /* the command writes there */
    if (ixor_campaign_open(&d->campaign, o->out, err) != 0 ||
        ixor_campaign_last(&d->campaign, "run", &d->series, NULL, err) != 0 ||
        start_events(d, err) != 0)
        return -1;
    d->fresh = d->series == 0;
    d->writer = ixor_writer_new(d->base, d->campaign.catalogue, writer_says, d, err);
    if (!d->writer)
        return -1;
    return start_service(d, err) != 0 ? -1 : start_viewer(d, err);
}

void ixor_driver_stop(struct ixor_driver *d)
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
    free(d->junit_jar);
    free(d->cgroup);
    free(d->command_line);
    free(d->ids);
}
