/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's array file, version 1.0 (numpy.lib.format): a magic number, the length of the header,
 * the header (a Python dictionary padded to 64 bytes), and the numbers, row after row. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "roxi/report/format.h"

void roxi_write_npy_header(FILE *out, size_t rows, size_t cols)
{
    enum { ALIGN = 64, BEFORE = 10 };
    char header[256];
    int len =
        snprintf(header, sizeof header,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", rows, cols);
    size_t total = (BEFORE + (size_t)len + 1 + ALIGN - 1) / ALIGN * ALIGN;
    size_t size = total - BEFORE;
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    putc((int)(size & 0xff), out);
    putc((int)(size >> 8), out);
    fprintf(out, "%-*s\n", (int)size - 1, header);
}

void roxi_write_npy_number(FILE *out, double value)
{
    uint64_t bits;
    uint8_t bytes[sizeof bits];
    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    fwrite(bytes, 1, sizeof bytes, out);
}

static void write_sparse_row(FILE *out, const struct roxi_sparse *s, size_t row)
{
    size_t at = s->start[row];
    for (size_t col = 0; col < s->cols; col++) {
        bool there = at < s->start[row + 1] && s->column[at] == col;
        roxi_write_npy_number(out, there ? s->value[at] : 0);
        at += there;
    }
}

void roxi_write_npy(FILE *out, const struct roxi_table *table)
{
    roxi_write_npy_header(out, table->rows, table->cols);
    for (size_t row = 0; row < table->rows; row++) {
        if (table->sparse)
            write_sparse_row(out, table->sparse, row);
        for (size_t col = 0; table->whole && col < table->cols; col++)
            roxi_write_npy_number(out, *roxi_cell(table->whole, row, col));
    }
}
