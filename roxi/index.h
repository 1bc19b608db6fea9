/* A hash index over numbered things that live elsewhere: finds the number of the one that equals a
 * key. Open addressing, linear probing, at most half full: O(1) expected. The things themselves
 * are never removed. */
#ifndef ROXI_INDEX_H
#define ROXI_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROXI_NONE UINT32_MAX /* no such number, or memory ran out; each function says which */

struct roxi_index {
    struct roxi_slot *slots; /* owned */
    size_t cap, used;
};

/* Does the thing with this number equal the key? `owner` is where the things live. */
typedef bool roxi_same(const void *owner, uint32_t number, const void *key);

void roxi_index_free(struct roxi_index *index);
/* The number found, or ROXI_NONE. */
uint32_t roxi_index_find(const struct roxi_index *index, uint64_t hash, roxi_same *same,
                         const void *owner, const void *key);
/* Adds a number (below ROXI_NONE) whose key is not there yet. -1 if memory ran out. */
int roxi_index_add(struct roxi_index *index, uint64_t hash, uint32_t number);

#endif
