/* SPDX-License-Identifier: Apache-2.0 */
/* Times clustering without a campaign: bench/cluster N [FILE] creates a matrix of N objects in
 * about a hundred groups. Prints "WHAT SECONDS PROCESSOR_SECONDS SUM" for the cosines of its rows
 * and for each linkage, SUM being the sum of the tree's heights, and "memory KIB". Writes the
 * condensed distances as doubles to FILE, so that other programs can cluster the same data. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "roxi/cluster/cluster.h"
#include "roxi/cluster/similarity.h"

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct span {
    double wall, processors;
};

static struct span begin(void)
{
    return (struct span){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static void end(const char *what, struct span s, double sum)
{
    printf("%s %.3f %.3f %.17g\n", what, seconds(CLOCK_MONOTONIC) - s.wall,
           seconds(CLOCK_PROCESS_CPUTIME_ID) - s.processors, sum);
}

static double draw(void)
{
    static uint64_t state = 1;
    uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64, by Vigna */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Integer distances, like those of the strategies: smaller within a group than between groups. */
static void fill(struct roxi_matrix *m)
{
    size_t groups = m->n / 100 + 1;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n; j++)
            *roxi_cell(m, i, j) = *roxi_cell(m, j, i) =
                (double)(int)(1000 * draw()) + (i % groups == j % groups ? 500 : 1500);
}

static int save(const struct roxi_condensed *c, const char *path)
{
    FILE *f = fopen(path, "w");
    size_t cells = roxi_condensed_cells(c);
    int bad = !f || fwrite(c->cells, sizeof *c->cells, cells, f) != cells;
    return (f && fclose(f) != 0) || bad ? -1 : 0;
}

static double heights(const struct roxi_dendrogram *d)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < d->n; i++)
        sum += d->merges[i].height;
    return sum;
}

static int measure(const struct roxi_matrix *m, struct roxi_condensed *apart, const char *file)
{
    static const char *const names[] = {"single", "complete", "average", "ward"};
    struct roxi_similarity_options how = {0};
    struct roxi_rows rows = {.whole = m};
    struct span span = begin();
    if (roxi_similarity(&rows, &how, apart, NULL) != 0)
        return -1;
    end("cosine", span, 0);
    for (enum roxi_linkage l = ROXI_SINGLE; l <= ROXI_WARD; l++) {
        struct roxi_dendrogram tree;
        span = begin();
        if (roxi_cluster(apart, l, &tree, NULL) != 0)
            return -1;
        end(names[l], span, heights(&tree));
        roxi_dendrogram_free(&tree);
    }
    return file ? save(apart, file) : 0;
}

int main(int argc, char **argv)
{
    size_t n = argc >= 2 ? strtoul(argv[1], NULL, 10) : 0;
    struct roxi_matrix m = {0};
    struct roxi_condensed apart = {0};
    struct rusage used;
    if (n < 2) {
        fputs("usage: cluster N [FILE]\n", stderr);
        return 2;
    }
    int result = roxi_matrix_new(&m, n);
    if (result == 0) {
        fill(&m);
        result = measure(&m, &apart, argc > 2 ? argv[2] : NULL);
    }
    getrusage(RUSAGE_SELF, &used);
    printf("memory %ld\n", used.ru_maxrss);
    roxi_matrix_free(&m);
    roxi_condensed_free(&apart);
    return result == 0 ? 0 : 1;
}
