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

/* Appends an element to `list` (as are `count` and `cap`, an expression that can be assigned to and
 * has no effects). 0, or -1 if memory ran out or the size overflows; then nothing has changed. */
#define ix_append(list, count, cap, ...)                                                           \
    (ix_grow_list(&(list), &(cap), (count) + 1, sizeof *(list)) == 0                               \
         ? ((list)[(count)++] = __VA_ARGS__, 0)                                                    \
         : -1)
/* Grows the list to which the pointer at `list` points. */
int ix_grow_list(void *list, size_t *cap, size_t need, size_t size);

#endif
