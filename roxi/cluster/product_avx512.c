/* SPDX-License-Identifier: Apache-2.0 */
/* Products for AVX-512: servers from 2017 on, AMD's from 2022 on. */
#if defined __x86_64__
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,fma")))
#define PRODUCTS roxi_products_avx512
#define VECTOR __m512d
#define WIDTH 8
#define ROWS 8
#define VECTORS 3
#define LOAD(from) _mm512_loadu_pd(from)
#define STORE(to, what) _mm512_storeu_pd(to, what)
#define ALL(number) _mm512_set1_pd(number)
#define FUSED(x, y, z) _mm512_fmadd_pd(x, y, z)
#include "roxi/cluster/product_template.h"
#endif
