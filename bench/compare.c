/* SPDX-License-Identifier: Apache-2.0 */
/* Times the comparison of a campaign's runs by both engines, without reading the logs:
 * bench/compare CAMPAIGN STRATEGY prints "FAST REFERENCE yes|NO STEPS PAIRWISE": the seconds of
 * both; whether all cells are equal to the last bit; and the steps of the plain dynamic program,
 * first with each pair of a group's distinct call stacks computed once, then as in the thesis
 * (Algorithms 3.1 and 3.2): again for each pair of runs, in both directions. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roxi/campaign/load.h"
#include "roxi/distance/compare.h"
#include "roxi/distance/group.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The shortest of several runs, in seconds, because the machine may be shared. -1: failed. */
static double measure(const struct roxi_profiles *p, const struct roxi_compare_options *o, int runs,
                      struct roxi_matrix *out, struct ix_error *err)
{
    double best = -1;
    for (int i = 0; i < runs; i++) {
        roxi_matrix_free(out);
        double begin = now();
        if (roxi_compare(p, o, out, err) != 0)
            return -1;
        double took = now() - begin;
        best = i == 0 || took < best ? took : best;
    }
    return best;
}

struct steps {
    double once, pairwise;
};

/* Both are sums of products of lengths: over all pairs of distinct stacks; and over all ordered
 * pairs of runs, with the frames of each run's distinct stacks. */
static void add_group(struct steps *s, const struct roxi_group *g)
{
    double sum = 0, squares = 0;
    for (size_t m = 0; m < g->members; m++) {
        double frames = 0;
        for (size_t i = g->start[m]; i < g->start[m + 1]; i++)
            frames += (double)(g->first[g->local[i] + 1] - g->first[g->local[i]]);
        sum += frames;
        squares += frames * frames;
    }
    s->once += (double)g->first[g->stacks] * (double)g->first[g->stacks];
    s->pairwise += sum * sum - squares;
}

static struct steps steps(const struct roxi_profiles *p)
{
    struct steps sum = {0};
    size_t *cursor = calloc(p->count + 1, sizeof *cursor);
    for (uint32_t number = 0; cursor && number < p->groups.n; number++) {
        struct roxi_group g;
        if (roxi_group_gather(&g, p, number, cursor) == 0)
            add_group(&sum, &g);
        roxi_group_release(&g);
    }
    free(cursor);
    return sum;
}

int main(int argc, char **argv)
{
    const struct roxi_strategy *s = argc == 3 ? roxi_strategy_find(argv[2]) : NULL;
    if (!s || !roxi_strategy_is_distance(s)) {
        fputs("usage: compare CAMPAIGN STRATEGY\n", stderr);
        return 2;
    }
    struct ix_error err = {""};
    struct roxi_matrix fast = {0}, plain = {0};
    struct roxi_compare_options o = {.strategy = s, .match_reward = 1};
    struct roxi_profiles *p = roxi_load(argv[1], &(struct roxi_load_options){.min_vms = 2}, &err);
    double of_fast = p ? measure(p, &o, 3, &fast, &err) : -1;
    o.engine = ROXI_ENGINE_REFERENCE;
    double of_plain = of_fast >= 0 ? measure(p, &o, 1, &plain, &err) : -1;
    if (of_plain >= 0) {
        struct steps n = steps(p);
        bool same = !memcmp(fast.cells, plain.cells, fast.n * fast.n * sizeof *fast.cells);
        printf("%.3f %.3f %s %.0f %.0f\n", of_fast, of_plain, same ? "yes" : "NO", n.once,
               n.pairwise);
    } else {
        fprintf(stderr, "bench/compare: %s\n", err.text);
    }
    roxi_matrix_free(&fast);
    roxi_matrix_free(&plain);
    roxi_profiles_free(p);
    return of_plain >= 0 ? 0 : 1;
}
