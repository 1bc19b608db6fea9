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

/* Whether the method, or if NULL any of the role, is not counted any longer. */
static bool is_uncounted(const struct roxi_finder *f, uint32_t role,
                         const struct roxi_frame *method)
{
    for (size_t i = 0; i < f->called.count; i++) {
        const struct roxi_called_row *row = &f->called.rows[i];
        if (row->role == role && row->at_least[0] &&
            (!method || (row->class_name == method->class_name && row->method == method->method)))
            return true;
    }
    return false;
}

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

int roxi_callers_counted(const struct roxi_finder *f, const struct roxi_called_row *row,
                         bool *counted)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    struct calling c = {.f = f,
                        .role = row->role,
                        .method = {.class_name = row->class_name, .method = row->method}};
    const int result = look_at_run(&c, f->run) == 0 ? look_at_normal_runs(&c) : -1;
    *counted = c.seen.n || !is_uncounted(f, row->role, NULL);
    for (size_t i = 0; i < c.seen.n && result == 0 && *counted; i++) {
        const uint32_t up_to = (uint32_t)roxi_tally_key(&c.seen, i);
        const struct roxi_frame caller =
            roxi_symbols_top(s, roxi_symbols_stack_at(s, up_to).parent);
        *counted = !is_uncounted(f, row->role, &caller);
    }
    roxi_tally_free(&c.seen);
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
