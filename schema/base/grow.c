/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

void *ix_grow_zeroed(void *array, size_t *cap, size_t need, size_t size)
{
    const size_t known = *cap;
    char *grown = ix_grow(array, cap, need, size);
    if (grown && *cap > known)
        memset(grown + known * size, 0, (*cap - known) * size);
    return grown;
}

int ix_grow_list(void *list, size_t *cap, size_t need, size_t size)
{
    void *array;
    memcpy(&array, list, sizeof array);
    void *grown = ix_grow(array, cap, need, size);
    if (!grown)
        return -1;
    memcpy(list, &grown, sizeof grown);
    return 0;
}
