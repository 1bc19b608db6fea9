/* roxi_product for one instruction set: PRODUCT is the function's name, TARGET an attribute.
 * Sums of 6 rows with 8 stay in registers: 6 of AVX-512, 12 of AVX2. Compiled without contraction
 * into fused operations, which round once instead of twice. */
#include "roxi/product.h"

enum { ROWS = 6, LANES = 8 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

TARGET void PRODUCT(const double *a, const double *b, size_t columns, double *sums, size_t stride)
{
    for (size_t row = 0; row < ROXI_PANEL; row += ROWS) {
        for (size_t lane = 0; lane < ROXI_PANEL; lane += LANES) {
            lanes sum[ROWS];
            for (size_t r = 0; r < ROWS; r++)
                sum[r] = *(const lanes *)&sums[(row + r) * stride + lane];
            const double *x = a + row, *y = b + lane;
            for (size_t c = 0; c < columns; c++, x += ROXI_PANEL, y += ROXI_PANEL) {
                lanes other = *(const lanes *)y;
                for (size_t r = 0; r < ROWS; r++)
                    sum[r] += other * x[r];
            }
            for (size_t r = 0; r < ROWS; r++)
                *(lanes *)&sums[(row + r) * stride + lane] = sum[r];
        }
    }
}
