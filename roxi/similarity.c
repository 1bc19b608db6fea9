#include "roxi/similarity.h"

#include <math.h>
#include <stdlib.h>

/* value[] scaled as the options say; NULL: memory ran out. */
static double *scaled(const struct roxi_sparse *rows, const struct roxi_similarity_options *o)
{
    size_t cells = rows->start[rows->rows];
    double *value = calloc(cells + 1, sizeof *value);
    double *present = calloc(rows->cols + 1, sizeof *present);
    if (!value || !present) {
        free(value);
        free(present);
        return NULL;
    }
    for (size_t i = 0; i < cells; i++) {
        double v = rows->value[i];
        value[i] = o->sqrt_rows ? copysign(sqrt(fabs(v)), v) : v;
        present[rows->column[i]]++;
    }
    for (size_t i = 0; o->idf_columns && i < cells; i++)
        value[i] *= -log2(present[rows->column[i]] / (double)rows->rows);
    free(present);
    return value;
}

static double length(const double *value, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += value[i] * value[i];
    return sqrt(sum);
}

/* Row a, spread out over all columns, with row b. */
static double product(const struct roxi_sparse *rows, const double *value, const double *spread,
                      size_t b)
{
    double sum = 0;
    for (size_t i = rows->start[b]; i < rows->start[b + 1]; i++)
        sum += spread[rows->column[i]] * value[i];
    return sum;
}

static void fill(const struct roxi_sparse *rows, const double *value, double *norm, double *spread,
                 struct roxi_matrix *out)
{
    for (size_t a = 0; a < rows->rows; a++)
        norm[a] = length(value + rows->start[a], rows->start[a + 1] - rows->start[a]);
    for (size_t a = 0; a < rows->rows; a++) {
        for (size_t i = rows->start[a]; i < rows->start[a + 1]; i++)
            spread[rows->column[i]] = value[i];
        for (size_t b = a; b < rows->rows; b++) {
            double lengths = norm[a] * norm[b];
            double cosine = lengths > 0 ? product(rows, value, spread, b) / lengths : 0;
            *roxi_cell(out, a, b) = *roxi_cell(out, b, a) = cosine;
        }
        for (size_t i = rows->start[a]; i < rows->start[a + 1]; i++)
            spread[rows->column[i]] = 0;
    }
}

int roxi_similarity(const struct roxi_sparse *rows, const struct roxi_similarity_options *options,
                    struct roxi_matrix *out, struct ix_error *err)
{
    double *value = scaled(rows, options);
    double *norm = calloc(rows->rows + 1, sizeof *norm);
    double *spread = calloc(rows->cols + 1, sizeof *spread);
    int result = roxi_matrix_new(out, rows->rows);
    if (value && norm && spread && result == 0) {
        fill(rows, value, norm, spread, out);
    } else {
        roxi_matrix_free(out);
        result = ix_fail(err, "out of memory");
    }
    free(value);
    free(norm);
    free(spread);
    return result;
}
