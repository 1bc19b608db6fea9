/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX2: x86-64 from 2013 on. */
#if defined __x86_64__
#define TARGET __attribute__((target("avx2")))
#define KERNELS roxi_kernels_avx2
#include "roxi/distance/kernel_widths.h"
#endif
