/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a matrix goes: bench/scaling CAMPAIGN STRATEGY prints "EXECUTIONS STACKS
 * READING DISTANCES PRODUCT TOTAL MIB": seconds of wall time, and the peak memory.
 *
 * STACKS are distinct ones, summed over all roles and threads. DISTANCES is the processor time in
 * the kernels, of all threads, divided by their number. PRODUCT is the rest of the comparison:
 * preparing the groups, counts times nearest neighbours and, if other programs use the processors,
 * waiting for them. Linked with --wrap=roxi_kernels_best. */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "roxi/campaign/load.h"
#include "roxi/distance/compare.h"
#include "roxi/distance/kernel.h"
#include "roxi/distance/work_queue.h"

const struct roxi_kernels *__real_roxi_kernels_best(void);
const struct roxi_kernels *__wrap_roxi_kernels_best(void);

static const struct roxi_kernels *plain;
static atomic_llong in_kernels; /* ns */

static long long now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int measured(roxi_kernel *kernel, const struct roxi_block *block)
{
    const long long begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
    const int result = kernel(block);
    atomic_fetch_add(&in_kernels, now_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
    return result;
}

static int cells_16(const struct roxi_block *block)
{
    return measured(plain->cells_16, block);
}

static int cells_32(const struct roxi_block *block)
{
    return measured(plain->cells_32, block);
}

static int cells_64(const struct roxi_block *block)
{
    return measured(plain->cells_64, block);
}

const struct roxi_kernels *__wrap_roxi_kernels_best(void)
{
    static struct roxi_kernels kernels;
    plain = __real_roxi_kernels_best();
    kernels = *plain;
    kernels.cells_16 = cells_16;
    kernels.cells_32 = cells_32;
    kernels.cells_64 = cells_64;
    return &kernels;
}

static size_t stacks_of(const struct roxi_profiles *p, const struct roxi_compare_options *o)
{
    struct roxi_work_queue shares;
    size_t stacks = 0;
    if (roxi_work_queue_init(&shares, p, o->fresh, o->checkpoint, true) == 0)
        for (size_t g = 0; g < shares.groups; g++)
            stacks += shares.group[g].stacks;
    roxi_work_queue_free(&shares);
    return stacks;
}

static int threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

static void print(const struct roxi_profiles *p, const struct roxi_compare_options *o,
                  double reading, double comparing)
{
    struct rusage usage;
    const double distances = (double)in_kernels / 1e9 / threads();
    getrusage(RUSAGE_SELF, &usage);
    printf("%zu %zu %.3f %.3f %.3f %.3f %ld\n", p->count, stacks_of(p, o), reading, distances,
           comparing - distances, reading + comparing, usage.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
    const struct roxi_strategy *s = argc == 3 ? roxi_strategy_find(argv[2]) : NULL;
    if (!s || !roxi_strategy_is_distance(s)) {
        fputs("usage: scaling CAMPAIGN STRATEGY\n", stderr);
        return 2;
    }
    struct ix_error err = {""};
    struct roxi_matrix out = {0};
    const struct roxi_compare_options o = {.strategy = s, .match_reward = 1};
    const long long begin = now_ns(CLOCK_MONOTONIC);
    struct roxi_profiles *p = roxi_load(argv[1], &(struct roxi_load_options){.min_vms = 2}, &err);
    const long long read = now_ns(CLOCK_MONOTONIC);
    const int result = p ? roxi_compare(p, &o, &out, &err) : -1;
    const long long end = now_ns(CLOCK_MONOTONIC);
    if (result == 0)
        print(p, &o, (double)(read - begin) / 1e9, (double)(end - read) / 1e9);
    else
        fprintf(stderr, "bench/scaling: %s\n", err.text);
    roxi_matrix_free(&out);
    roxi_profiles_free(p);
    return result == 0 ? 0 : 1;
}
