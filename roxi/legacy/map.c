/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/map.h"

#include <stdlib.h>
#include <sys/random.h>

enum { FIRST_CAP = 256 };

void text_map_free(struct text_map *map)
{
    free(map->slots);
    *map = (struct text_map){0};
}

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The key's slot, or the free slot where it belongs; cap must not be 0, and a slot must be free. */
static size_t place_of(const struct text_map *map, uint64_t low, uint64_t high)
{
    size_t mask = map->cap - 1;
    size_t at = (size_t)mix(mix(low ^ map->seed) + high) & mask;
    while (map->slots[at].used && (map->slots[at].low != low || map->slots[at].high != high))
        at = (at + 1) & mask;
    return at;
}

static int grow(struct text_map *map)
{
    struct text_map bigger = {.cap = map->cap ? map->cap * 2 : FIRST_CAP, .seed = map->seed};
    /* Without a random seed the map still works, but collisions are predictable. */
    if (map->cap == 0 && getrandom(&bigger.seed, sizeof bigger.seed, GRND_NONBLOCK) < 0)
        bigger.seed = 0;
    bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
    if (!bigger.slots)
        return -1;
    for (size_t i = 0; i < map->cap; i++) {
        if (!map->slots[i].used)
            continue;
        size_t at = place_of(&bigger, map->slots[i].low, map->slots[i].high);
        bigger.slots[at] = map->slots[i];
    }
    bigger.count = map->count;
    text_map_free(map);
    *map = bigger;
    return 0;
}

struct text_slot *text_map_put(struct text_map *map, uint64_t low, uint64_t high)
{
    if (map->count >= map->cap - map->cap / 4 && grow(map) != 0)
        return NULL;
    size_t at = place_of(map, low, high);
    if (!map->slots[at].used) {
        map->count++;
        map->slots[at] = (struct text_slot){.low = low, .high = high, .used = true};
    }
    return &map->slots[at];
}

struct text_slot *text_map_get(const struct text_map *map, uint64_t low, uint64_t high)
{
    if (map->cap == 0)
        return NULL;
    size_t at = place_of(map, low, high);
    return map->slots[at].used ? &map->slots[at] : NULL;
}
