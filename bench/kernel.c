/* SPDX-License-Identifier: Apache-2.0 */
/* The speed of the distance kernels on one core, as rows of tables: bench/kernel rates|cells
 * [STACKS [DEPTH]].
 *
 * A group of STACKS call stacks (default 2,000) of DEPTH frames on average (default 25) that share
 * prefixes like real ones; all against all. A cell is one step of the plain dynamic program.
 *
 * rates: a row a strategy, Gcells/s of the reference (on a part of the stacks) and of each
 * instruction set. What is shared, and so saved, counts as done.
 *
 * cells: a row a strategy, for the widest instruction set: cells of all pairs; seconds and cells
 * computed with pruning off and on; Gcells/s of those computed, lanes that have no query and
 * columns behind a query's end included; and what percentage that is of the vector limit: of the
 * speed that the same core reaches in the same run when, for as many cells of the same width, it
 * does nothing but the kernel's arithmetic on registers (bench/limit.h). */
#include "bench/group.h"

#include "roxi/distance/distance.h"

/* ---- the vector limit: the attributes are those of roxi/kernel_*.c ---- */

#define TARGET
#define BYTES 16
#define ISA(x) x##_portable
#include "bench/limit_widths.h"
#undef TARGET
#undef BYTES
#undef ISA
typedef double limit_of(const struct roxi_strategy *s);
static limit_of *const limits_portable[] = {limit_16_portable, limit_32_portable,
                                            limit_64_portable};

#if defined __x86_64__
#define TARGET __attribute__((target("avx2")))
#define BYTES 32
#define ISA(x) x##_avx2
#include "bench/limit_widths.h"
#undef TARGET
#undef BYTES
#undef ISA
static limit_of *const limits_avx2[] = {limit_16_avx2, limit_32_avx2, limit_64_avx2};

#if defined __clang__
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#define BYTES 64
#define ISA(x) x##_avx512
#include "bench/limit_widths.h"
#undef TARGET
#undef BYTES
#undef ISA
static limit_of *const limits_avx512[] = {limit_16_avx512, limit_32_avx512, limit_64_avx512};
#endif

static limit_of *const *limits_of(const struct roxi_kernels *k)
{
#if defined __x86_64__
    if (k == &roxi_kernels_avx2)
        return limits_avx2;
    if (k == &roxi_kernels_avx512)
        return limits_avx512;
#endif
    (void)k;
    return limits_portable;
}

/* For the present strategy, by width; 0: not measured yet. */
static double known[3];

static double limit(const struct roxi_kernels *k, const struct roxi_strategy *s, unsigned bits)
{
    const size_t width = bits / 32; /* 0, 1, 2 */
    if (known[width] == 0)
        known[width] = limits_of(k)[width](s);
    return known[width];
}

/* ---- measuring ---- */

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
    (void)sink;
    return rate;
}

/* The fastest of several runs, because other programs may use the core. */
static struct measured measure(const struct roxi_group *g, const struct roxi_symbols *symbols,
                               struct measured m)
{
    struct measured best = {0};
    for (int run = 0; run < 3; run++) {
        measure_group(g, symbols, &m);
        if (run == 0 || m.seconds < best.seconds)
            best = m;
    }
    return best;
}

static void print_rates(const struct roxi_group *g, const struct roxi_symbols *symbols,
                        const struct roxi_strategy *s)
{
    double reference = time_reference(g, s, symbols), best = 0;
    printf("| %s | %.3f |", s->name, 1e-9 * reference);
    for (int isa = 0; isa < ROXI_ISAS; isa++) {
        struct measured m = {.kernels = roxi_kernels_for((enum roxi_isa)isa), .strategy = s};
        double rate = m.kernels ? cells(g, g->stacks) / measure(g, symbols, m).seconds : 0;
        best = rate > best ? rate : best;
        printf(m.kernels ? " %.1f |" : " - |", 1e-9 * rate);
    }
    printf(" %.0f |\n", best / reference);
}

static void print_cells(const struct roxi_group *g, const struct roxi_symbols *symbols,
                        const struct roxi_strategy *s)
{
    memset(known, 0, sizeof known);
    struct measured m = {.kernels = roxi_kernels_best(), .strategy = s, .limit = limit};
    const struct measured pruned = measure(g, symbols, m);
    m.whole = true;
    const struct measured whole = measure(g, symbols, m);
    printf("| %s | %.2f | %.3f | %.2f | %.3f | %.2f | %.2f | %.1f | %.1f | %.0f |\n", s->name,
           1e-9 * cells(g, g->stacks), whole.seconds, 1e-9 * whole.cells, pruned.seconds,
           1e-9 * pruned.cells, whole.seconds / pruned.seconds,
           1e-9 * pruned.cells / pruned.seconds, 1e-9 * pruned.cells / pruned.ideal,
           100 * pruned.ideal / pruned.seconds);
}

int main(int argc, char **argv)
{
    const bool rates = argc > 1 && strcmp(argv[1], "rates") == 0;
    size_t stacks = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;
    size_t depth = argc > 3 ? strtoul(argv[3], NULL, 10) : 25;
    if (argc < 2 || (!rates && strcmp(argv[1], "cells") != 0) || stacks < 1 || stacks > 100000 ||
        depth < 1 || depth > 1000) {
        fputs("usage: kernel rates|cells [STACKS [DEPTH]], at most 100000 and 1000\n", stderr);
        return 2;
    }
    struct roxi_symbols *symbols = must(roxi_symbols_new());
    struct roxi_group g;
    make_group(&g, symbols, stacks, depth, 1500);
    for (size_t i = 0; roxi_strategy_at(i); i++) {
        const struct roxi_strategy *s = roxi_strategy_at(i);
        if (roxi_strategy_is_distance(s))
            (rates ? print_rates : print_cells)(&g, symbols, s);
    }
    roxi_group_release(&g);
    roxi_symbols_free(symbols);
    return 0;
}
