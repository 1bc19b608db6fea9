/* SPDX-License-Identifier: Apache-2.0 */
#include "server/attach/unix_pairs.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "schema/base/grow.h"

#define TCP_ESTABLISHED 1      /* the kernel's number of the state, for Unix sockets too */
#define ANSWER_BYTES (1 << 16) /* the kernel sends at most 32 KiB at once */

static int by_inode(const void *a, const void *b)
{
    const struct ixor_unix_pair *x = a, *y = b;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

static int take(struct ixor_unix_pairs *pairs, const struct nlmsghdr *message)
{
    const struct unix_diag_msg *found = NLMSG_DATA(message);
    const struct rtattr *at = (const struct rtattr *)(found + 1);
    if (message->nlmsg_len < NLMSG_LENGTH(sizeof *found) || found->udiag_type != SOCK_STREAM)
        return 0;
    for (unsigned left = message->nlmsg_len - NLMSG_LENGTH(sizeof *found); RTA_OK(at, left);
         at = RTA_NEXT(at, left)) {
        if (at->rta_type != UNIX_DIAG_PEER || RTA_PAYLOAD(at) < sizeof(uint32_t))
            continue;
        struct ixor_unix_pair *list =
            ix_grow(pairs->list, &pairs->cap, pairs->count + 1, sizeof *list);
        if (!list)
            return -1;
        pairs->list = list;
        list[pairs->count].inode = found->udiag_ino;
        memcpy(&list[pairs->count++].peer, RTA_DATA(at), sizeof(uint32_t));
    }
    return 0;
}

int ixor_unix_answer(struct ixor_unix_pairs *pairs, const void *answer, size_t size)
{
    const struct nlmsghdr *message = answer;
    for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) {
        if (message->nlmsg_type == NLMSG_DONE)
            return 0;
        if (message->nlmsg_type == NLMSG_ERROR ||
            (message->nlmsg_type == SOCK_DIAG_BY_FAMILY && take(pairs, message) != 0))
            return -1;
    }
    return 1;
}

static bool ask(int fd)
{
    const struct {
        struct nlmsghdr header;
        struct unix_diag_req request;
    } question = {
        .header = {.nlmsg_len = sizeof question,
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .request = {.sdiag_family = AF_UNIX,
                    .udiag_states = 1u << TCP_ESTABLISHED,
                    .udiag_show = UDIAG_SHOW_PEER},
    };
    return send(fd, &question, sizeof question, 0) == (ssize_t)sizeof question;
}

int ixor_unix_pairs_read(struct ixor_unix_pairs *pairs)
{
    const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    char *answer = malloc(ANSWER_BYTES);
    int more = fd >= 0 && answer && ask(fd) ? 1 : -1;
    pairs->count = 0;
    while (more > 0) {
        const ssize_t size = recv(fd, answer, ANSWER_BYTES, 0);
        more = size > 0 ? ixor_unix_answer(pairs, answer, (size_t)size) : -1;
    }
    free(answer);
    if (fd >= 0)
        close(fd);
    if (pairs->count)
        qsort(pairs->list, pairs->count, sizeof *pairs->list, by_inode);
    return more;
}

uint32_t ixor_unix_peer(const struct ixor_unix_pairs *pairs, uint64_t inode)
{
    const struct ixor_unix_pair wanted = {.inode = (uint32_t)inode};
    const struct ixor_unix_pair *found =
        pairs->count && inode <= UINT32_MAX
            ? bsearch(&wanted, pairs->list, pairs->count, sizeof wanted, by_inode)
            : NULL;
    return found ? found->peer : 0;
}

void ixor_unix_pairs_free(struct ixor_unix_pairs *pairs)
{
    free(pairs->list);
    *pairs = (struct ixor_unix_pairs){0};
}
