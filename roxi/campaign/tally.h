/* Numbers 64-bit keys in order of their first appearance, and counts them. */
#ifndef ROXI_TALLY_H
#define ROXI_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "roxi/symbols.h"

/* All zero: empty. Arrays are owned. */
struct roxi_tally {
    uint64_t *keys, *counts; /* by number */
    size_t n, cap;           /* keys are numbered 0 to n - 1 */
    uint32_t *slots;         /* open addressing, linear probing: number + 1, 0 free */
    unsigned slot_bits;      /* there are 2^slot_bits slots, if any */
};

/* Two 32-bit numbers as one key. */
static inline uint64_t roxi_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

void roxi_tally_free(struct roxi_tally *t);
/* Adds `count` (0: only numbers the key), in O(1) expected. The key's number, or ROXI_NONE: memory
 * ran out. */
uint32_t roxi_tally_add(struct roxi_tally *t, uint64_t key, uint64_t count);
/* 0 for a key that is not there. */
uint64_t roxi_tally_count(const struct roxi_tally *t, uint64_t key);

static inline uint64_t roxi_tally_key(const struct roxi_tally *t, size_t number)
{
    return t->keys[number];
}

#endif
