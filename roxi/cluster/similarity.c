/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/cluster/similarity.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/cluster/product.h"

struct job {
    const struct roxi_rows *rows;
    const struct roxi_similarity_options *options;
    size_t n, cols;
    double *weight; /* owned; by column */
    double *norm;   /* owned; by row: its length */
    int threads;
    const struct roxi_products *products;
};

/* For few rows, waking other threads costs more than they save. */
static int threads_for(size_t rows, const struct roxi_similarity_options *options)
{
    enum { PARALLEL_FROM = 200 };
    if (options->threads)
        return (int)options->threads;
    return rows < PARALLEL_FROM ? 1 : omp_get_max_threads();
}

static int start(struct job *j, const struct roxi_rows *rows,
                 const struct roxi_similarity_options *options)
{
    size_t n = rows->whole ? rows->whole->n : rows->sparse->rows;
    *j = (struct job){.rows = rows,
                      .options = options,
                      .n = n,
                      .cols = rows->whole ? rows->whole->n : rows->sparse->cols,
                      .threads = threads_for(n, options),
                      .products = roxi_products_best()};
    j->weight = calloc(j->cols + 1, sizeof *j->weight);
    j->norm = calloc(j->n + 1, sizeof *j->norm);
    return j->weight && j->norm ? 0 : -1;
}

static void weigh_columns(struct job *j)
{
    for (size_t c = 0; c < j->cols; c++)
        j->weight[c] = j->options->idf_columns ? 0 : 1;
    if (!j->options->idf_columns)
        return;
    for (size_t i = 0; j->rows->whole && i < j->n * j->n; i++)
        j->weight[i % j->n] += j->rows->whole->cells[i] != 0;
    for (size_t i = 0; j->rows->sparse && i < j->rows->sparse->start[j->n]; i++)
        j->weight[j->rows->sparse->column[i]]++;
    for (size_t c = 0; c < j->cols; c++)
        j->weight[c] = j->weight[c] > 0 ? -log2(j->weight[c] / (double)j->n) : 0;
}

static double scaled(const struct job *j, size_t column, double v)
{
    return (j->options->sqrt_rows ? copysign(sqrt(fabs(v)), v) : v) * j->weight[column];
}

static double one_minus_cosine(double product, double lengths)
{
    double cosine = lengths > 0 ? product / lengths : 0;
    return cosine < 1 ? 1 - cosine : 0;
}

/* ---- dense: panels of rows, products of all with all in blocks that fit the caches ---- */

enum {
    TILE = 8 * ROXI_PANEL, /* rows of a tile of results */
    STEP = 128
}; /* columns of a panel processed at a time */

/* Writes row i, scaled, to its place in a panel; column c goes to into[c * ROXI_PANEL]. */
static void fill_row(struct job *j, size_t i, double *into)
{
    double squares = 0;
    if (j->rows->whole) {
        for (size_t c = 0; c < j->cols; c++)
            into[c * ROXI_PANEL] = scaled(j, c, *roxi_cell(j->rows->whole, i, c));
    } else {
        const struct roxi_sparse *s = j->rows->sparse;
        for (size_t at = s->start[i]; at < s->start[i + 1]; at++)
            into[s->column[at] * (size_t)ROXI_PANEL] = scaled(j, s->column[at], s->value[at]);
    }
    for (size_t c = 0; c < j->cols; c++)
        squares += into[c * ROXI_PANEL] * into[c * ROXI_PANEL];
    j->norm[i] = sqrt(squares);
}

static void write_tile(const struct job *j, const double *sums, size_t a0, size_t b0,
                       struct roxi_condensed *out)
{
    for (size_t a = a0; a < a0 + TILE && a < j->n; a++)
        for (size_t b = b0 > a ? b0 : a + 1; b < b0 + TILE && b < j->n; b++)
            out->cells[roxi_pair_at(j->n, a, b)] =
                one_minus_cosine(sums[(a - a0) * TILE + (b - b0)], j->norm[a] * j->norm[b]);
}

/* Computes the results of rows a0 to a0 + TILE - 1 with rows b0 to b0 + TILE - 1. */
static void tile(const struct job *j, const double *panels, size_t a0, size_t b0, double *sums,
                 struct roxi_condensed *out)
{
    memset(sums, 0, sizeof *sums * TILE * TILE);
    for (size_t c = 0; c < j->cols; c += STEP) {
        size_t columns = j->cols - c < STEP ? j->cols - c : STEP;
        for (size_t a = a0; a < a0 + TILE && a < j->n; a += ROXI_PANEL)
            for (size_t b = b0; b < b0 + TILE && b < j->n; b += ROXI_PANEL)
                if (b >= a)
                    j->products->panels(panels + a * j->cols + c * ROXI_PANEL,
                                        panels + b * j->cols + c * ROXI_PANEL, columns,
                                        sums + (a - a0) * TILE + (b - b0), TILE);
    }
    write_tile(j, sums, a0, b0, out);
}

static int dense(struct job *j, struct roxi_condensed *out)
{
    size_t rows = (j->n + ROXI_PANEL - 1) / ROXI_PANEL * ROXI_PANEL;
    size_t tiles = (j->n + TILE - 1) / TILE;
    double *panels = calloc(rows * j->cols + 1, sizeof *panels);
    double *sums = calloc((size_t)j->threads * TILE * TILE, sizeof *sums);
    int result = panels && sums ? 0 : -1;
    if (result == 0) {
#pragma omp parallel for num_threads(j->threads)
        for (size_t i = 0; i < j->n; i++)
            fill_row(j, i, panels + i / ROXI_PANEL * ROXI_PANEL * j->cols + i % ROXI_PANEL);
#pragma omp parallel for num_threads(j->threads) schedule(dynamic) collapse(2)
        for (size_t a = 0; a < tiles; a++)
            for (size_t b = 0; b < tiles; b++)
                if (b >= a)
                    tile(j, panels, a * TILE, b * TILE,
                         sums + (size_t)omp_get_thread_num() * TILE * TILE, out);
    }
    free(panels);
    free(sums);
    return result;
}

/* ---- sparse: a row spread out over all columns, with the cells of the others ---- */

/* spread: a row of zeros, which is restored to zeros. */
static void sparse_row(const struct job *j, const double *value, double *spread, size_t a,
                       struct roxi_condensed *out)
{
    const struct roxi_sparse *s = j->rows->sparse;
    for (size_t i = s->start[a]; i < s->start[a + 1]; i++)
        spread[s->column[i]] = value[i];
    for (size_t b = a + 1; b < j->n; b++)
        out->cells[roxi_pair_at(j->n, a, b)] = one_minus_cosine(
            j->products->sparse(spread, value + s->start[b], s->column + s->start[b],
                                s->start[b + 1] - s->start[b]),
            j->norm[a] * j->norm[b]);
    for (size_t i = s->start[a]; i < s->start[a + 1]; i++)
        spread[s->column[i]] = 0;
}

static void scale_sparse(struct job *j, double *value)
{
    const struct roxi_sparse *s = j->rows->sparse;
    for (size_t a = 0; a < j->n; a++) {
        double squares = 0;
        for (size_t i = s->start[a]; i < s->start[a + 1]; i++) {
            value[i] = scaled(j, s->column[i], s->value[i]);
            squares += value[i] * value[i];
        }
        j->norm[a] = sqrt(squares);
    }
}

static int sparse(struct job *j, struct roxi_condensed *out)
{
    double *value = calloc(j->rows->sparse->start[j->n] + 1, sizeof *value);
    double *spread = calloc((size_t)j->threads * (j->cols + 1), sizeof *spread);
    int result = value && spread ? 0 : -1;
    if (result == 0) {
        scale_sparse(j, value);
#pragma omp parallel for num_threads(j->threads) schedule(dynamic)
        for (size_t a = 0; a < j->n; a++)
            sparse_row(j, value, spread + (size_t)omp_get_thread_num() * (j->cols + 1), a, out);
    }
    free(value);
    free(spread);
    return result;
}

/* A product from a panel is many times faster than one that looks up its column; both add in the
 * same order, and zeros add nothing, so the results are equal. */
static bool is_dense(const struct job *j)
{
    return j->rows->whole || j->rows->sparse->start[j->n] / 8 > j->n * j->cols / 64;
}

int roxi_similarity(const struct roxi_rows *rows, const struct roxi_similarity_options *options,
                    struct roxi_condensed *out, struct ix_error *err)
{
    struct job j;
    int result = start(&j, rows, options);
    *out = (struct roxi_condensed){0};
    if (result == 0 && (result = roxi_condensed_new(out, j.n, ROXI_ON_COSINE)) == 0) {
        weigh_columns(&j);
        result = is_dense(&j) ? dense(&j, out) : sparse(&j, out);
    }
    free(j.weight);
    free(j.norm);
    if (result == 0)
        return 0;
    roxi_condensed_free(out);
    return ix_fail(err, "out of memory");
}
