/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams in batches, each with the kernel's time of arrival. */
#ifndef IX_TESTS_RECEIVE_H
#define IX_TESTS_RECEIVE_H

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "schema/protocol/datagram.h"
#include "server/base/units.h"

#define RECEIVE_BATCH 64

/* SO_TIMESTAMPNS; without it the time now. */
static uint64_t arrival_of(struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct timespec t;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        memcpy(&t, CMSG_DATA(c), sizeof t);
        return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    }
    return (uint64_t)ixor_wall_ns();
}

/* Everything that waits on a socket; ns: wall clock; from->msg_name: the sender. */
static void receive_all(int fd, void (*take)(const uint8_t *bytes, size_t size, uint64_t ns, int fd,
                                             const struct msghdr *from))
{
    static uint8_t bytes[RECEIVE_BATCH][IX_DATAGRAM_SIZE + 1];
    static char control[RECEIVE_BATCH][CMSG_SPACE(sizeof(struct timespec))];
    static struct sockaddr_storage from[RECEIVE_BATCH];
    struct iovec vectors[RECEIVE_BATCH];
    struct mmsghdr messages[RECEIVE_BATCH];
    for (int n = RECEIVE_BATCH; n == RECEIVE_BATCH;) {
        for (size_t i = 0; i < RECEIVE_BATCH; i++) {
            vectors[i] = (struct iovec){bytes[i], sizeof bytes[i]};
            messages[i].msg_hdr = (struct msghdr){.msg_name = &from[i],
                                                  .msg_namelen = sizeof from[i],
                                                  .msg_iov = &vectors[i],
                                                  .msg_iovlen = 1,
                                                  .msg_control = control[i],
                                                  .msg_controllen = sizeof control[i]};
        }
        n = recvmmsg(fd, messages, RECEIVE_BATCH, MSG_DONTWAIT, NULL);
        for (int i = 0; i < n; i++)
            take(bytes[i], messages[i].msg_len, arrival_of(&messages[i].msg_hdr), fd,
                 &messages[i].msg_hdr);
    }
}

#endif
