/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow: room for `need` elements of `size` bytes. The size at least doubles each time,
 * so appending n elements one by one costs O(n) in total. */
#ifndef IX_SCHEMA_GROW_H
#define IX_SCHEMA_GROW_H

#include <stddef.h>

/* Returns the array, possibly moved, with *cap >= need; NULL if memory ran out or the size
 * overflows; then array and *cap are unchanged. Elements above the old *cap are undefined. */
void *ix_grow(void *array, size_t *cap, size_t need, size_t size);
/* The same, but elements above the old *cap are zero. */
void *ix_grow_zeroed(void *array, size_t *cap, size_t need, size_t size);

#endif
