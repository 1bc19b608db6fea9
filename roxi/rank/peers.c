/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/peers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/radix.h"
#include "schema/base/idmap.h"

/* Of the classes that either of two is in, both are in such a share, and in so many, if they do the
 * same. On sample systems others share three quarters at most (docs/ranking-measured.md). */
#define SHARED 0.85
#define CLASSES_LEAST 5

size_t roxi_role_stem(const char *name)
{
    const size_t len = strlen(name);
    size_t stem = len;
    while (stem > 0 && isdigit((unsigned char)name[stem - 1]))
        stem--;
    if (stem == len && len > 1 && isalpha((unsigned char)name[len - 1]) && isascii(name[len - 2]) &&
        !isalnum((unsigned char)name[len - 2]))
        stem--;
    return stem < len ? stem : 0;
}

bool roxi_role_is_peer(const char *a, const char *b)
{
    const size_t stem = roxi_role_stem(a);
    return stem && stem == roxi_role_stem(b) && memcmp(a, b, stem) == 0;
}

/* Of the classes that either is in, are both in most? */
static bool share_code(const struct roxi_durations *d, uint32_t a, uint32_t b)
{
    size_t i = d->first_class[a], k = d->first_class[b], both = 0;
    const size_t to_i = d->first_class[a + 1], to_k = d->first_class[b + 1];
    const size_t all = to_i - i + to_k - k;
    while (i < to_i && k < to_k) {
        const uint32_t x = d->classes_of[i], y = d->classes_of[k];
        both += x == y;
        i += x <= y;
        k += y <= x;
    }
    return both >= CLASSES_LEAST && (double)both >= SHARED * (double)(all - both);
}

bool roxi_are_peers(const struct roxi_durations *d, uint32_t a, uint32_t b)
{
    const struct roxi_symbols *names = d->profiles->symbols;
    const struct roxi_member x = roxi_durations_member(d, a), y = roxi_durations_member(d, b);
    if (!x.node != !y.node || (x.node && x.role != y.role))
        return false;
    return roxi_role_is_peer(roxi_symbols_text(names, x.node ? x.node : x.role),
                             roxi_symbols_text(names, y.node ? y.node : y.role)) ||
           share_code(d, a, b);
}

bool roxi_members_are_peers(const struct roxi_durations *d, struct roxi_member a,
                            struct roxi_member b)
{
    const uint32_t x = ix_idmap_get(&d->members.numbers, roxi_pair(a.role, a.node));
    const uint32_t y = ix_idmap_get(&d->members.numbers, roxi_pair(b.role, b.node));
    return x && y && roxi_are_peers(d, x - 1, y - 1);
}

bool roxi_roles_are_peers(const struct roxi_durations *d, uint32_t a, uint32_t b)
{
    return roxi_members_are_peers(d, (struct roxi_member){.role = a},
                                  (struct roxi_member){.role = b});
}

struct roxi_duration *roxi_role_swapped(const struct roxi_durations *d,
                                        const struct roxi_duration *run, size_t count, uint32_t a,
                                        uint32_t b)
{
    struct roxi_duration *swapped = calloc(2 * count + 1, sizeof *swapped);
    for (size_t i = 0; swapped && i < count; i++) {
        const uint32_t member = roxi_durations_of(d, run[i].item);
        swapped[i] = run[i];
        if (member != a && member != b)
            continue;
        const uint32_t other = roxi_durations_counterpart(d, run[i].item, member == a ? b : a);
        if (other != ROXI_NONE)
            swapped[i].item = other;
    }
    if (swapped)
        roxi_sort_by_number(swapped, count, sizeof *swapped, swapped + count);
    return swapped;
}

/* ---- together ---- */

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
static int number_sets(struct roxi_together *t)
{
    const struct roxi_durations *d = t->durations;
    struct ix_idmap numbers = {0};
    int result = 0;
    for (uint32_t item = 0; item < d->items.n && result == 0; item++) {
        const uint32_t what = (uint32_t)roxi_tally_key(&d->items, item);
        const uint64_t key = roxi_pair(t->peer_of[roxi_durations_of(d, item)], what);
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
    *t = (struct roxi_together){.durations = d,
                                .peer_of = first_peers(d),
                                .of = calloc(items + 1, sizeof *t->of),
                                .items = calloc(items + 1, sizeof *t->items),
                                .first = calloc(items + 2, sizeof *t->first)};
    if (!t->peer_of || !t->of || !t->items || !t->first || number_sets(t) != 0) {
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
    free(t->peer_of);
    free(t->of);
    free(t->items);
    free(t->first);
    *t = (struct roxi_together){0};
}
