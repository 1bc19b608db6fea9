/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/http_peers.h"

#include <event2/bufferevent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "server/base/reserve.h"
#include "server/base/units.h"

/* libevent's listener accepts all that wait before it sees that it has been disabled. */
#define ROOM (IXOR_HTTP_PEERS + IXOR_HTTP_BACKLOG + 1)

/* A closed connection keeps its descriptor until the next sweep; the second value while others
 * wait.
 */
#define SWEEP_MS 250
#define SWEEP_FULL_MS 10
/* This many places are freed at once; the newest connections keep theirs. */
#define SPARE 8u
#define FRESH_NS UINT64_C(100000000)

/* A reference keeps the connection's bufferevent after evhttp has freed it, so that its end can be
 * detected: its callbacks are gone then. */
struct peer {
    struct bufferevent *bev;
    uint64_t since_ns;                   /* connected, asked, or got its reply */
    enum { STRANGE, IDLE, ASKED } worth; /* IDLE: has shown the token */
    bool shut;                           /* being closed */
};

struct ixor_http_peers {
    struct evconnlistener *listener;
    struct event *sweep;
    struct peer at[ROOM];
    size_t count;
    bool held_back;
};

static bool is_over(struct bufferevent *bev)
{
    bufferevent_data_cb read, write;
    bufferevent_event_cb event;
    void *user;
    bufferevent_getcb(bev, &read, &write, &event, &user);
    return !read && !write && !event;
}

/* Releases connections that have ended. */
static void forget_gone(struct ixor_http_peers *p)
{
    for (size_t i = p->count; i-- > 0;) {
        if (!is_over(p->at[i].bev))
            continue;
        bufferevent_decref(p->at[i].bev);
        p->at[i] = p->at[--p->count];
    }
}

static bool has_room(const struct ixor_http_peers *p)
{
    return p->count < IXOR_HTTP_PEERS && !ixor_reserve_is_short();
}

/* Cannot fail after the first time. */
static int sweep_soon(struct ixor_http_peers *p)
{
    const struct timeval after = {.tv_usec = (p->held_back ? SWEEP_FULL_MS : SWEEP_MS) * 1000};
    return event_add(p->sweep, &after);
}

/* evhttp asks for a bufferevent because a peer has connected. With BEV_OPT_CLOSE_ON_FREE the last
 * reference closes the descriptor, so that it is not reused while events wait for it.
 */
static struct bufferevent *connected(struct event_base *base, void *user)
{
    struct ixor_http_peers *p = user;
    if (p->count + 1 >= IXOR_HTTP_PEERS)
        forget_gone(p);
    struct bufferevent *bev = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (bev && p->count < ROOM) {
        bufferevent_incref(bev);
        p->at[p->count++] = (struct peer){.bev = bev, .since_ns = ixor_mono_ns()};
    }
    if (!has_room(p) && evconnlistener_disable(p->listener) == 0) {
        p->held_back = true;
        sweep_soon(p);
    }
    return bev;
}

static void end_peer(struct peer *peer)
{
    peer->shut = true;
    shutdown(bufferevent_getfd(peer->bev), SHUT_RDWR); /* evhttp notices the end */
}

/* The connection to close first: the oldest that has not shown the token, then the oldest without a
 * request. */
static struct peer *idlest(struct ixor_http_peers *p, uint64_t now)
{
    struct peer *idlest = NULL;
    for (size_t i = 0; i < p->count; i++) {
        struct peer *at = &p->at[i];
        if (at->shut || now - at->since_ns < FRESH_NS)
            continue;
        if (!idlest || idlest->worth > at->worth ||
            (idlest->worth == at->worth && at->since_ns < idlest->since_ns))
            idlest = at;
    }
    return idlest;
}

static void make_room(struct ixor_http_peers *p, uint64_t now)
{
    struct peer *peer;
    size_t stay = 0;
    for (size_t i = 0; i < p->count; i++)
        stay += !p->at[i].shut;
    for (; stay > IXOR_HTTP_PEERS - SPARE && (peer = idlest(p, now)); stay--)
        end_peer(peer);
}

static void sweep_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_http_peers *p = user;
    const uint64_t now = ixor_mono_ns();
    (void)fd, (void)what;
    forget_gone(p);
    for (size_t i = 0; i < p->count; i++) {
        if (!p->at[i].shut && now - p->at[i].since_ns > IXOR_HTTP_SECONDS * UINT64_C(1000000000))
            end_peer(&p->at[i]);
    }
    if (p->held_back)
        make_room(p, now);
    if (p->held_back && has_room(p) && evconnlistener_enable(p->listener) == 0)
        p->held_back = false;
    sweep_soon(p);
}

/* Most likely no descriptor is left: the next sweep tries again. */
static void accept_error_cb(struct evconnlistener *listener, void *user)
{
    (void)listener, (void)user;
}

struct ixor_http_peers *ixor_http_peers_new(struct event_base *base, struct evhttp *evhttp,
                                            struct evconnlistener *listener, struct ix_error *err)
{
    struct ixor_http_peers *p = calloc(1, sizeof *p);
    if (p)
        p->sweep = evtimer_new(base, sweep_cb, p);
    if (!p || !p->sweep || sweep_soon(p) != 0) {
        ixor_http_peers_free(p);
        ix_fail(err, "out of memory");
        return NULL;
    }
    p->listener = listener;
    evconnlistener_set_error_cb(listener, accept_error_cb);
    evhttp_set_bevcb(evhttp, connected, p);
    return p;
}

void ixor_http_peers_free(struct ixor_http_peers *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++)
        bufferevent_decref(p->at[i].bev);
    if (p->sweep)
        event_free(p->sweep);
    free(p);
}

/* NULL: it has gone, or there were too many. */
static struct peer *peer_of(struct ixor_http_peers *p, struct evhttp_request *req)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(req);
    const struct bufferevent *bev =
        connection ? evhttp_connection_get_bufferevent(connection) : NULL;
    for (size_t i = 0; bev && i < p->count; i++) {
        if (p->at[i].bev == bev)
            return &p->at[i];
    }
    return NULL;
}

static void replied_cb(struct evhttp_request *req, void *user)
{
    struct peer *peer = peer_of(user, req);
    if (!peer)
        return;
    peer->worth = IDLE;
    peer->since_ns = ixor_mono_ns();
}

void ixor_http_peers_asked(struct ixor_http_peers *p, struct evhttp_request *req)
{
    struct peer *peer = peer_of(p, req);
    if (!peer)
        return;
    peer->worth = ASKED;
    peer->since_ns = ixor_mono_ns();
    evhttp_request_set_on_complete_cb(req, replied_cb, p);
}
