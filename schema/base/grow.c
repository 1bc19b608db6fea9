/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/grow.h"

#include <stdint.h>
#include <stdlib.h>

void *ix_grow(void *array, size_t *cap, size_t need, size_t size)
{
    if (array && need <= *cap)
        return array;
    size_t wanted = *cap < 8 ? 16 : *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;
    if (wanted < need)
        wanted = need;
    void *grown = reallocarray(array, wanted, size);
    if (grown)
        *cap = wanted;
    return grown;
}
