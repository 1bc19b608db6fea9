/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/counts.h"

#include <stdlib.h>

/* `columns` numbers the columns; its keys are frames or stacks. */
static int add(struct roxi_tally *columns, struct roxi_tally *row, uint32_t symbol, uint64_t count)
{
    uint32_t column = roxi_tally_add(columns, symbol, 0);
    return column == ROXI_NONE || roxi_tally_add(row, column, count) == ROXI_NONE ? -1 : 0;
}

static int count_execution(const struct roxi_profiles *p, const struct roxi_profile *x,
                           enum roxi_kind kind, struct roxi_tally *columns, struct roxi_tally *row)
{
    for (size_t i = 0; i < x->count; i++) {
        uint32_t stack = x->items[i].stack;
        uint64_t count = x->items[i].count;
        if (kind == ROXI_STACK_COUNT) {
            if (add(columns, row, stack, count) != 0)
                return -1;
            continue;
        }
        while (stack) {
            struct roxi_stack s = roxi_symbols_stack_at(p->symbols, stack);
            if (add(columns, row, s.frame, count) != 0)
                return -1;
            stack = s.parent;
        }
    }
    return 0;
}

struct cell {
    uint32_t column;
    uint64_t count;
};

static int by_column(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return x->column < y->column ? -1 : x->column > y->column;
}

static int put_row(struct roxi_sparse *out, size_t number, const struct roxi_tally *row)
{
    struct cell *cells = calloc(row->n + 1, sizeof *cells);
    if (!cells)
        return -1;
    for (size_t i = 0; i < row->n; i++)
        cells[i] =
            (struct cell){.column = (uint32_t)roxi_tally_key(row, i), .count = row->counts[i]};
    qsort(cells, row->n, sizeof *cells, by_column);
    size_t at = out->start[number];
    for (size_t i = 0; i < row->n; i++, at++) {
        out->column[at] = cells[i].column;
        out->value[at] = (double)cells[i].count;
    }
    out->start[number + 1] = at;
    free(cells);
    return 0;
}

static int put_rows(struct roxi_sparse *out, size_t n, size_t columns,
                    const struct roxi_tally *rows)
{
    size_t cells = 0;
    for (size_t i = 0; i < n; i++)
        cells += rows[i].n;
    if (roxi_sparse_new(out, n, columns, cells) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (put_row(out, i, &rows[i]) != 0)
            return -1;
    return 0;
}

int roxi_counts(const struct roxi_profiles *p, enum roxi_kind kind, struct roxi_sparse *out,
                uint32_t **symbols, struct ix_error *err)
{
    struct roxi_tally columns = {0};
    struct roxi_tally *rows = calloc(p->count + 1, sizeof *rows);
    int result = rows ? 0 : -1;
    *out = (struct roxi_sparse){0};
    *symbols = NULL;
    for (size_t i = 0; i < p->count && result == 0; i++)
        result = count_execution(p, &p->executions[i], kind, &columns, &rows[i]);
    if (result == 0 && !(*symbols = calloc(columns.n + 1, sizeof **symbols)))
        result = -1;
    for (size_t i = 0; i < columns.n && result == 0; i++)
        (*symbols)[i] = (uint32_t)roxi_tally_key(&columns, i);
    if (result == 0)
        result = put_rows(out, p->count, columns.n, rows);
    for (size_t i = 0; rows && i < p->count; i++)
        roxi_tally_free(&rows[i]);
    free(rows);
    roxi_tally_free(&columns);
    if (result != 0) {
        roxi_sparse_free(out);
        free(*symbols);
        *symbols = NULL;
        return ix_fail(err, "out of memory");
    }
    return 0;
}
