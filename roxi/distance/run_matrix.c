/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/run_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/fingerprint.h"
#include "roxi/campaign/load.h"
#include "roxi/distance/compare.h"
#include "roxi/distance/counts.h"
#include "roxi/distance/distance_cache.h"
#include "roxi/distance/stack_string.h"
#include "roxi/mpi/mpi.h"

static int label_rows(struct roxi_run_matrix *f, struct ix_error *err)
{
    f->row_names = calloc(f->profiles->count, sizeof *f->row_names);
    if (!f->row_names)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < f->profiles->count; i++)
        f->row_names[i] = f->profiles->executions[i].name;
    return 0;
}

/* Labels are frames and stacks in the notation of `roxi distance`. */
static int label_columns(struct roxi_run_matrix *f, enum roxi_kind kind, const uint32_t *symbols,
                         struct ix_error *err)
{
    f->labels = calloc(f->counts.cols + 1, sizeof *f->labels);
    if (!f->labels)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < f->counts.cols; i++) {
        struct ix_out text = {0};
        if (kind == ROXI_FRAME_COUNT)
            roxi_frame_print(&text, f->profiles->symbols, symbols[i]);
        else
            roxi_stack_print(&text, f->profiles->symbols, symbols[i]);
        ix_put_u8(&text, 0);
        f->labels[i] = (char *)text.data;
        if (text.failed)
            return ix_fail(err, "out of memory");
    }
    return 0;
}

struct column {
    char *label;
    uint32_t number; /* in order of first appearance */
};

static int by_label(const void *a, const void *b)
{
    const struct column *x = a, *y = b;
    return strcmp(x->label, y->label);
}

struct cell {
    uint32_t column;
    double value;
};

static int by_column(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

/* Renumbers the columns of every row; place[old number] is the new number. */
static int renumber(struct roxi_sparse *counts, const uint32_t *place)
{
    struct cell *row = calloc(counts->cols + 1, sizeof *row);
    if (!row)
        return -1;
    for (size_t r = 0; r < counts->rows; r++) {
        size_t first = counts->start[r], n = counts->start[r + 1] - first;
        for (size_t i = 0; i < n; i++)
            row[i] = (struct cell){place[counts->column[first + i]], counts->value[first + i]};
        qsort(row, n, sizeof *row, by_column);
        for (size_t i = 0; i < n; i++) {
            counts->column[first + i] = row[i].column;
            counts->value[first + i] = row[i].value;
        }
    }
    free(row);
    return 0;
}

/* Columns are numbered in order of first appearance, which depends on the order of threads in
 * the logs. Sorting them by content makes the file the same for the same runs. */
static int sort_columns(struct roxi_run_matrix *f, struct ix_error *err)
{
    size_t n = f->counts.cols;
    struct column *columns = calloc(n + 1, sizeof *columns);
    uint32_t *place = calloc(n + 1, sizeof *place);
    int result = columns && place ? 0 : -1;
    for (size_t i = 0; result == 0 && i < n; i++)
        columns[i] = (struct column){f->labels[i], (uint32_t)i};
    if (result == 0)
        qsort(columns, n, sizeof *columns, by_label);
    for (size_t i = 0; result == 0 && i < n; i++) {
        f->labels[i] = columns[i].label;
        place[columns[i].number] = (uint32_t)i;
    }
    if (result == 0)
        result = renumber(&f->counts, place);
    free(columns);
    free(place);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

static int measure(struct roxi_run_matrix *f, const char *campaign,
                   const struct roxi_run_matrix_options *o, struct ix_error *err)
{
    const struct roxi_cached_work work = {.campaign = campaign,
                                          .profiles = f->profiles,
                                          .load = &o->load,
                                          .options = &o->compare,
                                          .resume = o->resume};
    const int result = o->no_cache ? roxi_compare(f->profiles, &o->compare, &f->distances, err)
                                   : roxi_compare_cached(&work, &f->distances, err);
    if (result != 0)
        return -1;
    f->table = (struct roxi_table){.rows = f->distances.n,
                                   .cols = f->distances.n,
                                   .whole = &f->distances,
                                   .row_names = f->row_names,
                                   .col_names = f->row_names};
    return 0;
}

static int count(struct roxi_run_matrix *f, const struct roxi_run_matrix_options *o,
                 struct ix_error *err)
{
    enum roxi_kind kind = o->compare.strategy->kind;
    uint32_t *symbols;
    if (roxi_mpi_process() != 0)
        return ix_fail(err, "%s", ""); /* process 0 alone does it quickly */
    if (roxi_counts(f->profiles, kind, &f->counts, &symbols, err) != 0)
        return -1;
    int result = label_columns(f, kind, symbols, err);
    free(symbols);
    if (result != 0 || sort_columns(f, err) != 0)
        return -1;
    f->table = (struct roxi_table){.rows = f->counts.rows,
                                   .cols = f->counts.cols,
                                   .sparse = &f->counts,
                                   .row_names = f->row_names,
                                   .col_names = (const char *const *)f->labels};
    return 0;
}

int roxi_run_matrix_of(struct roxi_run_matrix *f, struct roxi_profiles *p, const char *campaign,
                       const struct roxi_run_matrix_options *o, struct ix_error *err)
{
    *f = (struct roxi_run_matrix){.profiles = p};
    bool distance = roxi_strategy_is_distance(o->compare.strategy);
    if (label_rows(f, err) == 0 &&
        (distance ? measure(f, campaign, o, err) : count(f, o, err)) == 0)
        return 0;
    roxi_run_matrix_free(f);
    return -1;
}

/* Checks that all processes have read the same; p is NULL if reading failed. */
static int agree(const struct roxi_profiles *p, struct ix_error *err)
{
    if (p && roxi_mpi_processes() == 1)
        return 0;
    if (!p)
        return roxi_mpi_agree(NULL, err);
    const struct roxi_view view = {p->count, roxi_fingerprint_all(p), roxi_order_fingerprint(p)};
    if (view.prints && view.order)
        return roxi_mpi_agree(&view, err);
    ix_fail(err, "out of memory");
    return roxi_mpi_agree(NULL, err);
}

int roxi_run_matrix_make(struct roxi_run_matrix *f, const char *campaign,
                         const struct roxi_run_matrix_options *o, struct ix_error *err)
{
    struct roxi_profiles *p = roxi_load(campaign, &o->load, err);
    if (agree(p, err) != 0 || roxi_run_matrix_of(f, p, campaign, o, err) != 0) {
        roxi_profiles_free(p);
        return -1;
    }
    f->owns_profiles = true;
    return 0;
}

void roxi_run_matrix_free(struct roxi_run_matrix *f)
{
    for (size_t i = 0; f->labels && i < f->counts.cols; i++)
        free(f->labels[i]);
    free(f->labels);
    free(f->row_names);
    roxi_sparse_free(&f->counts);
    roxi_matrix_free(&f->distances);
    if (f->owns_profiles)
        roxi_profiles_free(f->profiles);
    *f = (struct roxi_run_matrix){0};
}
