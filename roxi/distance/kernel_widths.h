/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of one instruction set, in all widths, and the accumulation of their results:
 * TARGET is the function attribute that names it, KERNELS the table to define. Included once by
 * each kernel_*.c. */
#include <stdlib.h>
#include <string.h>

#include "roxi/distance/kernel.h"

#define CELL int16_t
#define NAME(x) x##_16
#include "roxi/distance/kernel_template.h"
#undef CELL
#undef NAME

#define CELL int32_t
#define NAME(x) x##_32
#include "roxi/distance/kernel_template.h"
#undef CELL
#undef NAME

#define CELL int64_t
#define NAME(x) x##_64
#include "roxi/distance/kernel_template.h"
#undef CELL
#undef NAME

TARGET static void accumulate(double *restrict sum, const double *restrict value, double factor,
                              size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        sum[i] += factor * value[i];
}

const struct roxi_kernels KERNELS = {.cells_16 = nearest_16,
                                     .cells_32 = nearest_32,
                                     .cells_64 = nearest_64,
                                     .accumulate = accumulate};
