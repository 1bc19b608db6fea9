/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/fingerprint.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static struct roxi_fingerprint print_of(const void *bytes, size_t len)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, len);
    return (struct roxi_fingerprint){hash.low64, hash.high64};
}

static struct roxi_fingerprint of_text(const struct roxi_symbols *s, uint32_t string)
{
    const char *text = roxi_symbols_text(s, string);
    return print_of(text, strlen(text));
}

/* Hashed structs must not have padding: every member has 8 bytes. */
struct frame_key {
    struct roxi_fingerprint class_name, method, descriptor;
    int64_t line;
};
struct stack_key {
    struct roxi_fingerprint parent, frame;
};
struct item_key {
    struct roxi_fingerprint role, thread, stack;
    uint64_t count;
};

static struct roxi_fingerprint of_frame(const struct roxi_symbols *s, uint32_t frame)
{
    const struct roxi_frame f = roxi_symbols_frame_at(s, frame);
    const struct frame_key key = {of_text(s, f.class_name), of_text(s, f.method),
                                  of_text(s, f.descriptor), f.line};
    return print_of(&key, sizeof key);
}

/* By stack; parents have smaller numbers than their children. `most`: the highest number in use. */
static struct roxi_fingerprint *of_stacks(const struct roxi_symbols *s, uint32_t most)
{
    struct roxi_fingerprint *of = calloc((size_t)most + 1, sizeof *of);
    for (uint32_t i = 1; of && i <= most; i++) {
        const struct roxi_stack stack = roxi_symbols_stack_at(s, i);
        const struct stack_key key = {of[stack.parent], of_frame(s, stack.frame)};
        of[i] = print_of(&key, sizeof key);
    }
    return of;
}

static int by_value(const void *a, const void *b)
{
    const struct roxi_fingerprint *x = a, *y = b;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

/* `items` has room for all items of the run and one more. */
static struct roxi_fingerprint of_execution(const struct roxi_profiles *p, size_t e,
                                            const struct roxi_fingerprint *stacks,
                                            struct roxi_fingerprint *items)
{
    const struct roxi_profile *x = &p->executions[e];
    for (size_t i = 0; i < x->count; i++) {
        const struct roxi_item item = x->items[i];
        const uint64_t group = roxi_tally_key(&p->groups, item.group);
        const struct item_key key = {of_text(p->symbols, (uint32_t)(group >> 32)),
                                     of_text(p->symbols, (uint32_t)group), stacks[item.stack],
                                     item.count};
        items[i] = print_of(&key, sizeof key);
    }
    qsort(items, x->count, sizeof *items, by_value);
    items[x->count] = print_of(x->name, strlen(x->name));
    return print_of(items, (x->count + 1) * sizeof *items);
}

static uint32_t highest_stack(const struct roxi_profiles *p, size_t *most_items)
{
    uint32_t highest = 0;
    for (size_t e = 0; e < p->count; e++) {
        const struct roxi_profile *x = &p->executions[e];
        *most_items = x->count > *most_items ? x->count : *most_items;
        for (size_t i = 0; i < x->count; i++)
            highest = x->items[i].stack > highest ? x->items[i].stack : highest;
    }
    return highest;
}

struct roxi_fingerprint *roxi_fingerprints(const struct roxi_profiles *p)
{
    size_t most_items = 0;
    struct roxi_fingerprint *stacks = of_stacks(p->symbols, highest_stack(p, &most_items));
    struct roxi_fingerprint *items = calloc(most_items + 1, sizeof *items);
    struct roxi_fingerprint *all = calloc(p->count + 1, sizeof *all);
    if (stacks && items && all)
        for (size_t e = 0; e < p->count; e++)
            all[e] = of_execution(p, e, stacks, items);
    if (!stacks || !items) {
        free(all);
        all = NULL;
    }
    free(stacks);
    free(items);
    return all;
}

uint64_t roxi_fingerprint_all(const struct roxi_profiles *p)
{
    struct roxi_fingerprint *all = roxi_fingerprints(p);
    const uint64_t print = all ? XXH3_64bits(all, p->count * sizeof *all) | 1 : 0;
    free(all);
    return print;
}

uint64_t roxi_order_fingerprint(const struct roxi_profiles *p)
{
    size_t most_items = 0;
    const uint32_t highest = highest_stack(p, &most_items);
    struct roxi_fingerprint *stacks = of_stacks(p->symbols, highest);
    if (!stacks)
        return 0;
    struct roxi_fingerprint all = print_of(stacks, ((size_t)highest + 1) * sizeof *stacks);
    for (size_t g = 0; g < p->groups.n; g++) {
        const uint64_t group = roxi_tally_key(&p->groups, g);
        const struct item_key key = {of_text(p->symbols, (uint32_t)(group >> 32)),
                                     of_text(p->symbols, (uint32_t)group), all, g};
        all = print_of(&key, sizeof key);
    }
    free(stacks);
    return all.low | 1;
}
