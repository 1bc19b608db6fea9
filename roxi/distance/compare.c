#include "roxi/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/command.h"
#include "roxi/distance.h"
#include "roxi/engine.h"
#include "roxi/group.h"
#include "roxi/progress.h"
#include "roxi/shares.h"

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
    double elsewhere; /* work that other ranks did */
    struct roxi_shares shares;
    size_t *cursor; /* where the items of the groups to come begin (group.h) */
    /* The present group; gathered while `in_group`. */
    bool in_group;
    uint64_t number;
    struct roxi_group group;
    struct roxi_work *work; /* NULL: not begun */
};

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

static int add_range(struct run *r, const struct roxi_share *share, struct roxi_matrix *out)
{
    if (!r->work)
        r->work = roxi_engine_open(&r->engine, &r->group);
    if (!r->work)
        return -1;
    const int result = roxi_engine_add(r->work, share->from, share->to, out);
    roxi_progress_add(&r->progress, share->work);
    return result;
}

static int compare_share(struct run *r, const struct roxi_share *share, struct roxi_matrix *out)
{
    if (enter_group(r, share->group) != 0)
        return -1;
    const struct roxi_group *g = &r->group;
    if (!g->members)
        return 0; /* all its packets were left out */
    const double work_a_stack = share->work / (double)(share->to - share->from);
    int result;
    if (!r->fast)
        result = add_plainly(r, g, work_a_stack, out);
    else if (share->whole)
        result = roxi_engine_add_fresh(&r->engine, g, r->shares.fresh, &r->progress, work_a_stack,
                                       out);
    else
        result = add_range(r, share, out);
    if (result == 0 && r->options->unmatched_cost && share->to == g->stacks)
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

/* What becomes of a group's matrix; without it all groups add up in one. */
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
    const double work = roxi_shares_elsewhere(&r->shares);
    r->elsewhere += work;
    roxi_progress_add(&r->progress, work);
}

static int compare_round(struct run *r, const struct each_group *each, struct roxi_matrix *out)
{
    struct roxi_share share;
    int result = 0;
    while (result == 0 && roxi_shares_take(&r->shares, &share)) {
        note_elsewhere(r);
        result = compare_share(r, &share, out);
        if (result == 0 && each && share.to == r->group.stacks)
            result = end_group(each, r->number, out);
    }
    roxi_shares_close(&r->shares, out, result != 0);
    note_elsewhere(r);
    return result;
}

/* So that the user sees whether what mpirun started is of use. */
static void tell_of_ranks(const struct run *r)
{
    const double work = r->shares.work > 0 ? r->shares.work : 1;
    if (roxi_ranks_count() > 1 && roxi_ranks_mine() == 0)
        roxi_warn("%u ranks with %u threads in all; ranks other than 0 did %.0f %% of the comparing",
                  roxi_ranks_count(), roxi_ranks_threads(), 100 * r->elsewhere / work);
}

/* 0; -1: memory ran out; 1: *err says why not, or it is empty at a rank other than 0, which has no
 * more to do. */
static int compare_all(struct run *r, const struct each_group *each, struct roxi_matrix *out,
                       struct ix_error *err)
{
    struct roxi_checkpoint *c = r->options->checkpoint;
    int result = 0, opened = 1;
    roxi_progress_start(&r->progress, "comparing executions", r->shares.work);
    while (result == 0 && (opened = roxi_shares_open(&r->shares, err)) == 1) {
        result = compare_round(r, each, out);
        if (result == 0 && c && !roxi_shares_done(&r->shares))
            result = roxi_checkpoint_step(c, out, (uint32_t)r->shares.next, r->shares.stack, err);
    }
    roxi_progress_end(&r->progress);
    leave_group(r);
    if (result == 0 && opened == 0 && roxi_ranks_mine() != 0) {
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
        return ix_fail(err, "out of memory for a matrix of %zu executions", r->profiles->count);
    if (o->checkpoint && o->checkpoint->resume)
        roxi_checkpoint_load(o->checkpoint, out);
    r->cursor = calloc(r->profiles->count + 1, sizeof *r->cursor);
    if (roxi_shares_init(&r->shares, r->profiles, o, r->fast) != 0 || !r->cursor)
        return ix_fail(err, "out of memory");
    return roxi_distance_init(&r->distance, o->strategy, symbols, o->match_reward,
                              roxi_symbols_deepest(symbols), err);
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
    int result = prepare(&r, out, err) == 0 ? 0 : 1;
    if (result == 0) {
        result = compare_all(&r, each, out, err);
        roxi_distance_release(&r.distance);
    }
    roxi_shares_free(&r.shares);
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
