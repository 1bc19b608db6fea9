#include "roxi/tally.h"

#include <stdlib.h>
#include <string.h>

#include "schema/grow.h"

void roxi_tally_free(struct roxi_tally *t)
{
    free(t->counts);
    ix_intern_free(&t->keys);
    *t = (struct roxi_tally){0};
}

uint32_t roxi_tally_add(struct roxi_tally *t, uint64_t key, uint64_t count)
{
    bool added;
    uint64_t *counts = ix_grow(t->counts, &t->cap, t->n + 1, sizeof *counts);
    if (!counts)
        return ROXI_NONE;
    t->counts = counts;
    t->keys.key_size = sizeof key;
    uint32_t number = ix_intern(&t->keys, &key, sizeof key, &added);
    if (number == IX_INTERN_FAILED)
        return ROXI_NONE;
    counts[number] = count + (added ? 0 : counts[number]);
    t->n = t->keys.count;
    return number;
}

uint64_t roxi_tally_count(const struct roxi_tally *t, uint64_t key)
{
    uint32_t number = ix_intern_find(&t->keys, &key, sizeof key);
    return number == IX_INTERN_FAILED ? 0 : t->counts[number];
}

uint64_t roxi_tally_key(const struct roxi_tally *t, size_t number)
{
    uint64_t key;
    memcpy(&key, t->keys.keys.data + number * sizeof key, sizeof key);
    return key;
}
