/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/traffic.h"

#include <stddef.h>
#include <linux/tcp.h> /* has newer figures than netinet/tcp.h */
#include <netinet/in.h>
#include <sys/ioctl.h>

/* TCP_CLOSE of netinet/tcp.h, which does not go together with linux/tcp.h */
#define STATE_CLOSE 7

#define HAS(info_len, member)                                                                      \
    ((info_len) >= offsetof(struct tcp_info, member) + sizeof((struct tcp_info){0}.member))

static bool is_tcp(const struct ixa_ends *ends)
{
    return !ends->listens && ends->remote.len &&
           (ends->local.any.sa_family == AF_INET || ends->local.any.sa_family == AF_INET6);
}

static bool read_info(int fd, struct tcp_info *info, socklen_t *len)
{
    *info = (struct tcp_info){0};
    *len = sizeof *info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, len) == 0 && HAS(*len, tcpi_data_segs_out);
}

/* By the times in milliseconds since each end sent something. */
static enum ix_spoke last_of(const struct tcp_info *info)
{
    if (!info->tcpi_data_segs_out || !info->tcpi_data_segs_in)
        return info->tcpi_data_segs_out  ? IX_SPOKE_HERE
               : info->tcpi_data_segs_in ? IX_SPOKE_THERE
                                         : IX_SPOKE_UNKNOWN;
    if (info->tcpi_last_data_sent == info->tcpi_last_data_recv)
        return IX_SPOKE_UNKNOWN;
    return info->tcpi_last_data_sent < info->tcpi_last_data_recv ? IX_SPOKE_HERE : IX_SPOKE_THERE;
}

/* Another connection can have the same ends and descriptor: its counts begin anew. */
static bool is_another(const struct ixa_traffic *before, const struct ixa_traffic *now)
{
    return now->sent_bytes < before->sent_bytes || now->received_bytes < before->received_bytes ||
           (int32_t)(now->sent - before->sent) < 0 ||
           (int32_t)(now->received - before->received) < 0;
}

bool ixa_traffic_look(struct ixa_traffic *t, int fd, const struct ixa_ends *ends,
                      struct ix_traffic *news)
{
    struct tcp_info info;
    socklen_t len;
    int unread = 0;
    if (!is_tcp(ends) || !read_info(fd, &info, &len))
        return false;
    t->over = info.tcpi_state == STATE_CLOSE;
    if (info.tcpi_data_segs_out == t->sent && info.tcpi_data_segs_in == t->received && !t->unread)
        return false; /* most connections, most of the time */
    /* The descriptor may have become another file's. */
    if (ioctl(fd, FIONREAD, &unread) != 0 || !ixa_ends_hold(fd, ends))
        return false;
    const struct ixa_traffic now = {.sent_bytes = HAS(len, tcpi_bytes_sent) ? info.tcpi_bytes_sent
                                                                            : info.tcpi_bytes_acked,
                                    .received_bytes = info.tcpi_bytes_received,
                                    .unread = unread > 0 ? (uint64_t)unread : 0,
                                    .sent = info.tcpi_data_segs_out,
                                    .received = info.tcpi_data_segs_in,
                                    .over = t->over};
    if (is_another(t, &now))
        *t = (struct ixa_traffic){0};
    *news = (struct ix_traffic){.sent = now.sent - t->sent,
                                .received = now.received - t->received,
                                .sent_bytes = now.sent_bytes - t->sent_bytes,
                                .received_bytes = now.received_bytes - t->received_bytes,
                                .unread = now.unread,
                                .last = last_of(&info)};
    const bool changed = news->sent || news->received || now.unread != t->unread;
    *t = now;
    return changed;
}
