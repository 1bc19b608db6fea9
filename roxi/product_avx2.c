/* Products for AVX2: x86-64 from 2013 on. */
#if defined __x86_64__
#define TARGET __attribute__((target("avx2")))
#define PRODUCT roxi_product_avx2
#include "roxi/product_template.h"
#endif
