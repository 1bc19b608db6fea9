/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from 64-bit keys to nonzero 32-bit numbers, by open addressing.
 *
 * Entries cannot be removed: users rebuild the table when enough entries are dead. Lookups and
 * insertions are O(1) on average. Start with a zeroed struct. */
#ifndef IX_SCHEMA_IDMAP_H
#define IX_SCHEMA_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct ix_idmap {
    struct ix_idmap_slot *slots; /* owned */
    size_t capacity, used;       /* capacity: a power of two, or 0 */
};

/* 0: not found. */
uint32_t ix_idmap_get(const struct ix_idmap *m, uint64_t key);
/* Adds or replaces. 0, or -1 if memory ran out (the table is unchanged). */
int ix_idmap_put(struct ix_idmap *m, uint64_t key, uint32_t number);
void ix_idmap_clear(struct ix_idmap *m); /* keeps the memory */
void ix_idmap_free(struct ix_idmap *m);
size_t ix_idmap_memory(const struct ix_idmap *m); /* bytes */

#endif
