/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/strategy.h"

#include <math.h>
#include <string.h>

static double square(double v)
{
    return v * v;
}

/* Levenshtein (Algorithm 3.4) */
static double unit_insert(size_t j, size_t n)
{
    (void)j, (void)n;
    return 1;
}
static double unit_replace(size_t i, size_t m, size_t j, size_t n)
{
    (void)i, (void)m, (void)j, (void)n;
    return 1;
}

/* Favor end (Algorithms 3.5, 3.6): costs grow with the distance from the executing frame. */
static double mean_from_end(size_t i, size_t m, size_t j, size_t n)
{
    return (double)((m - i) + (n - j)) / 2;
}
static double end_insert(size_t j, size_t n)
{
    return 1 + (double)(n - j);
}
static double end_replace(size_t i, size_t m, size_t j, size_t n)
{
    return 1 + mean_from_end(i, m, j, n);
}
static double end_squared_insert(size_t j, size_t n)
{
    return 1 + square((double)(n - j));
}
static double end_squared_replace(size_t i, size_t m, size_t j, size_t n)
{
    return 1 + square(mean_from_end(i, m, j, n));
}

/* Favor begin (Algorithms 3.7, 3.8): costs grow with the distance from the thread's entry. */
static double begin_insert(size_t j, size_t n)
{
    (void)n;
    return 1 + (double)j;
}
static double begin_replace(size_t i, size_t m, size_t j, size_t n)
{
    (void)m, (void)n;
    return 1 + (double)(i + j) / 2;
}
static double begin_squared_insert(size_t j, size_t n)
{
    (void)n;
    return 1 + square((double)j);
}
static double begin_squared_replace(size_t i, size_t m, size_t j, size_t n)
{
    (void)m, (void)n;
    return 1 + square((double)(i + j) / 2);
}

/* Call stack (Algorithms 3.9 to 3.12). peak is the thesis's p: 0 at the entry, highest in the
 * middle. So the first frame's factor is 0, as printed in the thesis: all one-frame stacks are
 * at distance 0. */
static double peak(size_t i, size_t m)
{
    double half = (double)m / 2;
    return half - fabs((double)i - half);
}
static double call_1_insert(size_t j, size_t n)
{
    (void)n;
    return 1000 * (1 + (double)j);
}
static double call_2_insert(size_t j, size_t n)
{
    return 1000 * (1 + peak(j, n));
}
static double call_2_replace(size_t i, size_t m, size_t j, size_t n)
{
    return (peak(i, m) + peak(j, n)) / 2;
}
static double call_3_insert(size_t j, size_t n)
{
    return 2000 * (1 + peak(j, n));
}
static double call_3_replace(size_t i, size_t m, size_t j, size_t n)
{
    return peak(i, m) + peak(j, n);
}

static const struct roxi_strategy strategies[] = {
    {.name = "levenshtein",
     .about = "edit distance; each inserted, lost or other frame costs 1",
     .kind = ROXI_EDIT,
     .insert = unit_insert,
     .replace = unit_replace,
     .anchor = ROXI_FROM_ENTRY,
     .scale = 1,
     .common = ROXI_ENTRY_END},
    {.name = "favor-end",
     .about = "edit distance; cheap near the executing frame",
     .kind = ROXI_EDIT,
     .insert = end_insert,
     .replace = end_replace,
     .anchor = ROXI_FROM_TOP,
     .scale = 2,
     .common = ROXI_ENTRY_END},
    {.name = "favor-end-squared",
     .about = "the same, growing with the square of the position",
     .kind = ROXI_EDIT,
     .insert = end_squared_insert,
     .replace = end_squared_replace,
     .anchor = ROXI_FROM_TOP,
     .scale = 4,
     .common = ROXI_ENTRY_END},
    {.name = "favor-begin",
     .about = "edit distance; cheap near the thread's entry",
     .kind = ROXI_EDIT,
     .insert = begin_insert,
     .replace = begin_replace,
     .anchor = ROXI_FROM_ENTRY,
     .scale = 2,
     .common = ROXI_TOP_END},
    {.name = "favor-begin-squared",
     .about = "the same, growing with the square of the position",
     .kind = ROXI_EDIT,
     .insert = begin_squared_insert,
     .replace = begin_squared_replace,
     .anchor = ROXI_FROM_ENTRY,
     .scale = 4,
     .common = ROXI_TOP_END},
    {.name = "call-stack-1",
     .about = "weighs class, method, descriptor, line; dear near the top",
     .kind = ROXI_EDIT,
     .insert = call_1_insert,
     .replace = begin_replace,
     .graded = true,
     .anchor = ROXI_FROM_ENTRY,
     .scale = 2},
    {.name = "call-stack-2",
     .about = "weighs the same; dear in the stack's middle",
     .kind = ROXI_EDIT,
     .insert = call_2_insert,
     .replace = call_2_replace,
     .graded = true,
     .anchor = ROXI_FROM_BOTH,
     .scale = 4},
    {.name = "call-stack-3",
     .about = "twice call-stack-2",
     .kind = ROXI_EDIT,
     .insert = call_3_insert,
     .replace = call_3_replace,
     .graded = true,
     .anchor = ROXI_FROM_BOTH,
     .scale = 2},
    {.name = "gap",
     .about = "edit distance; a gap costs 3 and 1 for each further frame",
     .kind = ROXI_AFFINE,
     .open = 3,
     .widen = 1,
     .anchor = ROXI_FROM_ENTRY,
     .scale = 1,
     .common = ROXI_ENTRY_END},
    {.name = "frame-count",
     .about = "how often each frame occurs in a run",
     .kind = ROXI_FRAME_COUNT},
    {.name = "stack-count",
     .about = "how often each call stack occurs in a run",
     .kind = ROXI_STACK_COUNT},
};
enum { STRATEGIES = sizeof strategies / sizeof strategies[0] };

const struct roxi_strategy *roxi_strategy_find(const char *name)
{
    for (size_t i = 0; i < STRATEGIES; i++)
        if (strcmp(strategies[i].name, name) == 0)
            return &strategies[i];
    return NULL;
}

const struct roxi_strategy *roxi_strategy_at(size_t i)
{
    return i < STRATEGIES ? &strategies[i] : NULL;
}

bool roxi_strategy_is_distance(const struct roxi_strategy *s)
{
    return s->kind == ROXI_EDIT || s->kind == ROXI_AFFINE;
}
