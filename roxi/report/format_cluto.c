/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/report/format.h"

static void write_whole(FILE *out, const struct roxi_matrix *m)
{
    fprintf(out, "%zu %zu\n", m->n, m->n);
    for (size_t row = 0; row < m->n; row++)
        for (size_t col = 0; col < m->n; col++)
            fprintf(out, "%.17g%c", *roxi_cell(m, row, col), col + 1 < m->n ? ' ' : '\n');
}

static void write_sparse(FILE *out, const struct roxi_sparse *s)
{
    fprintf(out, "%zu %zu %zu\n", s->rows, s->cols, s->start[s->rows]);
    for (size_t row = 0; row < s->rows; row++) {
        const char *between = "";
        for (size_t i = s->start[row]; i < s->start[row + 1]; i++) {
            fprintf(out, "%s%u %.17g", between, (unsigned)s->column[i] + 1, s->value[i]);
            between = " ";
        }
        putc('\n', out);
    }
}

void roxi_write_cluto(FILE *out, const struct roxi_table *table)
{
    if (table->whole)
        write_whole(out, table->whole);
    else
        write_sparse(out, table->sparse);
}

void roxi_write_cluto_labels(FILE *out, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (const char *c = names[i]; *c; c++) {
            if (*c == '\n' || *c == '\r')
                fputs(*c == '\n' ? "\\n" : "\\r", out);
            else
                putc(*c, out);
        }
        putc('\n', out);
    }
}
