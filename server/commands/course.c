/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/course.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/commands/driver.h"
#include "server/junit/reports.h"
#include "server/launch/launch.h"

/* How long JVMs have for their last reports and goodbyes after the command has ended. */
#define GOODBYE_MS 1000
/* Notes about single JVMs of one run; more are counted, not printed. */
#define NOTES_MAX 5

/* No JVM is paused while it ends, either. A burst that is under way ends soon, and with it the
 * command. */
static void stop_sampling(void *user)
{
    struct ixor_course *c = user;
    struct ixor_execution *e = ixor_service_context(c->driver->service)->executions;
    for (; e; e = e->next)
        e->sampling = false;
    ixor_pauser_stop(c->pauser);
}

static void check_over(struct ixor_course *c)
{
    if (c->gone && ixor_service_context(c->driver->service)->by_jvm.count == 0)
        c->over = true;
}

static void end_burst(struct ixor_course *c)
{
    ixor_burst_free(c->burst);
    c->burst = NULL;
}

static void child_ended(void *user)
{
    struct ixor_course *c = user;
    c->ended_ns = c->begin_ns + (int64_t)(ixor_child_ended_ns(c->child) - c->began_ns);
    end_burst(c);
    stop_sampling(c);
    event_del(c->timeout);
}

static void child_gone(void *user, size_t stuck)
{
    struct ixor_course *c = user;
    if (stuck == IXOR_STUCK_UNKNOWN)
        ixor_progress_note(&c->driver->progress,
                           "%s: ixor's process that keeps COMMAND's together "
                           "was killed; some of them may be left",
                           c->name);
    else if (stuck)
        ixor_progress_note(&c->driver->progress, "%s: %zu process%s cannot be ended", c->name,
                           stuck, stuck == 1 ? "" : "es");
    c->gone = true;
    struct timeval grace = {.tv_sec = GOODBYE_MS / 1000, .tv_usec = GOODBYE_MS % 1000 * 1000};
    event_add(c->goodbye, &grace);
    check_over(c);
}

static void vm_paused(void *user, bool stopped)
{
    struct ixor_course *c = user;
    ixor_pauser_paused(c->pauser, stopped);
}

static void vm_resumed(void *user)
{
    struct ixor_course *c = user;
    ixor_pauser_resumed(c->pauser);
}

static void end_early(void *user, bool at_once)
{
    struct ixor_course *c = user;
    end_burst(c);
    stop_sampling(c);
    if (!c->gone)
        ixor_child_end(c->child, at_once);
}

static void burst_over(void *user)
{
    struct ixor_course *c = user;
    end_early(c, false);
}

/* What hangs is best seen in some packets close to each other, with the owners of locks. */
static void timeout_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_course *c = user;
    struct ixor_context *context = ixor_service_context(c->driver->service);
    (void)fd, (void)what;
    ixor_child_look(c->child);
    if (c->ended_ns) { /* while ixor was stopped */
        c->timed_out = (uint64_t)(c->ended_ns - c->begin_ns) > c->driver->options->timeout_ns;
        return;
    }
    c->timed_out = true;
    ixor_pauser_stop(c->pauser);
    c->burst = ixor_burst_new(context, c->execution, 0,
                              "timed out: a burst of packets before its end", burst_over, c);
    if (!c->burst)
        burst_over(c);
}

static void goodbye_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_course *c = user;
    (void)fd, (void)what;
    c->over = true;
}

/* ---- what the service tells ---- */

static bool may_note(struct ixor_course *c)
{
    return ++c->notes <= NOTES_MAX;
}

/* A JVM that leaves without a goodbye while its command runs was killed or crashed. */
static void vm_left(void *user, const struct ixor_departure *d)
{
    struct ixor_course *c = user;
    if (c->execution && d->execution != c->execution)
        return;
    bool odd = strcmp(d->ended, "orderly") != 0 && d->execution->sampling;
    if (odd && may_note(c)) {
        char role[IX_NAME_MAX + 1], after[IXOR_UNIT_TEXT];
        ixor_safe_text(d->hello->role, role, sizeof role);
        ixor_duration_text((int64_t)d->after_ns, after);
        ixor_progress_note(&c->driver->progress,
                           "%s: JVM %s (process %u) %s after %s and %llu snapshot%s%s%s", c->name,
                           role, d->hello->pid,
                           strcmp(d->ended, "log-failed") == 0 ? "stopped logging"
                           : strcmp(d->ended, "silent") == 0   ? "fell silent"
                                                               : "vanished without a goodbye",
                           after, (unsigned long long)d->taken, d->taken == 1 ? "" : "s",
                           d->text ? ": " : "", d->text ? d->text : "");
    }
    check_over(c);
}

static void warned(void *user, const char *text)
{
    struct ixor_course *c = user;
    if (may_note(c))
        ixor_progress_note(&c->driver->progress, "%s: %s", c->name, text);
}

/* ---- from start to end ---- */

static int start_child(struct ixor_course *c, struct ix_error *err)
{
    struct ixor_driver *d = c->driver;
    struct ixor_launch launch = {
        .agent = d->agent,
        .server = d->server,
        .key = d->key,
        .execution = c->execution ? c->execution->name : NULL,
        .run_dir = c->dir,
        .run = d->progress.run,
        .junit_jar = d->junit_jar,
        .no_coverage = d->options->no_coverage,
    };
    char **environment = ixor_launch_environment(&launch, environ, err);
    if (!environment)
        return -1;
    const struct ixor_disturbance *how = &d->options->disturb;
    const struct ixor_load load = {.hogs = how->hogs, .cgroup = d->cgroup, .cpu = how->cpu};
    const char *output = !c->output && d->options->json.wanted ? ixor_to_stderr : c->output;
    const struct ixor_child_events events = {child_ended, child_gone, vm_paused, vm_resumed, c};
    c->child = ixor_child_start(d->base, d->options->command, environment, output,
                                c->disturbed ? &load : NULL, &events, err);
    ixor_launch_free(environment);
    if (c->child && c->pauser)
        ixor_pauser_start(c->pauser, c->child);
    return c->child ? 0 : -1;
}

static int start_timers(struct ixor_course *c, struct ix_error *err)
{
    uint64_t ns = c->driver->options->timeout_ns;
    struct timeval timeout = {.tv_sec = (time_t)(ns / 1000000000),
                              .tv_usec = (suseconds_t)(ns % 1000000000 / 1000)};
    c->timeout = evtimer_new(c->driver->base, timeout_cb, c);
    c->goodbye = evtimer_new(c->driver->base, goodbye_cb, c);
    if (!c->timeout || !c->goodbye || (ns && event_add(c->timeout, &timeout) != 0))
        return ix_fail(err, "out of memory");
    return 0;
}

void ixor_course_begin(struct ixor_course *c)
{
    c->begin_ns = ixor_wall_ns();
    c->began_ns = ixor_mono_ns();
    c->began_file = ixor_junit_now();
}

int ixor_course_start(struct ixor_course *c, struct ix_error *err)
{
    if (start_timers(c, err) != 0 || start_child(c, err) != 0)
        return -1;
    c->at_hand = (struct ixor_at_hand){
        c->name, c->execution, stop_sampling, end_early, vm_left, warned, c,
    };
    c->driver->at_hand = &c->at_hand;
    return 0;
}

void ixor_course_wait(struct ixor_course *c)
{
    while (!c->over && event_base_loop(c->driver->base, EVLOOP_ONCE) == 0)
        ;
}

void ixor_course_free(struct ixor_course *c)
{
    c->driver->at_hand = NULL;
    ixor_burst_free(c->burst);
    ixor_pauser_free(c->pauser);
    ixor_child_free(c->child);
    if (c->timeout)
        event_free(c->timeout);
    if (c->goodbye)
        event_free(c->goodbye);
    free(c->dir);
    free(c->output);
}
