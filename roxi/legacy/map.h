/* SPDX-License-Identifier: Apache-2.0 */
/* A map from 128-bit keys (identifiers of a text log, and digests) to the numbers of a trace
 * log. O(1) expected; seeded, so that nobody can construct a file whose keys collide. */
#ifndef ROXI_TEXT_MAP_H
#define ROXI_TEXT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_slot {
    uint64_t low, high; /* the key */
    uint32_t number;    /* the value; 0 until the caller sets it */
    uint32_t mark;      /* for the caller, initially 0 */
    bool used;          /* false: the slot is free */
};

struct text_map {
    struct text_slot *slots;
    size_t count, cap; /* cap: 0 or a power of two */
    uint64_t seed;
};

/* A map of all zero bytes is empty and ready for use. */
void text_map_free(struct text_map *map);
/* The key's slot, added if it is missing; valid until the next call. NULL: out of memory. */
struct text_slot *text_map_put(struct text_map *map, uint64_t low, uint64_t high);
/* The key's slot, or NULL. */
struct text_slot *text_map_get(const struct text_map *map, uint64_t low, uint64_t high);

#endif
