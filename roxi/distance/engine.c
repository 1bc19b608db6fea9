#include "roxi/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Above it not every whole number is a double. */
#define EXACT ((double)(1LL << 53))
/* Columns whose sums are built at a time, so that the nearest neighbours of a batch of stacks stay
 * in the processor's cache while every execution's counts pass over them. */
enum { TILE = 256 };
/* Steps (of dynamic programming, or additions) from which on waking other threads pays, also when
 * something else keeps their processors busy: some tens of milliseconds. */
#define PARALLEL_FROM 3e8

/* ---- is everything exact? ---- */

/* deepest[g]: of group g's stacks. */
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

/* The largest sum that a cell can come to, scaled; Compare(a, b) and Compare(b, a) together are at
 * most twice one execution's, which also covers distances to the empty stack. */
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

/* How many threads are to share that many steps. */
static int threads_for(const struct roxi_engine *engine, double steps)
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

struct item {
    uint32_t query; /* place in `query` below */
    double weight;
};

struct roxi_work {
    const struct roxi_engine *engine;
    const struct roxi_group *group;
    struct roxi_trie trie;
    struct roxi_sets sets;
    uint32_t *query;    /* places in the trie, by depth: blocks are filled evenly */
    struct item *items; /* by member, as the group's ranges; ascending by query */
    size_t *begin;      /* by member: its items of the present batch begin there */
    size_t *end;        /* and end there */
    size_t batch;       /* queries at a time */
    double *nearest;    /* batch x sets */
};

static void release(struct roxi_work *w)
{
    roxi_trie_free(&w->trie);
    roxi_sets_free(&w->sets);
    free(w->query);
    free(w->items);
    free(w->begin);
    free(w->end);
    free(w->nearest);
}

/* Counting sort of the trie's places from `from` to `to` by depth; `at` has room for every depth. */
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

/* Blocks leave out what is alike in all their queries: these come first, then the others. */
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

/* The group's items, stacks named by query. Taking the queries in order and appending to each
 * member that has them leaves every member's items sorted. */
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
                w->items[w->end[who[i]]++] = (struct item){(uint32_t)q, g->weight[which[i]]};
        }
        for (size_t m = 0; m < g->members; m++)
            w->end[m] = g->start[m];
    }
    free(at);
    free(who);
    free(which);
    return result;
}

static int prepare(struct roxi_work *w)
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

/* Nearest neighbours of the block's queries, which begin at `from`; `to` is the batch's end. */
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
    int failed = 0, threads = threads_for(w->engine, all_frames * all_frames * queries /
                                                         (double)w->trie.stacks);
    (void)threads; /* without OpenMP */
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
    threads = threads_for(w->engine, (double)items * (double)w->sets.count);
    for (size_t tile = 0; tile < w->sets.count; tile += TILE) {
        /* Each row is one thread's alone. */
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
        for (size_t v = 0; v < g->members; v++)
            if (w->begin[v] < w->end[v])
                add_tile(w, from, v, tile, out);
    }
    return 0;
}

/* ---- only what is new of a group ---- */

/* Blocks of queries at a time, each with its distances to all stacks. */
enum { FRESH_BLOCKS = 8 };

struct fresh {
    struct roxi_work *w;
    const bool *execution;   /* by number: it is new */
    struct roxi_sets single; /* every stack a set of its own: "nearest" is the distance */
    uint32_t *where;         /* by local number: place in the trie */
    uint32_t *rank;          /* by local number: place in `query`, plus 1; 0: no new member has it */
    uint32_t *query;         /* the new members' stacks, as places, by depth */
    size_t queries;
    uint32_t *member, *column_of; /* the new ones; by member: its column, plus 1 */
    size_t members;
    double *distance;             /* of a batch: query x place */
    double *nearest;              /* of a batch: query x set */
    double *column;               /* new member x place: from there to its nearest */
};

static void release_fresh(struct fresh *f)
{
    free(f->single.start);
    free(f->single.place);
    free(f->where);
    free(f->rank);
    free(f->query);
    free(f->member);
    free(f->column_of);
    free(f->distance);
    free(f->nearest);
    free(f->column);
}

static int find_fresh(struct fresh *f)
{
    const struct roxi_group *g = f->w->group;
    const size_t n = f->w->trie.stacks;
    f->single = (struct roxi_sets){.count = n,
                                   .start = calloc(n + 1, sizeof *f->single.start),
                                   .place = calloc(n + 1, sizeof *f->single.place)};
    f->where = calloc(n + 1, sizeof *f->where);
    f->rank = calloc(n + 1, sizeof *f->rank);
    f->query = calloc(n + 1, sizeof *f->query);
    f->member = calloc(g->members + 1, sizeof *f->member);
    f->column_of = calloc(g->members + 1, sizeof *f->column_of);
    if (!f->single.start || !f->single.place || !f->where || !f->rank || !f->query || !f->member ||
        !f->column_of)
        return -1;
    for (size_t i = 0; i < n; i++) {
        f->single.start[i + 1] = i + 1;
        f->single.place[i] = (uint32_t)i;
        f->where[f->w->trie.stack[i]] = (uint32_t)i;
    }
    for (size_t m = 0; m < g->members; m++) {
        if (!f->execution[g->execution[m]])
            continue;
        f->member[f->members++] = (uint32_t)m;
        f->column_of[m] = (uint32_t)f->members;
        for (size_t i = g->start[m]; i < g->start[m + 1]; i++)
            f->rank[g->local[i]] = 1;
    }
    for (size_t q = 0; q < n; q++) {
        const uint32_t local = f->w->trie.stack[f->w->query[q]];
        if (!f->rank[local])
            continue;
        f->query[f->queries++] = f->w->query[q];
        f->rank[local] = (uint32_t)f->queries;
    }
    return 0;
}

static int measure_fresh(const struct fresh *f, size_t batch, size_t from)
{
    const struct roxi_work *w = f->w;
    const size_t left = f->queries - from, n = w->trie.stacks;
    struct roxi_block b = {.trie = &w->trie,
                           .costs = &w->engine->costs,
                           .sets = &f->single,
                           .query = f->query + from,
                           .queries = left < ROXI_LANES ? left : ROXI_LANES,
                           .whole = w->engine->no_pruning,
                           .nearest = f->distance + (from - batch) * n};
    if (roxi_kernel_choose(w->engine->kernels, roxi_block_bound(&b), w->trie.names,
                           w->engine->cell_bits)(&b) != 0)
        return -1;
    for (size_t q = 0; q < b.queries; q++) {
        const double *distance = b.nearest + q * n;
        double *nearest = f->nearest + (from - batch + q) * w->sets.count;
        for (size_t s = 0; s < w->sets.count; s++) {
            nearest[s] = distance[w->sets.place[w->sets.start[s]]];
            for (size_t i = w->sets.start[s] + 1; i < w->sets.start[s + 1]; i++)
                if (distance[w->sets.place[i]] < nearest[s])
                    nearest[s] = distance[w->sets.place[i]];
        }
    }
    return 0;
}

/* One new member's part of the batch: its row, and from everywhere to it. */
static void add_fresh_row(const struct fresh *f, size_t which, size_t from, size_t to,
                          struct roxi_matrix *out)
{
    const struct roxi_work *w = f->w;
    const struct roxi_group *g = w->group;
    const size_t v = f->member[which], n = w->trie.stacks;
    double *row = roxi_cell(out, g->execution[v], 0), *column = f->column + which * n;
    for (size_t i = g->start[v]; i < g->start[v + 1]; i++) {
        const size_t rank = f->rank[g->local[i]] - 1u;
        if (rank < from || rank >= to)
            continue;
        const double *distance = f->distance + (rank - from) * n;
        for (size_t t = 0; t < n; t++)
            column[t] = distance[t] < column[t] ? distance[t] : column[t];
        const double *nearest = f->nearest + (rank - from) * w->sets.count;
        for (size_t s = 0; s < w->sets.count; s++) {
            for (size_t k = w->sets.has_start[s]; k < w->sets.has_start[s + 1]; k++) {
                const size_t m = w->sets.has[k];
                if (m != v || w->engine->diagonal)
                    row[g->execution[m]] += g->weight[i] * nearest[s];
            }
        }
    }
}

/* From an old member to all new ones. */
static void add_fresh_columns(const struct fresh *f, size_t m, struct roxi_matrix *out)
{
    const struct roxi_group *g = f->w->group;
    double *row = roxi_cell(out, g->execution[m], 0);
    for (size_t k = 0; k < f->members; k++) {
        const double *column = f->column + k * f->w->trie.stacks;
        double sum = 0;
        for (size_t i = g->start[m]; i < g->start[m + 1]; i++)
            sum += g->weight[i] * column[f->where[g->local[i]]];
        row[g->execution[f->member[k]]] += sum;
    }
}

static int add_fresh_batches(struct fresh *f, struct roxi_progress *progress, double work_a_query,
                             struct roxi_matrix *out)
{
    const size_t batch = (size_t)FRESH_BLOCKS * ROXI_LANES, n = f->w->trie.stacks;
    const int threads = threads_for(f->w->engine, (double)f->queries * (double)n * 600);
    int failed = 0;
    (void)threads; /* without OpenMP */
    for (size_t from = 0; from < f->queries && !failed; from += batch) {
        const size_t to = f->queries - from < batch ? f->queries : from + batch;
#pragma omp parallel for schedule(dynamic) reduction(| : failed) num_threads(threads)
        for (size_t q = from; q < to; q += ROXI_LANES)
            failed |= measure_fresh(f, from, q) != 0;
        /* Each row and each column is one thread's alone. */
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (size_t k = 0; k < (failed ? 0 : f->members); k++)
            add_fresh_row(f, k, from, to, out);
        roxi_progress_add(progress, work_a_query * (double)(to - from));
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t m = 0; m < (failed ? 0 : f->w->group->members); m++)
        if (!f->column_of[m])
            add_fresh_columns(f, m, out);
    return failed ? -1 : 0;
}

int roxi_engine_add_fresh(const struct roxi_engine *engine, const struct roxi_group *g,
                          const bool *fresh, struct roxi_progress *progress, double work_a_stack,
                          struct roxi_matrix *out)
{
    struct roxi_work w = {.engine = engine, .group = g};
    struct fresh f = {.w = &w, .execution = fresh};
    const size_t batch = (size_t)FRESH_BLOCKS * ROXI_LANES;
    int result = prepare(&w) == 0 ? find_fresh(&f) : -1;
    if (result == 0 && f.members) {
        const size_t cells = f.members * w.trie.stacks;
        f.distance = calloc(batch * w.trie.stacks, sizeof *f.distance);
        f.nearest = calloc(batch * w.sets.count, sizeof *f.nearest);
        f.column = calloc(cells, sizeof *f.column);
        result = f.distance && f.nearest && f.column ? 0 : -1;
        for (size_t i = 0; i < cells && result == 0; i++)
            f.column[i] = INFINITY;
        const double work = f.queries ? work_a_stack * (double)g->stacks / (double)f.queries : 0;
        if (result == 0)
            result = add_fresh_batches(&f, progress, work, out);
    }
    release_fresh(&f);
    release(&w);
    return result;
}

/* ---- any part of a group ---- */

struct roxi_work *roxi_engine_open(const struct roxi_engine *engine, const struct roxi_group *g)
{
    struct roxi_work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct roxi_work){.engine = engine, .group = g};
    if (prepare(w) == 0)
        return w;
    roxi_engine_close(w);
    return NULL;
}

void roxi_engine_close(struct roxi_work *w)
{
    if (w)
        release(w);
    free(w);
}

/* Where items of queries before `stack` are passed over. */
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
