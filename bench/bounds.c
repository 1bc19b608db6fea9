/* What abandoning hopeless targets could save at best: bench/bounds CAMPAIGN STRATEGY.
 *
 * A branch of the trie (roxi/trie.h) need not be walked for a query if nothing in it can be the
 * nearest in any set of stacks. Lower bounds (the least of a row, the difference in depth) and the
 * least distances found so far would tell for some branches. Here everything is known: the distances
 * are computed first, and a row is needed only if it lies on the way to a target that is, for some
 * set, the first nearest one. No bound can leave fewer. Prints a row of a table: rows of the trie
 * times queries, in thousands, and what part of them is needed by each query alone; by any of a block
 * of ROXI_LANES queries, taken by depth as the engine takes them, which computes them together; and
 * by any of such a block taken in the order of the trie, so that they resemble each other. */
#include "bench/group.h"

#include "roxi/load.h"

struct count {
    double rows, alone, by_depth, by_trie;
};

struct job {
    const struct roxi_symbols *symbols;
    const struct roxi_strategy *strategy;
    struct roxi_trie trie;
    struct roxi_sets sets;
    float *distances; /* places x places */
    bool *needed;     /* by place */
};

/* Distances of all stacks of the group, by their places in the trie. */
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

/* Rows on the way to the marked places; unmarks them. */
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
    printf("| %s | %.0f | %.1f %% | %.1f %% | %.1f %% |\n", s->name, 1e-3 * c.rows,
           100 * c.alone / c.rows, 100 * c.by_depth / c.rows, 100 * c.by_trie / c.rows);
    free(cursor);
    roxi_profiles_free(p);
    return 0;
}
