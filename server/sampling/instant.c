/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/instant.h"

#include <stdlib.h>

#include "server/sampling/lead.h"

/* Packets waiting for reports: two seconds' worth at the shortest interval. */
#define PACKETS_MAX 2048

struct ixor_instant {
    struct ixor_writer *writer;
    struct ixor_recent *recent;
    struct ixor_lead lead;
};

static void closed(void *user, const struct ix_packet_outcome *outcome)
{
    struct ixor_instant *i = user;
    ixor_writer_outcome(i->writer, outcome);
}

struct ixor_instant *ixor_instant_new(struct ixor_writer *writer, uint64_t lead_ns, uint64_t gap_ns)
{
    struct ixor_instant *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->writer = writer;
    i->recent = ixor_recent_new(PACKETS_MAX, closed, i);
    ixor_lead_init(&i->lead, lead_ns, gap_ns);
    if (i->recent)
        return i;
    free(i);
    return NULL;
}

void ixor_instant_free(struct ixor_instant *i)
{
    if (!i)
        return;
    ixor_recent_free(i->recent);
    free(i);
}

uint64_t ixor_instant_lead(struct ixor_instant *i, size_t vms, uint64_t now_ns)
{
    return ixor_lead_now(&i->lead, vms, now_ns);
}

uint64_t ixor_instant_target(struct ixor_jvm *jvm, uint64_t number, uint64_t target_ns)
{
    uint64_t target = target_ns ? ixor_clock_target(&jvm->clock, target_ns) : 0;
    jvm->aimed[number % IXOR_AIMS] = (struct ixor_aim){number, target};
    return target;
}

void ixor_instant_sent(struct ixor_instant *i, const struct ixor_recent_packet *packet)
{
    ixor_recent_sent(i->recent, packet);
}

/* Compares with the target time that the JVM was sent; the estimate of its clock may have improved
 * since. */
static bool is_late(const struct ixor_jvm *jvm, const struct ix_taken *t)
{
    const struct ixor_aim *aim = &jvm->aimed[t->packet % IXOR_AIMS];
    return aim->number == t->packet && aim->target_ns && t->mono_ns > aim->target_ns &&
           t->mono_ns - aim->target_ns > IXOR_LATE_NS;
}

static void feed_lead(struct ixor_instant *i, const struct ixor_jvm *jvm,
                      const struct ixor_recent_packet *p, uint64_t ready_ns)
{
    struct ixor_reading r;
    if (!ready_ns || !ixor_clock_read(&jvm->clock, (int64_t)ready_ns, &r))
        return;
    int64_t delay = (int64_t)ready_ns + r.offset_ns - (int64_t)p->sent_ns;
    ixor_lead_feed(&i->lead, delay > 0 ? (uint64_t)delay : 0);
}

void ixor_instant_taken(struct ixor_instant *i, struct ixor_jvm *jvm, const struct ix_taken *taken,
                        size_t n)
{
    int64_t late = 0;
    for (const struct ix_taken *t = taken; t < taken + n; t++) {
        struct ixor_reading r = {0};
        struct ixor_recent_packet *p =
            t->packet > jvm->reported ? ixor_recent_find(i->recent, t->packet, jvm->execution->id)
                                      : NULL;
        if (!p) /* reported before, or too late for an outcome */
            continue;
        jvm->reported = t->packet;
        bool timed = ixor_clock_read(&jvm->clock, (int64_t)t->mono_ns, &r);
        int64_t begin_ns = timed ? (int64_t)t->mono_ns + r.offset_ns : 0;
        late += is_late(jvm, t);
        feed_lead(i, jvm, p, t->ready_ns);
        ixor_recent_taken(i->recent, p, timed, begin_ns, r.error_ns);
    }
    if (late)
        ixor_writer_late(i->writer, jvm->vm, late);
}

void ixor_instant_check(struct ixor_instant *i, uint64_t now_ns, uint64_t report_ns)
{
    if (now_ns > IXOR_OUTCOME_NS + report_ns)
        ixor_recent_expire(i->recent, now_ns - IXOR_OUTCOME_NS - report_ns);
}

void ixor_instant_end(struct ixor_instant *i, int64_t execution)
{
    ixor_recent_end(i->recent, execution);
}
