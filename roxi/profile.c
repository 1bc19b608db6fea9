#include "roxi/profile.h"

#include <stdlib.h>
#include <string.h>

#include "schema/grow.h"

struct roxi_profiles *roxi_profiles_new(void)
{
    struct roxi_profiles *p = calloc(1, sizeof *p);
    if (p && !(p->symbols = roxi_symbols_new())) {
        free(p);
        return NULL;
    }
    return p;
}

void roxi_profiles_free(struct roxi_profiles *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++) {
        free(p->executions[i].name);
        free(p->executions[i].items);
    }
    free(p->executions);
    roxi_tally_free(&p->groups);
    roxi_symbols_free(p->symbols);
    free(p);
}

uint32_t roxi_profiles_group(struct roxi_profiles *p, uint32_t role, uint32_t thread)
{
    return roxi_tally_add(&p->groups, roxi_pair(role, thread), 0);
}

static int by_group_and_stack(const void *a, const void *b)
{
    const struct roxi_item *x = a, *y = b;
    uint64_t kx = roxi_pair(x->group, x->stack), ky = roxi_pair(y->group, y->stack);
    return kx < ky ? -1 : kx > ky;
}

int roxi_profiles_add(struct roxi_profiles *p, const char *name, const struct roxi_tally *seen,
                      struct ix_error *err)
{
    struct roxi_profile *all = ix_grow(p->executions, &p->cap, p->count + 1, sizeof *all);
    if (!all)
        return ix_fail(err, "out of memory");
    p->executions = all;
    struct roxi_profile *added = &all[p->count];
    *added = (struct roxi_profile){
        .name = strdup(name), .items = calloc(seen->n + 1, sizeof *added->items), .count = seen->n};
    if (!added->name || !added->items) {
        free(added->name);
        free(added->items);
        return ix_fail(err, "out of memory");
    }
    for (size_t i = 0; i < seen->n; i++) {
        added->items[i] = (struct roxi_item){.group = (uint32_t)(roxi_tally_key(seen, i) >> 32),
                                             .stack = (uint32_t)roxi_tally_key(seen, i),
                                             .count = seen->counts[i]};
        added->total += seen->counts[i];
    }
    qsort(added->items, added->count, sizeof *added->items, by_group_and_stack);
    p->count++;
    return 0;
}
