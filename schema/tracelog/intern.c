/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/intern.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "schema/base/grow.h"

/* One case per fixed key length, so that the compiler knows it. */
static uint32_t hash_of(const void *key, size_t len)
{
    if (len == 8)
        return (uint32_t)XXH3_64bits(key, 8);
    if (len == 16)
        return (uint32_t)XXH3_64bits(key, 16);
    return (uint32_t)XXH3_64bits(key, len);
}

static bool is_same(const void *a, const void *b, size_t len)
{
    if (len == 8)
        return memcmp(a, b, 8) == 0;
    if (len == 16)
        return memcmp(a, b, 16) == 0;
    return len == 0 || memcmp(a, b, len) == 0;
}

static struct ix_span key_at(const struct ix_intern *table, uint32_t index)
{
    /* No bytes are there as long as the only key is the empty one. */
    const char *keys = table->keys.data ? (const char *)table->keys.data : "";
    if (table->key_size)
        return (struct ix_span){keys + index * table->key_size, table->key_size};
    size_t begin = index ? table->ends[index - 1] : 0;
    return (struct ix_span){keys + begin, table->ends[index] - begin};
}

/* The slot that holds the key, or the free one where it belongs. */
static struct ix_intern_slot *slot_of(const struct ix_intern *table, uint32_t hash, const void *key,
                                      size_t len)
{
    size_t mask = table->slot_count - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        struct ix_intern_slot *slot = &table->slots[at];
        if (!slot->index_plus_1)
            return slot;
        if (slot->hash != hash)
            continue;
        struct ix_span there = key_at(table, slot->index_plus_1 - 1);
        if (there.len == len && is_same(there.text, key, len))
            return slot;
    }
}

static bool make_room(struct ix_intern *table)
{
    if (table->count < table->slot_count / 4 * 3)
        return true;
    size_t grown = table->slot_count ? table->slot_count * 2 : 64;
    struct ix_intern_slot *slots = calloc(grown, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < table->slot_count; i++) {
        if (!table->slots[i].index_plus_1)
            continue;
        size_t at = table->slots[i].hash & (grown - 1);
        while (slots[at].index_plus_1)
            at = (at + 1) & (grown - 1);
        slots[at] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = grown;
    return true;
}

static bool append_key(struct ix_intern *table, const void *key, size_t len)
{
    if (!table->key_size) {
        size_t *ends =
            ix_grow(table->ends, &table->ends_cap, (size_t)table->count + 1, sizeof *ends);
        if (!ends)
            return false;
        table->ends = ends;
        ends[table->count] = table->keys.len + len;
    }
    ix_put_bytes(&table->keys, key, len);
    return !table->keys.failed;
}

uint32_t ix_intern(struct ix_intern *table, const void *key, size_t len, bool *added)
{
    *added = false;
    if (!make_room(table))
        return IX_INTERN_FAILED;
    uint32_t hash = hash_of(key, len);
    struct ix_intern_slot *slot = slot_of(table, hash, key, len);
    if (slot->index_plus_1)
        return slot->index_plus_1 - 1;
    /* Two of the 2^32 numbers are taken by the stacks that are never defined, one says failed. */
    if (table->count >= UINT32_MAX - 3 || !append_key(table, key, len))
        return IX_INTERN_FAILED;
    *added = true;
    *slot = (struct ix_intern_slot){.hash = hash, .index_plus_1 = ++table->count};
    return table->count - 1;
}

uint32_t ix_intern_find(const struct ix_intern *table, const void *key, size_t len)
{
    if (!table->slot_count)
        return IX_INTERN_FAILED;
    const struct ix_intern_slot *slot = slot_of(table, hash_of(key, len), key, len);
    return slot->index_plus_1 ? slot->index_plus_1 - 1 : IX_INTERN_FAILED;
}

void ix_intern_free(struct ix_intern *table)
{
    free(table->slots);
    free(table->ends);
    ix_out_free(&table->keys);
    *table = (struct ix_intern){.key_size = table->key_size};
}
