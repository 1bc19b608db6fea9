#include "roxi/tally.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIRST_CAP = 16, FIRST_SLOT_BITS = 6 };
/* Numbers end below what says that memory ran out, as those of symbols.h do. */
#define KEYS_MAX (UINT32_MAX - 3)

void roxi_tally_free(struct roxi_tally *t)
{
    free(t->keys);
    free(t->counts);
    free(t->slots);
    *t = (struct roxi_tally){0};
}

/* The first steps of SplitMix64's finaliser (Steele, Lea, Flood 2014), and its highest bits. */
static size_t place_of(uint64_t key, unsigned bits)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
    key = (key ^ key >> 27) * 0x94d049bb133111ebu;
    return (size_t)(key >> (64 - bits));
}

/* The slot that holds the key, or the free one where it belongs. */
static uint32_t *slot_of(const struct roxi_tally *t, uint64_t key)
{
    const size_t mask = ((size_t)1 << t->slot_bits) - 1;
    size_t at = place_of(key, t->slot_bits);
    while (t->slots[at] && t->keys[t->slots[at] - 1] != key)
        at = (at + 1) & mask;
    return &t->slots[at];
}

static bool more_slots(struct roxi_tally *t)
{
    if (t->slots && t->n < ((size_t)1 << t->slot_bits) / 2)
        return true;
    struct roxi_tally bigger = *t;
    bigger.slot_bits = t->slots ? t->slot_bits + 1 : FIRST_SLOT_BITS;
    bigger.slots = calloc((size_t)1 << bigger.slot_bits, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < t->n; i++)
        *slot_of(&bigger, t->keys[i]) = (uint32_t)i + 1;
    free(t->slots);
    *t = bigger;
    return true;
}

static bool more_keys(struct roxi_tally *t)
{
    if (t->n < t->cap)
        return true;
    const size_t cap = t->cap ? t->cap * 2 : FIRST_CAP;
    uint64_t *keys = reallocarray(t->keys, cap, sizeof *keys);
    if (keys)
        t->keys = keys;
    uint64_t *counts = reallocarray(t->counts, cap, sizeof *counts);
    if (counts)
        t->counts = counts;
    if (!keys || !counts)
        return false;
    t->cap = cap;
    return true;
}

uint32_t roxi_tally_add(struct roxi_tally *t, uint64_t key, uint64_t count)
{
    if (!more_slots(t))
        return ROXI_NONE;
    uint32_t *slot = slot_of(t, key);
    if (*slot) {
        t->counts[*slot - 1] += count;
        return *slot - 1;
    }
    if (t->n >= KEYS_MAX || !more_keys(t))
        return ROXI_NONE;
    t->keys[t->n] = key;
    t->counts[t->n] = count;
    *slot = (uint32_t)++t->n;
    return *slot - 1;
}

uint64_t roxi_tally_count(const struct roxi_tally *t, uint64_t key)
{
    const uint32_t number = t->slots ? *slot_of(t, key) : 0;
    return number ? t->counts[number - 1] : 0;
}
