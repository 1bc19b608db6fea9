/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/lengths.h"

#include <stdlib.h>

/* Of a role in a run. */
struct roxi_length {
    uint32_t role;
    uint64_t answered;
};

static int by_role(const void *a, const void *b)
{
    const struct roxi_length *x = a, *y = b;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    return (x->answered > y->answered) - (x->answered < y->answered);
}

int roxi_lengths_make(struct roxi_lengths *l, const struct roxi_profiles *p)
{
    size_t count = 0;
    for (size_t r = 0; r < p->count; r++)
        count += p->executions[r].role_count;
    *l = (struct roxi_lengths){.list = calloc(count + 1, sizeof *l->list), .runs = p->count};
    if (!l->list)
        return -1;
    for (size_t r = 0; r < p->count; r++)
        for (size_t i = 0; i < p->executions[r].role_count; i++) {
            const struct roxi_participation *role = &p->executions[r].roles[i];
            l->list[l->count++] = (struct roxi_length){role->role, role->answered};
        }
    qsort(l->list, l->count, sizeof *l->list, by_role);
    return 0;
}

double roxi_lengths_usual(const struct roxi_lengths *l, uint32_t role)
{
    size_t from = 0, count = 0;
    for (size_t high = l->count; from < high;) {
        const size_t middle = from + (high - from) / 2;
        if (l->list[middle].role < role)
            from = middle + 1;
        else
            high = middle;
    }
    while (from + count < l->count && l->list[from + count].role == role)
        count++;
    const size_t without = l->runs - count, middle = l->runs / 2;
    return middle < without ? 0 : (double)l->list[from + middle - without].answered;
}

void roxi_lengths_free(struct roxi_lengths *l)
{
    free(l->list);
    *l = (struct roxi_lengths){0};
}
