#include "roxi/index.h"

#include <stdlib.h>

struct roxi_slot {
    uint64_t hash; /* whole, so that growing needs no look at the things */
    uint32_t number;
    bool taken;
};

void roxi_index_free(struct roxi_index *index)
{
    free(index->slots);
    *index = (struct roxi_index){0};
}

uint32_t roxi_index_find(const struct roxi_index *index, uint64_t hash, roxi_same *same,
                         const void *owner, const void *key)
{
    if (!index->cap)
        return ROXI_NONE;
    size_t mask = index->cap - 1;
    for (size_t i = hash & mask; index->slots[i].taken; i = (i + 1) & mask) {
        const struct roxi_slot *slot = &index->slots[i];
        if (slot->hash == hash && same(owner, slot->number, key))
            return slot->number;
    }
    return ROXI_NONE;
}

static void put(struct roxi_slot *slots, size_t cap, uint64_t hash, uint32_t number)
{
    size_t i = hash & (cap - 1);
    while (slots[i].taken)
        i = (i + 1) & (cap - 1);
    slots[i] = (struct roxi_slot){.hash = hash, .number = number, .taken = true};
}

static int grow(struct roxi_index *index)
{
    size_t cap = index->cap ? index->cap * 2 : 64;
    struct roxi_slot *slots = calloc(cap, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t i = 0; i < index->cap; i++)
        if (index->slots[i].taken)
            put(slots, cap, index->slots[i].hash, index->slots[i].number);
    free(index->slots);
    index->slots = slots;
    index->cap = cap;
    return 0;
}

int roxi_index_add(struct roxi_index *index, uint64_t hash, uint32_t number)
{
    if (index->used * 2 >= index->cap && grow(index) != 0)
        return -1;
    put(index->slots, index->cap, hash, number);
    index->used++;
    return 0;
}
