/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/calls.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- system calls ---- */

/* Which argument is the descriptor; those of several have none. */
static const struct known_call {
    long number;
    enum ix_wait_kind kind;
    bool several;
} known[] = {
    {SYS_read, IX_WAIT_READ, false},       {SYS_readv, IX_WAIT_READ, false},
    {SYS_recvfrom, IX_WAIT_READ, false},   {SYS_recvmsg, IX_WAIT_READ, false},
    {SYS_write, IX_WAIT_WRITE, false},     {SYS_writev, IX_WAIT_WRITE, false},
    {SYS_sendto, IX_WAIT_WRITE, false},    {SYS_sendmsg, IX_WAIT_WRITE, false},
    {SYS_accept, IX_WAIT_ACCEPT, false},   {SYS_accept4, IX_WAIT_ACCEPT, false},
    {SYS_connect, IX_WAIT_CONNECT, false}, {SYS_ppoll, IX_WAIT_POLL, false},
#ifdef SYS_poll
    {SYS_poll, IX_WAIT_POLL, false},
#endif
#ifdef SYS_select
    {SYS_select, IX_WAIT_POLL, true},
#endif
    {SYS_pselect6, IX_WAIT_POLL, true},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, IX_WAIT_POLL, true},
#endif
    {SYS_epoll_pwait, IX_WAIT_POLL, true},
};

bool ixa_call_parse(const char *text, struct ixa_call *call)
{
    enum { ARGUMENTS = 3 };
    uint64_t arguments[ARGUMENTS];
    char *at;
    if (*text < '0' || *text > '9')
        return false; /* "running", or "-1": in no call */
    const long number = strtol(text, &at, 10);
    for (int i = 0; i < ARGUMENTS; i++) {
        if (strncmp(at, " 0x", 3) != 0)
            return false;
        arguments[i] = strtoull(at + 1, &at, 16);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].number != number)
            continue;
        *call = (struct ixa_call){.kind = known[i].kind, .fd = -1};
        if (known[i].kind == IX_WAIT_POLL && !known[i].several)
            *call = (struct ixa_call){IX_WAIT_POLL, -1, arguments[0], arguments[1]};
        else if (known[i].kind == IX_WAIT_CONNECT)
            *call =
                (struct ixa_call){IX_WAIT_CONNECT, (int)arguments[0], arguments[1], arguments[2]};
        else if (!known[i].several)
            call->fd = (int)arguments[0];
        return true;
    }
    return false;
}

/* Copies a thread's memory; false if it is not there. */
static bool copy_memory(void *to, uint64_t from, size_t size)
{
    struct iovec local = {to, size};
    struct iovec remote = {(void *)(uintptr_t)from, size}; /* NOLINT(performance-no-int-to-ptr) */
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

void ixa_call_resolve(struct ixa_call *call)
{
    struct pollfd polled = {.fd = -1};
    if (call->kind != IX_WAIT_POLL || call->count != 1 || !call->at ||
        !copy_memory(&polled, call->at, sizeof polled) || polled.fd < 0)
        return;
    if (polled.events & POLLIN)
        *call = (struct ixa_call){.kind = IX_WAIT_READ, .fd = polled.fd};
    else if (polled.events & POLLOUT)
        *call = (struct ixa_call){.kind = IX_WAIT_WRITE, .fd = polled.fd};
}

/* ---- addresses ---- */

bool ixa_address_same(const struct ixa_address *a, const struct ixa_address *b)
{
    return a->len == b->len && memcmp(&a->room, &b->room, a->len) == 0;
}

static void unix_text(const struct ixa_address *address, char *text)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&address->room;
    const size_t path = offsetof(struct sockaddr_un, sun_path);
    const size_t len = address->len > path ? address->len - path : 0;
    if (len && un->sun_path[0])
        snprintf(text, IXA_ADDRESS_TEXT, "unix:%.*s", (int)len, un->sun_path);
    else if (len > 1)
        snprintf(text, IXA_ADDRESS_TEXT, "unix:@%.*s", (int)len - 1, un->sun_path + 1);
}

static void ipv6_text(const struct sockaddr_in6 *in, char *text)
{
    char ip[INET6_ADDRSTRLEN];
    const unsigned port = ntohs(in->sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&in->sin6_addr) &&
        inet_ntop(AF_INET, in->sin6_addr.s6_addr + 12, ip, sizeof ip))
        snprintf(text, IXA_ADDRESS_TEXT, "%s:%u", ip, port);
    else if (inet_ntop(AF_INET6, &in->sin6_addr, ip, sizeof ip))
        snprintf(text, IXA_ADDRESS_TEXT, "[%s]:%u", ip, port);
}

const char *ixa_address_text(const struct ixa_address *address, char text[IXA_ADDRESS_TEXT])
{
    char ip[INET_ADDRSTRLEN];
    const struct sockaddr_in *in = (const struct sockaddr_in *)&address->room;
    text[0] = 0;
    if (address->len < sizeof(sa_family_t))
        return text;
    if (address->any.sa_family == AF_UNIX)
        unix_text(address, text);
    else if (address->any.sa_family == AF_INET6 && address->len >= sizeof(struct sockaddr_in6))
        ipv6_text((const struct sockaddr_in6 *)&address->room, text);
    else if (address->any.sa_family == AF_INET && address->len >= sizeof *in &&
             inet_ntop(AF_INET, &in->sin_addr, ip, sizeof ip))
        snprintf(text, IXA_ADDRESS_TEXT, "%s:%u", ip, ntohs(in->sin_port));
    return text;
}

static bool get_local(int fd, struct ixa_address *a)
{
    a->len = sizeof a->room;
    if (getsockname(fd, &a->any, &a->len) == 0 && a->len <= sizeof a->room)
        return true;
    a->len = 0;
    return false;
}

static bool get_remote(int fd, struct ixa_address *a)
{
    a->len = sizeof a->room;
    if (getpeername(fd, &a->any, &a->len) == 0 && a->len <= sizeof a->room)
        return true;
    a->len = 0;
    return false;
}

static int option_of(int fd, int option)
{
    int value = 0;
    socklen_t len = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 ? value : 0;
}

/* A pair without names: the JDK puts one in a socket's place while it closes it. */
static bool is_anonymous(const struct ixa_ends *ends)
{
    const socklen_t named = offsetof(struct sockaddr_un, sun_path) + 1;
    return ends->local.any.sa_family == AF_UNIX && ends->local.len < named &&
           ends->remote.len < named;
}

/* 0: it is no socket. */
static uint64_t socket_inode(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) ? st.st_ino : 0;
}

bool ixa_ends_of(int fd, struct ixa_ends *ends)
{
    ends->inode = socket_inode(fd);
    if (!ends->inode || !get_local(fd, &ends->local))
        return false;
    const int family = ends->local.any.sa_family;
    if ((family != AF_INET && family != AF_INET6 && family != AF_UNIX) ||
        option_of(fd, SO_TYPE) != SOCK_STREAM)
        return false;
    ends->remote.len = 0;
    ends->listens = option_of(fd, SO_ACCEPTCONN);
    if (!ends->listens)
        get_remote(fd, &ends->remote);
    return !is_anonymous(ends);
}

bool ixa_ends_hold(int fd, const struct ixa_ends *ends)
{
    return socket_inode(fd) == ends->inode;
}

/* ---- both ---- */

static bool pipe_target(int fd, struct ixa_target *target)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode))
        return false;
    snprintf(target->local, sizeof target->local, "pipe:[%llu]", (unsigned long long)st.st_ino);
    return true;
}

/* The address that the thread has given to connect, while the socket has none. */
static void get_wanted(const struct ixa_call *call, struct ixa_address *remote)
{
    if (call->count && call->count <= sizeof remote->room &&
        copy_memory(&remote->room, call->at, call->count))
        remote->len = (socklen_t)call->count;
}

bool ixa_call_target(struct ixa_call *call, struct ixa_target *target)
{
    struct ixa_ends ends;
    ixa_call_resolve(call);
    *target = (struct ixa_target){.kind = call->kind};
    if (call->fd < 0)
        return call->kind == IX_WAIT_POLL;
    if (!ixa_ends_of(call->fd, &ends))
        return pipe_target(call->fd, target);
    if (ends.listens)
        target->kind = IX_WAIT_ACCEPT;
    else if (call->kind == IX_WAIT_WRITE && !ends.remote.len)
        target->kind = IX_WAIT_CONNECT; /* polled until it is connected */
    if (call->kind == IX_WAIT_CONNECT)
        get_wanted(call, &ends.remote);
    ixa_address_text(&ends.local, target->local);
    ixa_address_text(&ends.remote, target->remote);
    return true;
}
