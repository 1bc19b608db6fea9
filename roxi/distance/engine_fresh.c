/* SPDX-License-Identifier: Apache-2.0 */
/* The engine for groups with few new runs: adds only cells between a new run and any other.
 *
 * These are Compare(new, m), a row, and Compare(m, new), a column. The distances from every call
 * stack of the new runs to every stack of the group give both:
 *
 *     row      from a new run's stack, the nearest stack of each distinct set of stacks
 *              (add_fresh_row; batch by batch, so that few distances are in memory)
 *     column   from any stack, the nearest stack of each new run: the minimum of the same
 *              distances, kept over all batches (`column`) and weighted at the end by the runs that
 *              are not new (add_fresh_columns)
 */
#include "roxi/distance/engine.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/distance/engine_work.h"

/* Number of blocks of queries at a time, each with its distances to all stacks. */
enum { FRESH_BLOCKS = 8 };

struct fresh {
    struct roxi_work *w;
    const bool *execution;   /* by number: the run is new */
    struct roxi_sets single; /* each stack is a set, so "nearest" is the distance */
    uint32_t *where;         /* by local number: place in the trie */
    uint32_t *position; /* by local number: place in `query`, plus 1; 0: no new member has it */
    uint32_t *query;    /* the new members' stacks, as places in the trie, sorted by depth */
    size_t queries;
    uint32_t *member, *column_of; /* the new ones; by member: its column, plus 1 */
    size_t members;
    double *distance; /* of the batch: query x place */
    double *nearest;  /* of the batch: query x set */
    double *column;   /* new member x place: distance from there to its nearest stack */
};

static void release_fresh(struct fresh *f)
{
    free(f->single.start);
    free(f->single.place);
    free(f->where);
    free(f->position);
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
    f->position = calloc(n + 1, sizeof *f->position);
    f->query = calloc(n + 1, sizeof *f->query);
    f->member = calloc(g->members + 1, sizeof *f->member);
    f->column_of = calloc(g->members + 1, sizeof *f->column_of);
    if (!f->single.start || !f->single.place || !f->where || !f->position || !f->query ||
        !f->member || !f->column_of)
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
            f->position[g->local[i]] = 1;
    }
    for (size_t q = 0; q < n; q++) {
        const uint32_t local = f->w->trie.stack[f->w->query[q]];
        if (!f->position[local])
            continue;
        f->query[f->queries++] = f->w->query[q];
        f->position[local] = (uint32_t)f->queries;
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

/* One new member's part of the batch: its row, and the distances from everywhere to it. */
static void add_fresh_row(const struct fresh *f, size_t which, size_t from, size_t to,
                          struct roxi_matrix *out)
{
    const struct roxi_work *w = f->w;
    const struct roxi_group *g = w->group;
    const size_t v = f->member[which], n = w->trie.stacks;
    double *row = roxi_cell(out, g->execution[v], 0), *column = f->column + which * n;
    for (size_t i = g->start[v]; i < g->start[v + 1]; i++) {
        const size_t position = f->position[g->local[i]] - 1u;
        if (position < from || position >= to)
            continue;
        const double *distance = f->distance + (position - from) * n;
        for (size_t t = 0; t < n; t++)
            column[t] = distance[t] < column[t] ? distance[t] : column[t];
        const double *nearest = f->nearest + (position - from) * w->sets.count;
        for (size_t s = 0; s < w->sets.count; s++) {
            for (size_t k = w->sets.has_start[s]; k < w->sets.has_start[s + 1]; k++) {
                const size_t m = w->sets.has[k];
                if (m != v || w->engine->diagonal)
                    row[g->execution[m]] += g->weight[i] * nearest[s];
            }
        }
    }
}

/* Distances from an old member to all new ones. */
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
    const int threads = roxi_engine_threads(f->w->engine, (double)f->queries * (double)n * 600);
    int failed = 0;
    (void)threads; /* unused without OpenMP */
    for (size_t from = 0; from < f->queries && !failed; from += batch) {
        const size_t to = f->queries - from < batch ? f->queries : from + batch;
#pragma omp parallel for schedule(dynamic) reduction(| : failed) num_threads(threads)
        for (size_t q = from; q < to; q += ROXI_LANES)
            failed |= measure_fresh(f, from, q) != 0;
            /* Each row and each column belongs to one thread. */
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
    int result = roxi_work_prepare(&w) == 0 ? find_fresh(&f) : -1;
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
    roxi_work_release(&w);
    return result;
}
