/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/evaluate/sampling.h"

#include <stdlib.h>
#include <string.h>

struct tally {
    size_t size, failed;
};

/* By cluster; NULL: out of memory. */
static struct tally *count(const struct roxi_labelled *l)
{
    struct tally *t = calloc(l->k + 1, sizeof *t);
    for (size_t i = 0; t && i < l->n; i++) {
        t[l->cluster[i]].size++;
        t[l->cluster[i]].failed += l->failed[i];
    }
    return t;
}

static int by_size(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    return (x->size > y->size) - (x->size < y->size);
}

/* ---- expectations ---- */

static double found_small(struct tally *t, size_t k, double size)
{
    double found = 0;
    qsort(t, k, sizeof *t, by_size);
    for (size_t i = 0, next; i < k && size > 0; i = next) {
        double all = 0, failed = 0;
        for (next = i; next < k && t[next].size == t[i].size; next++) {
            all += (double)t[next].size;
            failed += (double)t[next].failed;
        }
        found += size < all ? failed * size / all : failed;
        size -= all;
    }
    return found;
}

static struct roxi_expected of_cluster(struct tally t, enum roxi_method method, double size)
{
    double n = (double)t.size, f = (double)t.failed;
    switch (method) {
    case ROXI_ADAPTIVE: /* with probability f/n a failure is picked, and the rest of the cluster
                           follows */
        return (struct roxi_expected){1 + f / n * (n - 1), f / n * f};
    case ROXI_N_PER_CLUSTER:
        size = size < n ? size : n;
        return (struct roxi_expected){size, f / n * size};
    default:
        return (struct roxi_expected){1, f / n};
    }
}

int roxi_expect(const struct roxi_labelled *l, enum roxi_method method, double size,
                struct roxi_expected *out)
{
    struct tally *t = count(l);
    if (!t)
        return -1;
    double failed = 0;
    *out = (struct roxi_expected){.checked = size};
    for (size_t c = 0; c < l->k; c++)
        failed += (double)t[c].failed;
    if (method == ROXI_RANDOM) {
        out->found = l->n ? failed * size / (double)l->n : 0;
    } else if (method == ROXI_SMALL_CLUSTERS) {
        out->found = found_small(t, l->k, size);
    } else {
        out->checked = 0;
        for (size_t c = 0; c < l->k; c++) {
            struct roxi_expected here = of_cluster(t[c], method, size);
            out->checked += here.checked;
            out->found += here.found;
        }
    }
    free(t);
    return 0;
}

/* ---- choices ---- */

static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64, by Vigna */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Draws only from numbers below the greatest multiple of `below`, so that each remainder is
 * equally likely. */
static size_t draw(uint64_t *state, size_t below)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % below, number;
    do
        number = next_number(state);
    while (number >= limit);
    return (size_t)(number % below);
}

static void shuffle(size_t *order, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = draw(state, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

struct drawing {
    const struct roxi_labelled *labelled;
    const struct tally *tally; /* by cluster */
    size_t *order;             /* runs, shuffled */
    size_t *taken;             /* by cluster: how many of its runs are chosen */
    bool *chosen_before;       /* by run */
    size_t *chosen, count;
};

static void choose(struct drawing *d, size_t execution)
{
    d->chosen[d->count++] = execution;
    d->chosen_before[execution] = true;
    d->taken[d->labelled->cluster[execution]]++;
}

/* Chooses the first `each` of every cluster, in shuffled order. */
static void from_each(struct drawing *d, size_t each)
{
    for (size_t i = 0; i < d->labelled->n; i++)
        if (d->taken[d->labelled->cluster[d->order[i]]] < each)
            choose(d, d->order[i]);
}

static void the_rest_of_failed(struct drawing *d)
{
    size_t first = d->count;
    for (size_t i = 0; i < first; i++) {
        if (!d->labelled->failed[d->chosen[i]])
            continue;
        size_t cluster = d->labelled->cluster[d->chosen[i]];
        for (size_t j = 0; j < d->labelled->n; j++)
            if (d->labelled->cluster[d->order[j]] == cluster && !d->chosen_before[d->order[j]])
                choose(d, d->order[j]);
    }
}

static void smallest_first(struct drawing *d, size_t size)
{
    size_t n = d->labelled->n;
    for (size_t of = 1; of <= n && d->count < size; of++)
        for (size_t i = 0; i < n && d->count < size; i++)
            if (d->tally[d->labelled->cluster[d->order[i]]].size == of)
                choose(d, d->order[i]);
}

static void draw_all(struct drawing *d, enum roxi_method method, size_t size)
{
    switch (method) {
    case ROXI_RANDOM:
        for (size_t i = 0; i < size && i < d->labelled->n; i++)
            choose(d, d->order[i]);
        break;
    case ROXI_SMALL_CLUSTERS:
        smallest_first(d, size);
        break;
    case ROXI_N_PER_CLUSTER:
        from_each(d, size);
        break;
    case ROXI_ONE_PER_CLUSTER:
    case ROXI_ADAPTIVE:
        from_each(d, 1);
        if (method == ROXI_ADAPTIVE)
            the_rest_of_failed(d);
        break;
    }
}

int roxi_sample(const struct roxi_labelled *l, enum roxi_method method, size_t size, uint64_t seed,
                size_t *chosen, size_t *number)
{
    struct tally *tally = count(l);
    struct drawing d = {.labelled = l,
                        .tally = tally,
                        .order = calloc(l->n + 1, sizeof *d.order),
                        .taken = calloc(l->k + 1, sizeof *d.taken),
                        .chosen_before = calloc(l->n + 1, sizeof *d.chosen_before),
                        .chosen = chosen};
    int result = tally && d.order && d.taken && d.chosen_before ? 0 : -1;
    if (result == 0) {
        for (size_t i = 0; i < l->n; i++)
            d.order[i] = i;
        shuffle(d.order, l->n, &seed);
        draw_all(&d, method, size);
        *number = d.count;
    }
    free(tally);
    free(d.order);
    free(d.taken);
    free(d.chosen_before);
    return result;
}

/* ---- figures ---- */

int roxi_quality(const struct roxi_labelled *l, struct roxi_quality *out)
{
    struct tally *t = count(l);
    double majority = 0, failed = 0, lone = 0, lone_failed = 0;
    if (!t)
        return -1;
    for (size_t c = 0; c < l->k; c++) {
        size_t passed = t[c].size - t[c].failed;
        majority += (double)(passed > t[c].failed ? passed : t[c].failed);
        failed += (double)t[c].failed;
        lone += t[c].size == 1;
        lone_failed += t[c].size == 1 && t[c].failed;
    }
    *out = (struct roxi_quality){.purity = majority / (double)l->n,
                                 .lone_failures = failed > 0 ? lone_failed / failed : 0,
                                 .lone_executions = lone / (double)l->n};
    free(t);
    return 0;
}

const char *roxi_method_name(enum roxi_method method)
{
    static const char *const words[] = {"random", "one-per-cluster", "n-per-cluster",
                                        "small-clusters", "adaptive"};
    return words[method];
}
