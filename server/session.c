#include "server/session.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent_ssl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/control.h"
#include "server/control.h"
#include "server/instant.h"
#include "server/service.h"

static int enroll(struct ixor_roster *r, struct ixor_session *s)
{
    if (r->count == r->room) {
        size_t more = r->room ? r->room * 2 : 64;
        struct ixor_session **bigger = reallocarray(r->at, more, sizeof *bigger);
        if (!bigger)
            return -1;
        r->at = bigger;
        r->room = more;
    }
    s->place = r->count;
    r->at[r->count++] = s;
    return 0;
}

static void leave(struct ixor_roster *r, struct ixor_session *s)
{
    r->at[s->place] = r->at[--r->count];
    r->at[s->place]->place = s->place;
}

/* A string of a block that is being filled. */
static const char *put(char **at, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

struct ixor_hello *ixor_hello_copy(const struct ix_hello *h)
{
    struct ixor_hello *copy =
        malloc(sizeof *copy + strlen(h->execution) + strlen(h->role) + strlen(h->host) +
               strlen(h->jvm) + strlen(h->log) + strlen(h->machine) + 6);
    if (!copy)
        return NULL;
    char *at = (char *)(copy + 1);
    *copy = (struct ixor_hello){
        .udp_port = h->udp_port,
        .pid = h->pid,
        .started_ns = h->started_ns,
        .mono_ns = h->mono_ns,
        .last_packet = h->last_packet,
    };
    copy->execution = put(&at, h->execution);
    copy->role = put(&at, h->role);
    copy->host = put(&at, h->host);
    copy->jvm = put(&at, h->jvm);
    copy->log = put(&at, h->log);
    copy->machine = put(&at, h->machine);
    return copy;
}

/* From when on a VM is silent, and what else is known of it (NULL: nothing). */
static const char *silence(const struct ixor_session *s, const char *more, char *text, size_t size)
{
    if (!more)
        more = "";
    if (s->last_taken)
        snprintf(text, size, "since packet %llu%s%s", (unsigned long long)s->last_taken,
                 more[0] ? ": " : "", more);
    else
        snprintf(text, size, "it took no packet%s%s", more[0] ? "; " : "", more);
    return text;
}

/* From STRANGE or NEW to another state. */
static void enter(struct ixor_session *s, enum ixor_session_state state)
{
    s->state = state;
    if (!s->known)
        ixor_service_known(s->service);
    s->known = true;
}

void ixor_session_end(struct ixor_session *s, const char *ended, const char *text)
{
    char since[160];
    enter(s, s->state);
    leave(ixor_service_roster(s->service), s);
    ixor_prober_leave(ixor_service_prober(s->service), s);
    ixor_upload_end(s->upload);
    if (s->state == IXOR_SESSION_LIVE) {
        s->execution->sessions--;
        ixor_index_remove(ixor_service_by_vm(s->service), &s->by_vm);
        if (s->quiet && strcmp(ended, "server-stopped") == 0)
            ended = "silent"; /* this says more */
        if (strcmp(ended, "silent") == 0)
            text = silence(s, text, since, sizeof since);
        ixor_ledger_end_vm(ixor_service_ledger(s->service), s->vm, ended, ixor_wall_ns(), text);
        struct ixor_departure d = {
            .execution = s->execution,
            .hello = s->hello,
            .ended = ended,
            .text = text,
            .after_ns = ixor_mono_ns() - s->began_ns,
            .taken = s->taken,
        };
        ixor_service_departed(s->service, &d);
    }
    bufferevent_free(s->bev);
    ix_sealer_free(s->sealer);
    free(s->hello);
    free(s);
}

/* Bytes that the peer has yet to read. */
static size_t unread(struct ixor_session *s)
{
    return evbuffer_get_length(bufferevent_get_output(s->bev));
}

/* The encoder ran out of memory or the peer does not read: nothing can be said to it any more. */
bool ixor_session_say(struct ixor_session *s, struct ix_out *out)
{
    bool good = !out->failed && bufferevent_write(s->bev, out->data, out->len) == 0;
    ix_out_free(out);
    s->said_ns = ixor_mono_ns();
    return good;
}

/* Tells a peer that never got in why, and gives it a moment to read that. */
static void refuse(struct ixor_session *s, const char *reason)
{
    ixor_service_warn(s->service, &s->peer, reason);
    struct ix_refuse refusal = {""};
    ixor_safe_text(reason, refusal.reason, sizeof refusal.reason);
    struct ix_out out = {0};
    ix_encode_refuse(&out, &refusal);
    enter(s, IXOR_SESSION_CLOSING);
    if (!ixor_session_say(s, &out))
        ixor_session_end(s, NULL, NULL);
}

/* Somebody who has not shown a key; nothing that is said to him would be understood. */
static void turn_away(struct ixor_session *s, const char *what)
{
    ixor_service_warn(s->service, &s->peer, what);
    ixor_session_end(s, NULL, NULL);
}

/* A peer that broke the rules. */
static void drop(struct ixor_session *s, const char *what)
{
    if (s->state == IXOR_SESSION_NEW) {
        refuse(s, what);
        return;
    }
    ixor_service_warn(s->service, &s->peer, what);
    ixor_session_end(s, "vanished", what);
}

/* The handlers return false when the session has ended or takes no more input. */

static bool on_hello(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    struct ix_hello hello;
    struct ix_welcome welcome = {0};
    if (ix_decode_hello(frame->payload, frame->payload_size, &hello, &err) != 0) {
        refuse(s, err.text);
        return false;
    }
    s->hello = ixor_hello_copy(&hello);
    if (!s->hello) {
        refuse(s, "the server is out of memory");
        return false;
    }
    if (ixor_service_admit(s->service, s, &welcome, &err) != 0) {
        refuse(s, err.text);
        return false;
    }
    struct ix_out out = {0};
    ix_encode_welcome(&out, &welcome);
    enter(s, IXOR_SESSION_LIVE);
    s->taken_ns = ixor_mono_ns();
    if (!ixor_session_say(s, &out)) {
        ixor_session_end(s, "vanished", "the server is out of memory");
        return false;
    }
    return true;
}

/* A peer that gives commands and does not read the replies is not waited for. */
static bool on_control(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    struct ix_control command;
    if (s->proven != IX_KEY_CONTROL) {
        drop(s, "gave a command without the key for that");
        return false;
    }
    if (ix_decode_control(frame->payload, frame->payload_size, &command, &err) != 0) {
        drop(s, err.text);
        return false;
    }
    enter(s, IXOR_SESSION_CONTROL);
    struct ix_out out = {0};
    ixor_control_answer(s->service, &command, &out);
    if (!ixor_session_say(s, &out) || unread(s) > IXOR_OUTPUT_MAX) {
        ixor_session_end(s, NULL, NULL);
        return false;
    }
    return true;
}

/* It takes packets. */
static void heard_of(struct ixor_session *s, uint64_t packet)
{
    s->last_taken = packet;
    s->taken_ns = ixor_mono_ns();
    s->unanswered = 0;
    if (s->quiet)
        ixor_ledger_mark_vm(ixor_service_ledger(s->service), s->vm, "running", NULL);
    s->quiet = false;
}

/* Decoded numbers are at most 2^63 - 1 (protocol.md), which SQLite's integers hold. */
static bool on_report(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    struct ix_report report;
    if (ix_decode_report(frame->payload, frame->payload_size, &report, &err) != 0) {
        drop(s, err.text);
        return false;
    }
    if (s->taken + report.count > s->asked + IXOR_BACKLOG_MAX) {
        drop(s, "reported more packets than it was sent");
        return false;
    }
    uint64_t last = ixor_service_last_packet(s->service);
    for (size_t i = 0; i < report.count; i++) {
        const struct ix_taken *t = &report.taken[i];
        if (t->packet == 0 || t->packet > last) {
            drop(s, "reported a packet that was never sent");
            return false;
        }
        struct ix_snapshot_row row = {
            .packet = (int64_t)t->packet,
            .begin_ns = (int64_t)t->real_ns,
            .begin_mono_ns = (int64_t)t->mono_ns,
            .stop_ns = (int64_t)t->stop_ns,
            .threads = (int64_t)t->threads,
            .frames = (int64_t)t->frames,
            .missed = (int64_t)t->missed,
        };
        ixor_ledger_snapshot(ixor_service_ledger(s->service), s->vm, &row);
        ixor_service_took(s->service, t->packet);
    }
    ixor_instant_taken(ixor_service_instant(s->service), s, report.taken, report.count);
    if (report.count)
        heard_of(s, report.taken[report.count - 1].packet);
    s->taken += report.count;
    s->execution->taken += report.count;
    ixor_ledger_dropped(s->vm, (int64_t)report.stale, (int64_t)report.superseded,
                        (int64_t)report.foreign);
    return true;
}

static void on_goodbye(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    struct ix_goodbye bye;
    if (ix_decode_goodbye(frame->payload, frame->payload_size, &bye, &err) != 0) {
        drop(s, err.text);
        return;
    }
    char text[IX_REASON_MAX + 1];
    ixor_safe_text(bye.text, text, sizeof text);
    ixor_session_end(s, bye.reason == IX_BYE_LOG ? "log-failed" : "orderly", text);
}

/* About a log; anything else that nobody sends is refused there. */
static bool on_log(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    const enum ixor_session_state before = s->state;
    if (before == IXOR_SESSION_NEW)
        enter(s, IXOR_SESSION_COURIER);
    if (ixor_upload_message(ixor_service_uploads(s->service), s, frame, &err) == 0)
        return true;
    s->state = before;
    drop(s, err.text);
    return false;
}

static bool on_message(struct ixor_session *s, const struct ix_message_frame *frame)
{
    if (++s->messages > IXOR_MESSAGES_MAX) {
        drop(s, "sends messages faster than any agent does");
        return false;
    }
    if (s->state == IXOR_SESSION_NEW) {
        if (frame->type == IX_HELLO && s->proven == IX_KEY_AGENT)
            return on_hello(s, frame);
        if (frame->type == IX_CONTROL)
            return on_control(s, frame);
        if (frame->type == IX_LOG_OFFER && s->proven == IX_KEY_AGENT)
            return on_log(s, frame);
        refuse(s, frame->type == IX_HELLO ? "HELLO with another key than an agent's"
                                          : "the first message is not HELLO");
        return false;
    }
    if (frame->type == IX_KEEPALIVE)
        return true;
    if (s->state == IXOR_SESSION_CONTROL) {
        if (frame->type == IX_CONTROL)
            return on_control(s, frame);
        drop(s, "sent something else than a command");
        return false;
    }
    if (s->state == IXOR_SESSION_COURIER && frame->type != IX_KEEPALIVE)
        return on_log(s, frame);
    switch (frame->type) {
    case IX_REPORT:
        return on_report(s, frame);
    case IX_GOODBYE:
        on_goodbye(s, frame);
        return false;
    default:
        return on_log(s, frame);
    }
}

/* With certificates: the client's proof of the key, which is answered. 0: it has not come yet. */
static int exchange_proofs(struct ixor_session *s, SSL *ssl)
{
    uint8_t proof[IX_PROOF_SIZE];
    struct evbuffer *in = bufferevent_get_input(s->bev);
    if (evbuffer_get_length(in) < sizeof proof)
        return 0;
    evbuffer_remove(in, proof, sizeof proof);
    return ix_tls_check_proof(ssl, proof) && ix_tls_proof(ssl, proof) == 0 &&
                   bufferevent_write(s->bev, proof, sizeof proof) == 0
               ? 1
               : -1;
}

/* The handshake is over. True as soon as the peer is known; a session that proves nothing has ended.
 * (libevent may tell of the first bytes before it tells of the handshake.) */
static bool become_known(struct ixor_session *s)
{
    SSL *ssl = bufferevent_openssl_get_ssl(s->bev);
    if (s->state != IXOR_SESSION_STRANGE)
        return true;
    const int exchanged = ix_tls_wants_proof(ssl) ? exchange_proofs(s, ssl) : 1;
    if (exchanged == 0)
        return false;
    s->proven = exchanged > 0 ? ix_tls_proven(ssl) : IX_KEY_NONE;
    if (s->proven == IX_KEY_NONE) {
        turn_away(s, "has not this campaign's key");
        return false;
    }
    s->state = IXOR_SESSION_NEW;
    return true;
}

static void read_cb(struct bufferevent *bev, void *user)
{
    struct ixor_session *s = user;
    struct evbuffer *in = bufferevent_get_input(bev);
    if (!become_known(s))
        return;
    s->heard_ns = ixor_mono_ns();
    while (s->state != IXOR_SESSION_CLOSING) {
        size_t size = evbuffer_get_length(in);
        if (size == 0)
            return;
        if (size > IX_MESSAGE_PREFIX + IX_MESSAGE_MAX)
            size = IX_MESSAGE_PREFIX + IX_MESSAGE_MAX;
        const uint8_t *data = evbuffer_pullup(in, (ev_ssize_t)size);
        struct ix_message_frame frame;
        struct ix_error err;
        int found = data ? ix_next_message(data, size, &frame, &err)
                         : ix_fail(&err, "the server is out of memory");
        if (found == 0)
            return;
        if (found < 0) {
            drop(s, err.text);
            return;
        }
        if (!on_message(s, &frame))
            return;
        evbuffer_drain(in, frame.size);
    }
    evbuffer_drain(in, evbuffer_get_length(in));
}

/* All that was to be said to a refused peer has gone out. */
static void written_cb(struct bufferevent *bev, void *user)
{
    struct ixor_session *s = user;
    if (s->state == IXOR_SESSION_CLOSING) {
        SSL_shutdown(bufferevent_openssl_get_ssl(bev));
        shutdown(bufferevent_getfd(bev), SHUT_WR);
    }
}

static void event_cb(struct bufferevent *bev, short what, void *user)
{
    struct ixor_session *s = user;
    const char *text = NULL;
    if ((what & BEV_EVENT_CONNECTED) && !become_known(s))
        return;
    if (!(what & (BEV_EVENT_ERROR | BEV_EVENT_EOF)))
        return;
    const unsigned long error = bufferevent_get_openssl_error(bev);
    if (what & BEV_EVENT_ERROR)
        text = error ? ix_tls_error_text(error)
                     : evutil_socket_error_to_string(EVUTIL_SOCKET_ERROR());
    if (s->state == IXOR_SESSION_STRANGE && error)
        turn_away(s, text);
    else
        ixor_session_end(s, "vanished", text);
}

struct ixor_session *ixor_session_new(struct ixor_service *service, struct event_base *base,
                                      evutil_socket_t fd, const struct sockaddr *peer,
                                      socklen_t peer_len)
{
    struct ixor_session *s = calloc(1, sizeof *s);
    if (!s || peer_len > sizeof s->peer.sa || enroll(ixor_service_roster(service), s) != 0) {
        free(s);
        evutil_closesocket(fd);
        return NULL;
    }
    s->service = service;
    s->peer.len = peer_len;
    memcpy(&s->peer.sa, peer, peer_len);
    s->began_ns = s->heard_ns = s->said_ns = ixor_mono_ns();
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL *ssl = ix_tls_begin(ixor_service_tls(service));
    s->bev = ssl ? bufferevent_openssl_socket_new(base, fd, ssl, BUFFEREVENT_SSL_ACCEPTING,
                                                  BEV_OPT_CLOSE_ON_FREE)
                 : NULL;
    if (!s->bev) {
        SSL_free(ssl);
        leave(ixor_service_roster(service), s);
        free(s);
        evutil_closesocket(fd);
        return NULL;
    }
    bufferevent_setwatermark(s->bev, EV_READ, 0, IX_MESSAGE_PREFIX + IX_MESSAGE_MAX);
    bufferevent_setcb(s->bev, read_cb, written_cb, event_cb, s);
    if (bufferevent_enable(s->bev, EV_READ | EV_WRITE) != 0) {
        s->known = true; /* it was never counted */
        ixor_session_end(s, NULL, NULL);
        return NULL;
    }
    return s;
}

/* It is heard, and takes no packets: its threads cannot be stopped, or the requests get lost. */
static void fall_quiet(struct ixor_session *s)
{
    char text[96];
    s->quiet = true;
    ixor_ledger_mark_vm(ixor_service_ledger(s->service), s->vm, "silent",
                        silence(s, NULL, text, sizeof text));
}

void ixor_session_check(struct ixor_session *s, uint64_t now_ns, unsigned keepalive_ms,
                        unsigned silence_ms)
{
    const uint64_t ms = 1000000;
    s->messages = 0;
    if (s->state == IXOR_SESSION_CLOSING) {
        if (now_ns - s->said_ns > IXOR_LINGER_MS * ms)
            ixor_session_end(s, NULL, NULL);
        return;
    }
    if (s->state == IXOR_SESSION_STRANGE || s->state == IXOR_SESSION_NEW) {
        if (now_ns - s->began_ns <= IXOR_HELLO_MS * ms)
            return;
        if (s->state == IXOR_SESSION_NEW)
            refuse(s, "said no HELLO");
        else
            turn_away(s, "did not finish TLS's handshake");
        return;
    }
    if (s->state == IXOR_SESSION_LIVE && !s->quiet && s->unanswered >= IXOR_QUIET_REQUESTS &&
        now_ns - s->taken_ns > silence_ms * ms + ixor_service_report_ns(s->service))
        fall_quiet(s);
    if (s->search.due &&
        ixor_uploads_search(ixor_service_uploads(s->service), s, now_ns, NULL) != 0)
        s->search.due = false; /* the ledger has failed, and says so */
    if (now_ns - s->heard_ns > silence_ms * ms) {
        ixor_session_end(s, "silent", NULL);
        return;
    }
    if (s->state == IXOR_SESSION_CONTROL)
        return;
    if (unread(s) > IXOR_OUTPUT_MAX) {
        ixor_session_end(s, "silent", "does not read what it is sent");
        return;
    }
    if (now_ns - s->said_ns >= keepalive_ms * ms) {
        struct ix_out out = {0};
        ix_encode_keepalive(&out);
        if (!ixor_session_say(s, &out))
            ixor_session_end(s, "silent", "the server is out of memory");
    }
}
