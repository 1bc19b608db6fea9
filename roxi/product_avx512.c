/* Products for AVX-512: servers from 2017 on, AMD's from 2022 on. */
#if defined __x86_64__
#define TARGET __attribute__((target("avx512f")))
#define PRODUCT roxi_product_avx512
#include "roxi/product_template.h"
#endif
