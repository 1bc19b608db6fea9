/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/sender.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "agent/base/clock.h"
#include "agent/base/jitter.h"

#define MS 1000000ll         /* ns */
#define ACCEPT_NS (100 * MS) /* how long the server may take to read a goodbye */

int ixa_sender_init(struct ixa_sender *s, struct ix_error *err)
{
    s->report_due = IXA_NEVER;
    return ixa_reports_init(&s->reports, err);
}

void ixa_sender_free(struct ixa_sender *s)
{
    ixa_reports_free(&s->reports);
    ix_out_free(&s->out);
}

void ixa_sender_reset(struct ixa_sender *s)
{
    ix_out_clear(&s->out);
    s->sent = s->reporting = 0;
}

int ixa_sender_flush(struct ixa_sender *s, struct ix_wire *wire)
{
    if (s->out.failed)
        return -1;
    while (s->sent < s->out.len) {
        const ssize_t n = ix_wire_write(wire, s->out.data + s->sent, s->out.len - s->sent);
        if (n <= 0)
            return n < 0 ? -1 : 0;
        s->sent += (size_t)n;
        s->spoke = ixa_mono_ns();
    }
    ix_out_clear(&s->out);
    s->sent = 0;
    ixa_reports_drop(&s->reports, s->reporting);
    s->reporting = 0;
    return 0;
}

/* How long the next report may wait, minus some time for sending it. A server with thousands of
 * sessions wants rare reports, and not all at the same time. */
static int64_t report_delay(const struct ixa_sender *s, uint64_t *jitter)
{
    if (!s->report_ns)
        return IX_REPORT_DELAY_MS * MS / 5 * 4;
    return ixa_jittered(jitter, (int64_t)s->report_ns / 5 * 3); /* WELCOME limits it */
}

void ixa_sender_expect_report(struct ixa_sender *s, uint64_t *jitter)
{
    if (s->reports.count >= IX_REPORT_MAX / 2)
        s->report_due = ixa_mono_ns();
    else if (s->report_due == IXA_NEVER)
        s->report_due = ixa_mono_ns() + report_delay(s, jitter);
}

/* A server that asks for rare reports has thousands of sessions, and wants rare keepalives, too. */
int64_t ixa_sender_keepalive_due(const struct ixa_sender *s)
{
    const bool rare = s->report_ns > IX_KEEPALIVE_RARE_MS * MS;
    return s->spoke + (rare ? IX_KEEPALIVE_RARE_MS : IX_KEEPALIVE_MS) * MS;
}

void ixa_sender_put_report(struct ixa_sender *s, const struct ixa_requests *requests)
{
    s->report.stale = requests->stale;
    s->report.superseded = requests->superseded;
    s->report.foreign = requests->foreign;
    ixa_reports_fill(&s->reports, &s->report);
    ix_encode_report(&s->out, &s->report);
    s->reporting = s->report.count;
    s->report_due = s->reports.count > s->reporting ? ixa_mono_ns() : IXA_NEVER;
}

/* Waits until the server has closed the connection, which it does after reading the goodbye, and
 * discards what it still sends. Closing with unread data would send a reset, and the server could
 * take this JVM for one that vanished. */
static void await_acceptance(int fd)
{
    const int64_t end = ixa_mono_ns() + ACCEPT_NS;
    uint8_t discarded[4096];
    for (;;) {
        const ssize_t n = recv(fd, discarded, sizeof discarded, MSG_DONTWAIT);
        const int64_t left = end - ixa_mono_ns();
        struct pollfd in = {.fd = fd, .events = POLLIN};
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || left <= 0 ||
            poll(&in, 1, (int)(left / MS) + 1) < 0)
            break;
    }
}

void ixa_sender_goodbye(struct ixa_sender *s, struct ix_wire *wire, int fd,
                        const struct ixa_requests *requests, const struct ix_goodbye *bye,
                        int64_t end)
{
    bool said = false;
    while (!(said && !s->out.len)) {
        if (!s->out.len && s->report_due != IXA_NEVER) {
            ixa_sender_put_report(s, requests);
        } else if (!s->out.len) {
            ix_encode_goodbye(&s->out, bye);
            said = true;
        }
        if (ixa_sender_flush(s, wire) < 0)
            return;
        const int64_t left = end - ixa_mono_ns();
        struct pollfd out = {.fd = fd, .events = POLLOUT};
        if (s->out.len && (left <= 0 || poll(&out, 1, (int)(left / MS) + 1) < 0))
            break;
    }
    if (said) {
        ix_wire_end(wire);
        await_acceptance(fd);
    }
}
