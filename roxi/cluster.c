#include "roxi/cluster.h"

#include <stdlib.h>
#include <string.h>

struct state {
    enum roxi_linkage linkage;
    struct roxi_matrix link; /* between live clusters; for ROXI_AVERAGE the sum over all pairs */
    size_t *live;            /* rows of `link` that are clusters, ascending: by first object */
    size_t live_count;
    size_t *size, *name; /* by row: objects in it, and its number among all clusters */
};

static void release(struct state *s)
{
    roxi_matrix_free(&s->link);
    free(s->live);
    free(s->size);
    free(s->name);
}

static int start(struct state *s, const struct roxi_matrix *similarity, enum roxi_linkage linkage)
{
    size_t n = similarity->n;
    *s = (struct state){.linkage = linkage, .live_count = n};
    s->live = calloc(n, sizeof *s->live);
    s->size = calloc(n, sizeof *s->size);
    s->name = calloc(n, sizeof *s->name);
    if (!s->live || !s->size || !s->name || roxi_matrix_new(&s->link, n) != 0)
        return -1;
    memcpy(s->link.cells, similarity->cells, n * n * sizeof *s->link.cells);
    for (size_t i = 0; i < n; i++) {
        s->live[i] = s->name[i] = i;
        s->size[i] = 1;
    }
    return 0;
}

static double similarity_of(const struct state *s, size_t a, size_t b)
{
    double link = *roxi_cell(&s->link, a, b);
    return s->linkage == ROXI_AVERAGE ? link / ((double)s->size[a] * (double)s->size[b]) : link;
}

/* The most similar pair, as places in `live`. */
static double most_similar(const struct state *s, size_t *first, size_t *second)
{
    double best = -2; /* below any cosine */
    for (size_t i = 0; i < s->live_count; i++) {
        for (size_t j = i + 1; j < s->live_count; j++) {
            double now = similarity_of(s, s->live[i], s->live[j]);
            if (now > best + 1e-12) {
                best = now;
                *first = i;
                *second = j;
            }
        }
    }
    return best;
}

static double joined(enum roxi_linkage linkage, double x, double y)
{
    if (linkage == ROXI_AVERAGE)
        return x + y;
    return (linkage == ROXI_SINGLE) == (x > y) ? x : y;
}

/* Cluster b becomes a part of a, whose place it takes. */
static void merge(struct state *s, size_t first, size_t second, size_t name)
{
    size_t a = s->live[first], b = s->live[second];
    for (size_t i = 0; i < s->live_count; i++) {
        size_t c = s->live[i];
        if (c != a && c != b)
            *roxi_cell(&s->link, a, c) = *roxi_cell(&s->link, c, a) =
                joined(s->linkage, *roxi_cell(&s->link, a, c), *roxi_cell(&s->link, b, c));
    }
    s->size[a] += s->size[b];
    s->name[a] = name;
    s->live_count--;
    memmove(&s->live[second], &s->live[second + 1], (s->live_count - second) * sizeof *s->live);
}

int roxi_cluster(const struct roxi_matrix *similarity, enum roxi_linkage linkage,
                 struct roxi_merge *merges, struct ix_error *err)
{
    struct state s;
    if (start(&s, similarity, linkage) != 0) {
        release(&s);
        return ix_fail(err, "out of memory");
    }
    for (size_t i = 0; i + 1 < similarity->n; i++) {
        size_t first = 0, second = 1;
        double best = most_similar(&s, &first, &second);
        size_t a = s.live[first], b = s.live[second];
        merges[i] = (struct roxi_merge){
            .a = s.name[a], .b = s.name[b], .similarity = best, .size = s.size[a] + s.size[b]};
        merge(&s, first, second, similarity->n + i);
    }
    release(&s);
    return 0;
}

int roxi_cluster_cut(const struct roxi_merge *merges, size_t n, size_t k, size_t *cluster,
                     struct ix_error *err)
{
    if (k < 1 || k > n)
        return ix_fail(err, "%zu clusters of %zu executions: choose 1 to %zu", k, n, n);
    /* By cluster of the whole tree: the one it was merged into, and the number it gets, plus 1. */
    size_t *parent = calloc(2 * n, sizeof *parent), *number = calloc(2 * n, sizeof *number);
    if (!parent || !number) {
        free(parent);
        free(number);
        return ix_fail(err, "out of memory");
    }
    for (size_t i = 0; i < n - k; i++)
        parent[merges[i].a] = parent[merges[i].b] = n + i;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        size_t root = i;
        while (parent[root])
            root = parent[root];
        if (!number[root])
            number[root] = ++used;
        cluster[i] = number[root] - 1;
    }
    free(parent);
    free(number);
    return 0;
}
