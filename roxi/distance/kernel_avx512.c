/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX-512 with BW, DQ and VL: servers from 2017 on, AMD's from 2022 on. */
#if defined __x86_64__
/* For some processors GCC prefers 256 bits, because of their lower clock with 512. */
#if defined __clang__
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#define KERNELS roxi_kernels_avx512
#include "roxi/distance/kernel_widths.h"
#endif
