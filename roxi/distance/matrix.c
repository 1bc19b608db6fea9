/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/matrix.h"

#include <stdlib.h>

int roxi_matrix_new(struct roxi_matrix *m, size_t n)
{
    *m = (struct roxi_matrix){.n = n};
    if (n && n > SIZE_MAX / n / sizeof *m->cells)
        return -1;
    m->cells = calloc(n * n + 1, sizeof *m->cells);
    return m->cells ? 0 : -1;
}

void roxi_matrix_free(struct roxi_matrix *m)
{
    free(m->cells);
    *m = (struct roxi_matrix){0};
}

int roxi_sparse_new(struct roxi_sparse *s, size_t rows, size_t cols, size_t cells)
{
    *s = (struct roxi_sparse){.rows = rows, .cols = cols};
    s->start = calloc(rows + 1, sizeof *s->start);
    s->column = calloc(cells + 1, sizeof *s->column);
    s->value = calloc(cells + 1, sizeof *s->value);
    if (s->start && s->column && s->value)
        return 0;
    roxi_sparse_free(s);
    return -1;
}

int roxi_sparse_of(struct roxi_sparse *s, const struct roxi_matrix *m)
{
    size_t cells = 0;
    for (size_t i = 0; i < m->n * m->n; i++)
        cells += m->cells[i] != 0;
    if (roxi_sparse_new(s, m->n, m->n, cells) != 0)
        return -1;
    size_t at = 0;
    for (size_t row = 0; row < m->n; row++) {
        for (size_t col = 0; col < m->n; col++) {
            if (*roxi_cell(m, row, col) != 0) {
                s->column[at] = (uint32_t)col;
                s->value[at++] = *roxi_cell(m, row, col);
            }
        }
        s->start[row + 1] = at;
    }
    return 0;
}

void roxi_sparse_free(struct roxi_sparse *s)
{
    free(s->start);
    free(s->column);
    free(s->value);
    *s = (struct roxi_sparse){0};
}
