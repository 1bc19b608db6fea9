/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/recent.h"

#include <stdlib.h>

struct ixor_recent {
    ixor_recent_close_fn *close;
    void *user;
    size_t room, first, count; /* a ring, numbers ascending; its first packet is open */
    struct ixor_recent_packet at[];
};

struct ixor_recent *ixor_recent_new(size_t room, ixor_recent_close_fn *close, void *user)
{
    struct ixor_recent *r = calloc(1, sizeof *r + room * sizeof r->at[0]);
    if (!r)
        return NULL;
    r->close = close;
    r->user = user;
    r->room = room;
    return r;
}

void ixor_recent_free(struct ixor_recent *r)
{
    free(r);
}

static struct ixor_recent_packet *place(struct ixor_recent *r, size_t i)
{
    return &r->at[(r->first + i) % r->room];
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void close_packet(struct ixor_recent *r, struct ixor_recent_packet *p)
{
    struct ix_packet_outcome outcome = {
        .execution = p->execution,
        .number = (int64_t)p->number,
        .taken = (int64_t)p->taken,
        .skew_ns = -1,
        .skew_error_ns = -1,
    };
    if (p->timed >= 2) {
        int64_t most = p->latest_ns - p->earliest_ns;
        int64_t least = larger(0, p->surely_last_ns - p->surely_first_ns);
        outcome.skew_ns = p->last_ns - p->first_ns;
        outcome.skew_error_ns = larger(most - outcome.skew_ns, outcome.skew_ns - least);
    }
    p->closed = true;
    r->close(r->user, &outcome);
}

static void drop_closed(struct ixor_recent *r)
{
    while (r->count && place(r, 0)->closed) {
        r->first = (r->first + 1) % r->room;
        r->count--;
    }
}

void ixor_recent_sent(struct ixor_recent *r, const struct ixor_recent_packet *packet)
{
    if (r->count == r->room) {
        close_packet(r, place(r, 0));
        drop_closed(r);
    }
    *place(r, r->count++) = (struct ixor_recent_packet){.number = packet->number,
                                                        .execution = packet->execution,
                                                        .sent_ns = packet->sent_ns,
                                                        .target_ns = packet->target_ns,
                                                        .vms = packet->vms};
}

struct ixor_recent_packet *ixor_recent_find(struct ixor_recent *r, uint64_t number,
                                            int64_t execution)
{
    size_t low = 0, high = r->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place(r, middle)->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < r->count && place(r, low)->number == number; low++)
        if (place(r, low)->execution == execution)
            return place(r, low)->closed ? NULL : place(r, low);
    return NULL;
}

void ixor_recent_taken(struct ixor_recent *r, struct ixor_recent_packet *p, bool timed,
                       int64_t begin_ns, int64_t error_ns)
{
    p->taken++;
    if (timed) {
        int64_t early = begin_ns - error_ns, late = begin_ns + error_ns;
        bool first = p->timed++ == 0;
        p->first_ns = first ? begin_ns : smaller(p->first_ns, begin_ns);
        p->last_ns = first ? begin_ns : larger(p->last_ns, begin_ns);
        p->earliest_ns = first ? early : smaller(p->earliest_ns, early);
        p->latest_ns = first ? late : larger(p->latest_ns, late);
        p->surely_first_ns = first ? late : smaller(p->surely_first_ns, late);
        p->surely_last_ns = first ? early : larger(p->surely_last_ns, early);
    }
    if (p->taken >= p->vms) {
        close_packet(r, p);
        drop_closed(r);
    }
}

void ixor_recent_expire(struct ixor_recent *r, uint64_t before_ns)
{
    while (r->count && place(r, 0)->sent_ns < before_ns) {
        if (!place(r, 0)->closed)
            close_packet(r, place(r, 0));
        drop_closed(r);
    }
}

void ixor_recent_end(struct ixor_recent *r, int64_t execution)
{
    for (size_t i = 0; i < r->count; i++)
        if (place(r, i)->execution == execution && !place(r, i)->closed)
            close_packet(r, place(r, i));
    drop_closed(r);
}
