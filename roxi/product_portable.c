/* Products for what every processor of the architecture has; and the choice. */
#define TARGET
#define PRODUCT roxi_product_portable
#include "roxi/product_template.h"

roxi_product *roxi_product_best(void)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return roxi_product_avx512;
    if (__builtin_cpu_supports("avx2"))
        return roxi_product_avx2;
#endif
    return roxi_product_portable;
}
