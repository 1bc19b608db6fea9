/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/pauser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/protocol/machine.h"
#include "server/launch/disturbance.h"
#include "server/session/mark.h"
#include "server/store/marks.h"

/* How often it looks for JVMs while there are none. */
#define LOOK_NS 10000000u

struct ixor_pauser {
    struct ixor_context *context;
    const struct ixor_execution *execution;
    struct ixor_child *child; /* NULL: not begun, or stopped */
    struct event *timer;
    uint64_t state; /* of the random numbers */
    struct ixor_pause next;
    char machine[IX_MACHINE_MAX + 1];
    char mark[IX_NAME_MAX + 128]; /* of the current pause */
};

static void wait_for(struct ixor_pauser *p, uint64_t ns)
{
    const struct timeval in = {.tv_sec = (time_t)(ns / 1000000000),
                               .tv_usec = (suseconds_t)(ns % 1000000000 / 1000)};
    if (p->child)
        event_add(p->timer, &in);
}

static void wait_for_next(struct ixor_pauser *p)
{
    p->next = ixor_pause_next(&p->state);
    wait_for(p, p->next.after_ns);
}

/* ---- choosing ---- */

/* Process ids of another machine say nothing here. */
static bool is_candidate(const struct ixor_pauser *p, const struct ixor_jvm *jvm)
{
    return jvm->execution == p->execution && strcmp(jvm->hello->machine, p->machine) == 0;
}

static bool comes_before(const struct ixor_jvm *a, const struct ixor_jvm *b)
{
    const int order = strcmp(a->hello->role, b->hello->role);
    return order ? order < 0 : a->hello->pid < b->hello->pid;
}

/* The candidate that `nth` others precede. O(JVMs^2), which are few where a command starts them. */
static const struct ixor_jvm *candidate(const struct ixor_pauser *p, size_t nth)
{
    const struct ixor_jvm *jvm, *other;
    TAILQ_FOREACH(jvm, &p->context->jvms, links)
    {
        size_t before = 0;
        if (!is_candidate(p, jvm))
            continue;
        TAILQ_FOREACH(other, &p->context->jvms, links)
        before += is_candidate(p, other) && comes_before(other, jvm);
        if (before == nth)
            return jvm;
    }
    return NULL;
}

static const struct ixor_jvm *choose(const struct ixor_pauser *p)
{
    const struct ixor_jvm *jvm;
    size_t count = 0;
    TAILQ_FOREACH(jvm, &p->context->jvms, links)
    count += is_candidate(p, jvm);
    return count ? candidate(p, (size_t)(p->next.which * (double)count)) : NULL;
}

static void due_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_pauser *p = user;
    (void)fd, (void)what;
    const struct ixor_jvm *jvm = p->child ? choose(p) : NULL;
    if (!jvm) {
        wait_for(p, LOOK_NS);
        return;
    }
    char lasts[IXOR_UNIT_TEXT];
    ixor_duration_text((int64_t)p->next.lasts_ns, lasts);
    snprintf(p->mark, sizeof p->mark, IXOR_PAUSE_MARK "%s (process %u) for %s", jvm->hello->role,
             jvm->hello->pid, lasts);
    ixor_child_pause(p->child, (pid_t)jvm->hello->pid, p->next.lasts_ns);
}

/* ---- what happens ---- */

void ixor_pauser_paused(struct ixor_pauser *p, bool stopped)
{
    if (!p)
        return;
    if (stopped)
        ixor_mark(p->context, p->execution, p->mark);
    else
        wait_for_next(p);
}

void ixor_pauser_resumed(struct ixor_pauser *p)
{
    if (p)
        wait_for_next(p);
}

struct ixor_pauser *ixor_pauser_new(struct event_base *base, struct ixor_context *context,
                                    const struct ixor_execution *execution, uint64_t seed,
                                    struct ix_error *err)
{
    struct ixor_pauser *p = calloc(1, sizeof *p);
    if (p) {
        *p = (struct ixor_pauser){.context = context, .execution = execution, .state = seed};
        p->timer = evtimer_new(base, due_cb, p);
    }
    if (!p || !p->timer) {
        free(p);
        ix_fail(err, "out of memory");
        return NULL;
    }
    ix_machine_name(p->machine);
    return p;
}

void ixor_pauser_start(struct ixor_pauser *p, struct ixor_child *child)
{
    p->child = child;
    wait_for_next(p);
}

void ixor_pauser_stop(struct ixor_pauser *p)
{
    if (!p)
        return;
    p->child = NULL;
    event_del(p->timer);
}

void ixor_pauser_free(struct ixor_pauser *p)
{
    if (!p)
        return;
    event_free(p->timer);
    free(p);
}
