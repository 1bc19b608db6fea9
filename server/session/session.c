/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/session.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent_ssl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/reserve.h"

#define MS UINT64_C(1000000)

static int add_to(struct ixor_roster *r, struct ixor_session *s)
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

static void remove_from(struct ixor_roster *r, struct ixor_session *s)
{
    r->at[s->place] = r->at[--r->count];
    r->at[s->place]->place = s->place;
}

void ixor_session_enter(struct ixor_session *s, enum ixor_session_state state)
{
    s->state = state;
    if (!s->known)
        s->context->on.known(s->context->on.user, s);
    s->known = true;
}

void ixor_session_end(struct ixor_session *s, const char *ended, const char *text)
{
    struct ixor_context *c = s->context;
    ixor_session_enter(s, s->state);
    remove_from(&c->roster, s);
    c->on.ended(c->on.user, s, ended, text);
    bufferevent_free(s->bev);
    ix_sealer_free(s->jvm.sealer);
    free(s->jvm.hello);
    free(s);
}

size_t ixor_session_unread(struct ixor_session *s)
{
    return evbuffer_get_length(bufferevent_get_output(s->bev));
}

bool ixor_session_send(struct ixor_session *s, struct ix_out *out)
{
    const bool good = !out->failed && bufferevent_write(s->bev, out->data, out->len) == 0;
    ix_out_free(out);
    s->said_ns = ixor_mono_ns();
    return good;
}

void ixor_session_refuse(struct ixor_session *s, const char *reason)
{
    ixor_warn(&s->context->warnings, &s->peer, reason);
    struct ix_refuse refusal = {""};
    ixor_safe_text(reason, refusal.reason, sizeof refusal.reason);
    struct ix_out out = {0};
    ix_encode_refuse(&out, &refusal);
    ixor_session_enter(s, IXOR_SESSION_CLOSING);
    if (!ixor_session_send(s, &out))
        ixor_session_end(s, NULL, NULL);
}

void ixor_session_reject(struct ixor_session *s, const char *what)
{
    ixor_warn(&s->context->warnings, &s->peer, what);
    ixor_session_end(s, NULL, NULL);
}

void ixor_session_drop(struct ixor_session *s, const char *what)
{
    if (s->state == IXOR_SESSION_NEW) {
        ixor_session_refuse(s, what);
        return;
    }
    ixor_warn(&s->context->warnings, &s->peer, what);
    ixor_session_end(s, "vanished", what);
}

/* ---- what comes ---- */

/* With certificates: checks and answers the client's proof of the key. 0: it has not arrived
 * yet. */
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

/* After the handshake: true as soon as the peer has proven a key; a session that proves nothing has
 * ended. (libevent may report the first bytes before it reports the handshake.) */
static bool finish_handshake(struct ixor_session *s)
{
    SSL *ssl = bufferevent_openssl_get_ssl(s->bev);
    if (s->state != IXOR_SESSION_HANDSHAKE)
        return true;
    const int exchanged = ix_tls_wants_proof(ssl) ? exchange_proofs(s, ssl) : 1;
    if (exchanged == 0)
        return false;
    s->proven = exchanged > 0 ? ix_tls_proven(ssl) : IX_KEY_NONE;
    if (s->proven == IX_KEY_NONE) {
        ixor_session_reject(s, "does not have this campaign's key");
        return false;
    }
    ixor_session_enter(s, IXOR_SESSION_NEW);
    return true;
}

static void read_cb(struct bufferevent *bev, void *user)
{
    struct ixor_session *s = user;
    struct evbuffer *in = bufferevent_get_input(bev);
    if (!finish_handshake(s))
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
            ixor_session_drop(s, err.text);
            return;
        }
        if (!s->context->on.message(s->context->on.user, s, &frame))
            return;
        evbuffer_drain(in, frame.size);
    }
    evbuffer_drain(in, evbuffer_get_length(in));
}

/* Everything for a refused peer has been sent. */
static void written_cb(struct bufferevent *bev, void *user)
{
    struct ixor_session *s = user;
    if (s->state == IXOR_SESSION_CLOSING) {
        SSL_shutdown(bufferevent_openssl_get_ssl(bev));
        shutdown(bufferevent_getfd(bev), SHUT_WR);
    }
}

/* With this number libevent says that TLS is well, but the connection was reset: on this host, by a
 * JVM that ended at once. Elsewhere the network may be at fault. */
static bool is_harmless(const struct ixor_session *s, unsigned long error)
{
    return error == SSL_ERROR_SYSCALL && ixor_address_is_loopback(&s->peer);
}

static void event_cb(struct bufferevent *bev, short what, void *user)
{
    struct ixor_session *s = user;
    const char *text = NULL;
    if ((what & BEV_EVENT_CONNECTED) && !finish_handshake(s))
        return;
    if (!(what & (BEV_EVENT_ERROR | BEV_EVENT_EOF)))
        return;
    const unsigned long error = bufferevent_get_openssl_error(bev);
    if (what & BEV_EVENT_ERROR)
        text =
            error ? ix_tls_error_text(error) : evutil_socket_error_to_string(EVUTIL_SOCKET_ERROR());
    if (s->state == IXOR_SESSION_HANDSHAKE && error && !is_harmless(s, error))
        ixor_session_reject(s, text);
    else
        ixor_session_end(s, "vanished", text);
}

/* Owns the socket; NULL: out of memory, and the socket is still the caller's. libevent frees the
 * SSL when it fails, without saying so: this frees only our own reference. */
static struct bufferevent *new_bufferevent(struct event_base *base, evutil_socket_t fd,
                                           struct ix_tls *tls)
{
    SSL *ssl = ix_tls_begin(tls);
    if (!ssl)
        return NULL;
    SSL_up_ref(ssl);
    struct bufferevent *bev = bufferevent_openssl_socket_new(
        base, fd, ssl, BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
    SSL_free(ssl);
    return bev;
}

/* ---- deadlines ---- */

static void check_newcomer(struct ixor_session *s, uint64_t now_ns)
{
    if (now_ns - s->began_ns <= IXOR_HELLO_MS * MS)
        return;
    if (s->state == IXOR_SESSION_NEW)
        ixor_session_refuse(s, "sent no HELLO");
    else
        ixor_session_reject(s, "did not finish the TLS handshake");
}

static void send_keepalive(struct ixor_session *s)
{
    struct ix_out out = {0};
    ix_encode_keepalive(&out);
    if (!ixor_session_send(s, &out))
        ixor_session_end(s, "silent", "the server is out of memory");
}

void ixor_session_check(struct ixor_session *s, uint64_t now_ns, unsigned keepalive_ms,
                        unsigned silence_ms)
{
    s->messages = 0;
    if (s->state == IXOR_SESSION_CLOSING) {
        if (now_ns - s->said_ns > IXOR_LINGER_MS * MS)
            ixor_session_end(s, NULL, NULL);
    } else if (s->state == IXOR_SESSION_HANDSHAKE || s->state == IXOR_SESSION_NEW) {
        check_newcomer(s, now_ns);
    } else if (now_ns - s->heard_ns > silence_ms * MS) {
        ixor_session_end(s, "silent", NULL);
    } else if (s->state == IXOR_SESSION_CONTROL) {
        return; /* its peer only waits for replies */
    } else if (ixor_session_unread(s) > IXOR_OUTPUT_MAX) {
        ixor_session_end(s, "silent", "does not read what it is sent");
    } else if (now_ns - s->said_ns >= keepalive_ms * MS) {
        send_keepalive(s);
    }
}

struct ixor_session *ixor_session_new(struct ixor_context *context, evutil_socket_t fd,
                                      const struct sockaddr *peer, socklen_t peer_len)
{
    struct ixor_session *s = ixor_reserve_is_short() ? NULL : calloc(1, sizeof *s);
    if (!s || peer_len > sizeof s->peer.sa || add_to(&context->roster, s) != 0) {
        free(s);
        evutil_closesocket(fd);
        return NULL;
    }
    s->context = context;
    s->peer.len = peer_len;
    memcpy(&s->peer.sa, peer, peer_len);
    s->began_ns = s->heard_ns = s->said_ns = ixor_mono_ns();
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    s->bev = new_bufferevent(context->base, fd, context->tls);
    if (!s->bev) {
        remove_from(&context->roster, s);
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
