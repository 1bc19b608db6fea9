/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls the methods that were called too often, or no longer. Most of them take no time, but
 * among all the packets of a campaign there is mostly one that has them on a call stack. */
#include "roxi/explain/finder.h"

enum { RUNS = 40 }; /* normal ones that are looked at, at most */

struct calling {
    const struct roxi_finder *f;
    uint32_t role;
    struct roxi_call method;
    struct roxi_tally seen; /* packets, by the call stack up to the method; owned */
};

static int look_at_run(struct calling *c, const struct roxi_profile *run)
{
    const struct roxi_symbols *s = c->f->profiles->symbols;
    for (size_t i = 0; i < run->count; i++) {
        const struct roxi_item *item = &run->items[i];
        if (roxi_profiles_place(c->f->profiles, item->group).role != c->role)
            continue;
        const uint32_t stack = roxi_finder_up_to(s, item->stack, &c->method);
        const bool called = stack && roxi_symbols_stack_at(s, stack).parent; /* by a method */
        if (called && roxi_tally_add(&c->seen, stack, item->count) == ROXI_NONE)
            return -1;
    }
    return 0;
}

static int look_at_normal_runs(struct calling *c)
{
    const struct roxi_finder *f = c->f;
    int result = 0;
    for (size_t r = 0, seen = 0; r < f->profiles->count && seen < RUNS && result == 0; r++) {
        if (!f->normal[r])
            continue;
        result = look_at_run(c, &f->profiles->executions[r]);
        seen++;
    }
    return result;
}

static int find_callers(const struct roxi_finder *f, struct roxi_finding *x)
{
    struct calling c = {.f = f, .role = x->who.role, .method = x->call};
    int result = look_at_run(&c, f->run);
    if (result == 0 && !c.seen.n)
        result = look_at_normal_runs(&c);
    const uint32_t most = roxi_tally_most(&c.seen);
    if (result == 0 && most != ROXI_NONE)
        x->stack = (uint32_t)roxi_tally_key(&c.seen, most);
    roxi_tally_free(&c.seen);
    return result;
}

int roxi_tell_callers(struct roxi_finder *f)
{
    int result = 0;
    for (size_t i = 0; i < f->out->count && result == 0; i++)
        if (roxi_finding_is_of_calls(&f->out->list[i]))
            result = find_callers(f, &f->out->list[i]);
    return result;
}
