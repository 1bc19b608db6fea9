/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/profile.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

struct roxi_profiles *roxi_profiles_new(void)
{
    struct roxi_profiles *p = calloc(1, sizeof *p);
    if (p && !(p->symbols = roxi_symbols_new())) {
        free(p);
        return NULL;
    }
    return p;
}

void roxi_profile_release(struct roxi_profile *profile)
{
    free(profile->name);
    free(profile->failure);
    free(profile->items);
    free(profile->roles);
    roxi_use_free(&profile->use);
    roxi_history_free(&profile->history);
}

void roxi_profiles_free(struct roxi_profiles *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++)
        roxi_profile_release(&p->executions[i]);
    free(p->executions);
    free(p->nodes);
    roxi_tally_free(&p->groups);
    roxi_tally_free(&p->sources);
    roxi_symbols_free(p->symbols);
    free(p);
}

uint32_t roxi_profiles_group(struct roxi_profiles *p, uint32_t role, uint32_t thread)
{
    return roxi_tally_add(&p->groups, roxi_pair(role, thread), 0);
}

static int by_thread(const void *a, const void *b)
{
    const struct roxi_node *x = a, *y = b;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

size_t roxi_profiles_shared_name(const struct roxi_profiles *p)
{
    const char *first = p->count ? p->executions[0].name : "";
    const char *dot = strrchr(first, '.');
    size_t length = dot ? (size_t)(dot - first) + 1 : 0;
    for (size_t r = 1; r < p->count && length; r++)
        if (strncmp(first, p->executions[r].name, length) != 0 || !p->executions[r].name[length])
            length = 0;
    return length;
}

int roxi_profiles_nodes(struct roxi_profiles *p, const struct roxi_node *nodes, size_t count)
{
    struct roxi_node *all = realloc(p->nodes, (p->node_count + count + 1) * sizeof *all);
    if (!all)
        return -1;
    p->nodes = all;
    for (size_t i = 0; i < count; i++)
        all[p->node_count + i] = nodes[i];
    count += p->node_count;
    qsort(all, count, sizeof *all, by_thread);
    p->node_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!p->node_count || all[p->node_count - 1].thread != all[i].thread)
            all[p->node_count++] = all[i];
    return 0;
}

struct roxi_place roxi_profiles_place(const struct roxi_profiles *p, uint32_t group)
{
    const uint64_t key = roxi_tally_key(&p->groups, group);
    const struct roxi_node wanted = {.thread = (uint32_t)key};
    const struct roxi_node *found =
        p->node_count ? bsearch(&wanted, p->nodes, p->node_count, sizeof wanted, by_thread) : NULL;
    return (struct roxi_place){.role = (uint32_t)(key >> 32),
                               .node = found ? found->node : 0,
                               .template = found ? found->template : wanted.thread};
}

const char *roxi_profiles_source(const struct roxi_profiles *p, uint32_t class_name)
{
    for (size_t i = 0; i < p->sources.n; i++)
        if (roxi_tally_key(&p->sources, i) >> 32 == class_name)
            return roxi_symbols_text(p->symbols, (uint32_t)roxi_tally_key(&p->sources, i));
    return NULL;
}

static int by_group_and_stack(const void *a, const void *b)
{
    const struct roxi_item *x = a, *y = b;
    uint64_t kx = roxi_pair(x->group, x->stack), ky = roxi_pair(y->group, y->stack);
    return kx < ky ? -1 : kx > ky;
}

/* Makes one of the items of the same pair, which are adjacent; returns how many are left. */
static size_t add_up(struct roxi_item *items, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        struct roxi_item *last = n ? &items[n - 1] : NULL;
        if (!last || by_group_and_stack(last, &items[i]) != 0) {
            items[n++] = items[i];
            continue;
        }
        last->count += items[i].count;
        last->packets += items[i].packets;
        last->longest = items[i].longest > last->longest ? items[i].longest : last->longest;
    }
    return n;
}

int roxi_profile_make(struct roxi_profile *profile, const char *name, struct roxi_item *items,
                      size_t count)
{
    *profile = (struct roxi_profile){.name = strdup(name), .items = items};
    if (!profile->name) {
        free(items);
        *profile = (struct roxi_profile){0};
        return -1;
    }
    qsort(items, count, sizeof *items, by_group_and_stack);
    profile->count = add_up(items, count);
    for (size_t i = 0; i < profile->count; i++)
        profile->total += items[i].count;
    return 0;
}

struct roxi_item *roxi_profile_items(const struct roxi_tally *seen,
                                     const struct roxi_visits *visits)
{
    struct roxi_item *items = calloc(seen->n + 1, sizeof *items);
    for (size_t i = 0; items && i < seen->n; i++)
        items[i] = (struct roxi_item){.group = (uint32_t)(roxi_tally_key(seen, i) >> 32),
                                      .stack = (uint32_t)roxi_tally_key(seen, i),
                                      .longest = visits ? visits[i].longest : 0,
                                      .packets = visits ? visits[i].packets : 0,
                                      .count = seen->counts[i]};
    return items;
}

int roxi_profiles_add(struct roxi_profiles *p, const char *name, const struct roxi_tally *seen,
                      struct ix_error *err)
{
    struct roxi_profile *all = ix_grow(p->executions, &p->cap, p->count + 1, sizeof *all);
    if (all)
        p->executions = all;
    struct roxi_item *items = all ? roxi_profile_items(seen, NULL) : NULL;
    if (!items || roxi_profile_make(&all[p->count], name, items, seen->n) != 0)
        return ix_fail(err, "out of memory");
    p->count++;
    return 0;
}

static int by_run_name(const void *a, const void *b, void *executions)
{
    const struct roxi_profile *e = executions;
    return strcmp(e[*(const size_t *)a].name, e[*(const size_t *)b].name);
}

void roxi_profiles_order(const struct roxi_profiles *p, size_t *runs, size_t count)
{
    if (count)
        qsort_r(runs, count, sizeof *runs, by_run_name, p->executions);
}
