/* The kernels of one instruction set, in all widths: TARGET is the function attribute that names it,
 * KERNELS the table to define. Included once by each kernel_*.c. */
#include <stdlib.h>
#include <string.h>

#include "roxi/kernel.h"

#define CELL int16_t
#define NAME(x) x##_16
#include "roxi/kernel_template.h"
#undef CELL
#undef NAME

#define CELL int32_t
#define NAME(x) x##_32
#include "roxi/kernel_template.h"
#undef CELL
#undef NAME

#define CELL int64_t
#define NAME(x) x##_64
#include "roxi/kernel_template.h"
#undef CELL
#undef NAME

const struct roxi_kernels KERNELS = {
    .cells_16 = nearest_16, .cells_32 = nearest_32, .cells_64 = nearest_64};
