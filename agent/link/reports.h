/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that were taken but not yet reported to the server. Kept across broken connections, but
 * bounded: the oldest are dropped first (the trace log still has them). */
#ifndef IX_AGENT_REPORTS_H
#define IX_AGENT_REPORTS_H

#include "schema/protocol/protocol.h"

#define IXA_REPORTS_MAX 4096u

struct ixa_reports {
    struct ix_taken *ring; /* owned, IXA_REPORTS_MAX entries */
    size_t first, count;
    uint64_t lost; /* dropped because the queue was full */
};

int ixa_reports_init(struct ixa_reports *q, struct ix_error *err);
void ixa_reports_free(struct ixa_reports *q);
void ixa_reports_add(struct ixa_reports *q, const struct ix_taken *taken);
/* Copies the oldest entries, at most IX_REPORT_MAX, into the message; they stay in the queue. */
void ixa_reports_fill(const struct ixa_reports *q, struct ix_report *message);
/* Removes the n oldest, which have been sent. */
void ixa_reports_drop(struct ixa_reports *q, size_t n);

#endif
