/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/connections.h"

#include <stdlib.h>
#include <unistd.h>

#include "agent/base/clock.h"

#define DESCRIPTORS_MAX 256 /* for watches, in a process with a usual limit */
#define DESCRIPTORS_MIN 32  /* a process that may have fewer for them needs its own */
#define MOVING_MAX 16       /* threads asked before the stop; 3 us each */
#define MOVING_NS 60000     /* ... and the time for that */
#define LOOK_NS 1000000     /* for asking after the stop */
#define OPENED_MAX 8        /* watches opened for each packet; 20 us each */
#define ABSENT_MAX 16 /* packets after which a thread that has left native code is forgotten */
#define COUNTS_BY 4   /* the packet by which the kernel must have counted */
#define PROBES 8      /* of the table */
#define TEXT_SIZE 256 /* numbers: a call, six arguments, two addresses */

int ixa_connections_start(struct ixa_connections *c, struct ixa_starts *starts)
{
    *c = (struct ixa_connections){.starts = starts, .self = IXA_WATCH_NONE};
    c->waiters = calloc(IXA_WAITERS, sizeof *c->waiters);
    if (!c->waiters)
        return -1;
    for (size_t i = 0; i < IXA_WAITERS; i++)
        c->waiters[i].watch = IXA_WATCH_NONE;
    ixa_schedule_init(&c->schedule);
    c->schedule.most /= 2;
    if (c->schedule.most < DESCRIPTORS_MIN)
        ixa_schedule_free(&c->schedule);
    if (c->schedule.most > DESCRIPTORS_MAX)
        c->schedule.most = DESCRIPTORS_MAX;
    if (ixa_watch_open(&c->schedule, &c->self, gettid()))
        c->self_count = ixa_watch_count(&c->self);
    return 0;
}

static void forget(struct ixa_connections *c, struct ixa_waiter *w)
{
    ixa_watch_close(&c->schedule, &w->watch);
    *w = (struct ixa_waiter){.watch = IXA_WATCH_NONE};
}

void ixa_connections_stop(struct ixa_connections *c)
{
    if (!c->waiters)
        return;
    for (size_t i = 0; i < IXA_WAITERS; i++)
        forget(c, &c->waiters[i]);
    c->used_count = 0;
    ixa_watch_close(&c->schedule, &c->self);
    ixa_schedule_free(&c->schedule);
    ixa_sockets_free(&c->sockets);
    free(c->waiters);
    c->waiters = NULL;
}

void ixa_connections_forget(struct ixa_connections *c)
{
    ixa_sockets_forget(&c->sockets);
}

/* ---- before the stop ---- */

/* Finds out whether the kernel counts: this thread has slept since it began, so its own count must
 * have grown, if not by the first packet. A kernel that does so once does so always. */
static void check_kernel(struct ixa_connections *c)
{
    c->counts = c->counts || (c->self_count && ixa_watch_count(&c->self) > c->self_count);
    c->hidden = !c->counts && (!c->self_count || c->packet >= COUNTS_BY);
    c->partial = !c->counts && !c->hidden;
}

/* Reads the count before the call: see schedule.h. */
static void read_call(struct ixa_waiter *w)
{
    char text[TEXT_SIZE];
    const uint64_t count = ixa_watch_count(&w->watch);
    if (!count || !ixa_watch_call(&w->watch, text, sizeof text))
        return;
    w->before = count;
    w->in_call = ixa_call_parse(text, &w->call);
}

static void read_moving(struct ixa_connections *c)
{
    const int64_t end = ixa_mono_ns() + MOVING_NS;
    int asked = 0;
    for (size_t n = 0; n < c->used_count; n++) {
        struct ixa_waiter *w = &c->waiters[c->used[c->turn % c->used_count]];
        if (!w->slept && (asked++ == MOVING_MAX || ixa_mono_ns() > end)) {
            c->partial = true;
            break;
        }
        if (!w->slept)
            read_call(w);
        c->turn++;
    }
}

void ixa_connections_begin(struct ixa_connections *c)
{
    c->opened = 0;
    c->packet++;
    check_kernel(c);
    for (size_t i = 0; i < c->used_count; i++) {
        struct ixa_waiter *w = &c->waiters[c->used[i]];
        w->present = w->unchanged = false;
        w->before = 0;
    }
    if (c->counts)
        read_moving(c);
}

/* ---- after it ---- */

static bool in_native(jint state)
{
    return (state & JVMTI_THREAD_STATE_RUNNABLE) && (state & JVMTI_THREAD_STATE_IN_NATIVE);
}

/* The thread's place, or a free one; NULL: there is none. */
static struct ixa_waiter *place_of(struct ixa_connections *c, uint64_t key)
{
    struct ixa_waiter *free_one = NULL;
    for (size_t i = 0; i < PROBES; i++) {
        struct ixa_waiter *w = &c->waiters[(key + i) % IXA_WAITERS];
        if (w->key == key)
            return w;
        if (!w->key && !free_one)
            free_one = w;
    }
    return free_one;
}

static bool begin_watching(struct ixa_connections *c, struct ixa_waiter *w, uint64_t key)
{
    struct ixa_start start;
    if (c->opened >= OPENED_MAX || !ixa_starts_find(c->starts, key, &start) || start.ended ||
        !start.os_id)
        return false;
    c->opened++;
    if (!ixa_watch_open(&c->schedule, &w->watch, (pid_t)start.os_id))
        return false;
    w->key = key;
    c->used[c->used_count++] = (uint16_t)(w - c->waiters);
    return true;
}

void ixa_connections_see(struct ixa_connections *c, uint64_t key, jint state, bool unchanged)
{
    if (!c->counts || !in_native(state))
        return;
    struct ixa_waiter *w = place_of(c, key);
    if (w && (w->key || begin_watching(c, w, key))) {
        w->present = true;
        w->unchanged = unchanged && w->packet == c->packet - 1;
        w->packet = c->packet;
    } else {
        c->partial = true;
    }
}

/* Finds out for whom it waits, if it has slept since before the stop. */
static void find_target(struct ixa_connections *c, struct ixa_waiter *w)
{
    const bool waits = w->in_call && ixa_call_target(&w->call, &w->target);
    if (waits && w->call.fd >= 0)
        ixa_sockets_seen(&c->sockets, w->call.fd, w->key);
    if (ixa_watch_count(&w->watch) != w->before) {
        if (waits && w->call.fd >= 0)
            ixa_sockets_seen(&c->sockets, w->call.fd, 0); /* perhaps another one by then */
        return;
    }
    w->waits = waits;
    w->slept = w->before;
}

static void look(struct ixa_connections *c, struct ixa_waiter *w)
{
    if (w->slept && !w->unchanged && ixa_watch_count(&w->watch) != w->slept)
        w->slept = 0;
    else if (!w->slept && w->before)
        find_target(c, w);
}

static int write_wait(const struct ixa_waiter *w, const struct ixa_threads *threads,
                      struct ix_log_writer *log)
{
    const uint32_t thread = ixa_threads_find(threads, w->key);
    if (!thread)
        return 0; /* not in the snapshot */
    return ix_log_wait(log, &(struct ix_wait){.thread = thread,
                                              .kind = w->target.kind,
                                              .local = w->target.local,
                                              .remote = w->target.remote});
}

/* Forgets the threads that have left native code, or have ended. */
static void forget_absent(struct ixa_connections *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->used_count; i++) {
        struct ixa_waiter *w = &c->waiters[c->used[i]];
        if (!w->present)
            w->slept = 0;
        if (c->packet - w->packet > ABSENT_MAX)
            forget(c, w);
        else
            c->used[kept++] = c->used[i];
    }
    c->used_count = kept;
}

static int write_waits(struct ixa_connections *c, const struct ixa_threads *threads,
                       struct ix_log_writer *log)
{
    const int64_t end = ixa_mono_ns() + LOOK_NS;
    for (size_t i = 0; i < c->used_count; i++) {
        struct ixa_waiter *w = &c->waiters[c->used[i]];
        if (!w->present)
            continue;
        if (ixa_mono_ns() > end) {
            c->partial = true;
            w->present = false;
            continue;
        }
        look(c, w);
        if (w->slept && w->waits && write_wait(w, threads, log) != 0)
            return -1;
    }
    forget_absent(c);
    return 0;
}

static uint32_t number_of(const void *threads, uint64_t key)
{
    return ixa_threads_find(threads, key);
}

int ixa_connections_write(struct ixa_connections *c, const struct ixa_threads *threads,
                          struct ix_log_writer *log)
{
    if (c->counts && write_waits(c, threads, log) != 0)
        return -1;
    if (ixa_sockets_look(&c->sockets, log, number_of, threads) != 0)
        return -1;
    const unsigned flags = (c->hidden ? IX_CONNECTIONS_HIDDEN : 0) |
                           (c->partial || c->sockets.partial ? IX_CONNECTIONS_PARTIAL : 0);
    return flags ? ix_log_connection_flags(log, flags) : 0;
}
