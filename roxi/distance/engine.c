/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "roxi/distance/engine_work.h"

/* From here on not every integer is a double. */
#define EXACT ((double)(1LL << 53))
/* Number of columns summed at a time, so that the nearest neighbours of a batch of stacks stay
 * in the processor's cache while the counts of all runs are applied to them. */
enum { TILE = 256 };
/* The number of steps (of dynamic programming, or additions) from which waking other threads
 * pays even when other programs keep their processors busy: some tens of milliseconds. */
#define PARALLEL_FROM 3e8

/* ---- is everything exact? ---- */

/* deepest[g]: depth of group g's deepest stack. */
static void find_deepest(const struct roxi_profiles *p, uint32_t *deepest)
{
    for (size_t e = 0; e < p->count; e++) {
        for (size_t i = 0; i < p->executions[e].count; i++) {
            struct roxi_item item = p->executions[e].items[i];
            uint32_t depth = roxi_symbols_stack_at(p->symbols, item.stack).depth;
            if (depth > deepest[item.group])
                deepest[item.group] = depth;
        }
    }
}

/* The largest possible sum in a cell, scaled. Compare(a, b) and Compare(b, a) together are at
 * most twice that of one run, which also covers distances to the empty stack. */
static double largest_sum(const struct roxi_profiles *p, const double *bound)
{
    double largest = 0;
    for (size_t e = 0; e < p->count; e++) {
        double sum = 0;
        for (size_t i = 0; i < p->executions[e].count; i++) {
            struct roxi_item item = p->executions[e].items[i];
            sum += (double)item.count * bound[item.group];
        }
        largest = sum > largest ? sum : largest;
    }
    return 2 * largest;
}

static int is_exact(const struct roxi_engine *engine, const struct roxi_profiles *p,
                    struct ix_error *err)
{
    uint32_t *deepest = calloc(p->groups.n + 1, sizeof *deepest);
    double *bound = calloc(p->groups.n + 1, sizeof *bound);
    int result = deepest && bound ? 0 : ix_fail(err, "out of memory");
    if (result == 0) {
        find_deepest(p, deepest);
        for (size_t g = 0; g < p->groups.n; g++)
            bound[g] = roxi_costs_bound(&engine->costs, deepest[g], deepest[g]);
        result = largest_sum(p, bound) < EXACT;
    }
    free(deepest);
    free(bound);
    return result;
}

int roxi_engine_init(struct roxi_engine *engine, const struct roxi_profiles *p,
                     const struct roxi_compare_options *options, struct ix_error *err)
{
    static const enum roxi_isa isa[] = {[ROXI_ENGINE_PORTABLE] = ROXI_PORTABLE,
                                        [ROXI_ENGINE_AVX2] = ROXI_AVX2,
                                        [ROXI_ENGINE_AVX512] = ROXI_AVX512};
    *engine = (struct roxi_engine){.symbols = p->symbols,
                                   .cell_bits = options->cell_bits,
                                   .threads = options->threads,
                                   .no_pruning = options->no_pruning,
                                   .diagonal = options->diagonal_computed};
    if (options->engine == ROXI_ENGINE_REFERENCE)
        return 0;
    engine->kernels = options->engine == ROXI_ENGINE_FAST ? roxi_kernels_best()
                                                          : roxi_kernels_for(isa[options->engine]);
    if (!engine->kernels)
        return ix_fail(err, "this processor lacks the instructions that --engine asks for");
    if (!roxi_costs_init(&engine->costs, options->strategy, options->match_reward))
        return 0;
    return is_exact(engine, p, err);
}

int roxi_engine_threads(const struct roxi_engine *engine, double steps)
{
    if (engine->threads)
        return (int)engine->threads;
#ifdef _OPENMP
    return steps < PARALLEL_FROM ? 1 : omp_get_max_threads();
#else
    (void)steps;
    return 1;
#endif
}

/* ---- one group ---- */

void roxi_work_release(struct roxi_work *w)
{
    roxi_trie_free(&w->trie);
    roxi_sets_free(&w->sets);
    free(w->query);
    free(w->items);
    free(w->begin);
    free(w->end);
    free(w->nearest);
}

/* Counting sort by depth of the trie's places from `from` to `to`; `at` has room for every
 * depth. */
static void order_part(struct roxi_work *w, size_t from, size_t to, size_t *at)
{
    const struct roxi_trie *t = &w->trie;
    memset(at, 0, (t->deepest + 2) * sizeof *at);
    for (size_t i = from; i < to; i++)
        at[roxi_trie_depth(t, i) + 1]++;
    for (size_t d = 0; d < t->deepest; d++)
        at[d + 1] += at[d];
    for (size_t i = from; i < to; i++)
        w->query[from + at[roxi_trie_depth(t, i)]++] = (uint32_t)i;
}

/* Blocks leave out what all their queries have in common: stacks with the common frames come
 * first, then the others. */
static int order_queries(struct roxi_work *w)
{
    size_t *at = calloc(w->trie.deepest + 2, sizeof *at);
    if (!at)
        return -1;
    order_part(w, 0, w->trie.alike, at);
    order_part(w, w->trie.alike, w->trie.stacks, at);
    free(at);
    return 0;
}

/* Sorts the group's items, and names stacks by query. Going through the queries in order and
 * appending to each member that has them leaves every member's items sorted. */
static int sort_items(struct roxi_work *w)
{
    const struct roxi_group *g = w->group;
    size_t items = g->start[g->members];
    size_t *at = calloc(g->stacks + 2, sizeof *at); /* by stack: its range in `who` */
    uint32_t *who = calloc(items + 1, sizeof *who);
    size_t *which = calloc(items + 1, sizeof *which);
    int result = at && who && which ? 0 : -1;
    if (result == 0) {
        for (size_t i = 0; i < items; i++)
            at[g->local[i] + 2]++;
        for (size_t s = 0; s < g->stacks; s++)
            at[s + 1] += at[s];
        for (size_t m = 0; m < g->members; m++) {
            for (size_t i = g->start[m]; i < g->start[m + 1]; i++) {
                size_t to = at[g->local[i] + 1]++;
                who[to] = (uint32_t)m;
                which[to] = i;
            }
            w->end[m] = g->start[m];
        }
        for (size_t q = 0; q < g->stacks; q++) {
            uint32_t s = w->trie.stack[w->query[q]];
            for (size_t i = at[s]; i < at[s + 1]; i++)
                w->items[w->end[who[i]]++] =
                    (struct roxi_engine_item){(uint32_t)q, g->weight[which[i]]};
        }
        for (size_t m = 0; m < g->members; m++)
            w->end[m] = g->start[m];
    }
    free(at);
    free(who);
    free(which);
    return result;
}

int roxi_work_prepare(struct roxi_work *w)
{
    const struct roxi_group *g = w->group;
    const struct roxi_strategy *s = w->engine->costs.strategy;
    if (roxi_trie_build(&w->trie, g, w->engine->symbols, s) != 0 ||
        roxi_sets_find(&w->sets, g, &w->trie) != 0)
        return -1;
    size_t blocks = ROXI_NEAREST_BYTES / (ROXI_LANES * w->sets.count * sizeof *w->nearest);
    w->batch = (blocks ? blocks : 1) * ROXI_LANES;
    if (w->batch > 4 * TILE)
        w->batch = 4 * TILE;
    if (w->batch > g->stacks)
        w->batch = g->stacks;
    w->query = calloc(g->stacks + 1, sizeof *w->query);
    w->items = calloc(g->start[g->members] + 1, sizeof *w->items);
    w->begin = calloc(g->members + 1, sizeof *w->begin);
    w->end = calloc(g->members + 1, sizeof *w->end);
    w->nearest = calloc(w->batch * w->sets.count + 1, sizeof *w->nearest);
    if (!w->query || !w->items || !w->begin || !w->end || !w->nearest)
        return -1;
    return order_queries(w) == 0 ? sort_items(w) : -1;
}

/* Finds the nearest neighbours of the block's queries, which begin at `from`; `to` is the
 * batch's end. */
static int measure(const struct roxi_work *w, size_t batch, size_t from, size_t to)
{
    struct roxi_block b = {.trie = &w->trie,
                           .costs = &w->engine->costs,
                           .sets = &w->sets,
                           .query = w->query + from,
                           .queries = to - from < ROXI_LANES ? to - from : ROXI_LANES,
                           .whole = w->engine->no_pruning,
                           .nearest = w->nearest + (from - batch) * w->sets.count};
    return roxi_kernel_choose(w->engine->kernels, roxi_block_bound(&b), w->trie.names,
                              w->engine->cell_bits)(&b);
}

/* Adds the batch's items of member v, for the sets of one tile, to v's row. */
static void add_tile(const struct roxi_work *w, size_t batch, size_t v, size_t tile,
                     struct roxi_matrix *out)
{
    const struct roxi_group *g = w->group;
    size_t width = w->sets.count - tile < TILE ? w->sets.count - tile : TILE;
    double sum[TILE] = {0};
    for (size_t i = w->begin[v]; i < w->end[v]; i++) {
        const double *nearest = w->nearest + (w->items[i].query - batch) * w->sets.count + tile;
        w->engine->kernels->accumulate(sum, nearest, w->items[i].weight, width);
    }
    double *row = roxi_cell(out, g->execution[v], 0);
    for (size_t s = 0; s < width; s++) {
        for (size_t i = w->sets.has_start[tile + s]; i < w->sets.has_start[tile + s + 1]; i++) {
            size_t m = w->sets.has[i];
            if (m != v || w->engine->diagonal)
                row[g->execution[m]] += sum[s];
        }
    }
}

static int add_batch(struct roxi_work *w, size_t from, size_t to, struct roxi_matrix *out)
{
    const struct roxi_group *g = w->group;
    double all_frames = (double)w->trie.first[w->trie.stacks], queries = (double)(to - from);
    int failed = 0, threads = roxi_engine_threads(w->engine, all_frames * all_frames * queries /
                                                                 (double)w->trie.stacks);
    (void)threads; /* unused without OpenMP */
#pragma omp parallel for schedule(dynamic) reduction(| : failed) num_threads(threads)
    for (size_t q = from; q < to; q += ROXI_LANES)
        failed |= measure(w, from, q, to) != 0;
    if (failed)
        return -1;
    size_t items = 0;
    for (size_t v = 0; v < g->members; v++) {
        w->begin[v] = w->end[v];
        while (w->end[v] < g->start[v + 1] && w->items[w->end[v]].query < to)
            w->end[v]++;
        items += w->end[v] - w->begin[v];
    }
    threads = roxi_engine_threads(w->engine, (double)items * (double)w->sets.count);
    for (size_t tile = 0; tile < w->sets.count; tile += TILE) {
        /* Each row belongs to one thread. */
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
        for (size_t v = 0; v < g->members; v++)
            if (w->begin[v] < w->end[v])
                add_tile(w, from, v, tile, out);
    }
    return 0;
}

/* ---- any part of a group ---- */

struct roxi_work *roxi_engine_open(const struct roxi_engine *engine, const struct roxi_group *g)
{
    struct roxi_work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct roxi_work){.engine = engine, .group = g};
    if (roxi_work_prepare(w) == 0)
        return w;
    roxi_engine_close(w);
    return NULL;
}

void roxi_engine_close(struct roxi_work *w)
{
    if (w)
        roxi_work_release(w);
    free(w);
}

/* Skips items of queries before `stack`. */
static void begin_at(struct roxi_work *w, size_t stack)
{
    const struct roxi_group *g = w->group;
    for (size_t v = 0; v < g->members; v++)
        while (w->end[v] < g->start[v + 1] && w->items[w->end[v]].query < stack)
            w->end[v]++;
}

int roxi_engine_add(struct roxi_work *w, size_t from, size_t to, struct roxi_matrix *out)
{
    int result = 0;
    begin_at(w, from);
    for (; from < to && result == 0; from += w->batch)
        result = add_batch(w, from, to - from < w->batch ? to : from + w->batch, out);
    return result;
}
