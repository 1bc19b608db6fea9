/* A hash table from 64-bit keys to nonzero 32-bit numbers, by open addressing.
 *
 * Nothing can be taken out: its users rebuild it when enough of it is dead. Lookups and insertions
 * are O(1) on average. Start with a zeroed struct. */
#ifndef IX_AGENT_IDMAP_H
#define IX_AGENT_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct ixa_idmap {
    struct ixa_idmap_slot *slots; /* owned */
    size_t capacity, used;        /* capacity: a power of two, or 0 */
};

/* 0: not there. */
uint32_t ixa_idmap_get(const struct ixa_idmap *m, uint64_t key);
/* Adds or replaces. 0, or -1 when memory ran out (the table is as before). */
int ixa_idmap_put(struct ixa_idmap *m, uint64_t key, uint32_t number);
void ixa_idmap_clear(struct ixa_idmap *m); /* keeps the memory */
void ixa_idmap_free(struct ixa_idmap *m);
size_t ixa_idmap_memory(const struct ixa_idmap *m); /* bytes */

#endif
