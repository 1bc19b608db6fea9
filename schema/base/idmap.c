/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/idmap.h"

#include <stdlib.h>
#include <string.h>

struct ix_idmap_slot {
    uint64_t key;
    uint32_t number; /* 0: free */
};

/* Finalizer of MurmurHash3 (Austin Appleby): keys are pointers and small counters. */
static size_t hash(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdu;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53u;
    key ^= key >> 33;
    return (size_t)key;
}

/* The slot of the key, or the free one where it belongs; capacity is not 0. */
static struct ix_idmap_slot *slot_of(const struct ix_idmap *m, uint64_t key)
{
    size_t i = hash(key) & (m->capacity - 1);
    while (m->slots[i].number && m->slots[i].key != key)
        i = (i + 1) & (m->capacity - 1);
    return &m->slots[i];
}

uint32_t ix_idmap_get(const struct ix_idmap *m, uint64_t key)
{
    return m->capacity ? slot_of(m, key)->number : 0;
}

static int grow(struct ix_idmap *m)
{
    struct ix_idmap bigger = {.capacity = m->capacity ? m->capacity * 2 : 64};
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return -1;
    for (size_t i = 0; i < m->capacity; i++)
        if (m->slots[i].number)
            *slot_of(&bigger, m->slots[i].key) = m->slots[i];
    bigger.used = m->used;
    free(m->slots);
    *m = bigger;
    return 0;
}

int ix_idmap_put(struct ix_idmap *m, uint64_t key, uint32_t number)
{
    if (m->used * 2 >= m->capacity && grow(m) != 0)
        return -1;
    struct ix_idmap_slot *slot = slot_of(m, key);
    if (!slot->number)
        m->used++;
    *slot = (struct ix_idmap_slot){.key = key, .number = number};
    return 0;
}

void ix_idmap_clear(struct ix_idmap *m)
{
    if (m->capacity)
        memset(m->slots, 0, m->capacity * sizeof *m->slots);
    m->used = 0;
}

void ix_idmap_free(struct ix_idmap *m)
{
    free(m->slots);
    *m = (struct ix_idmap){0};
}

size_t ix_idmap_memory(const struct ix_idmap *m)
{
    return m->capacity * sizeof *m->slots;
}
