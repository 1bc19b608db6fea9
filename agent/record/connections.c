/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/connections.h"

#include <stdlib.h>

#include "agent/base/clock.h"

#define LOOK_NS 1000000 /* for asking after the stop */
#define TEXT_SIZE 256   /* numbers: a call, six arguments, two addresses */

int ixa_connections_start(struct ixa_connections *c, struct ixa_starts *starts)
{
    *c = (struct ixa_connections){0};
    c->waiters = calloc(IXA_SLEEPERS, sizeof *c->waiters);
    if (c->waiters && ixa_sleepers_start(&c->sleepers, starts) == 0)
        return 0;
    free(c->waiters);
    c->waiters = NULL;
    return -1;
}

void ixa_connections_stop(struct ixa_connections *c)
{
    if (!c->waiters)
        return;
    ixa_sleepers_stop(&c->sleepers);
    ixa_sockets_free(&c->sockets);
    free(c->waiters);
    c->waiters = NULL;
}

void ixa_connections_forget(struct ixa_connections *c)
{
    ixa_sockets_forget(&c->sockets);
}

/* ---- before the stop ---- */

/* Reads the count before the call: see schedule.h. */
static void read_call(void *connections, size_t place)
{
    char text[TEXT_SIZE];
    struct ixa_connections *c = connections;
    struct ixa_sleeper *sleeper = &c->sleepers.list[place];
    const uint64_t count = ixa_sleeper_count(sleeper);
    if (!count || !ixa_watch_call(&sleeper->watch, text, sizeof text))
        return;
    sleeper->before = count;
    c->waiters[place].in_call = ixa_call_parse(text, &c->waiters[place].call);
}

void ixa_connections_begin(struct ixa_connections *c)
{
    c->partial = false;
    ixa_sleepers_begin(&c->sleepers, read_call, c);
}

/* ---- after it ---- */

void ixa_connections_see(struct ixa_connections *c, uint64_t key, jint state, bool unchanged)
{
    if ((state & JVMTI_THREAD_STATE_RUNNABLE) && (state & JVMTI_THREAD_STATE_IN_NATIVE))
        ixa_sleepers_see(&c->sleepers, key, unchanged);
}

/* Finds out for whom it waits, if it has slept since before the stop. */
static void find_target(struct ixa_connections *c, struct ixa_sleeper *sleeper,
                        struct ixa_waiter *w)
{
    w->waits = w->in_call && ixa_call_target(&w->call, &w->target);
    const bool on_socket = w->waits && w->call.fd >= 0;
    if (on_socket)
        ixa_sockets_seen(&c->sockets, w->call.fd, sleeper->key);
    if (!ixa_sleeper_slept(sleeper) && on_socket)
        ixa_sockets_seen(&c->sockets, w->call.fd, 0); /* perhaps another one by then */
}

static void examine(struct ixa_connections *c, struct ixa_sleeper *sleeper, struct ixa_waiter *w)
{
    if (sleeper->slept)
        ixa_sleeper_sleeps_on(sleeper);
    else if (sleeper->before)
        find_target(c, sleeper, w);
}

static int write_wait(uint64_t key, const struct ixa_target *target,
                      const struct ixa_threads *threads, struct ix_log_writer *log)
{
    const uint32_t thread = ixa_threads_find(threads, key);
    if (!thread)
        return 0; /* not in the snapshot */
    return ix_log_wait(log, &(struct ix_wait){.thread = thread,
                                              .kind = target->kind,
                                              .local = target->local,
                                              .remote = target->remote});
}

static int write_waits(struct ixa_connections *c, const struct ixa_threads *threads,
                       struct ix_log_writer *log)
{
    const int64_t end = ixa_mono_ns() + LOOK_NS;
    for (size_t i = 0; i < c->sleepers.used_count; i++) {
        const size_t place = c->sleepers.used[i];
        struct ixa_sleeper *sleeper = &c->sleepers.list[place];
        struct ixa_waiter *w = &c->waiters[place];
        if (!sleeper->present)
            continue;
        if (ixa_mono_ns() > end) {
            c->partial = true;
            sleeper->present = false;
            continue;
        }
        examine(c, sleeper, w);
        if (sleeper->slept && w->waits && write_wait(sleeper->key, &w->target, threads, log) != 0)
            return -1;
    }
    ixa_sleepers_end(&c->sleepers);
    return 0;
}

static uint32_t number_of(const void *threads, uint64_t key)
{
    return ixa_threads_find(threads, key);
}

int ixa_connections_write(struct ixa_connections *c, const struct ixa_threads *threads,
                          struct ix_log_writer *log)
{
    if (c->sleepers.counts && write_waits(c, threads, log) != 0)
        return -1;
    if (ixa_sockets_look(&c->sockets, log, number_of, threads) != 0 ||
        ixa_sockets_hear(&c->sockets, log) != 0)
        return -1;
    const unsigned flags =
        (c->sleepers.hidden ? IX_CONNECTIONS_HIDDEN : 0) |
        (c->partial || c->sleepers.partial || !c->sockets.complete ? IX_CONNECTIONS_PARTIAL : 0);
    return flags ? ix_log_connection_flags(log, flags) : 0;
}
