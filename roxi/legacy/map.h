/* A map from 128-bit keys to numbers: identifiers of a text log, and digests, to the numbers of a
 * trace log. O(1) expected; seeded, so that a file cannot be made to collide on purpose.
 */
#ifndef ROXI_TEXT_MAP_H
#define ROXI_TEXT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_slot {
    uint64_t low, high; /* the key */
    uint32_t number;    /* what the key stands for; 0 until the caller sets it */
    uint32_t mark;      /* the caller's, at first 0 */
    bool used;          /* else there is nothing here */
};

struct text_map {
    struct text_slot *slots;
    size_t count, cap; /* cap: 0 or a power of two */
    uint64_t seed;
};

/* A map of all zero bytes is empty and ready. */
void text_map_free(struct text_map *map);
/* The key's slot, made if it is not there; lives until the next call. NULL: out of memory. */
struct text_slot *text_map_put(struct text_map *map, uint64_t low, uint64_t high);
/* The key's slot, or NULL. */
struct text_slot *text_map_get(const struct text_map *map, uint64_t low, uint64_t high);

#endif
