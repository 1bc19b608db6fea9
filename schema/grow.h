/* Arrays that grow: room for `need` elements of `size` bytes, at least doubled each time, so that
 * appending n elements one by one costs O(n) in all. */
#ifndef IX_SCHEMA_GROW_H
#define IX_SCHEMA_GROW_H

#include <stddef.h>

/* Returns the array, moved if it had to be, with *cap >= need; NULL if memory ran out or the size
 * overflows, and then array and *cap are as before. Elements above the old *cap are undefined. */
void *ix_grow(void *array, size_t *cap, size_t need, size_t size);

#endif
