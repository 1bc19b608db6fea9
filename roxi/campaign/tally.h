/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers 64-bit keys in order of first appearance, and counts them. */
#ifndef ROXI_TALLY_H
#define ROXI_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "roxi/campaign/symbols.h"
#include "schema/base/idmap.h"

/* All zero: empty. Arrays are owned. */
struct roxi_tally {
    uint64_t *keys, *counts; /* by number */
    size_t n, cap;           /* keys are numbered 0 to n - 1 */
    struct ix_idmap numbers; /* by key: number + 1 */
};

/* Two 32-bit numbers as one key. */
static inline uint64_t roxi_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

void roxi_tally_free(struct roxi_tally *t);
/* Adds `count` to the key (0: only assigns a number), in O(1) expected. Returns the key's
 * number, or ROXI_NONE: out of memory. */
uint32_t roxi_tally_add(struct roxi_tally *t, uint64_t key, uint64_t count);
/* 0 for an unknown key. */
uint64_t roxi_tally_count(const struct roxi_tally *t, uint64_t key);

/* The number of the key that was counted most, the first of several; ROXI_NONE: none was counted.
 * O(n). */
uint32_t roxi_tally_most(const struct roxi_tally *t);

static inline uint64_t roxi_tally_key(const struct roxi_tally *t, size_t number)
{
    return t->keys[number];
}

#endif
