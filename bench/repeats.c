/* SPDX-License-Identifier: Apache-2.0 */
/* What a campaign repeats: bench/repeats CAMPAIGN prints "EXECUTIONS EQUAL MEMBERS SETS ROWS
 * ITEMS ROW_ITEMS STACKS", of packets that two VMs answered:
 *
 *   EXECUTIONS  and so many of them that have a row equal to an earlier one's: EQUAL
 *   MEMBERS     pairs of an execution and a group (role, thread) that it has
 *   SETS        distinct sets of call stacks among them, group by group: nearest neighbours are
 *               computed once for each (roxi/distance/sets.h)
 *   ROWS        distinct sets with the stacks' counts: what could be multiplied once
 *   ITEMS       pairs of a member and one of its stacks
 *   ROW_ITEMS   those of distinct rows
 *   STACKS      distinct stacks, group by group */
#include <stdio.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/campaign/load.h"
#include "roxi/distance/group.h"

/* Hashes of what may be equal, collected for counting. */
struct entry {
    uint64_t hash, items;
};
struct pile {
    struct entry *entry;
    size_t n;
};

static int by_value(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Returns how many are distinct, and their items; empties the pile. */
static size_t distinct(struct pile *p, size_t *items)
{
    size_t count = 0;
    qsort(p->entry, p->n, sizeof *p->entry, by_value);
    for (size_t i = 0; i < p->n; i++) {
        if (i && p->entry[i].hash == p->entry[i - 1].hash)
            continue;
        count++;
        *items += p->entry[i].items;
    }
    p->n = 0;
    return count;
}

struct totals {
    size_t members, sets, rows, items, row_items, set_items, stacks;
};

/* Adds one group to the totals; all->entry[e] becomes a hash of everything in run e. */
static void add_group(const struct roxi_group *g, uint32_t number, struct pile *sets,
                      struct pile *rows, struct pile *all, struct totals *t)
{
    for (size_t m = 0; m < g->members; m++) {
        const size_t first = g->start[m], n = g->start[m + 1] - first;
        const uint64_t set = XXH3_64bits(g->local + first, n * sizeof *g->local);
        const uint64_t counts = XXH3_64bits_withSeed(g->weight + first, n * sizeof *g->weight, set);
        uint64_t *whole = &all->entry[g->execution[m]].hash;
        const uint64_t more[] = {*whole, number, counts};
        sets->entry[sets->n++] = (struct entry){set, n};
        rows->entry[rows->n++] = (struct entry){counts, n};
        *whole = XXH3_64bits(more, sizeof more);
        t->items += n;
    }
    t->members += g->members;
    t->stacks += g->stacks;
    t->sets += distinct(sets, &t->set_items);
    t->rows += distinct(rows, &t->row_items);
}

static int count(const struct roxi_profiles *p)
{
    size_t *cursor = calloc(p->count + 1, sizeof *cursor);
    struct pile sets = {calloc(p->count + 1, sizeof(struct entry)), 0};
    struct pile rows = {calloc(p->count + 1, sizeof(struct entry)), 0};
    struct pile all = {calloc(p->count + 1, sizeof(struct entry)), p->count};
    struct totals t = {0};
    int result = cursor && sets.entry && rows.entry && all.entry ? 0 : -1;
    for (uint32_t number = 0; number < p->groups.n && result == 0; number++) {
        struct roxi_group g;
        result = roxi_group_gather(&g, p, number, cursor);
        if (result == 0)
            add_group(&g, number, &sets, &rows, &all, &t);
        roxi_group_release(&g);
    }
    if (result == 0) {
        size_t none = 0;
        const size_t equal = p->count - distinct(&all, &none);
        printf("%zu %zu %zu %zu %zu %zu %zu %zu\n", p->count, equal, t.members, t.sets, t.rows,
               t.items, t.row_items, t.stacks);
    }
    free(cursor);
    free(sets.entry);
    free(rows.entry);
    free(all.entry);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: repeats CAMPAIGN\n", stderr);
        return 2;
    }
    struct ix_error err = {"out of memory"};
    const struct roxi_load_options o = {.min_vms = 2};
    struct roxi_profiles *p = roxi_load(argv[1], &o, &err);
    const int result = p ? count(p) : -1;
    if (result != 0)
        fprintf(stderr, "bench/repeats: %s\n", err.text);
    roxi_profiles_free(p);
    return result == 0 ? 0 : 1;
}
