/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/cluster/cluster.h"

#include <math.h>
#include <stdlib.h>

/* Two clusters, given by their first objects, first < second, and their distance. */
struct step {
    size_t first, second;
    struct roxi_linked linked;
};

/* The order in which a search through all pairs would find them: nearer pairs first, then pairs
 * whose clusters come first. */
static int by_turn(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    int order = roxi_linked_compare(x->linked, y->linked);
    if (order)
        return order;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->second < y->second ? -1 : x->second > y->second;
}

static void take(struct roxi_links *l, size_t x, size_t y, struct step *step)
{
    size_t first = x < y ? x : y, second = x < y ? y : x;
    *step = (struct step){first, second, roxi_links_of(l, first, second)};
    roxi_links_merge(l, first, second);
}

/* ---- single linkage: every cluster remembers its nearest one ---- */

/* A spanning tree (Prim, SLINK) gives the heights in O(n^2) as well. But where pairs are equally
 * near it cannot tell which of them merges first: that depends on edges that are not in the
 * tree. With single linkage the nearest cluster stays the nearest when others merge, so here
 * each merge also costs O(n).
 *
 * The first pair among the nearest ones is the first cluster with the least distance, together
 * with the nearest cluster that it remembers: if that one came before it, it would itself be the
 * first.
 */
struct nearest {
    size_t cluster;
    int64_t link;
};

static size_t first_of_nearest(const struct roxi_links *l, const struct nearest *nearest)
{
    size_t best = l->live[0];
    for (size_t i = 1; i < l->live_count; i++)
        if (nearest[l->live[i]].link < nearest[best].link)
            best = l->live[i];
    return best;
}

/* Finds every object's nearest, the first of equally near ones. Reads the cells in memory order,
 * which for each object also visits the others in order. */
static void find_nearest(const struct roxi_links *l, struct nearest *nearest)
{
    const int64_t *cell = l->link;
    for (size_t a = 0; a < l->n; a++)
        nearest[a] = (struct nearest){a, INT64_MAX};
    for (size_t a = 0; a < l->n; a++) {
        for (size_t b = a + 1; b < l->n; b++, cell++) {
            if (*cell < nearest[a].link)
                nearest[a] = (struct nearest){b, *cell};
            if (*cell < nearest[b].link)
                nearest[b] = (struct nearest){a, *cell};
        }
    }
}

/* Updates the memory after a has absorbed b. The others are now as near to a as they were to b;
 * that matters only to those whose nearest was b, or whose nearest is no nearer and comes after
 * a. */
static void remember(const struct roxi_links *l, struct nearest *nearest, size_t a, size_t b)
{
    struct nearest of_a = {a, INT64_MAX};
    for (size_t i = 0; i < l->live_count; i++) {
        size_t c = l->live[i];
        if (c == a)
            continue;
        int64_t link = *roxi_links_cell(l, a, c);
        if (link < of_a.link)
            of_a = (struct nearest){c, link};
        if (nearest[c].cluster == b || (a < nearest[c].cluster && link == nearest[c].link))
            nearest[c].cluster = a;
    }
    nearest[a] = of_a;
}

static int single(struct roxi_links *l, struct step *steps)
{
    struct nearest *nearest = calloc(l->n + 1, sizeof *nearest);
    if (!nearest)
        return -1;
    find_nearest(l, nearest);
    for (size_t i = 0; i + 1 < l->n; i++) {
        size_t a = first_of_nearest(l, nearest);
        take(l, a, nearest[a].cluster, &steps[i]);
        remember(l, nearest, steps[i].first, steps[i].second);
    }
    free(nearest);
    return 0;
}

/* ---- the others: chains of nearest neighbours ---- */

/* Go from any cluster to its nearest, from that to its nearest, and so on until two are each
 * other's nearest. These two will merge at some time whatever the others do, so they can merge
 * now (Benzecri 1982; Murtagh 1983). With ties this also holds if a merged cluster is never
 * nearer to others than the nearer of its parts was, and as near only where both parts were.
 * That is so for complete, average and Ward's linkage, but not for single. A pair's rank then
 * never improves, so sorting gives the order of merges. */
static int chained(struct roxi_links *l, struct step *steps)
{
    size_t *chain = calloc(l->n + 1, sizeof *chain);
    if (!chain)
        return -1;
    size_t length = 0;
    for (size_t i = 0; i + 1 < l->n; i++) {
        if (length == 0)
            chain[length++] = l->live[0];
        for (;;) {
            size_t last = chain[length - 1], next = roxi_links_nearest(l, last);
            if (length > 1 && next == chain[length - 2])
                break;
            chain[length++] = next;
        }
        length -= 2;
        take(l, chain[length], chain[length + 1], &steps[i]);
    }
    free(chain);
    qsort(steps, l->n ? l->n - 1 : 0, sizeof *steps, by_turn);
    return 0;
}

/* ---- the dendrogram ---- */

static void number(const struct roxi_links *l, const struct step *steps, size_t *name, size_t *size,
                   struct roxi_dendrogram *out)
{
    double below = -INFINITY;
    for (size_t i = 0; i < l->n; i++) {
        name[i] = i;
        size[i] = 1;
    }
    for (size_t i = 0; i + 1 < l->n; i++) {
        size_t a = steps[i].first, b = steps[i].second;
        size[a] += size[b];
        /* The exact fractions ascend; the rounded heights could be out of order by the last bit. */
        below = fmax(below, roxi_links_height(l, steps[i].linked));
        out->merges[i] =
            (struct roxi_merge){.a = name[a], .b = name[b], .height = below, .size = size[a]};
        name[a] = l->n + i;
    }
}

int roxi_cluster(const struct roxi_condensed *apart, enum roxi_linkage linkage,
                 struct roxi_dendrogram *out, struct ix_error *err)
{
    struct roxi_links l;
    *out = (struct roxi_dendrogram){.n = apart->n};
    if (roxi_links_new(&l, apart, linkage, err) != 0)
        return -1;
    out->unit = l.unit;
    out->merges = calloc(l.n + 1, sizeof *out->merges);
    struct step *steps = calloc(l.n + 1, sizeof *steps);
    size_t *name = calloc(l.n + 1, sizeof *name), *size = calloc(l.n + 1, sizeof *size);
    int result = out->merges && steps && name && size ? 0 : -1;
    if (result == 0)
        result = linkage == ROXI_SINGLE ? single(&l, steps) : chained(&l, steps);
    if (result == 0)
        number(&l, steps, name, size, out);
    free(steps);
    free(name);
    free(size);
    roxi_links_free(&l);
    if (result == 0)
        return 0;
    roxi_dendrogram_free(out);
    return ix_fail(err, "out of memory");
}

void roxi_dendrogram_free(struct roxi_dendrogram *d)
{
    free(d->merges);
    *d = (struct roxi_dendrogram){0};
}

/* ---- cutting ---- */

int roxi_cluster_cut(const struct roxi_dendrogram *d, size_t k, size_t *cluster,
                     struct ix_error *err)
{
    size_t n = d->n;
    if (k < 1 || k > n)
        return ix_fail(err, "%zu clusters of %zu runs: choose 1 to %zu", k, n, n);
    /* For each cluster of the tree: the cluster into which it was merged (itself if none), and
     * its number in the result plus 1. Parents come after their parts, so going backwards finds
     * every root. */
    size_t *root = calloc(2 * n, sizeof *root), *name = calloc(2 * n, sizeof *name);
    if (!root || !name) {
        free(root);
        free(name);
        return ix_fail(err, "out of memory");
    }
    for (size_t i = 0; i < 2 * n; i++)
        root[i] = i;
    for (size_t i = n - k; i-- > 0;)
        root[d->merges[i].a] = root[d->merges[i].b] = root[n + i];
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (!name[root[i]])
            name[root[i]] = ++used;
        cluster[i] = name[root[i]] - 1;
    }
    free(root);
    free(name);
    return 0;
}

size_t roxi_cluster_count_at(const struct roxi_dendrogram *d, double height)
{
    /* Cells were rounded to the unit; the relative error of the square root of a rounded square
     * is below 1e-9. */
    double reached = height + fmax(d->unit, fabs(height) * 1e-9);
    size_t clusters = d->n;
    while (clusters > 1 && d->merges[d->n - clusters].height <= reached)
        clusters--;
    return clusters;
}
