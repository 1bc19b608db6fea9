#include "roxi/array.h"

#include <stdint.h>
#include <stdlib.h>

void *roxi_array_fit(void *old, size_t *cap, size_t need, size_t size)
{
    if (old && need <= *cap)
        return old;
    size_t want = *cap < 8 ? 8 : *cap;
    while (want < need) {
        if (want > SIZE_MAX / 2)
            return NULL;
        want *= 2;
    }
    void *grown = reallocarray(old, want, size);
    if (grown)
        *cap = want;
    return grown;
}
