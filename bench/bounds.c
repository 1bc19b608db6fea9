/* SPDX-License-Identifier: Apache-2.0 */
/* What abandoning hopeless targets could save at best: bench/bounds CAMPAIGN STRATEGY.
 *
 * A branch of the trie (roxi/distance/trie.h) need not be walked for a query if nothing in it can
 * be the nearest in any set of stacks. Costs are not negative, so no target below a row of dynamic
 * programming is nearer than the least of the row: if that is more than the least distance found so
 * far in every set that has one of them, the branch can be abandoned. Here everything is known
 * beforehand, from the distances of all pairs; so these are limits of what could be saved, before
 * anything is paid for knowing it. Prints a row of a table: rows of the trie times queries, in
 * thousands, and what part of them is needed
 * - by a perfect bound, which lets pass only the way to the first nearest target of each set: by a
 *   query alone; by any of a block of ROXI_LANES, which the engine computes together, taken by
 * depth as the engine does; by any of a block taken in the order of the trie, in which they
 * resemble each other;
 * - by the least of the row, with each set's nearest distance known from the start: by a query
 * alone, by any of a block by depth. Not for graded costs, whose matches are negative. */
#include "bench/group.h"

#include <math.h>

#include "roxi/campaign/load.h"

struct count {
    double rows, alone, by_depth, by_trie, row_alone, row_by_depth;
};

struct job {
    const struct roxi_symbols *symbols;
    const struct roxi_strategy *strategy;
    struct roxi_trie trie;
    struct roxi_sets sets;
    float *distances;         /* places x places */
    bool *needed;             /* by place */
    double *insert, *replace; /* costs, by position; by the sum of two */
};

/* Distances of all stacks of the group, indexed by their places in the trie. */
static void find_distances(struct job *j, const struct roxi_group *g)
{
    const size_t n = j->trie.stacks;
    struct roxi_group single = *g; /* a stack is a member's only one */
    float *local = must(calloc(n * n + 1, sizeof *local));
    single.members = n;
    single.start = must(calloc(n + 1, sizeof *single.start));
    single.local = must(calloc(n + 1, sizeof *single.local));
    for (size_t i = 0; i < n; i++) {
        single.start[i + 1] = i + 1;
        single.local[i] = (uint32_t)i;
    }
    struct measured m = {
        .kernels = roxi_kernels_best(), .strategy = j->strategy, .distances = local};
    measure_group(&single, j->symbols, &m);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            j->distances[a * n + b] = local[j->trie.stack[a] * n + j->trie.stack[b]];
    free(single.start);
    free(single.local);
    free(local);
}

/* Marks the first nearest of every set for the query at that place. */
static void mark(struct job *j, size_t query)
{
    const float *to = j->distances + query * j->trie.stacks;
    for (size_t s = 0; s < j->sets.count; s++) {
        uint32_t nearest = j->sets.place[j->sets.start[s]];
        for (size_t i = j->sets.start[s]; i < j->sets.start[s + 1]; i++) {
            const uint32_t place = j->sets.place[i];
            if (to[place] < to[nearest] || (to[place] == to[nearest] && place < nearest))
                nearest = place;
        }
        j->needed[nearest] = true;
    }
}

/* Counts the rows on the way to the marked places; unmarks them. */
static double take_rows(struct job *j)
{
    const struct roxi_trie *t = &j->trie;
    double rows = 0;
    size_t there = 0; /* leading frames in common with the last one that is needed */
    for (size_t i = 0; i < t->stacks; i++) {
        there = t->shared[i] < there ? t->shared[i] : there;
        if (!j->needed[i])
            continue;
        rows += (double)(roxi_trie_depth(t, i) - there);
        there = roxi_trie_depth(t, i);
        j->needed[i] = false;
    }
    return rows;
}

static double in_blocks(struct job *j, const uint32_t *query)
{
    const size_t n = j->trie.stacks;
    double rows = 0;
    for (size_t from = 0; from < n; from += ROXI_LANES) {
        const size_t to = n - from < ROXI_LANES ? n : from + ROXI_LANES;
        for (size_t q = from; q < to; q++)
            mark(j, query ? query[q] : q);
        rows += take_rows(j) * (double)(to - from);
    }
    return rows;
}

/* ---- the least of a row ---- */

/* By place: the largest of the nearest distances in the sets that have it, scaled. */
static void find_limits(const struct job *j, size_t query, double *limit)
{
    const float *to = j->distances + query * j->trie.stacks;
    for (size_t i = 0; i < j->trie.stacks; i++)
        limit[i] = -1;
    for (size_t s = 0; s < j->sets.count; s++) {
        float nearest = INFINITY;
        for (size_t i = j->sets.start[s]; i < j->sets.start[s + 1]; i++)
            nearest = fminf(nearest, to[j->sets.place[i]]);
        for (size_t i = j->sets.start[s]; i < j->sets.start[s + 1]; i++)
            limit[j->sets.place[i]] =
                fmax(limit[j->sets.place[i]], (double)nearest * j->strategy->scale);
    }
}

/* below[d], d > shared: the largest limit of the targets that have the first d frames of place i.
 */
static void find_below(const struct roxi_trie *t, size_t i, const double *limit, double *below)
{
    size_t common = roxi_trie_depth(t, i);
    for (size_t d = t->shared[i] + 1u; d <= common; d++)
        below[d] = limit[i];
    for (size_t k = i + 1; k < t->stacks; k++) {
        common = t->shared[k] < common ? t->shared[k] : common;
        if (common <= t->shared[i])
            return;
        for (size_t d = t->shared[i] + 1u; d <= common; d++)
            below[d] = fmax(below[d], limit[k]);
    }
}

/* The next row of a target's DP, T and, for gaps, what ends in one; returns its least T. */
static double next_row(const struct job *j, const uint32_t *x, size_t m, uint32_t y, size_t row,
                       const double *above, double *next)
{
    const bool affine = j->strategy->kind == ROXI_AFFINE;
    const double open = j->strategy->open, widen = j->strategy->widen, insert = j->insert[row];
    const double *gap_above = above + m + 1;
    double *gap = next + m + 1, side = INFINITY;
    double least = next[0] = above[0] + insert;
    gap[0] = INFINITY;
    for (size_t i = 0; i < m; i++) {
        const double other = j->replace[i + row];
        side = affine ? fmin(side + widen, next[i] + open) : next[i] + j->insert[i];
        gap[i + 1] =
            affine ? fmin(gap_above[i + 1] + widen, above[i + 1] + open) : above[i + 1] + insert;
        next[i + 1] = fmin(above[i] + (x[i] == y ? 0 : other), fmin(side, gap[i + 1]));
        least = fmin(least, next[i + 1]);
    }
    return least;
}

/* Marks the rows that the query needs: of the frame at t->frames[f], in row[f]. */
static void mark_rows(const struct job *j, size_t query, double *limit, double *tables, bool *row)
{
    const struct roxi_trie *t = &j->trie;
    const uint32_t *x = t->frames + t->first[query];
    const size_t m = roxi_trie_depth(t, query), width = 2 * (m + 1);
    double *below = tables, *least = below + t->deepest + 1, *rows = least + t->deepest + 1;
    find_limits(j, query, limit);
    rows[0] = least[0] = 0;
    for (size_t i = 0; i <= m; i++) {
        rows[i] = i ? rows[i - 1] + j->insert[i - 1] : 0;
        rows[m + 1 + i] = INFINITY;
    }
    for (size_t i = 0; i < t->stacks; i++) {
        find_below(t, i, limit, below);
        for (size_t d = t->shared[i]; d < roxi_trie_depth(t, i); d++) {
            const size_t f = t->first[i] + d;
            row[f] |= least[d] <= below[d + 1];
            least[d + 1] =
                next_row(j, x, m, t->frames[f], d, rows + d * width, rows + (d + 1) * width);
        }
    }
}

static double take_marks(const struct roxi_trie *t, bool *row)
{
    double rows = 0;
    for (size_t f = 0; f < t->first[t->stacks]; f++) {
        rows += row[f];
        row[f] = false;
    }
    return rows;
}

static void price(struct job *j)
{
    struct roxi_costs c;
    roxi_costs_init(&c, j->strategy, 1);
    j->insert = must(calloc(j->trie.deepest + 1, sizeof *j->insert));
    j->replace = must(calloc(2 * j->trie.deepest + 1, sizeof *j->replace));
    for (size_t k = 0; k < j->trie.deepest; k++)
        j->insert[k] = (double)roxi_costs_insert(&c, k, k + 1);
    for (size_t k = 0; k < 2 * j->trie.deepest; k++)
        j->replace[k] = (double)roxi_costs_replace(&c, k);
}

static void count_rows(struct job *j, const uint32_t *query, struct count *c)
{
    const struct roxi_trie *t = &j->trie;
    const size_t n = t->stacks, frames = t->first[n], deep = t->deepest + 1;
    double *limit = must(calloc(n + 1, sizeof *limit));
    double *tables = must(calloc(2 * deep + deep * 2 * deep, sizeof *tables));
    price(j);
    bool *alone = must(calloc(frames + 1, 1)), *any = must(calloc(frames + 1, 1));
    for (size_t from = 0; from < n; from += ROXI_LANES) {
        const size_t to = n - from < ROXI_LANES ? n : from + ROXI_LANES;
        for (size_t q = from; q < to; q++) {
            mark_rows(j, query[q], limit, tables, alone);
            for (size_t f = 0; f < frames; f++)
                any[f] |= alone[f];
            c->row_alone += take_marks(t, alone);
        }
        c->row_by_depth += take_marks(t, any) * (double)(to - from);
    }
    free(j->insert);
    free(j->replace);
    free(limit);
    free(tables);
    free(alone);
    free(any);
}

/* ---- a campaign ---- */

static void count_group(struct job *j, const struct roxi_group *g, struct count *c)
{
    if (roxi_trie_build(&j->trie, g, j->symbols, j->strategy) != 0 ||
        roxi_sets_find(&j->sets, g, &j->trie) != 0)
        must(NULL);
    const size_t n = j->trie.stacks;
    uint32_t *query = must(calloc(n + 1, sizeof *query));
    j->distances = must(calloc(n * n + 1, sizeof *j->distances));
    j->needed = must(calloc(n + 1, sizeof *j->needed));
    find_distances(j, g);
    order_places(&j->trie, query);
    c->by_depth += in_blocks(j, query);
    c->by_trie += in_blocks(j, NULL);
    if (!j->strategy->graded)
        count_rows(j, query, c);
    for (size_t q = 0; q < n; q++) {
        mark(j, q);
        c->alone += take_rows(j);
    }
    memset(j->needed, true, n);
    c->rows += take_rows(j) * (double)n;
    free(query);
    free(j->distances);
    free(j->needed);
    roxi_sets_free(&j->sets);
    roxi_trie_free(&j->trie);
}

int main(int argc, char **argv)
{
    const struct roxi_strategy *s = argc == 3 ? roxi_strategy_find(argv[2]) : NULL;
    if (!s || !roxi_strategy_is_distance(s)) {
        fputs("usage: bounds CAMPAIGN STRATEGY\n", stderr);
        return 2;
    }
    struct ix_error err = {""};
    struct roxi_profiles *p = roxi_load(argv[1], &(struct roxi_load_options){.min_vms = 1}, &err);
    if (!p) {
        fprintf(stderr, "bench/bounds: %s\n", err.text);
        return 1;
    }
    struct job j = {.symbols = p->symbols, .strategy = s};
    struct count c = {0};
    size_t *cursor = must(calloc(p->count + 1, sizeof *cursor));
    for (uint32_t number = 0; number < p->groups.n; number++) {
        struct roxi_group g;
        if (roxi_group_gather(&g, p, number, cursor) != 0)
            must(NULL);
        if (g.members)
            count_group(&j, &g, &c);
        roxi_group_release(&g);
    }
    printf("| %s | %.0f | %.1f %% | %.1f %% | %.1f %% |", s->name, 1e-3 * c.rows,
           100 * c.alone / c.rows, 100 * c.by_depth / c.rows, 100 * c.by_trie / c.rows);
    if (s->graded)
        puts(" - | - |");
    else
        printf(" %.1f %% | %.1f %% |\n", 100 * c.row_alone / c.rows, 100 * c.row_by_depth / c.rows);
    free(cursor);
    roxi_profiles_free(p);
    return 0;
}
