#include "roxi/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/distance.h"
#include "roxi/progress.h"

/* One group: who has it, and which of the group's distinct stacks. Arrays are owned. */
struct group {
    size_t members;
    size_t *execution; /* by member: number in the profiles */
    size_t *start;     /* by member, + 1: its range in `local` and `weight` */
    uint32_t *local;   /* numbers of stacks below, ascending within a member */
    double *weight;    /* their counts */
    size_t stacks;
    uint32_t *stack;  /* by local number, ascending: the dictionary's */
    uint32_t *frames; /* the stacks' frames, one after the other */
    size_t *first;    /* by local number, + 1: its range in `frames` */
};

static void release(struct group *g)
{
    free(g->execution);
    free(g->start);
    free(g->local);
    free(g->weight);
    free(g->stack);
    free(g->frames);
    free(g->first);
    *g = (struct group){0};
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static size_t unique(uint32_t *sorted, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[kept - 1])
            sorted[kept++] = sorted[i];
    return kept;
}

/* Takes each execution's items of group `number`; cursor[e] is where they begin, and is moved
 * behind them (groups are taken in ascending order). */
static int gather(struct group *g, const struct roxi_profiles *p, uint32_t number, size_t *cursor)
{
    size_t items = 0;
    for (size_t e = 0; e < p->count; e++) {
        const struct roxi_profile *x = &p->executions[e];
        for (size_t i = cursor[e]; i < x->count && x->items[i].group == number; i++)
            items++;
    }
    g->execution = calloc(p->count + 1, sizeof *g->execution);
    g->start = calloc(p->count + 1, sizeof *g->start);
    g->local = calloc(items + 1, sizeof *g->local);
    g->weight = calloc(items + 1, sizeof *g->weight);
    g->stack = calloc(items + 1, sizeof *g->stack);
    if (!g->execution || !g->start || !g->local || !g->weight || !g->stack)
        return -1;
    size_t at = 0;
    for (size_t e = 0; e < p->count; e++) {
        const struct roxi_profile *x = &p->executions[e];
        size_t begin = at;
        for (; cursor[e] < x->count && x->items[cursor[e]].group == number; cursor[e]++, at++) {
            g->local[at] = g->stack[at] = x->items[cursor[e]].stack;
            g->weight[at] = (double)x->items[cursor[e]].count;
        }
        if (at > begin)
            g->execution[g->members++] = e;
        g->start[g->members] = at;
    }
    qsort(g->stack, items, sizeof *g->stack, by_number);
    g->stacks = unique(g->stack, items);
    for (size_t i = 0; i < items; i++) {
        const uint32_t *found =
            bsearch(&g->local[i], g->stack, g->stacks, sizeof *g->stack, by_number);
        g->local[i] = (uint32_t)(found - g->stack);
    }
    return 0;
}

static int unfold(struct group *g, const struct roxi_symbols *symbols)
{
    g->first = calloc(g->stacks + 1, sizeof *g->first);
    if (!g->first)
        return -1;
    for (size_t i = 0; i < g->stacks; i++)
        g->first[i + 1] = g->first[i] + roxi_symbols_stack_at(symbols, g->stack[i]).depth;
    g->frames = calloc(g->first[g->stacks] + 1, sizeof *g->frames);
    if (!g->frames)
        return -1;
    for (size_t i = 0; i < g->stacks; i++)
        roxi_symbols_unfold(symbols, g->stack[i], g->frames + g->first[i]);
    return 0;
}

static double between(const struct group *g, struct roxi_distance *d, size_t a, size_t b)
{
    return roxi_distance(d, g->frames + g->first[a], g->first[a + 1] - g->first[a],
                         g->frames + g->first[b], g->first[b + 1] - g->first[b]);
}

/* nearest[m]: from stack q to the nearest one of member m. row has room for every stack. */
static void nearest_of(const struct group *g, struct roxi_distance *d, size_t q, double *row,
                       double *nearest)
{
    for (size_t t = 0; t < g->stacks; t++)
        row[t] = between(g, d, q, t);
    for (size_t m = 0; m < g->members; m++) {
        nearest[m] = INFINITY;
        for (size_t i = g->start[m]; i < g->start[m + 1]; i++)
            if (row[g->local[i]] < nearest[m])
                nearest[m] = row[g->local[i]];
    }
}

/* Adds stack q's part of Compare(v, m) for every v that has it; at[v] is v's cursor in `local`. */
static void add_matched(const struct group *g, size_t q, const double *nearest, size_t *at,
                        bool diagonal, struct roxi_matrix *out)
{
    for (size_t v = 0; v < g->members; v++) {
        if (at[v] >= g->start[v + 1] || g->local[at[v]] != q)
            continue;
        double weight = g->weight[at[v]++];
        double *line = roxi_cell(out, g->execution[v], 0);
        for (size_t m = 0; m < g->members; m++)
            if (m != v || diagonal)
                line[g->execution[m]] += weight * nearest[m];
    }
}

/* For executions that lack the group: every stack's distance to the empty one. */
static void add_unmatched(const struct group *g, struct roxi_distance *d, struct roxi_matrix *out)
{
    for (size_t v = 0; v < g->members; v++) {
        double cost = 0;
        for (size_t i = g->start[v]; i < g->start[v + 1]; i++) {
            size_t s = g->local[i];
            cost += g->weight[i] * roxi_distance(d, g->frames + g->first[s],
                                                 g->first[s + 1] - g->first[s], NULL, 0);
        }
        double *line = roxi_cell(out, g->execution[v], 0);
        for (size_t e = 0, m = 0; e < out->n; e++) {
            if (m < g->members && g->execution[m] == e)
                m++;
            else
                line[e] += cost;
        }
    }
}

static int compare_group(const struct group *g, struct roxi_distance *d,
                         const struct roxi_compare_options *o, struct roxi_progress *progress,
                         double work_a_stack, struct roxi_matrix *out)
{
    double *row = calloc(g->stacks + 1, sizeof *row);
    double *nearest = calloc(g->members + 1, sizeof *nearest);
    size_t *at = calloc(g->members + 1, sizeof *at);
    int result = row && nearest && at ? 0 : -1;
    if (result == 0) {
        for (size_t v = 0; v < g->members; v++)
            at[v] = g->start[v];
        for (size_t q = 0; q < g->stacks; q++) {
            nearest_of(g, d, q, row, nearest);
            add_matched(g, q, nearest, at, o->diagonal_computed, out);
            roxi_progress_add(progress, work_a_stack);
        }
        if (o->unmatched_cost)
            add_unmatched(g, d, out);
    }
    free(row);
    free(nearest);
    free(at);
    return result;
}

/* Compare(a, b) + Compare(b, a) in both places. */
static void add_transpose(struct roxi_matrix *m)
{
    for (size_t a = 0; a < m->n; a++)
        for (size_t b = a; b < m->n; b++)
            *roxi_cell(m, a, b) = *roxi_cell(m, b, a) = *roxi_cell(m, a, b) + *roxi_cell(m, b, a);
}

/* Work ahead, for the estimate only: each group's items squared, as if no two executions shared a
 * stack. Groups share them about equally. */
static double work_of(const struct roxi_profiles *p, double *items)
{
    double work = 0;
    for (size_t e = 0; e < p->count; e++)
        for (size_t i = 0; i < p->executions[e].count; i++)
            items[p->executions[e].items[i].group]++;
    for (size_t g = 0; g < p->groups.n; g++)
        work += items[g] * items[g];
    return work;
}

/* What becomes of a group's matrix; without it all groups add up in one. */
struct each_group {
    int (*each)(void *user, const struct roxi_matrix *directed);
    void *user;
};

static int compare_number(const struct roxi_profiles *p, uint32_t number, size_t *cursor,
                          double items, struct roxi_distance *d,
                          const struct roxi_compare_options *o, struct roxi_progress *progress,
                          struct roxi_matrix *out)
{
    struct group g = {0};
    int result = gather(&g, p, number, cursor);
    if (result == 0)
        result = unfold(&g, p->symbols);
    if (result == 0)
        result = compare_group(&g, d, o, progress, items * items / (double)g.stacks, out);
    release(&g);
    return result;
}

static int compare_all(const struct roxi_profiles *p, struct roxi_distance *d,
                       const struct roxi_compare_options *o, const struct each_group *each,
                       struct roxi_matrix *out)
{
    size_t *cursor = calloc(p->count + 1, sizeof *cursor);
    double *items = calloc(p->groups.n + 1, sizeof *items);
    int result = cursor && items ? 0 : -1;
    struct roxi_progress progress;
    roxi_progress_start(&progress, "comparing executions", result == 0 ? work_of(p, items) : 0);
    for (uint32_t number = 0; number < p->groups.n && result == 0; number++) {
        result = compare_number(p, number, cursor, items[number], d, o, &progress, out);
        if (result == 0 && each) {
            result = each->each(each->user, out);
            memset(out->cells, 0, out->n * out->n * sizeof *out->cells);
        }
    }
    roxi_progress_end(&progress);
    free(cursor);
    free(items);
    return result;
}

/* Compares into a new matrix. */
static int compare(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                   const struct each_group *each, struct roxi_matrix *out, struct ix_error *err)
{
    struct roxi_distance d;
    if (roxi_matrix_new(out, p->count) != 0)
        return ix_fail(err, "out of memory for a matrix of %zu executions", p->count);
    if (roxi_distance_init(&d, options->strategy, p->symbols, options->match_reward,
                           roxi_symbols_deepest(p->symbols), err) != 0) {
        roxi_matrix_free(out);
        return -1;
    }
    int result = compare_all(p, &d, options, each, out);
    roxi_distance_release(&d);
    if (result != 0) {
        roxi_matrix_free(out);
        return ix_fail(err, "out of memory");
    }
    return 0;
}

int roxi_compare(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                 struct roxi_matrix *out, struct ix_error *err)
{
    if (compare(p, options, NULL, out, err) != 0)
        return -1;
    add_transpose(out);
    return 0;
}

int roxi_compare_groups(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                        int (*each)(void *user, const struct roxi_matrix *directed), void *user,
                        struct ix_error *err)
{
    struct roxi_matrix work;
    const struct each_group groups = {each, user};
    int result = compare(p, options, &groups, &work, err);
    if (result == 0)
        roxi_matrix_free(&work);
    return result;
}
