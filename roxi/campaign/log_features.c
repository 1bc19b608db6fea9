/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/log_features.h"

#include <stdlib.h>

#include "schema/base/grow.h"

void roxi_log_features_free(struct roxi_log_features *a)
{
    roxi_tally_free(&a->states);
    roxi_tally_free(&a->stays);
    roxi_tally_free(&a->moves);
    roxi_tally_free(&a->groups);
    free(a->live);
    *a = (struct roxi_log_features){0};
}

void roxi_log_features_answer(struct roxi_log_features *a, uint64_t packet)
{
    if (!a->answered++)
        a->first = packet;
    else if (packet > a->latest && packet - a->latest - 1 > a->lost)
        a->lost = packet - a->latest - 1;
    a->latest = packet;
}

void roxi_log_features_count(struct roxi_log_features *a, uint64_t packet)
{
    a->consecutive = packet == a->counted + 1; /* at the very first packet no thread has a past */
    a->counted = packet;
}

static int add(struct roxi_tally *t, uint64_t key, uint64_t count)
{
    return roxi_tally_add(t, key, count) == ROXI_NONE ? -1 : 0;
}

static unsigned whole_log2(uint64_t n)
{
    return 63u - (unsigned)__builtin_clzll(n);
}

static int end_stay(struct roxi_log_features *a, const struct roxi_past *t, uint64_t now)
{
    return now > t->stays_since
               ? add(&a->stays, roxi_pair(t->place - 1, whole_log2(now - t->stays_since)), 1)
               : 0;
}

static int end_state(struct roxi_log_features *a, struct roxi_past *t, uint64_t now)
{
    const uint64_t group = roxi_tally_key(&a->groups, t->live);
    const uint64_t packets = now - t->state_since;
    t->state_since = now;
    return packets ? add(&a->states, roxi_pair((uint32_t)group, t->state), packets) : 0;
}

/* Counts one more thread of the group; *number is the group's index in `live`. */
static int add_live(struct roxi_log_features *a, uint32_t group, uint32_t *number)
{
    const size_t before = a->groups.n;
    *number = roxi_tally_add(&a->groups, group, 0);
    struct roxi_live *live =
        *number == ROXI_NONE ? NULL : ix_grow(a->live, &a->live_cap, a->groups.n, sizeof *live);
    if (!live)
        return -1;
    a->live = live;
    if (a->groups.n > before)
        live[*number] = (struct roxi_live){0};
    if (++live[*number].now > live[*number].most)
        live[*number].most = live[*number].now;
    return 0;
}

int roxi_past_begin(struct roxi_log_features *a, struct roxi_past *t, uint32_t place,
                    uint32_t group, uint32_t state_bits, uint64_t now)
{
    uint32_t live;
    if (add_live(a, group, &live) != 0)
        return -1;
    if (t->place != place + 1) {
        const bool moves = t->place && a->consecutive && t->live == live;
        if (t->place && end_stay(a, t, now) != 0)
            return -1;
        if (moves && add(&a->moves, roxi_pair(t->place - 1, place), 1) != 0)
            return -1;
        t->place = place + 1;
        t->stays_since = now;
    }
    t->live = live;
    t->state = roxi_state_of(state_bits);
    t->state_since = now;
    return 0;
}

int roxi_past_change(struct roxi_log_features *a, struct roxi_past *t, uint32_t state_bits,
                     uint64_t now)
{
    const enum roxi_state state = roxi_state_of(state_bits);
    if (state == t->state)
        return 0;
    const int result = end_state(a, t, now);
    t->state = state;
    return result;
}

int roxi_past_stop(struct roxi_log_features *a, struct roxi_past *t, uint64_t now)
{
    struct roxi_live *live = &a->live[t->live];
    live->now--;
    if (live->last_at != now)
        *live = (struct roxi_live){.now = live->now, .most = live->most, .last_at = now};
    live->last++;
    return end_state(a, t, now);
}

int roxi_past_end(struct roxi_log_features *a, struct roxi_past *t, uint64_t now)
{
    const int result = t->place ? end_stay(a, t, now) : 0;
    t->place = 0;
    return result;
}

/* ---- as items ---- */

struct list {
    struct roxi_feature_item *items;
    size_t n;
};

static void put(struct list *l, enum roxi_feature feature, uint32_t place, uint32_t key_a,
                uint32_t key_b, uint64_t count)
{
    if (count)
        l->items[l->n++] = (struct roxi_feature_item){feature, place, key_a, key_b, count};
}

static uint32_t high(uint64_t key)
{
    return (uint32_t)(key >> 32);
}

static void put_stays_and_moves(struct list *l, const struct roxi_log_features *a,
                                const struct roxi_tally *seen)
{
    for (size_t i = 0; i < a->stays.n; i++) {
        const uint64_t key = roxi_tally_key(&a->stays, i);
        const uint64_t at = roxi_tally_key(seen, high(key));
        put(l, ROXI_STAYS, high(at), (uint32_t)at, (uint32_t)key, a->stays.counts[i]);
    }
    for (size_t i = 0; i < a->moves.n; i++) {
        const uint64_t key = roxi_tally_key(&a->moves, i);
        const uint64_t from = roxi_tally_key(seen, high(key));
        const uint64_t to = roxi_tally_key(seen, (uint32_t)key);
        put(l, ROXI_MOVES, high(from), (uint32_t)from, (uint32_t)to, a->moves.counts[i]);
    }
}

struct roxi_feature_item *roxi_log_features_items(const struct roxi_log_features *a,
                                                  const struct roxi_tally *seen, uint64_t counted,
                                                  size_t *count)
{
    const size_t most = 3 + a->states.n + a->stays.n + a->moves.n + 2 * a->groups.n;
    struct list l = {.items = calloc(most, sizeof *l.items)};
    if (!l.items)
        return NULL;
    if (a->answered) {
        put(&l, ROXI_PACKETS, 0, ROXI_ANSWERED, 0, a->answered);
        put(&l, ROXI_PACKETS, 0, ROXI_LOST, 0, a->lost);
        put(&l, ROXI_PACKETS, 0, ROXI_COUNTED, 0, counted);
    }
    for (size_t i = 0; i < a->groups.n; i++) {
        const uint32_t group = (uint32_t)roxi_tally_key(&a->groups, i);
        put(&l, ROXI_THREADS, group, ROXI_MOST, 0, a->live[i].most);
        put(&l, ROXI_THREADS, group, ROXI_LAST, 0,
            a->live[i].last_at == counted ? a->live[i].last : 0);
    }
    for (size_t i = 0; i < a->states.n; i++) {
        const uint64_t key = roxi_tally_key(&a->states, i);
        put(&l, ROXI_STATES, high(key), (uint32_t)key, 0, a->states.counts[i]);
    }
    put_stays_and_moves(&l, a, seen);
    *count = l.n;
    return l.items;
}
