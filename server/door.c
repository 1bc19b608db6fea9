#include "server/door.h"

#include <errno.h>
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Connections that may wait for accept(2): a large cluster starts all at once. */
#define BACKLOG 4096
/* Connections accepted in a row before all else gets its turn, for so long. */
#define ACCEPT_MAX 64
#define ACCEPT_PAUSE_US 1000
/* Connections that have not come to HELLO; others wait to be accepted. A handshake takes up to a
 * millisecond, so that in a storm these are through in a second, and none takes longer than it may. */
#define STRANGERS_MAX 1024

struct ixor_door {
    struct evconnlistener *listener;
    struct event *resume; /* after ACCEPT_MAX */
    struct ixor_door_events events;
    struct ixor_address address;
    bool resting; /* until `resume` */
    bool failed;  /* accept(2), most likely for want of descriptors; until the next check */
    bool told;    /* of that; once until it is over */
    unsigned accepted;
    size_t strangers;
};

static void open_or_shut(struct ixor_door *d)
{
    if (d->failed || d->resting || d->strangers >= STRANGERS_MAX)
        evconnlistener_disable(d->listener);
    else
        evconnlistener_enable(d->listener);
}

static void accept_cb(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *peer,
                      int len, void *user)
{
    static const struct timeval pause = {.tv_usec = ACCEPT_PAUSE_US};
    struct ixor_door *d = user;
    (void)listener;
    d->told = false;
    d->strangers += d->events.came(d->events.user, fd, peer, (socklen_t)len);
    if (++d->accepted % ACCEPT_MAX == 0 && event_add(d->resume, &pause) == 0)
        d->resting = true;
    open_or_shut(d);
}

static void resume_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_door *d = user;
    (void)fd, (void)what;
    d->resting = false;
    open_or_shut(d);
}

static void error_cb(struct evconnlistener *listener, void *user)
{
    struct ixor_door *d = user;
    const int why = EVUTIL_SOCKET_ERROR();
    char text[192];
    (void)listener;
    d->failed = true;
    open_or_shut(d);
    if (d->told)
        return;
    d->told = true;
    snprintf(text, sizeof text, "%s%s", evutil_socket_error_to_string(why),
             why == EMFILE ? "; start it with a higher limit (ulimit -n)" : "");
    d->events.shut(d->events.user, text);
}

static int start_listening(struct ixor_door *d, struct event_base *base,
                           const struct ixor_address *listen, struct ix_error *err)
{
    char text[IXOR_ADDRESS_TEXT];
    ixor_address_text(listen, text);
    d->listener = evconnlistener_new_bind(
        base, accept_cb, d, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
        BACKLOG, (const struct sockaddr *)&listen->sa, (int)listen->len);
    if (!d->listener && errno == EADDRINUSE)
        return ix_fail(err, "another program listens on %s already; choose another port with "
                            "--listen", text);
    if (!d->listener)
        return ix_fail(err, "cannot listen on %s: %s", text, strerror(errno));
    evconnlistener_set_error_cb(d->listener, error_cb);
    d->address.len = sizeof d->address.sa;
    if (getsockname(evconnlistener_get_fd(d->listener), (struct sockaddr *)&d->address.sa,
                    &d->address.len) != 0)
        return ix_fail(err, "getsockname: %s", strerror(errno));
    return 0;
}

struct ixor_door *ixor_door_new(struct event_base *base, const struct ixor_address *listen,
                                const struct ixor_door_events *events, struct ix_error *err)
{
    struct ixor_door *d = calloc(1, sizeof *d);
    if (d)
        d->resume = evtimer_new(base, resume_cb, d);
    if (!d || !d->resume) {
        free(d);
        ix_fail(err, "out of memory");
        return NULL;
    }
    d->events = *events;
    if (start_listening(d, base, listen, err) == 0)
        return d;
    ixor_door_free(d);
    return NULL;
}

void ixor_door_free(struct ixor_door *d)
{
    if (!d)
        return;
    if (d->listener)
        evconnlistener_free(d->listener);
    event_free(d->resume);
    free(d);
}

const struct ixor_address *ixor_door_address(const struct ixor_door *d)
{
    return &d->address;
}

void ixor_door_known(struct ixor_door *d)
{
    if (d->strangers-- == STRANGERS_MAX)
        open_or_shut(d);
}

void ixor_door_check(struct ixor_door *d)
{
    if (!d->failed)
        return;
    d->failed = false;
    open_or_shut(d);
}
