/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/tally.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIRST_CAP = 16 };
/* Numbers stay below ROXI_NONE, as in symbols.h. */
#define KEYS_MAX (UINT32_MAX - 3)

void roxi_tally_free(struct roxi_tally *t)
{
    free(t->keys);
    free(t->counts);
    ix_idmap_free(&t->numbers);
    *t = (struct roxi_tally){0};
}

static bool more_keys(struct roxi_tally *t)
{
    if (t->n < t->cap)
        return true;
    const size_t cap = t->cap ? t->cap * 2 : FIRST_CAP;
    uint64_t *keys = reallocarray(t->keys, cap, sizeof *keys);
    if (keys)
        t->keys = keys;
    uint64_t *counts = reallocarray(t->counts, cap, sizeof *counts);
    if (counts)
        t->counts = counts;
    if (!keys || !counts)
        return false;
    t->cap = cap;
    return true;
}

uint32_t roxi_tally_add(struct roxi_tally *t, uint64_t key, uint64_t count)
{
    const uint32_t number = ix_idmap_get(&t->numbers, key);
    if (number) {
        t->counts[number - 1] += count;
        return number - 1;
    }
    if (t->n >= KEYS_MAX || !more_keys(t) ||
        ix_idmap_put(&t->numbers, key, (uint32_t)t->n + 1) != 0)
        return ROXI_NONE;
    t->keys[t->n] = key;
    t->counts[t->n] = count;
    return (uint32_t)t->n++;
}

uint64_t roxi_tally_count(const struct roxi_tally *t, uint64_t key)
{
    const uint32_t number = ix_idmap_get(&t->numbers, key);
    return number ? t->counts[number - 1] : 0;
}

uint32_t roxi_tally_most(const struct roxi_tally *t)
{
    uint64_t most = 0;
    uint32_t number = ROXI_NONE;
    for (size_t i = 0; i < t->n; i++) {
        if (t->counts[i] > most) {
            most = t->counts[i];
            number = (uint32_t)i;
        }
    }
    return number;
}
