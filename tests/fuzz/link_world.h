/* SPDX-License-Identifier: Apache-2.0 */
/* The world that fuzz_link puts around the agent's thread: its clock, its two sockets, and TLS that
 * proves and encrypts nothing, all of them made of a script, so that hours pass within
 * microseconds. Calls of the C library get here by the linker's --wrap (Makefile); what the agent
 * calls of schema/protocol/wire.h, schema/protocol/tls.h, schema/protocol/keyplace.h and
 * agent/link/connect.h is defined here instead.
 *
 * What must hold at every call is required on the spot: no wait without an end or longer than
 * anything of the protocol lasts, no spinning, no dialing faster than the back-off, no descriptor
 * closed twice or lost, nothing sent that the protocol does not allow.
 */
#ifndef IX_TESTS_LINK_WORLD_H
#define IX_TESTS_LINK_WORLD_H

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "agent/link/connect.h"
#include "schema/protocol/datagram.h"
#include "schema/protocol/keyplace.h"
#include "schema/protocol/protocol.h"
#include "schema/protocol/wire.h"

#define MS 1000000ll /* ns */
#define TCP_FD 100001
#define UDP_FD 100002
#define STOP_FD 100003
#define WAITING_DATAGRAMS 64
#define TARGETS 64
/* What reading the clock takes here, so that who only looks at it gets on as well. */
#define TICK_NS 1000

static void require(bool holds)
{
    if (!holds)
        abort();
}

struct waiting {
    uint8_t bytes[80];
    ssize_t size; /* -1: an error that the socket tells of */
};

static struct world {
    bool on; /* else everybody gets the true calls: libFuzzer has a clock, too */
    int64_t now, began;
    bool (*next)(void); /* lets the next thing happen; false: nothing more will */
    int64_t pause;      /* ns until then */
    bool stop;          /* stop_fd is readable */
    int64_t stopped;    /* since when; 0: not yet */

    bool tcp, udp; /* descriptors are open */
    bool dial_fails, bind_fails, ends, buffered, blocked;
    bool nudged;  /* something came that is nothing to read: of a handshake */
    size_t chunk; /* bytes a write takes; 0: all */
    int shake;    /* what the handshake says: 1, 0, -1 */
    bool shaken;  /* it has said 1 */
    enum ix_tls_fault fault;
    uint8_t in[1 << 18]; /* from the server; what does not fit is lost */
    size_t in_len;
    uint8_t out[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX]; /* a frame of the agent's on its way */
    size_t out_len;
    uint8_t repeat[16]; /* what a write that took nothing began with */
    size_t repeat_len;
    void (*heard)(const struct ix_message_frame *m); /* a frame of the agent's */

    uint64_t connection; /* number of this one; the secret is made of it */
    struct ix_sealer *sealer;
    struct waiting datagrams[WAITING_DATAGRAMS];
    size_t waiting;
    int64_t session_since;
    unsigned dials, waits, happened, answers;
} w;

/* ---- the clock ---- */

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    if (!w.on)
        return __real_clock_gettime(id, t);
    w.now += TICK_NS;
    *t = (struct timespec){.tv_sec = w.now / 1000000000, .tv_nsec = w.now % 1000000000};
    return 0;
}

static int64_t elapsed_ms(void)
{
    return (w.now - w.began) / MS;
}

static short ready(const struct pollfd *p)
{
    short events = 0;
    if (p->fd == STOP_FD)
        events = w.stop ? POLLIN : 0;
    else if (p->fd == TCP_FD)
        events = (w.ends || w.nudged || (w.shaken && w.in_len && !w.buffered) ? POLLIN : 0) |
                 (w.blocked ? 0 : POLLOUT);
    else if (p->fd == UDP_FD)
        events = w.waiting ? POLLIN : 0;
    return events & p->events;
}

static int poll_world(struct pollfd *fds, nfds_t n)
{
    int count = 0;
    for (nfds_t i = 0; i < n; i++) {
        fds[i].revents = ready(&fds[i]);
        count += fds[i].revents != 0;
    }
    return count;
}

/* Lets things happen until one of them is awaited, for so long at most. */
static int wait_for(struct pollfd *fds, nfds_t n, int64_t limit)
{
    const int64_t until = w.now + limit;
    int count;
    require(++w.waits <= 500 + 2 * elapsed_ms() + 8 * w.happened); /* or it spins */
    while ((count = poll_world(fds, n)) == 0) {
        const int64_t left = until - w.now;
        if (left <= w.pause) {
            w.now = until;
            w.pause -= left;
            return 0;
        }
        w.now += w.pause;
        w.pause = 0;
        w.happened++;
        if (!w.next()) {
            if (!w.stopped)
                w.stopped = w.now;
            w.stop = true;
            w.pause = INT64_MAX;
        }
    }
    w.nudged = false;
    return count;
}

int __real_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
    if (!w.on)
        return __real_ppoll(fds, n, t, mask);
    require(t && t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000);
    const int64_t limit = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
    require(limit <= IX_SILENCE_MS * MS);
    return wait_for(fds, n, limit);
}

int __real_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
    if (!w.on)
        return __real_poll(fds, n, ms);
    require(ms >= 0 && ms <= IX_SILENCE_MS);
    return wait_for(fds, n, ms * MS);
}

/* ---- TCP and TLS ---- */

int ixa_dial(struct ixa_dialer *d)
{
    require(!w.tcp && !w.udp);
    d->next = NULL;
    require(++w.dials <= 2 + elapsed_ms() / 70); /* 100 ms at first, less a quarter */
    if (w.dial_fails)
        return -1;
    w.tcp = true;
    w.ends = w.shaken = false;
    w.in_len = w.out_len = w.repeat_len = 0;
    w.connection++;
    return TCP_FD;
}

int ixa_dial_result(int fd, struct sockaddr_storage *local)
{
    require(fd == TCP_FD && w.tcp);
    *local = (struct sockaddr_storage){.ss_family = AF_INET};
    return w.ends ? -1 : 0;
}

void ixa_dialer_free(struct ixa_dialer *d)
{
    (void)d;
}

struct ix_tls *ix_tls_new(enum ix_tls_side side, struct ix_error *err)
{
    (void)side, (void)err;
    return malloc(1);
}

void ix_tls_free(struct ix_tls *t)
{
    free(t);
}

void ix_tls_set_key(struct ix_tls *t, enum ix_key_kind kind, const struct ix_key *key)
{
    require(t && kind == IX_KEY_AGENT && key);
}

int ix_tls_certify(struct ix_tls *t, const struct ix_tls_files *files, const char *host,
                   struct ix_error *err)
{
    (void)t, (void)files, (void)host;
    return ix_fail(err, "not here");
}

bool ix_keyplace_find(uint16_t port, struct ix_key *key)
{
    (void)port, (void)key;
    return false;
}

struct ix_wire *ix_wire_new(struct ix_tls *tls, int fd)
{
    require(tls && fd == TCP_FD && w.tcp);
    return malloc(1);
}

void ix_wire_free(struct ix_wire *wire)
{
    free(wire);
}

int ix_wire_shake(struct ix_wire *wire)
{
    require(wire && w.tcp);
    w.shaken = !w.ends && w.shake > 0;
    return w.ends ? -1 : w.shake;
}

ssize_t ix_wire_read(struct ix_wire *wire, void *data, size_t size)
{
    require(wire && w.tcp && size > 0);
    if (!w.in_len)
        return w.ends ? -1 : 0;
    const size_t n = size < w.in_len ? size : w.in_len;
    memcpy(data, w.in, n);
    memmove(w.in, w.in + n, w.in_len - n);
    w.in_len -= n;
    return (ssize_t)n;
}

static void hear(const uint8_t *data, size_t size)
{
    struct ix_message_frame m;
    while (size) {
        const size_t room = sizeof w.out - w.out_len, n = size < room ? size : room;
        require(n > 0);
        memcpy(w.out + w.out_len, data, n);
        w.out_len += n;
        data += n;
        size -= n;
        int got;
        while ((got = ix_next_message(w.out, w.out_len, &m, NULL)) > 0) {
            w.heard(&m);
            memmove(w.out, w.out + m.size, w.out_len - m.size);
            w.out_len -= m.size;
        }
        require(got == 0);
    }
}

ssize_t ix_wire_write(struct ix_wire *wire, const void *data, size_t size)
{
    require(wire && w.tcp && size > 0 && size <= 2 * IX_MESSAGE_MAX);
    require(size >= w.repeat_len && memcmp(w.repeat, data, w.repeat_len) == 0);
    w.repeat_len = 0;
    if (w.ends)
        return -1;
    if (w.blocked) {
        w.repeat_len = size < sizeof w.repeat ? size : sizeof w.repeat;
        memcpy(w.repeat, data, w.repeat_len);
        return 0;
    }
    const size_t n = w.chunk && w.chunk < size ? w.chunk : size;
    hear(data, n);
    return (ssize_t)n;
}

short ix_wire_events(const struct ix_wire *wire)
{
    require(wire && w.tcp);
    return POLLIN | (w.repeat_len ? POLLOUT : 0);
}

bool ix_wire_pending(const struct ix_wire *wire)
{
    require(wire && w.tcp);
    return w.buffered && w.shaken && w.in_len;
}

enum ix_tls_fault ix_wire_fault(const struct ix_wire *wire)
{
    require(wire != NULL);
    return w.fault;
}

int ix_wire_secret(struct ix_wire *wire, uint8_t secret[IX_SECRET_SIZE])
{
    require(wire && w.tcp);
    memset(secret, (int)(w.connection & 0xff), IX_SECRET_SIZE);
    ix_sealer_free(w.sealer);
    w.sealer = ix_sealer_new(secret);
    w.session_since = w.now;
    w.answers = 0;
    return w.sealer ? 0 : -1;
}

void ix_wire_end(struct ix_wire *wire)
{
    require(wire && w.tcp);
}

/* ---- UDP ---- */

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol)
{
    if (!w.on)
        return __real_socket(domain, type, protocol);
    require(!w.udp && domain == AF_INET);
    w.udp = true;
    w.waiting = 0;
    return UDP_FD;
}

int __real_bind(int fd, const struct sockaddr *a, socklen_t size);
int __wrap_bind(int fd, const struct sockaddr *a, socklen_t size);
int __wrap_bind(int fd, const struct sockaddr *a, socklen_t size)
{
    if (!w.on)
        return __real_bind(fd, a, size);
    require(fd == UDP_FD && w.udp);
    errno = EADDRINUSE;
    return w.bind_fails ? -1 : 0;
}

int __real_getsockname(int fd, struct sockaddr *a, socklen_t *size);
int __wrap_getsockname(int fd, struct sockaddr *a, socklen_t *size);
int __wrap_getsockname(int fd, struct sockaddr *a, socklen_t *size)
{
    if (!w.on)
        return __real_getsockname(fd, a, size);
    require(fd == UDP_FD && w.udp);
    ((struct sockaddr_in *)a)->sin_port = htons(4711);
    return 0;
}

/* The first one that waits, and takes it away unless it is only looked at. */
static ssize_t take_datagram(void *data, size_t size, int flags)
{
    require(w.udp);
    errno = w.waiting ? ECONNREFUSED : EAGAIN;
    if (!w.waiting)
        return -1;
    const struct waiting *first = &w.datagrams[0];
    const ssize_t n = first->size < (ssize_t)size ? first->size : (ssize_t)size;
    if (n > 0)
        memcpy(data, first->bytes, (size_t)n);
    if (!(flags & MSG_PEEK) || n < 0)
        memmove(w.datagrams, w.datagrams + 1, --w.waiting * sizeof w.datagrams[0]);
    errno = ECONNREFUSED;
    return n;
}

ssize_t __real_recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *a,
                        socklen_t *len);
ssize_t __wrap_recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *a,
                        socklen_t *len);
ssize_t __wrap_recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *a,
                        socklen_t *len)
{
    if (!w.on)
        return __real_recvfrom(fd, data, size, flags, a, len);
    require(fd == UDP_FD);
    return take_datagram(data, size, flags);
}

ssize_t __real_recv(int fd, void *data, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *data, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *data, size_t size, int flags)
{
    if (!w.on)
        return __real_recv(fd, data, size, flags);
    if (fd == UDP_FD)
        return take_datagram(data, size, flags);
    require(fd == TCP_FD && w.tcp && (flags & MSG_DONTWAIT));
    const ssize_t n = w.in_len < size ? (ssize_t)w.in_len : (ssize_t)size;
    w.in_len = 0;
    return n;
}

ssize_t __real_sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *a,
                      socklen_t len);
ssize_t __wrap_sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *a,
                      socklen_t len);
ssize_t __wrap_sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *a,
                      socklen_t len)
{
    if (!w.on)
        return __real_sendto(fd, data, size, flags, a, len);
    struct ix_datagram d;
    require(fd == UDP_FD && w.udp && ix_datagram_open(w.sealer, data, size, &d));
    require(d.kind == IX_ANSWER && d.time_ns <= d.sent_ns && d.sent_ns <= (uint64_t)w.now);
    require(++w.answers <= 64 * (2 + (unsigned)((w.now - w.session_since) / (1000 * MS))));
    return (ssize_t)size;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    if (fd != TCP_FD && fd != UDP_FD)
        return __real_close(fd);
    bool *open = fd == TCP_FD ? &w.tcp : &w.udp;
    require(*open);
    *open = false;
    return 0;
}

#endif
