#include "roxi/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/distance.h"
#include "roxi/engine.h"
#include "roxi/group.h"
#include "roxi/progress.h"

/* Doubles that the comparing of new executions may hold: 512 MiB. */
#define FRESH_CELLS ((size_t)64 << 20)

static double between(const struct roxi_group *g, struct roxi_distance *d, size_t a, size_t b)
{
    return roxi_distance(d, g->frames + g->first[a], g->first[a + 1] - g->first[a],
                         g->frames + g->first[b], g->first[b + 1] - g->first[b]);
}

/* nearest[m]: from stack q to the nearest one of member m. row has room for every stack. */
static void nearest_of(const struct roxi_group *g, struct roxi_distance *d, size_t q, double *row,
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
static void add_matched(const struct roxi_group *g, size_t q, const double *nearest, size_t *at,
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
static int add_unmatched(const struct roxi_group *g, struct roxi_distance *d,
                         struct roxi_matrix *out)
{
    if (g->members == out->n)
        return 0;
    double *empty = calloc(g->stacks + 1, sizeof *empty);
    if (!empty)
        return -1;
    for (size_t s = 0; s < g->stacks; s++)
        empty[s] = roxi_distance(d, g->frames + g->first[s], g->first[s + 1] - g->first[s], NULL, 0);
    for (size_t v = 0; v < g->members; v++) {
        double cost = 0;
        for (size_t i = g->start[v]; i < g->start[v + 1]; i++)
            cost += g->weight[i] * empty[g->local[i]];
        double *line = roxi_cell(out, g->execution[v], 0);
        for (size_t e = 0, m = 0; e < out->n; e++) {
            if (m < g->members && g->execution[m] == e)
                m++;
            else
                line[e] += cost;
        }
    }
    free(empty);
    return 0;
}

/* How a campaign is compared. */
struct run {
    const struct roxi_profiles *profiles;
    const struct roxi_compare_options *options;
    struct roxi_distance distance;
    struct roxi_engine engine;
    bool fast;
    struct roxi_progress progress;
    uint32_t group; /* the present one */
    struct roxi_matrix *out;
    struct ix_error *err; /* of an interruption */
};

/* All before that stack of the present group is done. 1: interrupted. */
static int step(void *user, size_t stack)
{
    struct run *r = user;
    struct roxi_checkpoint *c = r->options->checkpoint;
    return c && roxi_checkpoint_step(c, r->out, r->group, stack, r->err) != 0;
}

/* The plain implementation: a stack at a time. */
static int add_plainly(struct run *r, const struct roxi_group *g, double work_a_stack,
                       struct roxi_matrix *out)
{
    double *row = calloc(g->stacks + 1, sizeof *row);
    double *nearest = calloc(g->members + 1, sizeof *nearest);
    size_t *at = calloc(g->members + 1, sizeof *at);
    int result = row && nearest && at ? 0 : -1;
    if (result == 0) {
        for (size_t v = 0; v < g->members; v++)
            at[v] = g->start[v];
        for (size_t q = 0; q < g->stacks; q++) {
            nearest_of(g, &r->distance, q, row, nearest);
            add_matched(g, q, nearest, at, r->options->diagonal_computed, out);
            roxi_progress_add(&r->progress, work_a_stack);
        }
    }
    free(row);
    free(nearest);
    free(at);
    return result;
}

/* Whether it pays to compute only what is new: of the same work as for the whole group, it takes the
 * new members' share twice, and memory for each of them. */
static bool few_fresh(const bool *fresh, const struct roxi_group *g)
{
    size_t members = 0;
    for (size_t m = 0; fresh && m < g->members; m++)
        members += fresh[g->execution[m]];
    return fresh && members * 4 <= g->members && members * g->stacks <= FRESH_CELLS;
}

/* From the query `from` on; not 0 only with the fast engine, and with all executions new. */
static int compare_group(struct run *r, const struct roxi_group *g, size_t from, double items,
                         struct roxi_matrix *out)
{
    if (!g->members)
        return 0; /* all its packets were left out */
    double work_a_stack = items * items / (double)g->stacks;
    int result;
    if (!r->fast)
        result = add_plainly(r, g, work_a_stack, out);
    else if (few_fresh(r->options->fresh, g))
        result = roxi_engine_add_fresh(&r->engine, g, r->options->fresh, &r->progress,
                                       work_a_stack, out);
    else
        result = roxi_engine_add(&r->engine, g, from, &(struct roxi_between){step, r},
                                 &r->progress, work_a_stack, out);
    if (result == 0 && r->options->unmatched_cost)
        result = add_unmatched(g, &r->distance, out);
    return result;
}

/* Compare(a, b) + Compare(b, a) in both places; in squares, because columns of a large matrix are
 * far apart in memory. */
static void add_transpose(struct roxi_matrix *m)
{
    enum { SIDE = 64 };
    for (size_t top = 0; top < m->n; top += SIDE)
        for (size_t side = top; side < m->n; side += SIDE)
            for (size_t a = top; a < top + SIDE && a < m->n; a++)
                for (size_t b = side > a ? side : a; b < side + SIDE && b < m->n; b++)
                    *roxi_cell(m, a, b) = *roxi_cell(m, b, a) =
                        *roxi_cell(m, a, b) + *roxi_cell(m, b, a);
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

/* 0, -1: memory ran out; 1: interrupted, and r->err says so. */
static int compare_all(struct run *r, const struct each_group *each, struct roxi_matrix *out)
{
    const struct roxi_checkpoint *begin = r->options->checkpoint;
    const uint32_t first = begin ? begin->group : 0;
    const size_t first_stack = begin ? begin->stack : 0;
    const struct roxi_profiles *p = r->profiles;
    size_t *cursor = calloc(p->count + 1, sizeof *cursor);
    double *items = calloc(p->groups.n + 1, sizeof *items);
    int result = cursor && items ? 0 : -1;
    roxi_progress_start(&r->progress, "comparing executions", result == 0 ? work_of(p, items) : 0);
    for (uint32_t number = 0; number < p->groups.n && result == 0; number++) {
        struct roxi_group g;
        r->group = number;
        result = roxi_group_gather(&g, p, number, cursor);
        if (result == 0 && number >= first) {
            const size_t from = number == first ? first_stack : 0;
            result = compare_group(r, &g, from, items[number], out);
        }
        roxi_group_release(&g);
        r->group = number + 1;
        if (result == 0 && number >= first && number + 1 < p->groups.n)
            result = step(r, 0);
        if (result == 0 && each) {
            result = each->each(each->user, out);
            memset(out->cells, 0, out->n * out->n * sizeof *out->cells);
        }
    }
    roxi_progress_end(&r->progress);
    free(cursor);
    free(items);
    return result;
}

/* Compares into a new matrix. */
static int compare(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                   const struct each_group *each, struct roxi_matrix *out, struct ix_error *err)
{
    struct run r = {.profiles = p, .options = options};
    int ready = roxi_engine_init(&r.engine, p, options, err);
    if (ready < 0)
        return -1;
    r.fast = ready == 1;
    if (roxi_matrix_new(out, p->count) != 0)
        return ix_fail(err, "out of memory for a matrix of %zu executions", p->count);
    if (roxi_distance_init(&r.distance, options->strategy, p->symbols, options->match_reward,
                           roxi_symbols_deepest(p->symbols), err) != 0) {
        roxi_matrix_free(out);
        return -1;
    }
    r.out = out;
    r.err = err;
    if (options->checkpoint && options->checkpoint->resume)
        roxi_checkpoint_load(options->checkpoint, out);
    int result = compare_all(&r, each, out);
    roxi_distance_release(&r.distance);
    if (result == 0)
        return 0;
    roxi_matrix_free(out);
    return result < 0 ? ix_fail(err, "out of memory") : -1;
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
