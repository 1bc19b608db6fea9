#include "server/instant.h"

#include <stdlib.h>

#include "server/lead.h"
#include "server/session.h"

/* Packets that wait for reports: two seconds of the shortest interval. */
#define PACKETS_MAX 2048

struct ixor_instant {
    struct ixor_ledger *ledger;
    struct ixor_recent *recent;
    struct ixor_lead lead;
};

static void closed(void *user, const struct ix_packet_outcome *outcome)
{
    struct ixor_instant *i = user;
    ixor_ledger_outcome(i->ledger, outcome);
}

struct ixor_instant *ixor_instant_new(struct ixor_ledger *ledger, uint64_t lead_ns, uint64_t gap_ns)
{
    struct ixor_instant *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->ledger = ledger;
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

uint64_t ixor_instant_target(struct ixor_session *s, uint64_t number, uint64_t target_ns)
{
    uint64_t target = target_ns ? ixor_clock_target(&s->clock, target_ns) : 0;
    s->aimed[number % IXOR_AIMS] = (struct ixor_aim){number, target};
    return target;
}

void ixor_instant_sent(struct ixor_instant *i, const struct ixor_recent_packet *packet)
{
    ixor_recent_sent(i->recent, packet);
}

/* By what the VM was told: what is known of its clock may have become better meanwhile. */
static bool is_late(const struct ixor_session *s, const struct ix_taken *t)
{
    const struct ixor_aim *aim = &s->aimed[t->packet % IXOR_AIMS];
    return aim->number == t->packet && aim->target_ns && t->mono_ns > aim->target_ns &&
           t->mono_ns - aim->target_ns > IXOR_LATE_NS;
}

static void feed_lead(struct ixor_instant *i, const struct ixor_session *s,
                      const struct ixor_recent_packet *p, uint64_t arrived_ns)
{
    struct ixor_reading r;
    if (!arrived_ns || !ixor_clock_read(&s->clock, (int64_t)arrived_ns, &r))
        return;
    int64_t delay = (int64_t)arrived_ns + r.offset_ns - (int64_t)p->sent_ns;
    ixor_lead_feed(&i->lead, delay > 0 ? (uint64_t)delay : 0);
}

void ixor_instant_taken(struct ixor_instant *i, struct ixor_session *s,
                        const struct ix_taken *taken, size_t n)
{
    int64_t late = 0;
    for (const struct ix_taken *t = taken; t < taken + n; t++) {
        struct ixor_reading r = {0};
        struct ixor_recent_packet *p =
            t->packet > s->reported ? ixor_recent_find(i->recent, t->packet, s->execution->id)
                                    : NULL;
        if (!p) /* reported before, or too late for an outcome */
            continue;
        s->reported = t->packet;
        bool timed = ixor_clock_read(&s->clock, (int64_t)t->mono_ns, &r);
        int64_t begin_ns = timed ? (int64_t)t->mono_ns + r.offset_ns : 0;
        late += is_late(s, t);
        feed_lead(i, s, p, t->arrived_ns);
        ixor_recent_taken(i->recent, p, timed, begin_ns, r.error_ns);
    }
    if (late)
        ixor_ledger_late(i->ledger, s->vm, late);
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
