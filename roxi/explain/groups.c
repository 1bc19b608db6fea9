/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/cluster/cluster.h"
#include "roxi/rank/likeness.h"

#define HARDLY 1e-6

struct grouping {
    struct roxi_groups *out;
    const struct roxi_profiles *profiles;
    const struct roxi_run_evidence *runs; /* by run */
    size_t *objects;                      /* the runs with evidence, in the order of their names */
    size_t *cluster;                      /* by object */
    struct roxi_group *groups;            /* by cluster */
    size_t *first;                        /* by cluster: its first run */
};

/* ---- which runs ---- */

static int make_clusters(struct grouping *g, struct roxi_condensed *apart, struct ix_error *err)
{
    struct roxi_dendrogram tree;
    const size_t n = g->out->runs;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            apart->cells[roxi_pair_at(n, i, k)] =
                1 - roxi_evidence_shared(&g->runs[g->objects[i]], &g->runs[g->objects[k]]);
    if (roxi_cluster(apart, ROXI_COMPLETE, &tree, err) != 0)
        return -1;
    g->out->count = roxi_cluster_count_at(&tree, 1 - ROXI_ALIKE);
    const int result = roxi_cluster_cut(&tree, g->out->count, g->cluster, err);
    roxi_dendrogram_free(&tree);
    return result;
}

static int cluster_runs(struct grouping *g, struct ix_error *err)
{
    struct roxi_condensed apart;
    for (size_t r = 0; r < g->profiles->count; r++)
        if (g->runs[r].count)
            g->objects[g->out->runs++] = r;
    if (!g->out->runs)
        return 0;
    roxi_profiles_order(g->profiles, g->objects, g->out->runs);
    if (roxi_condensed_new(&apart, g->out->runs, ROXI_ON_COSINE) != 0)
        return ix_fail(err, "out of memory");
    const int result = make_clusters(g, &apart, err);
    roxi_condensed_free(&apart);
    return result;
}

/* ---- what tells them apart ---- */

/* Of something that there is evidence of. */
struct had {
    size_t by_all, by_group; /* runs */
    double share;            /* its heaviest finding's of the evidence of each run, added up */
};

static uint32_t kinds_of_evidence(const struct grouping *g)
{
    uint32_t most = 0;
    for (size_t i = 0; i < g->out->runs; i++) {
        const struct roxi_run_evidence *run = &g->runs[g->objects[i]];
        if (run->list[run->count - 1].what > most)
            most = run->list[run->count - 1].what;
    }
    return most + 1;
}

static void count_of_group(const struct grouping *g, size_t cluster, struct had *had)
{
    for (size_t i = 0; i < g->out->runs; i++) {
        const struct roxi_run_evidence *run = &g->runs[g->objects[i]];
        for (size_t k = 0; k < run->count && g->cluster[i] == cluster; k++) {
            struct had *h = &had[run->list[k].what];
            h->by_group++;
            h->share += run->list[k].most / run->weight;
        }
    }
}

static void forget_group(const struct grouping *g, size_t cluster, struct had *had)
{
    for (size_t i = 0; i < g->out->runs; i++) {
        const struct roxi_run_evidence *run = &g->runs[g->objects[i]];
        for (size_t k = 0; k < run->count && g->cluster[i] == cluster; k++)
            had[run->list[k].what] = (struct had){.by_all = had[run->list[k].what].by_all};
    }
}

/* What as large a share of the other runs has does not tell them apart, and is named only if there
 * is nothing else. */
static double tells(const struct roxi_group *group, size_t runs, const struct had *h)
{
    const size_t others = runs - group->runs, by_others = h->by_all - h->by_group;
    const bool apart = h->by_group * others > by_others * group->runs || !others;
    return (apart ? 1 : HARDLY) * h->share * (double)h->by_group /
           sqrt((double)group->runs * (double)h->by_all);
}

static void choose_finding(const struct grouping *g, size_t cluster, const struct had *had)
{
    struct roxi_group *group = &g->groups[cluster];
    struct roxi_evidence best = {0};
    double most = 0;
    for (size_t i = 0; i < g->out->runs; i++) {
        const struct roxi_run_evidence *run = &g->runs[g->objects[i]];
        for (size_t k = 0; k < run->count && g->cluster[i] == cluster; k++) {
            const struct roxi_evidence *e = &run->list[k];
            const double now = e->of_class ? 0 : tells(group, g->out->runs, &had[e->what]);
            if (now > most || (e->what == best.what && e->most > best.most)) {
                best = *e;
                most = now;
            }
        }
    }
    group->finding = best.finding;
    group->in = had[best.what].by_group;
    group->in_others = had[best.what].by_all - group->in;
}

static int tell_apart(struct grouping *g, struct ix_error *err)
{
    struct had *had = calloc(kinds_of_evidence(g), sizeof *had);
    if (!had)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < g->out->runs; i++) {
        const struct roxi_run_evidence *run = &g->runs[g->objects[i]];
        for (size_t k = 0; k < run->count; k++)
            had[run->list[k].what].by_all++;
        g->groups[g->cluster[i]].runs++;
    }
    for (size_t c = 0; c < g->out->count; c++) {
        count_of_group(g, c, had);
        choose_finding(g, c, had);
        forget_group(g, c, had);
    }
    free(had);
    return 0;
}

/* ---- their order ---- */

static int by_size(const void *a, const void *b, void *grouping)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const struct grouping *g = grouping;
    if (g->groups[x].runs != g->groups[y].runs)
        return g->groups[x].runs > g->groups[y].runs ? -1 : 1;
    return (g->first[x] > g->first[y]) - (g->first[x] < g->first[y]);
}

static int put_in_order(struct grouping *g, struct ix_error *err)
{
    const size_t n = g->out->count;
    size_t *order = calloc(n, sizeof *order), *place = calloc(n, sizeof *place);
    g->out->list = calloc(n, sizeof *g->out->list);
    const bool room = order && place && g->out->list;
    for (size_t c = 0; c < n && room; c++) {
        order[c] = c;
        g->first[c] = SIZE_MAX;
    }
    for (size_t i = 0; i < g->out->runs && room; i++)
        if (g->objects[i] < g->first[g->cluster[i]])
            g->first[g->cluster[i]] = g->objects[i];
    if (room)
        qsort_r(order, n, sizeof *order, by_size, g);
    for (size_t c = 0; c < n && room; c++) {
        g->out->list[c] = g->groups[order[c]];
        place[order[c]] = c;
    }
    for (size_t i = 0; i < g->out->runs && room; i++)
        g->out->of[g->objects[i]] = place[g->cluster[i]] + 1;
    free(order);
    free(place);
    return room ? 0 : ix_fail(err, "out of memory");
}

/* ---- the whole ---- */

int roxi_groups_make(struct roxi_groups *out, const struct roxi_profiles *p,
                     const struct roxi_run_evidence *runs, struct ix_error *err)
{
    const size_t n = p->count + 1;
    *out = (struct roxi_groups){.of = calloc(n, sizeof *out->of)};
    struct grouping g = {.out = out,
                         .profiles = p,
                         .runs = runs,
                         .objects = calloc(n, sizeof *g.objects),
                         .cluster = calloc(n, sizeof *g.cluster),
                         .groups = calloc(n, sizeof *g.groups),
                         .first = calloc(n, sizeof *g.first)};
    const bool room = out->of && g.objects && g.cluster && g.groups && g.first;
    int result = room ? cluster_runs(&g, err) : ix_fail(err, "out of memory");
    if (result == 0 && out->count)
        result = tell_apart(&g, err);
    if (result == 0 && out->count)
        result = put_in_order(&g, err);
    free(g.objects);
    free(g.cluster);
    free(g.groups);
    free(g.first);
    if (result != 0)
        roxi_groups_free(out);
    return result;
}

void roxi_groups_free(struct roxi_groups *g)
{
    free(g->list);
    free(g->of);
    *g = (struct roxi_groups){0};
}
