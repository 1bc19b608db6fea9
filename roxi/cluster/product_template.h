/* SPDX-License-Identifier: Apache-2.0 */
/* roxi_products for one instruction set: PRODUCTS is the name, TARGET an attribute; VECTOR holds
 * WIDTH doubles; LOAD, STORE, ALL (one number in all lanes) and FUSED (x * y + z) do what they
 * say. The sums of ROWS rows with VECTORS vectors stay in registers: enough of them to hide the
 * latency of one operation, in a shape that needs few loads. */
#include <math.h>

#include "roxi/cluster/product.h"

enum { LANES = WIDTH * VECTORS };

TARGET static void panels(const double *a, const double *b, size_t columns, double *sums,
                          size_t stride)
{
    for (size_t row = 0; row < ROXI_PANEL; row += ROWS) {
        for (size_t lane = 0; lane < ROXI_PANEL; lane += LANES) {
            VECTOR sum[ROWS][VECTORS];
            double *out = &sums[row * stride + lane];
            for (size_t r = 0; r < ROWS; r++)
                for (size_t v = 0; v < VECTORS; v++)
                    sum[r][v] = LOAD(&out[r * stride + v * WIDTH]);
            const double *x = a + row, *y = b + lane;
            for (size_t c = 0; c < columns; c++, x += ROXI_PANEL, y += ROXI_PANEL) {
                VECTOR other[VECTORS];
                for (size_t v = 0; v < VECTORS; v++)
                    other[v] = LOAD(&y[v * WIDTH]);
                for (size_t r = 0; r < ROWS; r++)
                    for (size_t v = 0; v < VECTORS; v++)
                        sum[r][v] = FUSED(other[v], ALL(x[r]), sum[r][v]);
            }
            for (size_t r = 0; r < ROWS; r++)
                for (size_t v = 0; v < VECTORS; v++)
                    STORE(&out[r * stride + v * WIDTH], sum[r][v]);
        }
    }
}

TARGET static double sparse(const double *spread, const double *value, const uint32_t *column,
                            size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = fma(spread[column[i]], value[i], sum);
    return sum;
}

const struct roxi_products PRODUCTS = {.panels = panels, .sparse = sparse};
