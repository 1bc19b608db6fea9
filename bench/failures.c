/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a test fails equally often in two ways, from pairs of runs.
 *
 *   failures NAME NAME <PAIRS
 *
 * PAIRS: a line a pair, "1 0": the test failed in the first way and passed in the second. Prints a
 * row of Markdown for each way (runs, failed, rate, 95 % interval of Clopper and Pearson), and then
 * in a sentence what exact tests say, two-sided: Fisher's, which takes the two for independent
 * runs, and McNemar's, of the pairs that differ (Psychometrika 12, 1947). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/base/binomial.h"
#include "schema/base/fisher.h"

static void print_row(const char *name, struct ix_tried tried)
{
    const struct ix_rate rate = ix_rate_of(tried.failed, tried.judged);
    printf("| %s | %zu | %zu | %.1f %% | %.1f to %.1f %% |\n", name, tried.judged, tried.failed,
           100 * rate.rate, 100 * rate.low, 100 * rate.high);
}

/* How often n pairs that differ are at least as unevenly divided as `less` and the rest, if each
 * way has the same chance. */
static double mcnemar(size_t less, size_t n)
{
    double tail = 0;
    for (size_t i = 0; i <= less; i++)
        tail += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) -
                    (double)n * log(2));
    return fmin(1, 2 * tail);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    struct ix_tried ways[2] = {{0}};
    size_t only[2] = {0}; /* pairs in which just this way failed */
    unsigned first, second;
    int got;
    if (argc != 3) {
        fprintf(stderr, "usage: failures NAME NAME <PAIRS\n");
        return 2;
    }
    while ((got = scanf("%1u %1u", &first, &second)) == 2 && first < 2 && second < 2) {
        ways[0].failed += first;
        ways[1].failed += second;
        ways[0].judged++;
        ways[1].judged++;
        only[0] += first && !second;
        only[1] += second && !first;
    }
    if (got != EOF || !ways[0].judged) {
        fprintf(stderr, "failures: pair %zu: expected two numbers, 0 or 1\n", ways[0].judged + 1);
        return 1;
    }
    print_row(argv[1], ways[0]);
    print_row(argv[2], ways[1]);
    printf("\nFisher's exact test: p = %.3f. Only one of a pair failed in %zu and %zu pairs; "
           "McNemar's "
           "exact test: p = %.3f.\n",
           ix_fisher(ways[0], ways[1]), only[0], only[1],
           mcnemar(least(only[0], only[1]), only[0] + only[1]));
    return 0;
}
