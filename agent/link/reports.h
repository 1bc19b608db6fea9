/* Packets taken that the server has not been told of yet. Kept across broken connections, but
 * bounded: the oldest go first (the trace log still has them). */
#ifndef IX_AGENT_REPORTS_H
#define IX_AGENT_REPORTS_H

#include "schema/protocol.h"

#define IXA_REPORTS_MAX 4096u

struct ixa_reports {
    struct ix_taken *ring; /* owned, IXA_REPORTS_MAX places */
    size_t first, count;
    uint64_t lost; /* went because there was no room */
};

int ixa_reports_init(struct ixa_reports *q, struct ix_error *err);
void ixa_reports_free(struct ixa_reports *q);
void ixa_reports_add(struct ixa_reports *q, const struct ix_taken *taken);
/* Copies the oldest, at most IX_REPORT_MAX, into the message; they stay in the queue. */
void ixa_reports_fill(const struct ixa_reports *q, struct ix_report *message);
/* The n oldest have been sent. */
void ixa_reports_drop(struct ixa_reports *q, size_t n);

#endif
