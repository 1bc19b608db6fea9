/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/report/format.h"

void roxi_write_csv_field(FILE *out, const char *text)
{
    const bool quoted = text[strcspn(text, ",\"\r\n")];
    if (quoted)
        putc('"', out);
    /* A spreadsheet would read it as a formula. A leading ' is also preceded by one, so that
     * readers can always drop the first. */
    if (*text && strchr("=+-@\t\r'", *text))
        putc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    if (quoted)
        putc('"', out);
}

static const double *row_of(const struct roxi_table *t, size_t row, double *spread)
{
    if (t->whole)
        return roxi_cell(t->whole, row, 0);
    memset(spread, 0, t->cols * sizeof *spread);
    for (size_t i = t->sparse->start[row]; i < t->sparse->start[row + 1]; i++)
        spread[t->sparse->column[i]] = t->sparse->value[i];
    return spread;
}

int roxi_write_csv(FILE *out, const struct roxi_table *table, struct ix_error *err)
{
    double *spread = calloc(table->cols + 1, sizeof *spread);
    if (!spread)
        return ix_fail(err, "out of memory");
    fputs("execution", out);
    for (size_t col = 0; col < table->cols; col++) {
        putc(',', out);
        roxi_write_csv_field(out, table->col_names[col]);
    }
    putc('\n', out);
    for (size_t row = 0; row < table->rows; row++) {
        roxi_write_csv_field(out, table->row_names[row]);
        const double *cells = row_of(table, row, spread);
        for (size_t col = 0; col < table->cols; col++)
            fprintf(out, ",%.17g", cells[col]);
        putc('\n', out);
    }
    free(spread);
    return 0;
}
