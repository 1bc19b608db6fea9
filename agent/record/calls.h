/* SPDX-License-Identifier: Apache-2.0 */
/* In which system call a thread of this process sleeps, and what its descriptor is connected to.
 * Independent of the JVM. Linux: the text of /proc/self/task/TID/syscall.
 *
 * Another thread may use the descriptor meanwhile: the caller must check that (connections.c). What
 * cannot be determined is left out. */
#ifndef IX_AGENT_CALLS_H
#define IX_AGENT_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "schema/tracelog/tracelog.h"

struct ixa_call {
    enum ix_wait_kind kind;
    int fd;         /* -1: several */
    uint64_t at;    /* the caller's memory: poll's descriptors, connect's address; else 0 */
    uint64_t count; /* of descriptors, or bytes of the address */
};

/* False if the text is not of a thread that sleeps in a call that waits for descriptors. A poll has
 * the kind IX_WAIT_POLL, and yet no descriptor. */
bool ixa_call_parse(const char *text, struct ixa_call *call);
/* A poll of one descriptor becomes what it waits for: a read, or a write. Reads this process's
 * memory without touching it: the memory may be gone. */
void ixa_call_resolve(struct ixa_call *call);

#define IXA_ADDRESS_TEXT 128 /* of a path in a socket's address, and words before it */

/* An address as the kernel gives it; len 0: none. */
struct ixa_address {
    union {
        struct sockaddr any;
        struct sockaddr_storage room;
    };
    socklen_t len;
};
bool ixa_address_same(const struct ixa_address *a, const struct ixa_address *b);
/* As in the trace log: "10.0.0.1:80"; "" if it has none, or is of another family. */
const char *ixa_address_text(const struct ixa_address *address, char text[IXA_ADDRESS_TEXT]);

/* Both ends of a stream socket. */
struct ixa_ends {
    bool listens;
    uint64_t inode; /* the socket's, which no other has while the kernel runs */
    struct ixa_address local, remote;
};
/* False if the descriptor is not that of a stream socket that listens, or is or will be connected
 * and has an address. About 0.2 us if it is no socket, else 1 us. */
bool ixa_ends_of(int fd, struct ixa_ends *ends);
/* True if a descriptor is still that of the same socket, whose ends do not change: only a remote
 * end may be gone. 0.3 us. */
bool ixa_ends_hold(int fd, const struct ixa_ends *ends);

/* What a thread waits for, as texts. */
struct ixa_target {
    enum ix_wait_kind kind;
    char local[IXA_ADDRESS_TEXT], remote[IXA_ADDRESS_TEXT];
};
/* False if nothing can be said. */
bool ixa_call_target(struct ixa_call *call, struct ixa_target *target);

#endif
