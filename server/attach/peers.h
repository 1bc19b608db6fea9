/* SPDX-License-Identifier: Apache-2.0 */
/* With which processes of this host a process has connections: from the sockets among its
 * descriptors, the kernel's tables of connections, and the descriptors of all processes. Needs no
 * privileges for processes of one's own; those of other users are found by root only. */
#ifndef IXOR_PEERS_H
#define IXOR_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "schema/base/error.h"
#include "server/attach/tcp_table.h"
#include "server/attach/unix_pairs.h"
#include "server/base/units.h"

/* The other end of a connection. */
struct ixor_peer {
    char address[IXOR_ADDRESS_TEXT]; /* "127.0.0.1:80", "a Unix socket" */
    bool near;                       /* its address is one of this host's */
    uint64_t inode;                  /* 0: not in the process's network namespace */
    uid_t uid;                       /* of TCP */
    pid_t pid;                       /* 0: in no process whose descriptors can be seen */
};

struct ixor_peers {
    struct ixor_peer *list; /* owned */
    size_t count, cap;
    bool no_unix; /* the kernel does not tell which Unix sockets are connected */
    /* What the kernel has told, for the next process: reading it takes milliseconds. */
    struct ixor_tcp_table tcp;
    uint64_t tcp_of; /* the network namespace; 0: nothing yet */
    struct ixor_unix_pairs unix_pairs;
    bool unix_read;
};

/* Appends the other ends of all connections of the process, without their process ids. The tables
 * of connections are read once for all processes of a network namespace in a row; to read them
 * again, free *peers. -1: the process is gone or hidden, or memory ran out. O(n log n) in the
 * host's connections. */
int ixor_peers_read(pid_t pid, struct ixor_peers *peers, struct ix_error *err);
/* A number that changes, with near certainty, when the process opens or closes a socket; 0: it
 * cannot be seen. O(descriptors), and much cheaper than the tables. */
uint64_t ixor_peers_digest(pid_t pid);
/* Finds the processes of those with an inode and without a process id; of those that share one, the
 * first. O(n log n) in the host's descriptors. -1: /proc cannot be read, or memory ran out. */
int ixor_peers_find(struct ixor_peers *peers, struct ix_error *err);
void ixor_peers_free(struct ixor_peers *peers);

#endif
