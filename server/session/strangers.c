/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/strangers.h"

#include <event2/bufferevent_ssl.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>

#include "schema/protocol/tls.h"

/* Sessions with unread bytes are skipped, at most this many per call. */
#define PASSED_MAX 64

void ixor_strangers_init(struct ixor_strangers *l)
{
    TAILQ_INIT(&l->fresh);
    TAILQ_INIT(&l->answered);
    l->patience_ms = IXOR_FRESH_MS;
}

static struct ixor_stranger_list *list_of(struct ixor_strangers *l, const struct ixor_session *s)
{
    return s->answered ? &l->answered : &l->fresh;
}

void ixor_strangers_add(struct ixor_strangers *l, struct ixor_session *s)
{
    TAILQ_INSERT_TAIL(list_of(l, s), s, stranger);
}

void ixor_strangers_remove(struct ixor_strangers *l, struct ixor_session *s)
{
    if (s->state == IXOR_SESSION_NEW)
        l->patience_ms = IXOR_FRESH_MS;
    TAILQ_REMOVE(list_of(l, s), s, stranger);
}

/* Whether it has sent a complete ClientHello. */
static bool is_answered(const struct ixor_session *s)
{
    const OSSL_HANDSHAKE_STATE state = SSL_get_state(bufferevent_openssl_get_ssl(s->bev));
    return state != TLS_ST_BEFORE && state != TLS_ST_SR_CLNT_HELLO;
}

static bool has_unread(const struct ixor_session *s)
{
    int bytes = 0;
    return ioctl(bufferevent_getfd(s->bev), FIONREAD, &bytes) == 0 && bytes > 0;
}

static void to_the_end(struct ixor_strangers *l, struct ixor_session *s)
{
    ixor_strangers_remove(l, s);
    ixor_strangers_add(l, s);
}

static bool has_waited(const struct ixor_session *s, uint64_t now_ns, uint64_t ms)
{
    return now_ns - s->began_ns > ms * 1000000;
}

struct ixor_session *ixor_strangers_spare(struct ixor_strangers *l, uint64_t now_ns)
{
    struct ixor_session *s;
    for (unsigned passed = 0; passed < PASSED_MAX && (s = TAILQ_FIRST(&l->fresh));) {
        if (is_answered(s)) {
            TAILQ_REMOVE(&l->fresh, s, stranger);
            s->answered = true;
            TAILQ_INSERT_TAIL(&l->answered, s, stranger);
        } else if (!has_waited(s, now_ns, l->patience_ms)) {
            break; /* nor have those after it */
        } else if (!has_unread(s)) {
            l->patience_ms =
                l->patience_ms / 2 < IXOR_FRESH_LEAST_MS ? IXOR_FRESH_LEAST_MS : l->patience_ms / 2;
            return s;
        } else {
            to_the_end(l, s);
            passed++;
        }
    }
    s = TAILQ_FIRST(&l->answered);
    return s && has_waited(s, now_ns, IXOR_SHAKE_MS) && !has_unread(s) ? s : NULL;
}
