#define XXH_INLINE_ALL
#include "roxi/tally.h"

#include <stdlib.h>
#include <xxhash.h>

#include "roxi/array.h"

void roxi_tally_free(struct roxi_tally *t)
{
    free(t->keys);
    free(t->counts);
    roxi_index_free(&t->index);
    *t = (struct roxi_tally){0};
}

static bool same_key(const void *owner, uint32_t number, const void *key)
{
    const struct roxi_tally *t = owner;
    return t->keys[number] == *(const uint64_t *)key;
}

static uint32_t find(const struct roxi_tally *t, uint64_t key, uint64_t *hash)
{
    *hash = XXH3_64bits(&key, sizeof key);
    return roxi_index_find(&t->index, *hash, same_key, t, &key);
}

uint32_t roxi_tally_add(struct roxi_tally *t, uint64_t key, uint64_t count)
{
    uint64_t hash;
    uint32_t number = find(t, key, &hash);
    if (number != ROXI_NONE) {
        t->counts[number] += count;
        return number;
    }
    if (t->n >= ROXI_NONE)
        return ROXI_NONE;
    uint64_t *keys = roxi_array_fit(t->keys, &t->keys_cap, t->n + 1, sizeof *keys);
    if (!keys)
        return ROXI_NONE;
    t->keys = keys;
    uint64_t *counts = roxi_array_fit(t->counts, &t->counts_cap, t->n + 1, sizeof *counts);
    if (!counts)
        return ROXI_NONE;
    t->counts = counts;
    keys[t->n] = key;
    counts[t->n] = count;
    if (roxi_index_add(&t->index, hash, (uint32_t)t->n) != 0)
        return ROXI_NONE;
    return (uint32_t)t->n++;
}

uint64_t roxi_tally_count(const struct roxi_tally *t, uint64_t key)
{
    uint64_t hash;
    uint32_t number = find(t, key, &hash);
    return number == ROXI_NONE ? 0 : t->counts[number];
}
