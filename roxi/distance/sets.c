/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/sets.h"

#include <stdlib.h>
#include <string.h>

void roxi_sets_free(struct roxi_sets *s)
{
    free(s->start);
    free(s->place);
    free(s->has_start);
    free(s->has);
    *s = (struct roxi_sets){0};
}

struct entry {
    const uint32_t *local;
    size_t count;
    uint32_t member;
};

static int by_content(const struct entry *x, const struct entry *y)
{
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return memcmp(x->local, y->local, x->count * sizeof *x->local);
}

static int by_content_and_member(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = by_content(x, y);
    return order ? order : (x->member > y->member) - (x->member < y->member);
}

/* representative[m]: the first member with the same set as member m. */
static int match(const struct roxi_group *g, uint32_t *representative)
{
    struct entry *entries = calloc(g->members + 1, sizeof *entries);
    if (!entries)
        return -1;
    for (size_t m = 0; m < g->members; m++)
        entries[m] = (struct entry){.local = g->local + g->start[m],
                                    .count = g->start[m + 1] - g->start[m],
                                    .member = (uint32_t)m};
    qsort(entries, g->members, sizeof *entries, by_content_and_member);
    for (size_t i = 0; i < g->members; i++) {
        bool same = i && by_content(&entries[i], &entries[i - 1]) == 0;
        representative[entries[i].member] =
            same ? representative[entries[i - 1].member] : entries[i].member;
    }
    free(entries);
    return 0;
}

/* Turns representatives into set numbers, in `set`, and lists the sets' stacks. */
static void list_sets(struct roxi_sets *s, const struct roxi_group *g, const uint32_t *where,
                      uint32_t *set)
{
    for (size_t m = 0; m < g->members; m++) {
        if (set[m] != m) {
            set[m] = set[set[m]]; /* an earlier member's entry, which already is a set number */
            continue;
        }
        size_t at = s->start[s->count];
        for (size_t i = g->start[m]; i < g->start[m + 1]; i++)
            s->place[at++] = where[g->local[i]];
        set[m] = (uint32_t)s->count++;
        s->start[s->count] = at;
    }
}

static void list_members(struct roxi_sets *s, const struct roxi_group *g, const uint32_t *set)
{
    for (size_t m = 0; m < g->members; m++)
        s->has_start[set[m] + 1]++;
    for (size_t i = 0; i < s->count; i++)
        s->has_start[i + 1] += s->has_start[i];
    /* Filling moves each start to its end, which is the next set's start. */
    for (size_t m = 0; m < g->members; m++)
        s->has[s->has_start[set[m]]++] = (uint32_t)m;
    for (size_t i = s->count; i > 0; i--)
        s->has_start[i] = s->has_start[i - 1];
    s->has_start[0] = 0;
}

int roxi_sets_find(struct roxi_sets *s, const struct roxi_group *g, const struct roxi_trie *t)
{
    *s = (struct roxi_sets){0};
    s->start = calloc(g->members + 1, sizeof *s->start);
    s->place = calloc(g->start[g->members] + 1, sizeof *s->place);
    s->has_start = calloc(g->members + 2, sizeof *s->has_start);
    s->has = calloc(g->members + 1, sizeof *s->has);
    uint32_t *set = calloc(g->members + 1, sizeof *set);
    uint32_t *where = calloc(g->stacks + 1, sizeof *where);
    int result = -1;
    if (s->start && s->place && s->has_start && s->has && set && where && match(g, set) == 0) {
        for (size_t i = 0; i < t->stacks; i++)
            where[t->stack[i]] = (uint32_t)i;
        list_sets(s, g, where, set);
        list_members(s, g, set);
        result = 0;
    }
    free(set);
    free(where);
    if (result != 0)
        roxi_sets_free(s);
    return result;
}
