/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/group.h"

#include <stdlib.h>

void roxi_group_release(struct roxi_group *g)
{
    free(g->execution);
    free(g->start);
    free(g->local);
    free(g->weight);
    free(g->stack);
    free(g->frames);
    free(g->first);
    *g = (struct roxi_group){0};
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

size_t roxi_distinct(uint32_t *numbers, size_t n)
{
    size_t kept = 0;
    qsort(numbers, n, sizeof *numbers, by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || numbers[i] != numbers[kept - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

size_t roxi_place(const uint32_t *distinct, size_t n, uint32_t number)
{
    const uint32_t *found = bsearch(&number, distinct, n, sizeof number, by_number);
    return (size_t)(found - distinct);
}

static int gather(struct roxi_group *g, const struct roxi_profiles *p, uint32_t number,
                  size_t *cursor)
{
    size_t items = 0;
    for (size_t e = 0; e < p->count; e++) {
        const struct roxi_profile *x = &p->executions[e];
        while (cursor[e] < x->count && x->items[cursor[e]].group < number)
            cursor[e]++;
        for (size_t i = cursor[e]; i < x->count && x->items[i].group == number; i++)
            items++;
    }
    g->execution = calloc(p->count + 1, sizeof *g->execution);
    g->start = calloc(p->count + 1, sizeof *g->start);
    g->local = calloc(items + 1, sizeof *g->local);
    g->weight = calloc(items + 1, sizeof *g->weight);
    g->stack = calloc(items + 1, sizeof *g->stack);
    if (!g->execution || !g->start || !g->local || !g->weight || !g->stack)
        return -1;
    size_t at = 0;
    for (size_t e = 0; e < p->count; e++) {
        const struct roxi_profile *x = &p->executions[e];
        size_t begin = at;
        for (; cursor[e] < x->count && x->items[cursor[e]].group == number; cursor[e]++, at++) {
            g->local[at] = g->stack[at] = x->items[cursor[e]].stack;
            g->weight[at] = (double)x->items[cursor[e]].count;
        }
        if (at > begin)
            g->execution[g->members++] = e;
        g->start[g->members] = at;
    }
    g->stacks = roxi_distinct(g->stack, items);
    for (size_t i = 0; i < items; i++)
        g->local[i] = (uint32_t)roxi_place(g->stack, g->stacks, g->local[i]);
    return 0;
}

static int unfold(struct roxi_group *g, const struct roxi_symbols *symbols)
{
    g->first = calloc(g->stacks + 1, sizeof *g->first);
    if (!g->first)
        return -1;
    for (size_t i = 0; i < g->stacks; i++)
        g->first[i + 1] = g->first[i] + roxi_symbols_stack_at(symbols, g->stack[i]).depth;
    g->frames = calloc(g->first[g->stacks] + 1, sizeof *g->frames);
    if (!g->frames)
        return -1;
    for (size_t i = 0; i < g->stacks; i++)
        roxi_symbols_unfold(symbols, g->stack[i], g->frames + g->first[i]);
    return 0;
}

int roxi_group_gather(struct roxi_group *g, const struct roxi_profiles *p, uint32_t number,
                      size_t *cursor)
{
    *g = (struct roxi_group){0};
    return gather(g, p, number, cursor) == 0 ? unfold(g, p->symbols) : -1;
}
