/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the baseline of the architecture: SSE2, NEON or no SIMD. */
#define TARGET
#define KERNELS roxi_kernels_portable
#include "roxi/distance/kernel_widths.h"
