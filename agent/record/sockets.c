/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>

#include "agent/base/clock.h"
#include "agent/record/traffic.h"

#define SOCKETS_LOOKED 16 /* descriptors for each packet; 5 to 15 us */
#define SOCKETS_CALM 8    /* ... while nothing changes */
#define SOCKETS_END 4096  /* descriptors from here on are not looked at */
#define SOCKETS_MAX 1024  /* known at a time: half a megabyte */
#define SOCKETS_TOLD 64   /* changes for each packet: some hundred bytes of log */
#define SOCKETS_HEARD                                                                              \
    16                 /* connections for each packet whose traffic is looked at; 1 to 3 us each */
#define HEARD_NS 20000 /* ... and the time for that */
#define IDLE_MANY 8    /* after so many looks without news a connection misses ... */
#define IDLE_REST 3    /* ... so many of its turns */
#define SOCKETS_BEYOND 16 /* looked at beyond the highest open one: new ones get low numbers */

struct ixa_socket {
    struct ixa_ends ends;
    uint64_t key;   /* of the thread last seen; 0: none */
    uint64_t named; /* the one that the log has */
    bool told;      /* the log has it */
    bool old;       /* it may have been open before the agent looked for the first time, and its
                       traffic has not been looked at */
    struct ixa_traffic traffic;
    uint8_t idle; /* looks in a row at its traffic that found nothing new */
    uint8_t rest; /* turns in which that is not looked at */
};

void ixa_sockets_free(struct ixa_sockets *s)
{
    for (int i = 0; i < s->room; i++)
        free(s->known[i]);
    free(s->known);
    *s = (struct ixa_sockets){0};
}

void ixa_sockets_forget(struct ixa_sockets *s)
{
    for (int i = 0; i < s->room; i++)
        if (s->known[i])
            s->known[i]->told = false;
    s->next = 0;
    s->missed = s->complete = false;
}

/* The ends of a descriptor, the same twice: between two questions another file may get its number,
 * or the socket its remote end, after which they do not change. */
static bool look_at(int fd, struct ixa_ends *ends)
{
    struct ixa_ends again;
    return ixa_ends_of(fd, ends) && (ends->listens || ends->remote.len) &&
           ixa_ends_of(fd, &again) && again.inode == ends->inode &&
           again.listens == ends->listens && ixa_address_same(&again.local, &ends->local) &&
           ixa_address_same(&again.remote, &ends->remote) && ixa_ends_hold(fd, ends);
}

static bool has_room(struct ixa_sockets *s, int fd)
{
    if (fd < s->room)
        return true;
    const int room = fd + 64;
    struct ixa_socket **known = realloc(s->known, (size_t)room * sizeof(struct ixa_socket *));
    if (!known)
        return false;
    memset(known + s->room, 0, (size_t)(room - s->room) * sizeof(struct ixa_socket *));
    s->known = known;
    s->room = room;
    return true;
}

static struct ixa_socket *at(const struct ixa_sockets *s, int fd)
{
    return fd < s->room ? s->known[fd] : NULL;
}

static struct ixa_socket *add(struct ixa_sockets *s, int fd, const struct ixa_ends *ends)
{
    if (s->count >= SOCKETS_MAX || !has_room(s, fd))
        return NULL;
    struct ixa_socket *socket = calloc(1, sizeof *socket);
    if (!socket)
        return NULL;
    socket->ends = *ends;
    socket->old = !s->begun;
    s->known[fd] = socket;
    s->count++;
    if (s->top <= fd)
        s->top = fd + 1;
    return socket;
}

static void drop(struct ixa_sockets *s, int fd)
{
    free(s->known[fd]);
    s->known[fd] = NULL;
    s->count--;
}

static int tell(const struct ixa_socket *socket, enum ix_connection_state state, uint32_t thread,
                struct ix_log_writer *log)
{
    char local[IXA_ADDRESS_TEXT], remote[IXA_ADDRESS_TEXT];
    return ix_log_connection(
        log, &(struct ix_connection){.thread = thread,
                                     .state = state,
                                     .local = ixa_address_text(&socket->ends.local, local),
                                     .remote = ixa_address_text(&socket->ends.remote, remote)});
}

typedef uint32_t number_fn(const void *threads, uint64_t key);

/* What the log does not have of the socket yet: 1 if there was something, -1 when the log failed.
 */
static int tell_news(struct ixa_socket *socket, struct ix_log_writer *log, number_fn *number,
                     const void *threads)
{
    if (socket->told && socket->named == socket->key)
        return 0;
    const uint32_t thread = socket->key ? number(threads, socket->key) : 0;
    socket->told = true;
    socket->named = socket->key;
    return tell(socket, socket->ends.listens ? IX_CONNECTION_LISTENS : IX_CONNECTION_OPEN, thread,
                log) == 0
               ? 1
               : -1;
}

/* How many changes the descriptor's socket has; -1 when the log failed. */
static int examine(struct ixa_sockets *s, int fd, struct ix_log_writer *log, number_fn *number,
                   const void *threads)
{
    struct ixa_socket *socket = at(s, fd);
    struct ixa_ends ends;
    int changes = 0;
    const bool own = fd + 1 == s->own;
    if (socket && !own && !socket->traffic.over && ixa_ends_hold(fd, &socket->ends))
        return tell_news(socket, log, number, threads);
    if (socket) {
        if (socket->told && ++changes && tell(socket, IX_CONNECTION_CLOSED, 0, log) != 0)
            return -1;
        drop(s, fd);
    }
    if (own || !look_at(fd, &ends))
        return changes;
    socket = add(s, fd, &ends);
    if (!socket) {
        s->missed = true;
        s->complete = false;
        return changes;
    }
    return tell_news(socket, log, number, threads) < 0 ? -1 : changes + 1;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0 || errno != EBADF;
}

/* Moves the end to behind the highest open descriptor that is looked at. */
static void move_end(struct ixa_sockets *s)
{
    int high = s->end + SOCKETS_BEYOND < SOCKETS_END ? s->end + SOCKETS_BEYOND : SOCKETS_END;
    while (high > 0 && !is_open(high - 1))
        high--;
    s->end = high;
    while (s->top > 0 && !s->known[s->top - 1])
        s->top--;
}

/* True if the turn is over: all open descriptors have been looked at. */
static bool end_turn(struct ixa_sockets *s)
{
    if (s->next < s->end || s->next < s->top)
        return false;
    move_end(s); /* new ones may follow: thousands at the agent's first packet */
    if (s->next < s->end)
        return false;
    s->next = 0;
    s->calm = s->begun && !s->news;
    s->news = 0;
    s->begun = true;
    s->complete = !s->missed && s->end < SOCKETS_END;
    s->missed = false;
    return true;
}

void ixa_sockets_seen(struct ixa_sockets *s, int fd, uint64_t key)
{
    struct ixa_socket *socket = at(s, fd);
    struct ixa_ends ends;
    if (fd >= SOCKETS_END || (socket && socket->key == key))
        return;
    if (socket && !ixa_ends_hold(fd, &socket->ends))
        return; /* another one: its turn comes */
    if (!socket && look_at(fd, &ends))
        socket = add(s, fd, &ends);
    if (socket)
        socket->key = key;
}

int ixa_sockets_look(struct ixa_sockets *s, struct ix_log_writer *log, number_fn *number,
                     const void *threads)
{
    int changes = 0;
    for (int looked = 0; looked < SOCKETS_LOOKED && changes < SOCKETS_TOLD; looked++) {
        if (end_turn(s) || (s->calm && looked == SOCKETS_CALM))
            break;
        const int more = examine(s, s->next++, log, number, threads);
        if (more < 0)
            return -1;
        changes += more;
        s->news += more;
        s->calm = s->calm && !more;
    }
    return 0;
}

static int hear(struct ixa_socket *socket, int fd, struct ix_log_writer *log)
{
    char local[IXA_ADDRESS_TEXT], remote[IXA_ADDRESS_TEXT];
    struct ix_traffic news;
    const bool changed = ixa_traffic_look(&socket->traffic, fd, &socket->ends, &news);
    const bool counts = changed && !socket->old;
    socket->idle = changed ? 0 : socket->idle + (socket->idle < IDLE_MANY);
    socket->rest = socket->idle == IDLE_MANY ? IDLE_REST : 0;
    socket->old = false;
    if (!counts)
        return 0;
    news.local = ixa_address_text(&socket->ends.local, local);
    news.remote = ixa_address_text(&socket->ends.remote, remote);
    return ix_log_traffic(log, &news);
}

int ixa_sockets_hear(struct ixa_sockets *s, struct ix_log_writer *log)
{
    const int64_t end = ixa_mono_ns() + HEARD_NS;
    int heard = 0;
    for (int steps = 0; steps < s->top && heard < SOCKETS_HEARD; steps++) {
        if (heard && ixa_mono_ns() > end)
            break;
        if (s->next_heard >= s->top)
            s->next_heard = 0;
        const int fd = s->next_heard++;
        struct ixa_socket *socket = at(s, fd);
        if (!socket || socket->ends.listens || fd + 1 == s->own)
            continue;
        if (socket->rest) {
            socket->rest--;
            continue;
        }
        heard++;
        if (hear(socket, fd, log) != 0)
            return -1;
    }
    return 0;
}
