#include "server/http_peers.h"

#include <event2/bufferevent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "server/http.h"
#include "server/units.h"

/* libevent's listener accepts all that wait before it sees that it has been disabled. */
#define ROOM (IXOR_HTTP_PEERS + IXOR_HTTP_BACKLOG + 1)

/* A connection that is over keeps its descriptor until the next look. */
#define SWEEP_MS 250

/* A reference keeps the connection's bufferevent after evhttp has freed it, so that its end is
 * seen: then its callbacks are gone. */
struct peer {
    struct bufferevent *bev;
    uint64_t since_ns;
    bool trusted;
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

/* Lets go of those that have gone. */
static void forget_gone(struct ixor_http_peers *p)
{
    for (size_t i = p->count; i-- > 0;) {
        if (!is_over(p->at[i].bev))
            continue;
        bufferevent_decref(p->at[i].bev);
        p->at[i] = p->at[--p->count];
    }
}

/* evhttp asks for a bufferevent: somebody has connected. With BEV_OPT_CLOSE_ON_FREE evhttp leaves the
 * descriptor to the last reference, so that it is not another one's while events wait for it. */
static struct bufferevent *connected(struct event_base *base, void *user)
{
    struct ixor_http_peers *p = user;
    if (p->count + 1 >= IXOR_HTTP_PEERS)
        forget_gone(p);
    struct bufferevent *bev = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (!bev || p->count == ROOM)
        return bev;
    bufferevent_incref(bev);
    p->at[p->count++] = (struct peer){.bev = bev, .since_ns = ixor_mono_ns()};
    if (p->count >= IXOR_HTTP_PEERS)
        p->held_back = evconnlistener_disable(p->listener) == 0;
    return bev;
}

static void sweep_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_http_peers *p = user;
    const uint64_t now = ixor_mono_ns();
    (void)fd, (void)what;
    forget_gone(p);
    for (size_t i = 0; i < p->count; i++) {
        if (!p->at[i].trusted &&
            now - p->at[i].since_ns > IXOR_HTTP_SECONDS * UINT64_C(1000000000))
            shutdown(bufferevent_getfd(p->at[i].bev), SHUT_RDWR); /* evhttp sees its end */
    }
    if (p->held_back && p->count < IXOR_HTTP_PEERS && evconnlistener_enable(p->listener) == 0)
        p->held_back = false;
}

/* No descriptor is left, most likely: the next sweep tries again. */
static void accept_error_cb(struct evconnlistener *listener, void *user)
{
    (void)listener, (void)user;
}

struct ixor_http_peers *ixor_http_peers_new(struct event_base *base, struct evhttp *evhttp,
                                            struct evconnlistener *listener, struct ix_error *err)
{
    const struct timeval every = {.tv_usec = SWEEP_MS * 1000};
    struct ixor_http_peers *p = calloc(1, sizeof *p);
    if (p)
        p->sweep = event_new(base, -1, EV_PERSIST, sweep_cb, p);
    if (!p || !p->sweep || event_add(p->sweep, &every) != 0) {
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

void ixor_http_peers_trust(struct ixor_http_peers *p, struct evhttp_request *req)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(req);
    const struct bufferevent *bev =
        connection ? evhttp_connection_get_bufferevent(connection) : NULL;
    for (size_t i = 0; bev && i < p->count; i++) {
        if (p->at[i].bev == bev)
            p->at[i].trusted = true;
    }
}
