/* Finds things by a 64-bit hash of whatever they are known by: a hash table whose links lie in the
 * things themselves. Adding, finding and removing are O(1) on average; hashes should be ones that no
 * peer can aim at (ixor_index_hash).
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

void ixor_index_free(struct ixor_index *index); /* the links are their owners' */
/* -1: out of memory. */
int ixor_index_add(struct ixor_index *index, struct ixor_index_link *link, uint64_t hash);
/* link must be in the index. */
void ixor_index_remove(struct ixor_index *index, struct ixor_index_link *link);
/* The first one with this hash, and the one after another with the same; NULL at the end. */
struct ixor_index_link *ixor_index_first(const struct ixor_index *index, uint64_t hash);
struct ixor_index_link *ixor_index_next(const struct ixor_index_link *link);

/* Of bytes, going on from `seed`: random at first, then the hash so far. */
uint64_t ixor_index_hash(uint64_t seed, const void *data, size_t size);

/* The thing that a link lies in. */
#define ixor_index_of(link, type, member) ((type *)((char *)(link) - offsetof(type, member)))

#endif
