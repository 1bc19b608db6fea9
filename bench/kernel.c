/* The speed of the distance kernels on one core, as rows of a table: bench/kernel [STACKS [DEPTH]].
 *
 * A group of STACKS call stacks (default 2,000) of DEPTH frames on average (default 25) that share
 * prefixes like real ones; all against all. A cell is one step of the plain dynamic program, so
 * "Gcells/s" counts the work that shared prefixes save as done. The reference runs on a part of the
 * stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roxi/distance.h"
#include "roxi/kernel.h"

#define FRAMES 1500

static uint64_t state = 1;

/* splitmix64, by Vigna */
static uint64_t draw(uint64_t below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static void *must(void *p)
{
    if (!p) {
        fputs("bench/kernel: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Each stack leaves an older one at a random depth, as in bench/campaign.c. */
static void make_group(struct roxi_group *g, struct roxi_symbols *symbols, size_t n, size_t mean)
{
    uint32_t *frame = must(calloc(FRAMES, sizeof *frame));
    for (uint32_t i = 0; i < FRAMES; i++)
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
            to[k] = frame[draw(FRAMES)];
        g->first[i + 1] = g->first[i] + depth;
        g->start[i + 1] = i + 1;
        g->local[i] = (uint32_t)i;
    }
    free(frame);
}

static double cells(const struct roxi_group *g, size_t n)
{
    return (double)g->first[n] * (double)g->first[n];
}

static double time_reference(const struct roxi_group *g, const struct roxi_strategy *s,
                             const struct roxi_symbols *symbols)
{
    struct roxi_distance d;
    size_t n = g->stacks < 200 ? g->stacks : 200;
    volatile double sink = 0;
    if (roxi_distance_init(&d, s, symbols, 1, 4096, NULL) != 0)
        must(NULL);
    double begin = now();
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            sink += roxi_distance(&d, g->frames + g->first[a], g->first[a + 1] - g->first[a],
                                  g->frames + g->first[b], g->first[b + 1] - g->first[b]);
    double rate = cells(g, n) / (now() - begin);
    roxi_distance_release(&d);
    return rate;
}

static double time_kernels(const struct roxi_group *g, const struct roxi_strategy *s,
                           const struct roxi_symbols *symbols, const struct roxi_kernels *k)
{
    struct roxi_trie trie;
    struct roxi_sets sets;
    struct roxi_costs costs;
    uint32_t *query = must(calloc(g->stacks + ROXI_LANES, sizeof *query));
    double *nearest = must(calloc(ROXI_LANES * g->stacks, sizeof *nearest));
    roxi_costs_init(&costs, s, 1);
    if (roxi_trie_build(&trie, g, symbols, s->anchor) != 0 || roxi_sets_find(&sets, g, &trie) != 0)
        must(NULL);
    size_t n = 0;
    for (size_t depth = 0; depth <= trie.deepest; depth++)
        for (size_t i = 0; i < trie.stacks; i++)
            if (roxi_trie_depth(&trie, i) == depth)
                query[n++] = (uint32_t)i;
    double bound = roxi_costs_bound(&costs, trie.deepest, trie.deepest), begin = now();
    for (size_t q = 0; q < n; q += ROXI_LANES) {
        size_t queries = n - q < ROXI_LANES ? n - q : ROXI_LANES;
        struct roxi_block b = {.trie = &trie, .costs = &costs, .sets = &sets, .query = query + q,
                               .queries = queries, .nearest = nearest,
                               .depth = roxi_trie_depth(&trie, query[q + queries - 1])};
        if (roxi_kernel_choose(k, bound, trie.names, 0)(&b) != 0)
            must(NULL);
    }
    double rate = cells(g, n) / (now() - begin);
    roxi_sets_free(&sets);
    roxi_trie_free(&trie);
    free(query);
    free(nearest);
    return rate;
}

int main(int argc, char **argv)
{
    size_t stacks = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    size_t depth = argc > 2 ? strtoul(argv[2], NULL, 10) : 25;
    struct roxi_symbols *symbols = must(roxi_symbols_new());
    struct roxi_group g;
    if (stacks < 1 || stacks > 100000 || depth < 1 || depth > 1000) {
        fputs("usage: kernel [STACKS [DEPTH]], at most 100000 and 1000\n", stderr);
        return 2;
    }
    make_group(&g, symbols, stacks, depth);
    for (size_t i = 0; roxi_strategy_at(i); i++) {
        const struct roxi_strategy *s = roxi_strategy_at(i);
        if (!roxi_strategy_is_distance(s))
            continue;
        double reference = time_reference(&g, s, symbols), best = 0;
        printf("| %s | %.3f |", s->name, 1e-9 * reference);
        for (int isa = 0; isa < ROXI_ISAS; isa++) {
            const struct roxi_kernels *k = roxi_kernels_for((enum roxi_isa)isa);
            double rate = k ? time_kernels(&g, s, symbols, k) : 0;
            best = rate > best ? rate : best;
            printf(k ? " %.1f |" : " - |", 1e-9 * rate);
        }
        printf(" %.0f |\n", best / reference);
    }
    roxi_group_release(&g);
    roxi_symbols_free(symbols);
    return 0;
}
