/* Kernels for what every processor of the architecture has: SSE2, NEON or nothing. */
#define TARGET
#define KERNELS roxi_kernels_portable
#include "roxi/kernel_widths.h"
