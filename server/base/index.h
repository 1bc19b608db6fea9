/* SPDX-License-Identifier: Apache-2.0 */
/* An intrusive hash table: each entry contains its link, and is found by a 64-bit hash of its key.
 * Adding, finding and removing are O(1) on average; use a seeded hash (ixor_index_hash), so that no
 * peer can provoke collisions.
 */
#ifndef IXOR_INDEX_H
#define IXOR_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct ixor_index_link {
    struct ixor_index_link *next;
    uint64_t hash;
};

/* Empty when zero. */
struct ixor_index {
    struct ixor_index_link **buckets;
    size_t size; /* 0 or a power of two */
    size_t count;
};

void ixor_index_free(struct ixor_index *index); /* does not free the links */
/* -1: out of memory. */
int ixor_index_add(struct ixor_index *index, struct ixor_index_link *link, uint64_t hash);
/* link must be in the index. */
void ixor_index_remove(struct ixor_index *index, struct ixor_index_link *link);
/* The first link with this hash, and the next one with the same hash; NULL at the end. */
struct ixor_index_link *ixor_index_first(const struct ixor_index *index, uint64_t hash);
struct ixor_index_link *ixor_index_next(const struct ixor_index_link *link);

/* Hashes bytes. `seed`: a random number, or the hash of the bytes before these. */
uint64_t ixor_index_hash(uint64_t seed, const void *data, size_t size);

/* The struct that contains the link. */
#define ixor_index_of(link, type, member) ((type *)((char *)(link)-offsetof(type, member)))

#endif
