/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/head_counts.h"

#include <math.h>
#include <stdlib.h>

/* Adds a run's snapshots of threads by group, and the packets that its roles answered. */
static int add_run(const struct roxi_profile *x, struct roxi_tally *threads,
                   struct roxi_tally *answered)
{
    for (size_t i = 0; i < x->count; i++)
        if (roxi_tally_add(threads, x->items[i].group, x->items[i].count) == ROXI_NONE)
            return -1;
    for (size_t i = 0; i < x->role_count; i++)
        if (roxi_tally_add(answered, x->roles[i].role, x->roles[i].answered) == ROXI_NONE)
            return -1;
    return 0;
}

static double average(const struct roxi_profiles *p, uint32_t group, double threads,
                      const struct roxi_tally *answered)
{
    const uint32_t role = roxi_profiles_place(p, group).role;
    const double packets = (double)roxi_tally_count(answered, role);
    return packets > 0 ? threads / packets : 0;
}

/* A run's own averages, against the greatest ones so far. */
static void take_run(struct roxi_head_counts *c, const struct roxi_sheet *s, size_t run,
                     const struct roxi_tally *threads, const struct roxi_tally *answered)
{
    for (size_t i = 0; i < threads->n; i++) {
        const uint32_t group = (uint32_t)roxi_tally_key(threads, i);
        const double here = average(s->profiles, group, (double)threads->counts[i], answered);
        struct roxi_crowd *crowd = &c->crowds[group];
        if (here > crowd->most) {
            *crowd = (struct roxi_crowd){here, crowd->most, run};
        } else if (here > crowd->second) {
            crowd->second = here;
        }
    }
}

int roxi_head_counts_make(struct roxi_head_counts *c, const struct roxi_sheet *s)
{
    int result = 0;
    *c = (struct roxi_head_counts){
        .crowds = calloc((size_t)s->profiles->groups.n + 1, sizeof *c->crowds)};
    if (!c->crowds)
        return -1;
    for (size_t i = 0; i < s->profiles->count && result == 0; i++) {
        struct roxi_tally threads = {0}, answered = {0};
        if (!s->normal[i])
            continue;
        result = add_run(&s->profiles->executions[i], &threads, &answered);
        if (result == 0) {
            take_run(c, s, i, &threads, &answered);
            result = add_run(&s->profiles->executions[i], &c->threads, &c->answered);
        }
        roxi_tally_free(&threads);
        roxi_tally_free(&answered);
    }
    return result;
}

void roxi_head_counts_free(struct roxi_head_counts *c)
{
    roxi_tally_free(&c->threads);
    roxi_tally_free(&c->answered);
    free(c->crowds);
    *c = (struct roxi_head_counts){0};
}

/* ---- of a run ---- */

static int by_difference(const void *a, const void *b)
{
    const struct roxi_head_count *x = a, *y = b;
    const double of_x = fabs(x->here - x->elsewhere), of_y = fabs(y->here - y->elsewhere);
    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* What the run itself adds to the normal runs is left out. */
static struct roxi_head_count compare(const struct roxi_head_counts *c, const struct roxi_sheet *s,
                                      size_t run, uint32_t group, const struct roxi_tally *threads,
                                      const struct roxi_tally *answered)
{
    const uint32_t role = roxi_profiles_place(s->profiles, group).role;
    const double own = (double)roxi_tally_count(threads, group);
    const double others = (double)roxi_tally_count(&c->threads, group) - (s->normal[run] ? own : 0);
    const double packets = (double)roxi_tally_count(&c->answered, role) -
                           (s->normal[run] ? (double)roxi_tally_count(answered, role) : 0);
    const struct roxi_crowd *crowd = &c->crowds[group];
    return (struct roxi_head_count){
        .group = group,
        .here = average(s->profiles, group, own, answered),
        .elsewhere = packets > 0 ? others / packets : 0,
        .most = s->normal[run] && crowd->most_run == run ? crowd->second : crowd->most,
    };
}

struct roxi_head_count *roxi_head_counts_of(const struct roxi_head_counts *c,
                                            const struct roxi_sheet *s, size_t run, size_t *count)
{
    struct roxi_tally threads = {0}, answered = {0};
    const size_t groups = s->profiles->groups.n;
    struct roxi_head_count *list = calloc(groups + 1, sizeof *list);
    *count = 0;
    if (list && add_run(&s->profiles->executions[run], &threads, &answered) == 0) {
        for (uint32_t g = 0; g < groups; g++) {
            const struct roxi_head_count x = compare(c, s, run, g, &threads, &answered);
            const uint32_t role = roxi_profiles_place(s->profiles, g).role;
            if ((x.here > 0 || x.elsewhere > 0) && roxi_tally_count(&answered, role))
                list[(*count)++] = x;
        }
        qsort(list, *count, sizeof *list, by_difference);
    } else {
        free(list);
        list = NULL;
    }
    roxi_tally_free(&threads);
    roxi_tally_free(&answered);
    return list;
}
