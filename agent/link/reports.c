/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/reports.h"

#include <stdlib.h>

int ixa_reports_init(struct ixa_reports *q, struct ix_error *err)
{
    *q = (struct ixa_reports){.ring = calloc(IXA_REPORTS_MAX, sizeof *q->ring)};
    return q->ring ? 0 : ix_fail(err, "out of memory");
}

void ixa_reports_free(struct ixa_reports *q)
{
    free(q->ring);
    *q = (struct ixa_reports){0};
}

void ixa_reports_drop(struct ixa_reports *q, size_t n)
{
    if (n > q->count)
        n = q->count;
    q->first = (q->first + n) % IXA_REPORTS_MAX;
    q->count -= n;
}

void ixa_reports_add(struct ixa_reports *q, const struct ix_taken *taken)
{
    if (q->count == IXA_REPORTS_MAX) {
        ixa_reports_drop(q, 1);
        q->lost++;
    }
    q->ring[(q->first + q->count++) % IXA_REPORTS_MAX] = *taken;
}

void ixa_reports_fill(const struct ixa_reports *q, struct ix_report *message)
{
    message->count = q->count < IX_REPORT_MAX ? q->count : IX_REPORT_MAX;
    for (size_t i = 0; i < message->count; i++)
        message->taken[i] = q->ring[(q->first + i) % IXA_REPORTS_MAX];
}
