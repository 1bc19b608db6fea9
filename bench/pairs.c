/* SPDX-License-Identifier: Apache-2.0 */
/* Slow-downs from paired runs.
 *
 *   pairs BASE <RUNS
 *
 * RUNS: a line a run, "ROUND VARIANT WALL CPU": what the same work took. Each run of a variant is
 * paired with the run of BASE in its round. Prints a line a variant: VARIANT PAIRS, then for wall
 * and for CPU time the median slow-down in percent and the ends of its 95 % interval, which is
 * found by drawing as many pairs with replacement many times over. BASE's own line pairs each of
 * its runs with that of the next round: what comes out when there is nothing to find. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX 10000
#define PAIRS_MAX 1000
#define DRAWS 4000

struct run {
    int round;
    char variant[32];
    double took[2]; /* wall, CPU */
};

static struct run runs[RUNS_MAX];
static size_t run_count;

static const struct run *find(int round, const char *variant)
{
    for (size_t i = 0; i < run_count; i++)
        if (runs[i].round == round && strcmp(runs[i].variant, variant) == 0)
            return &runs[i];
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* xorshift64*; always the same draws, so the same runs give the same table. */
static size_t below(size_t limit)
{
    static uint64_t state = 88172645463325252u;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (size_t)((state * 2685821657736338717u >> 33) % limit);
}

static void print_figure(const double *percent, size_t count)
{
    static double drawn[PAIRS_MAX], medians[DRAWS];
    for (size_t draw = 0; draw < DRAWS; draw++) {
        for (size_t i = 0; i < count; i++)
            drawn[i] = percent[below(count)];
        medians[draw] = median(drawn, count);
    }
    memcpy(drawn, percent, count * sizeof *drawn);
    qsort(medians, DRAWS, sizeof *medians, ascending);
    printf(" %.3f %.3f %.3f", median(drawn, count), medians[DRAWS * 25 / 1000],
           medians[DRAWS * 975 / 1000]);
}

static void print_variant(const char *variant, const char *base)
{
    static double percent[2][PAIRS_MAX];
    const int against = strcmp(variant, base) == 0 ? 1 : 0;
    size_t count = 0;
    for (size_t i = 0; i < run_count && count < PAIRS_MAX; i++) {
        const struct run *other = find(runs[i].round + against, base);
        if (strcmp(runs[i].variant, variant) != 0 || !other)
            continue;
        for (int t = 0; t < 2; t++)
            percent[t][count] = (runs[i].took[t] / other->took[t] - 1) * 100;
        count++;
    }
    if (!count)
        return;
    printf("%s %zu", variant, count);
    print_figure(percent[0], count);
    print_figure(percent[1], count);
    putchar('\n');
}

static bool seen_before(size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(runs[j].variant, runs[i].variant) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct run r;
    if (argc != 2) {
        fprintf(stderr, "usage: pairs BASE <RUNS\n");
        return 2;
    }
    while (run_count < RUNS_MAX &&
           scanf("%d %31s %lf %lf", &r.round, r.variant, &r.took[0], &r.took[1]) == 4) {
        if (!(r.took[0] > 0 && r.took[1] > 0)) {
            fprintf(stderr, "pairs: round %d, %s: no time\n", r.round, r.variant);
            return 1;
        }
        runs[run_count++] = r;
    }
    for (size_t i = 0; i < run_count; i++)
        if (!seen_before(i))
            print_variant(runs[i].variant, argv[1]);
    return 0;
}
