/* SPDX-License-Identifier: Apache-2.0 */
/* What a link sends: frames that wait for the connection, and among them reports on packets that
 * were taken. A report that was not sent completely is sent again on the next connection. */
#ifndef IX_AGENT_SENDER_H
#define IX_AGENT_SENDER_H

#include "agent/link/reports.h"
#include "agent/link/requests.h"
#include "schema/protocol/wire.h"

#define IXA_NEVER INT64_MAX /* a time that does not come */

struct ixa_sender {
    struct ix_out out; /* owned; frames being sent; `sent` of their bytes are gone */
    size_t sent;
    struct ixa_reports reports;
    size_t reporting;        /* reports contained in `out` */
    uint64_t report_ns;      /* from WELCOME: how long reports may wait; 0: the default */
    int64_t report_due;      /* monotonic ns; IXA_NEVER: nothing to report */
    int64_t spoke;           /* monotonic ns: when bytes were last sent */
    struct ix_report report; /* here because it is too large for a stack */
};

/* `s` is all zero. 0, or -1 if memory ran out. */
int ixa_sender_init(struct ixa_sender *s, struct ix_error *err);
void ixa_sender_free(struct ixa_sender *s);
/* The connection is gone, and with it the frames. */
void ixa_sender_reset(struct ixa_sender *s);
/* Passes frames to the kernel; the rest waits for POLLOUT. -1: the connection has failed, or memory
 * has run out. */
int ixa_sender_flush(struct ixa_sender *s, struct ix_wire *wire);
/* There is something to report: sets report_due if it is not set, sooner if many reports wait.
 * `jitter` is as for ixa_jittered. */
void ixa_sender_expect_report(struct ixa_sender *s, uint64_t *jitter);
/* When to send a keepalive (monotonic ns) if nothing else is sent. */
int64_t ixa_sender_keepalive_due(const struct ixa_sender *s);
/* Puts a report into `out`, which must be empty: only one is sent at a time. */
void ixa_sender_put_report(struct ixa_sender *s, const struct ixa_requests *requests);
/* Sends what is queued and then the goodbye, until `end` (monotonic ns). Waits at most 100 ms for
 * the server to read it. `fd` is the wire's socket. After this, close the connection. */
void ixa_sender_goodbye(struct ixa_sender *s, struct ix_wire *wire, int fd,
                        const struct ixa_requests *requests, const struct ix_goodbye *bye,
                        int64_t end);

#endif
