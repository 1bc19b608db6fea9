/* SPDX-License-Identifier: Apache-2.0 */
#include "server/attach/peers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/base/grow.h"
#include "server/base/proc_stat.h"

/* ---- descriptors ---- */

/* Called with the inode of each socket among a process's descriptors; not 0: stop with that. */
typedef int on_socket(void *user, uint64_t inode);

static int each_socket(pid_t pid, on_socket *take, void *user)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *dir = opendir(path);
    int result = 0;
    if (!dir)
        return -1;
    for (struct dirent *e; result == 0 && (e = readdir(dir));) {
        char target[64], *end;
        const ssize_t len = readlinkat(dirfd(dir), e->d_name, target, sizeof target - 1);
        if (len <= 0)
            continue;
        target[len] = '\0';
        if (strncmp(target, "socket:[", 8) != 0)
            continue;
        const uint64_t inode = strtoull(target + 8, &end, 10);
        if (*end == ']' && inode)
            result = take(user, inode);
    }
    closedir(dir);
    return result;
}

/* The order of descriptors does not matter. (Finalizer of SplitMix64, Steele and others, 2014.) */
static int digest_socket(void *user, uint64_t inode)
{
    uint64_t *digest = user;
    inode = (inode ^ inode >> 30) * 0xbf58476d1ce4e5b9u;
    inode = (inode ^ inode >> 27) * 0x94d049bb133111ebu;
    *digest += inode ^ inode >> 31;
    return 0;
}

uint64_t ixor_peers_digest(pid_t pid)
{
    uint64_t digest = (uint64_t)pid;
    return each_socket(pid, digest_socket, &digest) == 0 ? digest : 0;
}

struct inodes {
    uint64_t *list;
    size_t count, cap;
};

static int add_inode(void *user, uint64_t inode)
{
    struct inodes *inodes = user;
    return ix_append(inodes->list, inodes->count, inodes->cap, inode);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool has_inode(const struct inodes *inodes, uint64_t inode)
{
    return inodes->count &&
           bsearch(&inode, inodes->list, inodes->count, sizeof inode, by_number) != NULL;
}

/* ---- addresses ---- */

static void host_text(const struct ixor_tcp_end *end, char text[IXOR_ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "";
    struct in6_addr address;
    memcpy(&address, end->host, sizeof address);
    if (IN6_IS_ADDR_V4MAPPED(&address)) {
        inet_ntop(AF_INET, end->host + 12, host, sizeof host);
        snprintf(text, IXOR_ADDRESS_TEXT, "%s:%u", host, end->port);
    } else {
        inet_ntop(AF_INET6, end->host, host, sizeof host);
        snprintf(text, IXOR_ADDRESS_TEXT, "[%s]:%u", host, end->port);
    }
}

static bool is_near(const struct ifaddrs *interfaces, const uint8_t host[16])
{
    struct in6_addr address;
    memcpy(&address, host, sizeof address);
    const bool v4 = IN6_IS_ADDR_V4MAPPED(&address);
    for (const struct ifaddrs *at = interfaces; at; at = at->ifa_next) {
        if (!at->ifa_addr)
            continue;
        if (at->ifa_addr->sa_family == AF_INET6 &&
            memcmp(&((const struct sockaddr_in6 *)at->ifa_addr)->sin6_addr, host, 16) == 0)
            return true;
        if (v4 && at->ifa_addr->sa_family == AF_INET &&
            memcmp(&((const struct sockaddr_in *)at->ifa_addr)->sin_addr, host + 12, 4) == 0)
            return true;
    }
    return IN6_IS_ADDR_LOOPBACK(&address) || (v4 && host[12] == 127);
}

/* ---- the other ends ---- */

static struct ixor_peer *add(struct ixor_peers *peers)
{
    struct ixor_peer *list = ix_grow(peers->list, &peers->cap, peers->count + 1, sizeof *list);
    if (!list)
        return NULL;
    peers->list = list;
    list[peers->count] = (struct ixor_peer){.near = true};
    return &list[peers->count++];
}

static int add_tcp(struct ixor_peers *peers, const struct inodes *own)
{
    const struct ixor_tcp_table *table = &peers->tcp;
    struct ifaddrs *interfaces = NULL;
    int result = 0;
    if (getifaddrs(&interfaces) != 0)
        interfaces = NULL;
    for (size_t i = 0; result == 0 && i < table->count; i++) {
        const struct ixor_tcp *end = &table->list[i];
        if (!has_inode(own, end->inode))
            continue;
        const struct ixor_tcp *other = ixor_tcp_other(table, end);
        struct ixor_peer *peer = add(peers);
        if (!peer) {
            result = -1;
            break;
        }
        host_text(&end->remote, peer->address);
        peer->near = other || is_near(interfaces, end->remote.host);
        peer->inode = other ? other->inode : 0;
        peer->uid = other ? other->uid : 0;
    }
    freeifaddrs(interfaces);
    return result;
}

static int add_unix(struct ixor_peers *peers, const struct inodes *own)
{
    int result = 0;
    if (!peers->unix_read)
        peers->no_unix = ixor_unix_pairs_read(&peers->unix_pairs) != 0;
    peers->unix_read = true;
    for (size_t i = 0; result == 0 && i < own->count; i++) {
        const uint32_t other = ixor_unix_peer(&peers->unix_pairs, own->list[i]);
        struct ixor_peer *peer = other ? add(peers) : NULL;
        result = other && !peer ? -1 : 0;
        if (peer) {
            snprintf(peer->address, sizeof peer->address, "a Unix socket");
            peer->inode = other;
            peer->uid = (uid_t)-1;
        }
    }
    return result;
}

static int read_tcp(pid_t pid, struct ixor_peers *peers, struct ix_error *err)
{
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "/proc/%ld/ns/net", (long)pid);
    const uint64_t namespace = stat(path, &info) == 0 ? info.st_ino : 0;
    if (namespace && namespace == peers->tcp_of)
        return 0;
    peers->tcp_of = 0;
    if (ixor_tcp_table_read(pid, &peers->tcp, err) != 0)
        return -1;
    peers->tcp_of = namespace;
    return 0;
}

int ixor_peers_read(pid_t pid, struct ixor_peers *peers, struct ix_error *err)
{
    struct inodes own = {0};
    int result = 0;
    if (each_socket(pid, add_inode, &own) != 0)
        result = ix_fail(err, "cannot see the descriptors of process %ld: %s", (long)pid,
                         strerror(errno));
    if (result == 0)
        result = read_tcp(pid, peers, err);
    if (own.count)
        qsort(own.list, own.count, sizeof *own.list, by_number);
    if (result == 0 && (add_tcp(peers, &own) != 0 || add_unix(peers, &own) != 0))
        result = ix_fail(err, "out of memory");
    free(own.list);
    return result;
}

/* ---- their processes ---- */

static int by_inode(const void *a, const void *b)
{
    const struct ixor_peer *x = a, *y = b;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

struct owner {
    struct ixor_peers *peers; /* by inode */
    pid_t pid;
};

static int claim(void *user, uint64_t inode)
{
    const struct owner *owner = user;
    const struct ixor_peer wanted = {.inode = inode};
    struct ixor_peer *list = owner->peers->list;
    const size_t count = owner->peers->count;
    struct ixor_peer *found = bsearch(&wanted, list, count, sizeof *list, by_inode);
    if (!found)
        return 0;
    while (found > list && found[-1].inode == inode)
        found--;
    for (; found < list + count && found->inode == inode; found++)
        if (!found->pid)
            found->pid = owner->pid;
    return 0;
}

/* A process that is gone, or not ours, has no sockets for us. */
static int claim_all(void *peers, pid_t pid, struct ix_error *err)
{
    (void)err;
    (void)each_socket(pid, claim, &(struct owner){peers, pid});
    return 0;
}

int ixor_peers_find(struct ixor_peers *peers, struct ix_error *err)
{
    if (!peers->count)
        return 0;
    qsort(peers->list, peers->count, sizeof *peers->list, by_inode);
    return ixor_each_process(claim_all, peers, err);
}

void ixor_peers_free(struct ixor_peers *peers)
{
    free(peers->list);
    ixor_tcp_table_free(&peers->tcp);
    ixor_unix_pairs_free(&peers->unix_pairs);
    *peers = (struct ixor_peers){0};
}
