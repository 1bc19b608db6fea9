/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/traffic.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/base/capped.h"
#include "schema/base/grow.h"

/* Something that lasts: from which packet on, how many packets had been answered then, and the
 * longest time of it so far. */
struct lasting {
    bool on;
    uint64_t packet, answered;
    uint32_t longest;
    uint64_t longest_from;
};

struct roxi_traffic_end {
    uint64_t here, there;     /* its addresses, and the same in the other end's order (XXH3) */
    uint16_t port, peer_port; /* of the addresses; 0: it has none */
    bool accepted;
    uint64_t first;        /* the packet before which it was found */
    uint64_t sent;         /* messages */
    struct lasting waits;  /* the other end, to which something was sent, sends nothing */
    struct lasting unread; /* bytes have arrived that are not read */
};

struct roxi_traffic_sent {
    size_t end; /* its place */
    uint64_t packet, sent;
};

struct roxi_traffic_wait {
    size_t end; /* its place */
    uint64_t packet;
    uint32_t packets;
};

/* ---- a log ---- */

static uint64_t hash_of(const char *local, const char *remote)
{
    return XXH3_64bits_withSeed(local, strlen(local), XXH3_64bits(remote, strlen(remote)));
}

static uint16_t port_of(const char *address)
{
    const char *colon = strrchr(address, ':');
    const unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 0;
    return port <= UINT16_MAX ? (uint16_t)port : 0;
}

static void set_lasting(struct lasting *x, bool on, uint64_t packet, uint64_t answered)
{
    const uint64_t time = x->on ? answered - x->answered : 0;
    if (time > x->longest) {
        x->longest = roxi_capped(time);
        x->longest_from = x->packet;
    }
    if (on && !x->on) {
        x->packet = packet;
        x->answered = answered;
    }
    x->on = on;
}

/* Says whether the end waits for an answer from now on. -1: memory ran out. */
static int set_waits(struct roxi_traffic *t, struct roxi_traffic_end *end, bool on, uint64_t packet,
                     uint64_t answered)
{
    const struct lasting before = end->waits;
    set_lasting(&end->waits, on, packet, answered);
    if (!t->keep || !before.on || on || answered - before.answered < ROXI_SILENCE)
        return 0;
    return ix_append(t->waits, t->wait_count, t->wait_cap,
                     (struct roxi_traffic_wait){(size_t)(end - t->ends), before.packet,
                                                (uint32_t)(answered - before.answered)});
}

/* NULL: memory ran out. Valid until the next call. */
static struct roxi_traffic_end *end_of(struct roxi_traffic *t, const char *local,
                                       const char *remote, uint64_t packet)
{
    const uint64_t here = hash_of(local, remote);
    const uint32_t known = ix_idmap_get(&t->known, here);
    if (known)
        return &t->ends[known - 1];
    struct roxi_traffic_end *ends = ix_grow(t->ends, &t->end_cap, t->end_count + 1, sizeof *ends);
    if (!ends)
        return NULL;
    t->ends = ends;
    if (ix_idmap_put(&t->known, here, (uint32_t)t->end_count + 1) != 0)
        return NULL;
    ends[t->end_count] = (struct roxi_traffic_end){.here = here,
                                                   .there = hash_of(remote, local),
                                                   .port = port_of(local),
                                                   .peer_port = port_of(remote),
                                                   .first = packet};
    return &ends[t->end_count++];
}

static int take_port(struct roxi_traffic *t, uint16_t port)
{
    for (size_t i = 0; i < t->port_count; i++)
        if (t->ports[i] == port)
            return 0;
    return ix_append(t->ports, t->port_count, t->port_cap, port);
}

/* Who spoke last is not known if both did within the kernel's resolution. Then the one has answered
 * the other. */
static bool is_waiting(const struct roxi_traffic_end *end, const struct ix_traffic *x)
{
    if (!x->sent && !x->received)
        return end->waits.on;
    return x->last == IX_SPOKE_HERE || (x->last == IX_SPOKE_UNKNOWN && !x->received);
}

static int keep_sent(struct roxi_traffic *t, size_t end, uint64_t packet, uint64_t sent)
{
    return ix_append(t->sent, t->sent_count, t->sent_cap,
                     (struct roxi_traffic_sent){end, packet, sent});
}

static int take(struct roxi_traffic *t, const struct ix_traffic *x, uint64_t packet,
                uint64_t answered)
{
    struct roxi_traffic_end *end = end_of(t, x->local, x->remote, packet);
    if (!end)
        return -1;
    end->sent += x->sent;
    if (x->received && set_waits(t, end, false, packet, answered) != 0)
        return -1;
    if (set_waits(t, end, is_waiting(end, x), packet, answered) != 0)
        return -1;
    set_lasting(&end->unread, x->unread > 0, packet, answered);
    return t->keep && x->sent ? keep_sent(t, (size_t)(end - t->ends), packet, x->sent) : 0;
}

static int take_change(struct roxi_traffic *t, const struct ix_connection *change, uint64_t packet,
                       uint64_t answered)
{
    if (change->state == IX_CONNECTION_LISTENS)
        return take_port(t, port_of(change->local));
    if (change->state == IX_CONNECTION_OPEN && port_of(change->local))
        return end_of(t, change->local, change->remote, packet) ? 0 : -1;
    const uint32_t known = change->state == IX_CONNECTION_CLOSED
                               ? ix_idmap_get(&t->known, hash_of(change->local, change->remote))
                               : 0;
    if (!known)
        return 0;
    set_lasting(&t->ends[known - 1].unread, false, packet, answered);
    return set_waits(t, &t->ends[known - 1], false, packet, answered);
}

int roxi_traffic_take(struct roxi_traffic *t, const struct ix_facts *facts, uint64_t packet,
                      uint64_t answered)
{
    for (size_t i = 0; i < facts->traffic_count; i++)
        if (take(t, &facts->traffic[i], packet, answered) != 0)
            return -1;
    for (size_t i = 0; i < facts->connections.change_count; i++)
        if (take_change(t, &facts->connections.changes[i], packet, answered) != 0)
            return -1;
    return 0;
}

int roxi_traffic_end(struct roxi_traffic *t, uint64_t answered)
{
    for (size_t i = 0; i < t->end_count; i++) {
        struct roxi_traffic_end *end = &t->ends[i];
        set_lasting(&end->unread, false, 0, answered);
        if (set_waits(t, end, false, 0, answered) != 0)
            return -1;
        for (size_t k = 0; k < t->port_count && !end->accepted; k++)
            end->accepted = end->port && t->ports[k] == end->port;
    }
    return 0;
}

void roxi_traffic_free(struct roxi_traffic *t)
{
    free(t->ends);
    free(t->sent);
    free(t->waits);
    free(t->ports);
    ix_idmap_free(&t->known);
    *t = (struct roxi_traffic){0};
}

/* ---- a run ---- */

/* Who has which ends: from both addresses, from both ports, and from a port on which a JVM listens,
 * to the role + 1, or to SEVERAL. */
struct owners {
    struct ix_idmap addresses, ports, listening;
};
#define SEVERAL UINT32_MAX

static int add_owner(struct ix_idmap *map, uint64_t key, uint32_t role)
{
    const uint32_t known = ix_idmap_get(map, key);
    return ix_idmap_put(map, key, known && known != role + 1 ? SEVERAL : role + 1);
}

static uint64_t ports_of(uint16_t port, uint16_t peer_port)
{
    return (uint64_t)port << 16 | peer_port;
}

static int add_owners(struct owners *o, const struct roxi_traffic_jvm *jvm)
{
    const struct roxi_traffic *t = jvm->traffic;
    for (size_t i = 0; i < t->end_count; i++) {
        const struct roxi_traffic_end *end = &t->ends[i];
        if (add_owner(&o->addresses, end->here, jvm->role) != 0 ||
            add_owner(&o->ports, ports_of(end->port, end->peer_port), jvm->role) != 0)
            return -1;
    }
    for (size_t i = 0; i < t->port_count; i++)
        if (add_owner(&o->listening, t->ports[i], jvm->role) != 0)
            return -1;
    return 0;
}

/* The role at the other end; 0: none, or not known. One that has not accepted the connection yet
 * listens there. */
static uint32_t peer_of(const struct owners *o, const struct roxi_traffic_end *end)
{
    uint32_t owner = ix_idmap_get(&o->addresses, end->there);
    if (!owner)
        owner = ix_idmap_get(&o->ports, ports_of(end->peer_port, end->port));
    if (!owner)
        owner = ix_idmap_get(&o->listening, end->peer_port);
    return owner && owner != SEVERAL ? owner - 1 : 0;
}

static int keep_sends(const struct roxi_traffic *t, uint32_t role, const struct owners *owners,
                      struct roxi_history *history)
{
    for (size_t i = 0; i < t->sent_count + t->end_count; i++) {
        const bool opened = i >= t->sent_count;
        const struct roxi_traffic_end *end = &t->ends[opened ? i - t->sent_count : t->sent[i].end];
        const struct roxi_sent sent = {.role = role,
                                       .peer = peer_of(owners, end),
                                       .accepted = end->accepted,
                                       .packet = opened ? end->first : t->sent[i].packet,
                                       .sent = opened ? 0 : t->sent[i].sent,
                                       .connections = opened};
        if (roxi_history_add_sent(history, sent) != 0)
            return -1;
    }
    return 0;
}

static int keep_silences(const struct roxi_traffic *t, uint32_t role, const struct owners *owners,
                         struct roxi_history *history)
{
    for (size_t i = 0; i < t->wait_count; i++) {
        const struct roxi_traffic_end *end = &t->ends[t->waits[i].end];
        const struct roxi_silence silence = {.role = role,
                                             .peer = peer_of(owners, end),
                                             .packet = t->waits[i].packet,
                                             .packets = t->waits[i].packets};
        if (!end->accepted && roxi_history_add_silence(history, silence) != 0)
            return -1;
    }
    return 0;
}

static int join_jvm(const struct roxi_traffic_jvm *jvm, const struct owners *owners,
                    struct roxi_use *use, struct roxi_history *history)
{
    const struct roxi_traffic *t = jvm->traffic;
    for (size_t i = 0; i < t->end_count; i++) {
        const struct roxi_traffic_end *end = &t->ends[i];
        const struct roxi_talk talk = {.role = jvm->role,
                                       .peer = peer_of(owners, end),
                                       .accepted = end->accepted,
                                       .connections = 1,
                                       .sent = end->sent,
                                       .waits = end->waits.longest,
                                       .waits_from = end->waits.longest_from,
                                       .unread = end->unread.longest,
                                       .unread_from = end->unread.longest_from};
        if (roxi_use_add_talk(use, &talk) != 0)
            return -1;
    }
    if (!history)
        return 0;
    return keep_sends(t, jvm->role, owners, history) == 0
               ? keep_silences(t, jvm->role, owners, history)
               : -1;
}

int roxi_traffic_join(const struct roxi_traffic_jvm *jvms, size_t count, struct roxi_use *use,
                      struct roxi_history *history)
{
    struct owners owners = {0};
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = add_owners(&owners, &jvms[i]);
    for (size_t i = 0; i < count && result == 0; i++)
        result = join_jvm(&jvms[i], &owners, use, history);
    ix_idmap_free(&owners.addresses);
    ix_idmap_free(&owners.ports);
    ix_idmap_free(&owners.listening);
    return result;
}
