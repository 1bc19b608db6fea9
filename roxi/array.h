/* Growing arrays: the one overflow-checked way to make room. */
#ifndef ROXI_ARRAY_H
#define ROXI_ARRAY_H

#include <stddef.h>

/* Room for at least `need` items of `size` bytes: returns `old`, or `old` moved and *cap raised (at
 * least doubled, so that appending is O(1) amortised). NULL if memory ran out; then `old` and *cap
 * are as they were. New items are not initialised. */
void *roxi_array_fit(void *old, size_t *cap, size_t need, size_t size);

#endif
