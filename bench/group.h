/* SPDX-License-Identifier: Apache-2.0 */
/* For benches of the kernels: a group of call stacks that share prefixes like real ones, distances
 * of all pairs from the fast kernels, and a clock. */
#ifndef BENCH_GROUP_H
#define BENCH_GROUP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roxi/distance/kernel.h"

static inline void *must(void *p)
{
    if (!p) {
        fputs("bench: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

/* Processor time of this thread, because other programs may share the processor. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* splitmix64, by Vigna */
static inline uint64_t draw(uint64_t below)
{
    static uint64_t state = 1;
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

/* n stacks of `mean` frames on average, of `variety` distinct ones; each leaves an older one at a
 * random depth, as in bench/campaign.c. Every stack is one member's only one, so that what is
 * nearest in a set is the distance. roxi_group_release it. */
static inline void make_group(struct roxi_group *g, struct roxi_symbols *symbols, size_t n,
                              size_t mean, uint32_t variety)
{
    uint32_t *frame = must(calloc(variety, sizeof *frame));
    for (uint32_t i = 0; i < variety; i++)
        frame[i] = roxi_symbols_frame(symbols, (struct roxi_frame){i / 6, i % 13, 0, (int32_t)i});
    *g = (struct roxi_group){.members = n, .stacks = n};
    g->start = must(calloc(n + 1, sizeof *g->start));
    g->local = must(calloc(n + 1, sizeof *g->local));
    g->first = must(calloc(n + 1, sizeof *g->first));
    g->frames = must(calloc(n * 2 * (mean + 1), sizeof *g->frames));
    for (size_t i = 0; i < n; i++) {
        size_t depth = mean / 2 + draw(mean + 1), from = i ? draw(i) : 0;
        size_t limit = g->first[from + 1] - g->first[from];
        limit = i ? (limit < depth ? limit : depth) : 0;
        size_t shared = limit ? limit / 2 + draw(limit - limit / 2) : 0;
        uint32_t *to = g->frames + g->first[i];
        memcpy(to, g->frames + g->first[from], shared * sizeof *to);
        for (size_t k = shared; k < depth; k++)
            to[k] = frame[draw(variety)];
        g->first[i + 1] = g->first[i] + depth;
        g->start[i + 1] = i + 1;
        g->local[i] = (uint32_t)i;
    }
    free(frame);
}

/* How a group is measured, and the results. */
struct measured {
    const struct roxi_kernels *kernels;
    const struct roxi_strategy *strategy;
    bool whole;       /* as in struct roxi_block */
    float *distances; /* NULL, or out: of stacks a and b at [a * stacks + b] */
    /* Cells a second of nothing but a kernel's arithmetic; NULL: unknown. */
    double (*limit)(const struct roxi_kernels *kernels, const struct roxi_strategy *s,
                    unsigned bits);
    /* Out: */
    double seconds; /* for all blocks in sequence */
    double cells;   /* computed in all lanes */
    double ideal;   /* seconds for these cells if there were only arithmetic */
};

static inline unsigned width_of(const struct roxi_kernels *k, roxi_kernel *kernel)
{
    return kernel == k->cells_16 ? 16 : kernel == k->cells_32 ? 32 : 64;
}

static inline void measure_block(struct measured *m, const struct roxi_block *b)
{
    double cells = 0;
    struct roxi_block block = *b;
    block.cells = &cells;
    roxi_kernel *kernel = roxi_kernel_choose(m->kernels, roxi_block_bound(b), b->trie->names, 0);
    const double begin = now();
    if (kernel(&block) != 0)
        must(NULL);
    m->seconds += now() - begin;
    m->cells += cells;
    if (m->limit)
        m->ideal += cells / m->limit(m->kernels, m->strategy, width_of(m->kernels, kernel));
    for (size_t q = 0; m->distances && q < b->queries; q++) {
        float *row = m->distances + b->trie->stack[b->query[q]] * b->trie->stacks;
        for (size_t s = 0; s < b->sets->count; s++)
            row[b->sets->has[s]] = (float)b->nearest[q * b->sets->count + s];
    }
}

/* The trie's places in the engine's order: similar ones together, by depth. */
static inline size_t order_places(const struct roxi_trie *t, uint32_t *query)
{
    size_t n = 0;
    for (int other = 0; other < 2; other++)
        for (size_t depth = 0; depth <= t->deepest; depth++)
            for (size_t i = 0; i < t->stacks; i++)
                if ((i >= t->alike) == other && roxi_trie_depth(t, i) == depth)
                    query[n++] = (uint32_t)i;
    return n;
}

/* All stacks of the group against all, on one core. */
static inline void measure_group(const struct roxi_group *g, const struct roxi_symbols *symbols,
                                 struct measured *m)
{
    struct roxi_trie trie;
    struct roxi_sets sets;
    struct roxi_costs costs;
    uint32_t *query = must(calloc(g->stacks + ROXI_LANES, sizeof *query));
    double *nearest = must(calloc(ROXI_LANES * g->stacks, sizeof *nearest));
    roxi_costs_init(&costs, m->strategy, 1);
    if (roxi_trie_build(&trie, g, symbols, m->strategy) != 0 ||
        roxi_sets_find(&sets, g, &trie) != 0)
        must(NULL);
    const size_t n = order_places(&trie, query);
    m->seconds = m->cells = m->ideal = 0;
    for (size_t q = 0; q < n; q += ROXI_LANES) {
        const size_t queries = n - q < ROXI_LANES ? n - q : ROXI_LANES;
        measure_block(m, &(struct roxi_block){.trie = &trie,
                                              .costs = &costs,
                                              .sets = &sets,
                                              .query = query + q,
                                              .queries = queries,
                                              .whole = m->whole,
                                              .nearest = nearest});
    }
    roxi_sets_free(&sets);
    roxi_trie_free(&trie);
    free(query);
    free(nearest);
}

#endif
