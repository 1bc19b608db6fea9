/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/cluster/condensed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int roxi_condensed_new(struct roxi_condensed *c, size_t n, enum roxi_measure measure)
{
    *c = (struct roxi_condensed){.n = n, .measure = measure};
    if (n && n > SIZE_MAX / n / sizeof *c->cells)
        return -1;
    c->cells = calloc(roxi_condensed_cells(c) + 1, sizeof *c->cells);
    return c->cells ? 0 : -1;
}

int roxi_condensed_of(struct roxi_condensed *c, const struct roxi_matrix *distances)
{
    size_t n = distances->n;
    if (roxi_condensed_new(c, n, ROXI_ON_DISTANCE) != 0)
        return -1;
    for (size_t i = 0; i + 1 < n; i++)
        memcpy(&c->cells[roxi_pair_at(n, i, i + 1)], roxi_cell(distances, i, i + 1),
               (n - i - 1) * sizeof *c->cells);
    return 0;
}

void roxi_condensed_free(struct roxi_condensed *c)
{
    free(c->cells);
    *c = (struct roxi_condensed){0};
}

const char *roxi_measure_name(enum roxi_measure measure)
{
    return measure == ROXI_ON_COSINE ? "cosine" : "distance";
}
