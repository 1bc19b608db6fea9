/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/listener.h"

#include <errno.h>
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Connections that may wait for accept(2): a large cluster starts all at once. */
#define BACKLOG 4096
/* Connections accepted in a row before everything else gets its turn, and for how long. */
#define ACCEPT_MAX 64
#define ACCEPT_PAUSE_US 1000
/* Connections that have not proven a key, and their largest share of the descriptors. At the limit
 * one is closed for each new one, or, if none can be spared, new ones wait to be accepted. A
 * handshake takes up to a millisecond, so under a rush these finish within a second, and none
 * exceeds its time. */
#define STRANGERS_MAX 1024
#define STRANGERS_SHARE 4
/* Time until the next check whether one of them can be spared. */
#define FULL_PAUSE_US 20000

struct ixor_listener {
    struct evconnlistener *listener;
    struct event *resume; /* after ACCEPT_MAX, or while all places are taken */
    struct ixor_listener_events events;
    struct ixor_address address;
    bool paused; /* until `resume` */
    bool failed; /* accept(2) failed, most likely for lack of descriptors; until the next check */
    bool told;   /* that was reported; once until it is over */
    unsigned accepted;
    size_t strangers, strangers_max;
};

static void enable_or_disable(struct ixor_listener *l)
{
    if (l->failed || l->paused || l->strangers >= l->strangers_max)
        evconnlistener_disable(l->listener);
    else
        evconnlistener_enable(l->listener);
}

static void pause_accepting(struct ixor_listener *l, long us)
{
    const struct timeval pause = {.tv_usec = us};
    if (event_add(l->resume, &pause) == 0)
        l->paused = true;
}

static bool is_full(const struct ixor_listener *l)
{
    return l->strangers >= l->strangers_max && !l->events.make_room(l->events.user);
}

static void accept_cb(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *peer,
                      int len, void *user)
{
    struct ixor_listener *l = user;
    (void)listener;
    l->told = false;
    l->strangers += l->events.came(l->events.user, fd, peer, (socklen_t)len);
    l->accepted++;
    if (is_full(l))
        pause_accepting(l, FULL_PAUSE_US);
    else if (l->accepted % ACCEPT_MAX == 0)
        pause_accepting(l, ACCEPT_PAUSE_US);
    enable_or_disable(l);
}

static void resume_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_listener *l = user;
    (void)fd, (void)what;
    l->paused = false;
    if (is_full(l))
        pause_accepting(l, FULL_PAUSE_US);
    enable_or_disable(l);
}

static void error_cb(struct evconnlistener *listener, void *user)
{
    struct ixor_listener *l = user;
    const int why = EVUTIL_SOCKET_ERROR();
    char text[192];
    (void)listener;
    l->failed = true;
    enable_or_disable(l);
    if (l->told)
        return;
    l->told = true;
    snprintf(text, sizeof text, "%s%s", evutil_socket_error_to_string(why),
             why == EMFILE ? "; start it with a higher limit (ulimit -n)" : "");
    l->events.shut(l->events.user, text);
}

static size_t strangers_max(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / STRANGERS_SHARE > STRANGERS_MAX)
        return STRANGERS_MAX;
    return limit.rlim_cur / STRANGERS_SHARE + 1;
}

static int start_listening(struct ixor_listener *l, struct event_base *base,
                           const struct ixor_address *listen, struct ix_error *err)
{
    char text[IXOR_ADDRESS_TEXT];
    ixor_address_text(listen, text);
    l->listener = evconnlistener_new_bind(
        base, accept_cb, l, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
        BACKLOG, (const struct sockaddr *)&listen->sa, (int)listen->len);
    if (!l->listener && errno == EADDRINUSE)
        return ix_fail(err,
                       "another program listens on %s already; choose another port with "
                       "--listen",
                       text);
    if (!l->listener)
        return ix_fail(err, "cannot listen on %s: %s", text, strerror(errno));
    evconnlistener_set_error_cb(l->listener, error_cb);
    l->address.len = sizeof l->address.sa;
    if (getsockname(evconnlistener_get_fd(l->listener), (struct sockaddr *)&l->address.sa,
                    &l->address.len) != 0)
        return ix_fail(err, "getsockname: %s", strerror(errno));
    return 0;
}

struct ixor_listener *ixor_listener_new(struct event_base *base, const struct ixor_address *listen,
                                        const struct ixor_listener_events *events,
                                        struct ix_error *err)
{
    struct ixor_listener *l = calloc(1, sizeof *l);
    if (l)
        l->resume = evtimer_new(base, resume_cb, l);
    if (!l || !l->resume) {
        free(l);
        ix_fail(err, "out of memory");
        return NULL;
    }
    l->events = *events;
    l->strangers_max = strangers_max();
    if (start_listening(l, base, listen, err) == 0)
        return l;
    ixor_listener_free(l);
    return NULL;
}

void ixor_listener_free(struct ixor_listener *l)
{
    if (!l)
        return;
    if (l->listener)
        evconnlistener_free(l->listener);
    event_free(l->resume);
    free(l);
}

const struct ixor_address *ixor_listener_address(const struct ixor_listener *l)
{
    return &l->address;
}

void ixor_listener_stranger_left(struct ixor_listener *l)
{
    if (l->strangers-- == l->strangers_max)
        enable_or_disable(l);
}

void ixor_listener_check(struct ixor_listener *l)
{
    if (!l->failed)
        return;
    l->failed = false;
    enable_or_disable(l);
}
