/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/index.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SIZE_FIRST 64

uint64_t ixor_index_hash(uint64_t seed, const void *data, size_t size)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

static struct ixor_index_link **bucket(const struct ixor_index *index, uint64_t hash)
{
    return &index->buckets[hash & (index->size - 1)];
}

/* Twice as many buckets. */
static int grow(struct ixor_index *index)
{
    struct ixor_index bigger = {.size = index->size ? index->size * 2 : SIZE_FIRST,
                                .count = index->count};
    bigger.buckets = calloc(bigger.size, sizeof(struct ixor_index_link *));
    if (!bigger.buckets)
        return -1;
    for (size_t i = 0; i < index->size; i++) {
        while (index->buckets[i]) {
            struct ixor_index_link *link = index->buckets[i];
            index->buckets[i] = link->next;
            link->next = *bucket(&bigger, link->hash);
            *bucket(&bigger, link->hash) = link;
        }
    }
    free(index->buckets);
    *index = bigger;
    return 0;
}

void ixor_index_free(struct ixor_index *index)
{
    free(index->buckets);
    *index = (struct ixor_index){0};
}

int ixor_index_add(struct ixor_index *index, struct ixor_index_link *link, uint64_t hash)
{
    if (index->count == index->size && grow(index) != 0)
        return -1;
    link->hash = hash;
    link->next = *bucket(index, hash);
    *bucket(index, hash) = link;
    index->count++;
    return 0;
}

void ixor_index_remove(struct ixor_index *index, struct ixor_index_link *link)
{
    struct ixor_index_link **at = bucket(index, link->hash);
    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    index->count--;
}

static struct ixor_index_link *from(struct ixor_index_link *link, uint64_t hash)
{
    while (link && link->hash != hash)
        link = link->next;
    return link;
}

struct ixor_index_link *ixor_index_first(const struct ixor_index *index, uint64_t hash)
{
    return index->size ? from(*bucket(index, hash), hash) : NULL;
}

struct ixor_index_link *ixor_index_next(const struct ixor_index_link *link)
{
    return from(link->next, link->hash);
}
