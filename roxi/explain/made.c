/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/made.h"

#include <stdlib.h>

#include "roxi/explain/finder.h"
#include "schema/base/grow.h"

/* roxi_pair(class, method) */
static uint64_t place_of(const struct roxi_symbols *s, uint32_t stack)
{
    const struct roxi_call call = roxi_finder_innermost(s, stack);
    if (call.class_name != ROXI_NONE)
        return roxi_pair(call.class_name, call.method);
    const struct roxi_frame f = stack ? roxi_symbols_top(s, stack) : (struct roxi_frame){0};
    return roxi_pair(f.class_name, f.method);
}

/* Counts a run once for each pair. */
static int count_one(struct roxi_made *m, const struct roxi_first *first, size_t run)
{
    const uint32_t method = roxi_tally_add(&m->methods, place_of(m->symbols, first->stack), 0);
    const uint32_t pair = method == ROXI_NONE
                              ? ROXI_NONE
                              : roxi_tally_add(&m->runs, roxi_pair(first->class_name, method), 0);
    if (pair == ROXI_NONE)
        return -1;
    uint32_t *last = ix_grow_zeroed(m->last, &m->last_cap, (size_t)pair + 1, sizeof *last);
    if (!last)
        return -1;
    m->last = last;
    if (last[pair] == run + 1)
        return 0;
    last[pair] = (uint32_t)run + 1;
    m->runs.counts[pair]++;
    return 0;
}

int roxi_made_count(struct roxi_made *m, const struct roxi_profiles *p, const bool *normal)
{
    *m = (struct roxi_made){.symbols = p->symbols};
    for (size_t r = 0; r < p->count; r++) {
        const struct roxi_use *u = &p->executions[r].use;
        for (size_t i = 0; normal[r] && i < u->first_count; i++)
            if (count_one(m, &u->firsts[i], r) != 0)
                return -1;
    }
    return 0;
}

void roxi_made_free(struct roxi_made *m)
{
    roxi_tally_free(&m->methods);
    roxi_tally_free(&m->runs);
    free(m->last);
    *m = (struct roxi_made){0};
}

size_t roxi_made_runs(const struct roxi_made *m, const struct roxi_first *first)
{
    const uint32_t method = ix_idmap_get(&m->methods.numbers, place_of(m->symbols, first->stack));
    return method ? (size_t)roxi_tally_count(&m->runs, roxi_pair(first->class_name, method - 1))
                  : 0;
}
