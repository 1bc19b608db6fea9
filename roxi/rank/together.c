/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/together.h"

#include <stdlib.h>

#include "roxi/rank/role_swap.h"
#include "schema/base/idmap.h"

/* By member: the first of its peers, which may be itself. NULL: memory ran out. */
static uint32_t *first_peers(const struct roxi_durations *d)
{
    const size_t members = d->members.n;
    uint32_t *first = calloc(members + 1, sizeof *first);
    for (uint32_t b = 0; first && b < members; b++)
        while (first[b] < b && !roxi_are_peers(d, first[b], b))
            first[b]++;
    return first;
}

/* Numbers the sets and counts their items: first[s + 2] is for set s. */
static int number_sets(struct roxi_together *t, const uint32_t *first)
{
    const struct roxi_durations *d = t->durations;
    struct ix_idmap numbers = {0};
    int result = 0;
    for (uint32_t item = 0; item < d->items.n && result == 0; item++) {
        const uint32_t what = (uint32_t)roxi_tally_key(&d->items, item);
        const uint64_t key = roxi_pair(first[roxi_durations_of(d, item)], what);
        uint32_t number = ix_idmap_get(&numbers, key);
        if (!number) {
            number = (uint32_t)++t->count;
            result = ix_idmap_put(&numbers, key, number);
        }
        t->of[item] = number - 1;
        t->first[number + 1]++;
    }
    ix_idmap_free(&numbers);
    return result;
}

/* A set of one item says nothing that the item does not say. */
static void leave_out_single(struct roxi_together *t)
{
    for (size_t i = 0; i < t->durations->items.n; i++)
        if (t->of[i] != ROXI_NONE && t->first[t->of[i] + 1] - t->first[t->of[i]] == 1)
            t->of[i] = ROXI_NONE;
}

int roxi_together_make(struct roxi_together *t, const struct roxi_durations *d)
{
    const size_t items = d->items.n;
    uint32_t *first = first_peers(d);
    *t = (struct roxi_together){.durations = d,
                                .of = calloc(items + 1, sizeof *t->of),
                                .items = calloc(items + 1, sizeof *t->items),
                                .first = calloc(items + 2, sizeof *t->first)};
    const bool good = first && t->of && t->items && t->first && number_sets(t, first) == 0;
    free(first);
    if (!good) {
        roxi_together_free(t);
        return -1;
    }
    /* From here on first[s + 1] is where the set's next item goes. */
    for (size_t i = 2; i < t->count + 2; i++)
        t->first[i] += t->first[i - 1];
    for (uint32_t item = 0; item < items; item++)
        if (t->of[item] != ROXI_NONE)
            t->items[t->first[t->of[item] + 1]++] = item;
    leave_out_single(t);
    return 0;
}

void roxi_together_free(struct roxi_together *t)
{
    free(t->of);
    free(t->items);
    free(t->first);
    *t = (struct roxi_together){0};
}
