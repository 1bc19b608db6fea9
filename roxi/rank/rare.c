/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/rare.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/rank/library.h"
#include "schema/base/grow.h"

/* Code that one run in so many executes, or more, is common. */
#define COMMON 3.0

static int count_one(struct roxi_rare *r, const struct roxi_covered *x, size_t run)
{
    const uint32_t number = roxi_tally_add(&r->seen, roxi_pair(x->stack, x->block), 0);
    if (number == ROXI_NONE)
        return -1;
    uint32_t *like = ix_grow_zeroed(r->like, &r->like_cap, (size_t)number + 1, sizeof *like);
    if (!like)
        return -1;
    r->like = like;
    uint32_t *last = ix_grow_zeroed(r->last, &r->last_cap, (size_t)number + 1, sizeof *last);
    if (!last)
        return -1;
    r->last = last;
    like[number] += last[number] != run + 1; /* several roles may execute it */
    last[number] = (uint32_t)run + 1;
    return 0;
}

int roxi_rare_count(struct roxi_rare *r, const struct roxi_profiles *p, const bool *of)
{
    *r = (struct roxi_rare){0};
    for (size_t run = 0; run < p->count; run++) {
        const struct roxi_use *u = &p->executions[run].use;
        if ((of && !of[run]) || !u->tells_covered)
            continue;
        r->runs++;
        for (size_t i = 0; i < u->covered_count; i++)
            if (count_one(r, &u->covered[i], run) != 0)
                return -1;
    }
    return 0;
}

void roxi_rare_free(struct roxi_rare *r)
{
    roxi_tally_free(&r->seen);
    free(r->like);
    free(r->last);
    roxi_tally_free(&r->classes);
    free(r->rarity);
    *r = (struct roxi_rare){0};
}

uint32_t roxi_rare_like(const struct roxi_rare *r, const struct roxi_covered *x)
{
    const uint32_t number = ix_idmap_get(&r->seen.numbers, roxi_pair(x->stack, x->block));
    return number ? r->like[number - 1] : 0;
}

static double rarity_of(const struct roxi_rare *r, const struct roxi_covered *x)
{
    const double most = (double)r->runs / COMMON;
    const double like = (double)roxi_rare_like(r, x);
    return most > 1 && like > 0 && like < most ? log(most / like) / log(most) : 0;
}

/* -1: memory ran out. */
static int take_class(struct roxi_rare *r, uint32_t class_name, double rarity)
{
    const uint32_t number = roxi_tally_add(&r->classes, class_name, 0);
    if (number == ROXI_NONE)
        return -1;
    double *list = ix_grow_zeroed(r->rarity, &r->rarity_cap, (size_t)number + 1, sizeof *list);
    if (!list)
        return -1;
    r->rarity = list;
    list[number] = fmax(list[number], rarity);
    return 0;
}

size_t roxi_rare_classes(struct roxi_rare *r, const struct roxi_profiles *p,
                         const struct roxi_profile *run, size_t from, double *classes)
{
    const struct roxi_use *u = &run->use;
    const uint32_t role = u->covered[from].role;
    struct roxi_library library = {.profiles = p, .run = run, .role = role};
    size_t to = from;
    for (; to < u->covered_count && u->covered[to].role == role; to++) {
        const double rarity = rarity_of(r, &u->covered[to]);
        if (!(rarity > 0))
            continue;
        const uint32_t class_name = roxi_symbols_top(p->symbols, u->covered[to].stack).class_name;
        if (!roxi_library_has(&library, class_name) && take_class(r, class_name, rarity) != 0)
            return from;
    }
    *classes = 0;
    for (size_t i = 0; i < r->classes.n; i++) {
        *classes += r->rarity[i];
        r->rarity[i] = 0;
    }
    roxi_tally_free(&r->classes);
    return to;
}
