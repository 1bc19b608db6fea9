/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/progress.h"
#include "roxi/base/warn.h"
#include "roxi/distance/distance.h"
#include "roxi/distance/engine.h"
#include "roxi/distance/group.h"
#include "roxi/distance/work_queue.h"

static double between(const struct roxi_group *g, struct roxi_distance *d, size_t a, size_t b)
{
    return roxi_distance(d, g->frames + g->first[a], g->first[a + 1] - g->first[a],
                         g->frames + g->first[b], g->first[b + 1] - g->first[b]);
}

/* nearest[m]: distance from stack q to the nearest stack of member m. row has room for every
 * stack. */
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

/* Adds stack q's part of Compare(v, m) for every v that has q; at[v] is v's cursor in `local`. */
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

/* For runs that lack the group: adds every stack's distance to the empty stack. */
static int add_unmatched(const struct roxi_group *g, struct roxi_distance *d,
                         struct roxi_matrix *out)
{
    if (g->members == out->n)
        return 0;
    double *empty = calloc(g->stacks + 1, sizeof *empty);
    if (!empty)
        return -1;
    for (size_t s = 0; s < g->stacks; s++)
        empty[s] =
            roxi_distance(d, g->frames + g->first[s], g->first[s + 1] - g->first[s], NULL, 0);
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

/* The state of a comparison. */
struct run {
    const struct roxi_profiles *profiles;
    const struct roxi_compare_options *options;
    struct roxi_distance distance;
    struct roxi_engine engine;
    bool fast;
    struct roxi_progress progress;
    double elsewhere; /* work done by other processes */
    struct roxi_work_queue queue;
    size_t *cursor; /* where the items of the next groups begin (group.h) */
    /* The present group; allocated while `in_group`. */
    bool in_group;
    uint64_t number;
    struct roxi_group group;
    struct roxi_work *work; /* NULL: not started */
};

/* The reference implementation: one stack at a time. */
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

static void leave_group(struct run *r)
{
    roxi_engine_close(r->work);
    r->work = NULL;
    if (r->in_group)
        roxi_group_release(&r->group);
    r->in_group = false;
}

static int enter_group(struct run *r, uint64_t number)
{
    if (r->in_group && r->number == number)
        return 0;
    leave_group(r);
    r->in_group = true;
    r->number = number;
    return roxi_group_gather(&r->group, r->profiles, (uint32_t)number, r->cursor);
}

static int add_range(struct run *r, const struct roxi_work_item *item, struct roxi_matrix *out)
{
    if (!r->work)
        r->work = roxi_engine_open(&r->engine, &r->group);
    if (!r->work)
        return -1;
    const int result = roxi_engine_add(r->work, item->from, item->to, out);
    roxi_progress_add(&r->progress, item->work);
    return result;
}

static int compare_item(struct run *r, const struct roxi_work_item *item, struct roxi_matrix *out)
{
    if (enter_group(r, item->group) != 0)
        return -1;
    const struct roxi_group *g = &r->group;
    if (!g->members)
        return 0; /* all packets of the run were left out */
    const double work_a_stack = item->work / (double)(item->to - item->from);
    int result;
    if (!r->fast)
        result = add_plainly(r, g, work_a_stack, out);
    else if (item->whole)
        result =
            roxi_engine_add_fresh(&r->engine, g, r->queue.fresh, &r->progress, work_a_stack, out);
    else
        result = add_range(r, item, out);
    if (result == 0 && r->options->unmatched_cost && item->to == g->stacks)
        result = add_unmatched(g, &r->distance, out);
    return result;
}

/* Writes Compare(a, b) + Compare(b, a) to both cells, in square blocks, because consecutive
 * cells of a column are far apart in a large matrix. */
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

/* What to do with each group's matrix; without it all groups are added up in one matrix. */
struct each_group {
    roxi_each_group *each;
    void *user;
};

static int end_group(const struct each_group *each, uint64_t group, struct roxi_matrix *out)
{
    const int result = each->each(each->user, (uint32_t)group, out);
    memset(out->cells, 0, out->n * out->n * sizeof *out->cells);
    return result;
}

static void note_elsewhere(struct run *r)
{
    const double work = roxi_work_queue_elsewhere(&r->queue);
    r->elsewhere += work;
    roxi_progress_add(&r->progress, work);
}

static int compare_round(struct run *r, const struct each_group *each, struct roxi_matrix *out)
{
    struct roxi_work_item item;
    int result = 0;
    while (result == 0 && roxi_work_queue_take(&r->queue, &item)) {
        note_elsewhere(r);
        result = compare_item(r, &item, out);
        if (result == 0 && each && item.to == r->group.stacks)
            result = end_group(each, r->number, out);
    }
    roxi_work_queue_close(&r->queue, out, result != 0);
    note_elsewhere(r);
    return result;
}

/* Shows the user whether the processes that mpirun started are of use. */
static void tell_of_ranks(const struct run *r)
{
    const double work = r->queue.work > 0 ? r->queue.work : 1;
    if (roxi_mpi_processes() > 1 && roxi_mpi_process() == 0)
        roxi_warn("%u MPI processes with %u threads in all; processes other than 0 did %.0f %% of "
                  "the work",
                  roxi_mpi_processes(), roxi_mpi_threads(), 100 * r->elsewhere / work);
}

/* 0; -1: out of memory; 1 with the reason in *err, which is empty on processes other than 0, which
 * have nothing more to do. */
static int compare_all(struct run *r, const struct each_group *each, struct roxi_matrix *out,
                       struct ix_error *err)
{
    struct roxi_checkpoint *c = r->options->checkpoint;
    int result = 0, opened = 1;
    roxi_progress_start(&r->progress, "comparing runs", r->queue.work);
    while (result == 0 && (opened = roxi_work_queue_open(&r->queue, err)) == 1) {
        result = compare_round(r, each, out);
        if (result == 0 && c && !roxi_work_queue_done(&r->queue))
            result = roxi_checkpoint_step(c, out, (uint32_t)r->queue.next, r->queue.stack, err);
    }
    roxi_progress_end(&r->progress);
    leave_group(r);
    if (result == 0 && opened == 0 && roxi_mpi_process() != 0) {
        ix_fail(err, "%s", "");
        return 1;
    }
    if (result == 0 && opened == 0)
        tell_of_ranks(r);
    return opened < 0 || result > 0 ? 1 : result;
}

static int prepare(struct run *r, struct roxi_matrix *out, struct ix_error *err)
{
    const struct roxi_compare_options *o = r->options;
    const struct roxi_symbols *symbols = r->profiles->symbols;
    if (roxi_matrix_new(out, r->profiles->count) != 0)
        return ix_fail(err, "out of memory for a matrix of %zu runs", r->profiles->count);
    if (o->checkpoint && o->checkpoint->resume)
        roxi_checkpoint_load(o->checkpoint, out);
    r->cursor = calloc(r->profiles->count + 1, sizeof *r->cursor);
    if (roxi_work_queue_init(&r->queue, r->profiles, o->fresh, o->checkpoint, r->fast) != 0 ||
        !r->cursor)
        return ix_fail(err, "out of memory");
    return roxi_distance_init(&r->distance, o->strategy, symbols, o->match_reward,
                              roxi_symbols_deepest(symbols), err);
}

/* Compares into a newly allocated matrix. */
static int compare(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                   const struct each_group *each, struct roxi_matrix *out, struct ix_error *err)
{
    struct run r = {.profiles = p, .options = options};
    int ready = roxi_engine_init(&r.engine, p, options, err);
    if (ready < 0)
        return -1;
    r.fast = ready == 1;
    int result = prepare(&r, out, err) == 0 ? 0 : 1;
    if (result == 0) {
        result = compare_all(&r, each, out, err);
        roxi_distance_release(&r.distance);
    }
    roxi_work_queue_free(&r.queue);
    free(r.cursor);
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
                        roxi_each_group *each, void *user, struct ix_error *err)
{
    struct roxi_matrix work;
    const struct each_group groups = {each, user};
    int result = compare(p, options, &groups, &work, err);
    if (result == 0)
        roxi_matrix_free(&work);
    return result;
}
