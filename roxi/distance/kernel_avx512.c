/* Kernels for AVX-512 with BW, DQ and VL: servers from 2017 on, AMD's from 2022 on. */
#if defined __x86_64__
/* GCC keeps to 256 bits for some of them, for fear of a lower clock. */
#if defined __clang__
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define TARGET \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#define KERNELS roxi_kernels_avx512
#include "roxi/kernel_widths.h"
#endif
