/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "server/sampling/instant.h"
#include "server/sampling/numbers.h"
#include "server/sampling/prober.h"
#include "server/sampling/ticker.h"
#include "server/session/agent.h"
#include "server/session/listener.h"
#include "server/session/messages.h"
#include "server/session/strangers.h"
#include "server/session/upload.h"

/* How often each session is checked for silence. Many sessions are checked in steps, so that
 * thousands of keepalives do not hold up a packet; with few a server wakes up rarely. */
#define CHECKS_PER_KEEPALIVE 8
#define CHECK_STEPS 16
#define STEPS_SESSIONS 64
/* From this many sessions on keepalives are sent less often. */
#define KEEPALIVE_SESSIONS 1000
struct ixor_service {
    struct ixor_context shared;
    struct ixor_listener *listener;
    struct event *checks;
    struct ixor_strangers strangers;
    size_t check_at; /* in the roster */
};

struct ixor_context *ixor_service_context(struct ixor_service *s)
{
    return &s->shared;
}

const struct ixor_address *ixor_service_address(const struct ixor_service *s)
{
    return ixor_listener_address(s->listener);
}

/* ---- connections ---- */

static bool came(void *user, evutil_socket_t fd, const struct sockaddr *peer, socklen_t len)
{
    struct ixor_service *s = user;
    struct ixor_session *session = ixor_session_new(&s->shared, fd, peer, len);
    if (session)
        ixor_strangers_add(&s->strangers, session);
    return session != NULL;
}

static void listener_shut(void *user, const char *why)
{
    struct ixor_service *s = user;
    char text[320];
    snprintf(text, sizeof text, "cannot accept connections for the moment, with %zu JVMs there: %s",
             s->shared.by_jvm.count, why);
    ixor_warn(&s->shared.warnings, NULL, text);
}

static bool make_room(void *user)
{
    struct ixor_service *s = user;
    struct ixor_session *one = ixor_strangers_spare(&s->strangers, ixor_mono_ns());
    if (one)
        ixor_session_reject(one, "did not continue the TLS handshake while others were waiting");
    return one != NULL;
}

static void session_known(void *user, struct ixor_session *session)
{
    struct ixor_service *s = user;
    ixor_strangers_remove(&s->strangers, session);
    ixor_listener_stranger_left(s->listener);
}

static bool session_message(void *user, struct ixor_session *session,
                            const struct ix_message_frame *frame)
{
    (void)user;
    return ixor_message(session, frame);
}

static void session_ended(void *user, struct ixor_session *session, const char *ended,
                          const char *text)
{
    (void)user;
    ixor_upload_end(session->upload);
    ixor_agent_leave(session, ended, text);
}

/* ---- deadlines ---- */

/* With thousands of sessions a third of the silence timeout is enough. */
static unsigned keepalive(const struct ixor_service *s)
{
    const unsigned least = s->shared.options.keepalive_ms, most = s->shared.options.silence_ms / 3;
    return s->shared.by_jvm.count < KEEPALIVE_SESSIONS || most < least ? least : most;
}

static unsigned check_steps(const struct ixor_service *s)
{
    return s->shared.roster.count < STEPS_SESSIONS ? 1 : CHECK_STEPS;
}

static int schedule_check(struct ixor_service *s)
{
    const unsigned us =
        s->shared.options.keepalive_ms * 1000 / CHECKS_PER_KEEPALIVE / check_steps(s) + 1;
    const struct timeval after = {.tv_sec = us / 1000000, .tv_usec = us % 1000000};
    return event_add(s->checks, &after);
}

static void check(struct ixor_service *s, struct ixor_session *session, uint64_t now,
                  unsigned keepalive_ms)
{
    const unsigned silence_ms = s->shared.options.silence_ms;
    ixor_agent_check(session, now, silence_ms);
    if (session->search.due && ixor_uploads_search(s->shared.uploads, session, now, NULL) != 0)
        session->search.due = false; /* the catalogue cannot be read */
    ixor_session_check(session, now, keepalive_ms, silence_ms);
}

static void checks_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_service *s = user;
    (void)fd, (void)what;
    ixor_listener_check(s->listener);
    const uint64_t now = ixor_mono_ns();
    struct ixor_roster *roster = &s->shared.roster;
    ixor_instant_check(s->shared.instant, now, s->shared.report_ns);
    if (s->check_at == 0 || s->check_at > roster->count)
        s->check_at = roster->count;
    size_t step = roster->count / check_steps(s) + 1;
    const unsigned keepalive_ms = keepalive(s);
    /* From the end, because a session that ends is replaced by the last one. */
    while (step-- && s->check_at)
        check(s, roster->at[--s->check_at], now, keepalive_ms);
    schedule_check(s); /* cannot fail: it was added before */
}

static int start_tls(struct ixor_service *s, struct ix_error *err)
{
    static const enum ix_key_kind kinds[] = {IX_KEY_AGENT, IX_KEY_CONTROL};
    s->shared.tls = ix_tls_new(IX_TLS_SERVER, err);
    if (s->shared.tls && s->shared.options.files &&
        ix_tls_certify(s->shared.tls, s->shared.options.files, NULL, err) != 0)
        return -1;
    for (size_t i = 0; s->shared.tls && i < sizeof kinds / sizeof *kinds; i++) {
        struct ix_key key;
        if (ix_key_derive(&s->shared.options.key, kinds[i], &key, err) != 0)
            return -1;
        ix_tls_set_key(s->shared.tls, kinds[i], &key);
    }
    return s->shared.tls ? 0 : -1;
}

static int start_listening(struct ixor_service *s, struct ix_error *err)
{
    const struct ixor_listener_events events = {came, make_room, listener_shut, s};
    s->listener = ixor_listener_new(s->shared.base, &s->shared.options.listen, &events, err);
    return s->listener ? 0 : -1;
}

/* With the seed the packets' times can be reproduced long after this terminal is closed. */
static void note_rhythm(struct ixor_service *s, uint64_t last)
{
    char words[IXOR_RHYTHM_TEXT];
    const struct ix_mark mark = {.packet = (int64_t)last, .at_ns = ixor_wall_ns(), .text = words};
    if (ixor_rhythm_words(&s->shared.options.rhythm, words))
        ixor_writer_mark(s->shared.writer, &mark);
}

static int start_ticking(struct ixor_service *s, struct ix_error *err)
{
    struct ixor_numbers numbers;
    if (ixor_numbers_begin(ixor_writer_catalogue(s->shared.writer), &s->shared.options.rhythm,
                           s->shared.options.after_crash, ixor_wall_ns(), &numbers, err) != 0)
        return -1;
    if (numbers.warning[0])
        ixor_warn(&s->shared.warnings, NULL, numbers.warning);
    s->shared.ceiling = numbers.ceiling;
    struct ixor_ticker_options options = {
        .rhythm = s->shared.options.rhythm,
        .instant = s->shared.instant,
        .last = numbers.last,
        .listen = s->shared.options.listen,
    };
    note_rhythm(s, options.last);
    s->shared.ticker = ixor_ticker_new(s->shared.base, &options, &s->shared.jvms,
                                       &s->shared.executions, s->shared.writer, err);
    return s->shared.ticker ? 0 : -1;
}

static int start_clocks(struct ixor_service *s, struct ix_error *err)
{
    const struct ixor_rhythm_options *r = &s->shared.options.rhythm;
    s->shared.instant = ixor_instant_new(s->shared.writer, s->shared.options.lead_ns,
                                         r->burst > 1 ? r->burst_ns : r->every_ns - r->jitter_ns);
    if (!s->shared.instant)
        return ix_fail(err, "out of memory");
    s->shared.prober =
        ixor_prober_new(s->shared.base, &s->shared.options.listen, s->shared.writer, err);
    return s->shared.prober ? 0 : -1;
}

static int start_checks(struct ixor_service *s, struct ix_error *err)
{
    s->checks = event_new(s->shared.base, -1, 0, checks_cb, s);
    if (!s->checks || schedule_check(s) != 0)
        return ix_fail(err, "out of memory");
    return 0;
}

static void init_shared(struct ixor_service *s, struct event_base *base, struct ixor_writer *writer,
                        const struct ixor_service_options *options,
                        const struct ixor_service_events *events)
{
    s->shared = (struct ixor_context){
        .base = base,
        .writer = writer,
        .options = *options,
        .events = *events,
        .warnings = {events->warned, events->user, .counted_ns = ixor_mono_ns()},
        .on = {session_known, session_message, session_ended, s},
    };
    if (!options->keepalive_ms)
        s->shared.options.keepalive_ms = IX_KEEPALIVE_MS;
    if (!options->silence_ms)
        s->shared.options.silence_ms = IX_SILENCE_MS;
    TAILQ_INIT(&s->shared.jvms);
    ixor_strangers_init(&s->strangers);
}

struct ixor_service *ixor_service_new(struct event_base *base, struct ixor_writer *writer,
                                      const struct ixor_service_options *options,
                                      const struct ixor_service_events *events,
                                      struct ix_error *err)
{
    struct ixor_service *s = calloc(1, sizeof *s);
    if (!s) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    init_shared(s, base, writer, options, events);
    if (getrandom(&s->shared.hash_seed, sizeof s->shared.hash_seed, 0) !=
        (ssize_t)sizeof s->shared.hash_seed) {
        ix_fail(err, "no random numbers: %s", strerror(errno));
        free(s);
        return NULL;
    }
    s->shared.uploads = ixor_uploads_new(base, writer, &options->upload, err);
    if (!s->shared.uploads || start_tls(s, err) != 0 || start_listening(s, err) != 0 ||
        start_clocks(s, err) != 0 || start_ticking(s, err) != 0 || start_checks(s, err) != 0) {
        ixor_service_free(s);
        return NULL;
    }
    return s;
}

void ixor_service_free(struct ixor_service *s)
{
    if (!s)
        return;
    while (s->shared.roster.count)
        ixor_session_end(s->shared.roster.at[s->shared.roster.count - 1], "server-stopped", NULL);
    free(s->shared.roster.at);
    ixor_executions_free(&s->shared);
    ixor_listener_free(s->listener);
    if (s->checks)
        event_free(s->checks);
    ixor_index_free(&s->shared.by_jvm);
    ixor_ticker_free(s->shared.ticker);
    ix_tls_free(s->shared.tls);
    ixor_prober_free(s->shared.prober);
    ixor_instant_free(s->shared.instant);
    ixor_uploads_free(s->shared.uploads);
    free(s);
}
