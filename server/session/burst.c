/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/burst.h"

#include <stdlib.h>

#include "server/base/loop.h"
#include "server/sampling/ticker.h"
#include "server/session/mark.h"
#include "server/session/session.h"

struct ixor_burst {
    struct ixor_context *context;
    const struct ixor_execution *execution;
    struct event *timer;
    const char *why;
    void (*done)(void *user);
    void *user;
    uint64_t began_ns; /* monotonic clock: the first packet */
    unsigned sent;
    uint64_t last; /* packet */
};

static bool is_addressed(const struct ixor_burst *b, const struct ixor_session *s)
{
    return s->state == IXOR_SESSION_LIVE && s->jvm.execution->sampling && s->jvm.asked &&
           (!b->execution || s->jvm.execution == b->execution);
}

/* Whether no JVM is expected to report any of the packets. O(sessions). */
static bool has_answers(const struct ixor_burst *b)
{
    const struct ixor_roster *roster = &b->context->roster;
    for (size_t i = 0; i < roster->count; i++) {
        const struct ixor_session *s = roster->at[i];
        if (is_addressed(b, s) && s->last_taken < b->last)
            return false;
    }
    return true;
}

static int wait_for(struct ixor_burst *b, uint64_t ns)
{
    const struct timeval after = {.tv_sec = (time_t)(ns / 1000000000),
                                  .tv_usec = (suseconds_t)(ns % 1000000000 / 1000)};
    return event_add(b->timer, &after);
}

/* Sends the next packet. False: there is no JVM to send it to. */
static bool send_next(struct ixor_burst *b)
{
    struct ixor_ticker *ticker = b->context->ticker;
    if (!ixor_ticker_burst(ticker, b->execution))
        return false;
    b->last = ixor_ticker_last(ticker);
    if (b->sent++)
        return true;
    b->began_ns = ixor_mono_ns();
    if (b->why)
        ixor_mark(b->context, b->execution, b->why);
    return true;
}

static bool is_over(struct ixor_burst *b)
{
    if (b->sent < IXOR_BURST_PACKETS)
        return !send_next(b);
    return has_answers(b) || ixor_mono_ns() - b->began_ns >= IXOR_BURST_MAX_MS * UINT64_C(1000000);
}

static void timer_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_burst *b = user;
    (void)fd, (void)what;
    if (!is_over(b) && wait_for(b, IXOR_BURST_GAP_MS * UINT64_C(1000000)) == 0)
        return;
    if (b->done)
        b->done(b->user); /* which may free it */
}

struct ixor_burst *ixor_burst_new(struct ixor_context *c, const struct ixor_execution *execution,
                                  uint64_t after_ns, const char *why, void (*done)(void *user),
                                  void *user)
{
    struct ixor_burst *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (struct ixor_burst){
        .context = c, .execution = execution, .why = why, .done = done, .user = user};
    b->timer = evtimer_new(c->base, timer_cb, b);
    if (b->timer)
        event_priority_set(b->timer, IXOR_PRIORITY_TICK);
    if (b->timer && wait_for(b, after_ns) == 0)
        return b;
    ixor_burst_free(b);
    return NULL;
}

void ixor_burst_free(struct ixor_burst *b)
{
    if (!b)
        return;
    if (b->timer)
        event_free(b->timer);
    free(b);
}
