/* SPDX-License-Identifier: Apache-2.0 */
/* Products for AVX2 with FMA: x86-64 from 2013 on. */
#if defined __x86_64__
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define PRODUCTS roxi_products_avx2
#define VECTOR __m256d
#define WIDTH 4
#define ROWS 4
#define VECTORS 3
#define LOAD(from) _mm256_loadu_pd(from)
#define STORE(to, what) _mm256_storeu_pd(to, what)
#define ALL(number) _mm256_set1_pd(number)
#define FUSED(x, y, z) _mm256_fmadd_pd(x, y, z)
#include "roxi/cluster/product_template.h"
#endif
