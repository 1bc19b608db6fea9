/* SPDX-License-Identifier: Apache-2.0 */
/* PHYLIP's distance matrix: square, with relaxed names (of any length, without blanks). */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "roxi/report/format.h"

/* Blanks end a name; brackets and Newick's other special characters confuse programs that read
 * it. */
static void write_name(FILE *out, const char *name)
{
    for (const char *c = name; *c; c++) {
        bool odd =
            isspace((unsigned char)*c) || iscntrl((unsigned char)*c) || strchr("()[]{}:;,'\"", *c);
        putc(odd ? '_' : *c, out);
    }
}

void roxi_write_phylip(FILE *out, const struct roxi_table *table)
{
    fprintf(out, "%zu\n", table->rows);
    for (size_t row = 0; row < table->rows; row++) {
        write_name(out, table->row_names[row]);
        for (size_t col = 0; col < table->cols; col++)
            fprintf(out, " %.17g", *roxi_cell(table->whole, row, col));
        putc('\n', out);
    }
}
